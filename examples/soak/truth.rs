//! Puzzles whose answers are known without the program's searches.

use super::below;
use batch_solve::generate::trays::{TrayGoal, TrayRequest};
use batch_solve::generate::{Kind, Request, write_line};
use batch_solve::puzzle::tiles::{Direction, Goal, Size};
use batch_solve::puzzle::trays::{Metric, oracle};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use std::collections::HashMap;
use std::fmt::Write;

/// What must be said of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// The shortest solution has so many moves.
    Length(u32),
    /// It has at most so many, and not one more or less than an even number
    /// fewer.
    AtMost(u32),
    /// There is some solution.
    Solvable,
    /// There is none.
    Unsolvable,
    /// There is a solution or none.
    Decided,
    /// It is no puzzle.
    Invalid,
}

/// Records that are none, each one line or a paragraph of its own.
const MALFORMED: [&str; 12] = [
    "1 2 3",
    "1 2 2 0",
    "1 2 3 4 5 6 7 8 99",
    "\u{1}\u{2}\u{3}",
    "@nonsense 5",
    "a: b: c",
    "1 2 3 -4",
    "3\n1 2 3\n4 5 6\n",
    "tray 2 2\n0 0 5 5\ngoal\n0 0 0 0\n",
    "letters\nAB\nBA\ngoal\nAA\n..\n",
    "tray 3 3\n0 0 0 0\n",
    "9999999999999999999999999 1 2 3",
];

/// The distances of all 3×3 boards, by plain breadth-first search.
pub(crate) struct Truth {
    eight: HashMap<Vec<u16>, u32>,
}

impl Truth {
    pub(crate) fn new() -> Self {
        let size = Size::new(3, 3).expect("a size");
        let goal = Goal::BlankLast.board(size).expect("a goal").into_owned();
        let mut eight = HashMap::from([(goal.tiles().to_vec(), 0)]);
        let mut layer = vec![goal];
        for distance in 1.. {
            let mut next = Vec::new();
            for board in &layer {
                for direction in Direction::ALL {
                    let mut board = board.clone();
                    if board.slide(direction) && !eight.contains_key(board.tiles()) {
                        eight.insert(board.tiles().to_vec(), distance);
                        next.push(board);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        assert_eq!(eight.len(), 181_440);
        Self { eight }
    }

    /// Appends some records of one kind and their answers.
    pub(crate) fn add(&self, random: &mut Xoshiro256PlusPlus, text: &mut String, answers: &mut Vec<Answer>) {
        let count = 1 + below(random, 40);
        match below(random, 9) {
            0 | 1 => self.boards(random, (3, 3), Kind::Random, count, text, answers),
            2 => self.boards(random, (3, 3), Kind::Unsolvable, count, text, answers),
            3 => {
                let moves = below(random, 40);
                self.boards(random, (4, 4), Kind::Moves(moves), count, text, answers);
            }
            4 => {
                let sides = [(2, 2), (2, 5), (3, 4), (5, 2), (4, 3)][below(random, 5) as usize];
                let moves = below(random, 25);
                self.boards(random, sides, Kind::Moves(moves), count, text, answers);
            }
            5 => {
                let side = 5 + below(random, 6) as usize;
                self.boards(random, (side, side), Kind::Random, count / 8 + 1, text, answers);
            }
            6 => trays(random, count / 4 + 1, text, answers),
            7 => self.boards(random, (4, 4), Kind::Unsolvable, count, text, answers),
            _ => {
                let line = MALFORMED[below(random, MALFORMED.len() as u64) as usize];
                // Blank lines keep it from becoming part of its neighbours.
                let _ = write!(text, "\n{line}\n\n");
                answers.push(Answer::Invalid);
            }
        }
    }

    fn boards(
        &self,
        random: &mut Xoshiro256PlusPlus,
        (rows, cols): (usize, usize),
        kind: Kind,
        count: u64,
        text: &mut String,
        answers: &mut Vec<Answer>,
    ) {
        let size = Size::new(rows, cols).expect("a size");
        let request = Request { size, count, seed: random.next_u64(), kind, goal: Goal::BlankLast };
        let slashes = below(random, 2) == 0;
        for board in request.boards().expect("a goal that fits") {
            if slashes {
                let _ = writeln!(text, "{board}");
            } else {
                let mut line = Vec::new();
                write_line(&mut line, &board).expect("a vector takes every byte");
                let _ = write!(text, "{rows}x{cols}: {}", String::from_utf8_lossy(&line));
            }
            let known = self.eight.get(board.tiles()).copied();
            answers.push(match kind {
                Kind::Unsolvable => Answer::Unsolvable,
                _ if (rows, cols) == (3, 3) => known.map_or(Answer::Unsolvable, Answer::Length),
                Kind::Moves(moves) if rows * cols <= 16 => Answer::AtMost(moves as u32),
                _ => Answer::Solvable,
            });
        }
    }
}

fn trays(random: &mut Xoshiro256PlusPlus, count: u64, text: &mut String, answers: &mut Vec<Answer>) {
    let request = TrayRequest {
        rows: 2 + below(random, 4) as usize,
        cols: 2 + below(random, 4) as usize,
        count,
        seed: random.next_u64(),
        holes: 2 + below(random, 2) as usize,
        shapes: [(1, 1), (1, 2), (2, 1), (2, 2)].map(Into::into).to_vec(),
        goals: 1,
        goal: if below(random, 3) == 0 { TrayGoal::Anywhere } else { TrayGoal::Moves(30) },
    };
    for tray in request.trays().expect("sizes of trays") {
        let _ = write!(text, "{tray}\n\n");
        answers.push(match oracle::solve(&tray, Metric::Piece, 1500) {
            oracle::Answer::Solved(moves) => Answer::Length(moves.len() as u32),
            oracle::Answer::Unsolvable(_) => Answer::Unsolvable,
            oracle::Answer::TooMany => Answer::Decided,
        });
    }
}
