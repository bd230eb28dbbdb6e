//! Everything that a result says about one puzzle, whatever the format.

use crate::puzzle::tiles::{self, Board, Direction, Goal};
use crate::puzzle::trays::{self, Shift, Tray};
use std::{sync::Arc, time::Duration};

/// One record's result.
#[derive(Clone, Debug)]
pub struct Report {
    /// The input's name as given.
    pub file: Arc<str>,
    /// The record's number in its file, from 1.
    pub n: u64,
    /// The record's own id, if it has one; otherwise `n` serves.
    pub id: Option<Box<str>>,
    /// The line where the record starts, from 1.
    pub line: u64,
    /// The puzzle itself; absent exactly when the verdict is [`Verdict::Invalid`].
    pub instance: Option<Instance>,
    /// What was found.
    pub verdict: Verdict,
    /// What it cost.
    pub effort: Effort,
}

/// A valid puzzle, as read.
#[derive(Clone, Debug, PartialEq)]
pub enum Instance {
    /// A tile board and where its tiles should end.
    Tiles {
        /// The start.
        board: Board,
        /// The goal, known to fit the board's size.
        goal: Goal,
        /// What counts as one move.
        metric: tiles::Metric,
    },
    /// A tray with its goal.
    Tray {
        /// The tray.
        tray: Arc<Tray>,
        /// What counts as one move.
        metric: trays::Metric,
    },
}

/// What was found out about a puzzle.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A solution, replayed.
    Solved(Solution),
    /// Proved to have no solution.
    Unsolvable {
        /// What the user may have meant instead.
        hint: Option<Box<str>>,
    },
    /// Not decided within the limits.
    GaveUp {
        /// The limit that ended the search.
        reason: GiveUp,
        /// No solution is shorter than this.
        bound: u32,
    },
    /// Not a puzzle: what is wrong with it and where.
    Invalid {
        /// Such as `tile 7 appears twice (line 90, column 12)`.
        reason: Box<str>,
    },
}

/// A way to the goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The moves.
    pub moves: Moves,
    /// The length in the metric asked for.
    pub length: u32,
    /// Whether it is proved to be a shortest one.
    pub optimal: bool,
    /// No solution is shorter than this (equal to `length` if optimal).
    pub bound: u32,
}

/// The moves of a solution.
#[derive(Clone, Debug, PartialEq)]
pub enum Moves {
    /// Where the blank goes, cell by cell.
    Tiles(Vec<Direction>),
    /// Which block goes where, one entry for each move of the metric.
    Tray(Vec<Shift>),
}

impl Moves {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Tiles(moves) => moves.len(),
            Self::Tray(moves) => moves.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<Vec<Direction>> for Moves {
    fn from(moves: Vec<Direction>) -> Self {
        Self::Tiles(moves)
    }
}

impl From<Vec<Shift>> for Moves {
    fn from(moves: Vec<Shift>) -> Self {
        Self::Tray(moves)
    }
}

/// The limit that ended a search without a decision.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GiveUp {
    /// The memory cap.
    Memory,
    /// `--timeout` or `--deadline`.
    Time,
    /// `--max-nodes`.
    Nodes,
    /// A signal.
    Interrupted,
    /// `--beam-width`: the beam ran dry.
    Beam,
    /// No limit: there is no way to do what the options ask for on such a puzzle.
    Unsupported,
}

impl GiveUp {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Memory, Self::Time, Self::Nodes, Self::Interrupted, Self::Beam, Self::Unsupported];

    /// The word in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Time => "time",
            Self::Nodes => "nodes",
            Self::Interrupted => "interrupted",
            Self::Beam => "beam",
            Self::Unsupported => "unsupported",
        }
    }
}

/// What a search did and how long it took.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// The algorithm's name; empty where no search was needed.
    pub algorithm: &'static str,
    /// The heuristic's name; empty where no search was needed.
    pub heuristic: &'static str,
    /// States whose successors were generated.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    /// States stored by the search that gave the answer, the start included; none by
    /// searches that store nothing.
    pub visited: u64,
    /// Time from taking the puzzle up to its verdict.
    pub time: Duration,
    /// Whether memory ran full and depth-first search went on from the frontier.
    pub fell_back: bool,
}

/// One report of each kind, for the tests of the formats.
#[cfg(test)]
pub(crate) mod samples {
    use super::*;
    use crate::puzzle::tiles::Size;

    fn tiles(tiles: [u32; 9], goal: Goal) -> Option<Instance> {
        let board = Board::new(Size::new(3, 3).unwrap(), &tiles).unwrap();
        Some(Instance::Tiles { board, goal, metric: tiles::Metric::Tile })
    }

    fn effort(algorithm: &'static str, expanded: u64, generated: u64, micros: u64) -> Effort {
        let time = Duration::from_micros(micros);
        Effort {
            algorithm,
            heuristic: "manhattan",
            expanded,
            generated,
            visited: generated / 2,
            time,
            fell_back: false,
        }
    }

    /// Two moves from the goal, solved optimally.
    pub(crate) fn solved() -> Report {
        use Direction::{Down, Right};
        Report {
            file: "hard.txt".into(),
            n: 17,
            id: None,
            line: 17,
            instance: tiles([1, 2, 3, 4, 0, 6, 7, 5, 8], Goal::BlankLast),
            verdict: Verdict::Solved(Solution {
                moves: vec![Down, Right].into(),
                length: 2,
                optimal: true,
                bound: 2,
            }),
            effort: effort("ida", 18233, 37110, 912),
        }
    }

    /// The same board with a detour, and the goal given as a board.
    pub(crate) fn suboptimal() -> Report {
        use Direction::{Down, Left, Right};
        let goal = Goal::BlankLast.board(Size::new(3, 3).unwrap()).unwrap().into_owned();
        let moves = vec![Down, Right, Left, Right];
        Report {
            n: 18,
            instance: tiles([1, 2, 3, 4, 0, 6, 7, 5, 8], Goal::Given(goal.into())),
            verdict: Verdict::Solved(Solution { moves: moves.into(), length: 4, optimal: false, bound: 2 }),
            ..solved()
        }
    }

    /// A tray, solved by one move of a block around a corner.
    pub(crate) fn tray() -> Report {
        use crate::puzzle::trays::{Piece, Place, Rect};
        let cell = |row, col| Piece::plain(Rect::new(row, col, 1, 1).unwrap());
        let tall = Piece::plain(Rect::new(0, 1, 2, 1).unwrap());
        let tray = Tray::new(2, 3, &[], &[cell(0, 0), tall], &[cell(1, 0)]).unwrap();
        let moves = vec![Shift { from: Place::new(0, 0), to: Place::new(1, 0) }].into();
        Report {
            instance: Some(Instance::Tray { tray: Arc::new(tray), metric: trays::Metric::Piece }),
            verdict: Verdict::Solved(Solution { moves, length: 1, optimal: true, bound: 1 }),
            effort: Effort { heuristic: "", ..effort("bfs", 1, 3, 5) },
            ..solved()
        }
    }

    /// Not solvable, with a hint.
    pub(crate) fn unsolvable() -> Report {
        Report {
            file: "t.txt".into(),
            n: 4,
            id: None,
            line: 40,
            instance: tiles([2, 1, 3, 4, 5, 6, 7, 8, 0], Goal::BlankLast),
            verdict: Verdict::Unsolvable { hint: Some("solvable for blank-first".into()) },
            effort: Effort::default(),
        }
    }

    /// Given up for its nodes.
    pub(crate) fn gave_up() -> Report {
        Report {
            file: "t.txt".into(),
            n: 3,
            id: Some("k3".into()),
            line: 31,
            instance: tiles([8, 7, 6, 5, 4, 3, 2, 1, 0], Goal::BlankFirst),
            verdict: Verdict::GaveUp { reason: GiveUp::Nodes, bound: 20 },
            effort: effort("astar", 5, 11, 3),
        }
    }

    /// Not a puzzle.
    pub(crate) fn invalid() -> Report {
        Report {
            file: "t.txt".into(),
            n: 9,
            id: None,
            line: 90,
            instance: None,
            verdict: Verdict::Invalid { reason: "tile 7 appears twice (line 90, column 12)".into() },
            effort: Effort::default(),
        }
    }
}
