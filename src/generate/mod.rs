//! Generates random boards and [trays]; equal seeds give equal puzzles on every machine.
//!
//! The random stream is xoshiro256++ seeded through SplitMix64. Bounded integers are drawn here, so
//! that no change in a library can change the meaning of a seed.

mod farthest;
pub mod trays;

use crate::puzzle::tiles::{Board, Direction, Goal, Size, is_solvable};
use rand_xoshiro::{
    Xoshiro256PlusPlus,
    rand_core::{Rng, SeedableRng},
};
use std::io::{self, Write};

/// Boards to generate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Size of the boards.
    pub size: Size,
    /// Number of boards.
    pub count: u64,
    /// Seed of the random stream.
    pub seed: u64,
    /// Distribution of the boards.
    pub kind: Kind,
    /// Goal that the boards can or cannot reach.
    pub goal: Goal,
}

/// Distribution of random boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Uniform over solvable boards.
    Random,
    /// A random walk of this many moves from the goal. No move undoes its predecessor; each allowed
    /// move is equally likely.
    Moves(u64),
    /// Uniform over unsolvable boards.
    Unsolvable,
}

/// Moves of a walk between two checks of `stop`.
const MOVES_BETWEEN_CHECKS: u64 = 1 << 16;

/// A goal whose size differs from that of the boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the boards are {0}, but the goal is not")]
pub struct GoalSizeError(Size);

/// Iterator over the boards of a request.
#[derive(Clone, Debug)]
pub struct Boards {
    goal: Board,
    kind: Kind,
    left: u64,
    stream: Xoshiro256PlusPlus,
}

impl Request {
    /// Returns the requested boards.
    pub fn boards(&self) -> Result<Boards, GoalSizeError> {
        let goal = self.goal.board(self.size).ok_or(GoalSizeError(self.size))?.into_owned();
        let stream = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        Ok(Boards { goal, kind: self.kind, left: self.count, stream })
    }

    /// Writes the directives that lines of these boards need before them.
    pub fn write_header(&self, out: &mut impl Write) -> io::Result<()> {
        if self.size.rows() != self.size.cols() {
            writeln!(out, "@size {}", self.size)?;
        }
        if self.goal != Goal::default() {
            writeln!(out, "@goal {}", self.goal.name())?;
        }
        Ok(())
    }
}

/// Writes a board as a line of tiles.
pub fn write_line(out: &mut impl Write, board: &Board) -> io::Result<()> {
    let mut digits = itoa::Buffer::new();
    for (cell, &tile) in board.tiles().iter().enumerate() {
        if cell > 0 {
            out.write_all(b" ")?;
        }
        out.write_all(digits.format(tile).as_bytes())?;
    }
    out.write_all(b"\n")
}

impl Iterator for Boards {
    type Item = Board;

    fn next(&mut self) -> Option<Board> {
        self.next_unless(|| false)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

impl Boards {
    /// Returns the next board; `None` after the last, or when `stop` returns `true`. `stop` is
    /// called before each board and periodically during a long walk.
    pub fn next_unless(&mut self, stop: impl Fn() -> bool) -> Option<Board> {
        if self.left == 0 || stop() {
            return None;
        }
        self.left -= 1;
        match self.kind {
            Kind::Random => Some(self.shuffle(true)),
            Kind::Unsolvable => Some(self.shuffle(false)),
            Kind::Moves(moves) => self.walk(moves, stop),
        }
    }

    /// Returns a uniform board of one of the two parity classes. Swapping two tiles maps each class
    /// one-to-one onto the other, so a board of the wrong class is corrected without bias.
    fn shuffle(&mut self, solvable: bool) -> Board {
        let mut tiles: Vec<u32> = (0..self.goal.tiles().len() as u32).collect();
        for last in (1..tiles.len()).rev() {
            let other = below(&mut self.stream, last as u64 + 1) as usize;
            tiles.swap(last, other);
        }
        let board = self.board(&tiles);
        if is_solvable(&board, &self.goal) == solvable {
            return board;
        }
        let mut cells = (0..tiles.len()).filter(|&cell| cell != board.blank());
        if let (Some(first), Some(second)) = (cells.next(), cells.next()) {
            tiles.swap(first, second);
        }
        self.board(&tiles)
    }

    fn board(&self, tiles: &[u32]) -> Board {
        Board::new(self.goal.size(), tiles).expect("a shuffled permutation is one")
    }

    /// Returns the end of a random walk from the goal; `None` if it was stopped. It draws from the
    /// same stream as the boards.
    pub fn walk(&mut self, moves: u64, stop: impl Fn() -> bool) -> Option<Board> {
        let mut board = self.goal.clone();
        let mut undoing = None;
        for step in 0..moves {
            if step % MOVES_BETWEEN_CHECKS == MOVES_BETWEEN_CHECKS - 1 && stop() {
                return None;
            }
            let mut allowed = [Direction::Up; 4];
            let mut count = 0;
            for direction in Direction::ALL {
                if Some(direction) != undoing && board.neighbour(direction).is_some() {
                    allowed[count] = direction;
                    count += 1;
                }
            }
            let direction = allowed[below(&mut self.stream, count as u64) as usize];
            board.slide(direction);
            undoing = Some(direction.opposite());
        }
        Some(board)
    }
}

/// Returns a uniform number below `bound` (Lemire, "Fast Random Integer Generation in an Interval",
/// 2019). Draws nothing if `bound` leaves no choice.
fn below(stream: &mut Xoshiro256PlusPlus, bound: u64) -> u64 {
    if bound <= 1 {
        return 0;
    }
    loop {
        let product = u128::from(stream.next_u64()) * u128::from(bound);
        let low = product as u64;
        // The division is needed only for the few draws that may be rejected.
        if low >= bound || low >= bound.wrapping_neg() % bound {
            return (product >> 64) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn request(size: &str, kind: Kind, count: u64) -> Request {
        Request { size: size.parse().unwrap(), count, seed: 7, kind, goal: Goal::BlankLast }
    }

    fn text(request: &Request) -> String {
        let mut out = Vec::new();
        request.write_header(&mut out).unwrap();
        for board in request.boards().unwrap() {
            write_line(&mut out, &board).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn equal_seeds_give_equal_boards() {
        assert_eq!(
            text(&request("4x4", Kind::Random, 2)),
            "1 3 4 8 13 6 15 9 14 7 12 11 5 10 2 0\n13 3 12 8 6 0 5 11 10 4 7 9 15 14 2 1\n"
        );
        assert_eq!(text(&request("2x3", Kind::Unsolvable, 2)), "@size 2x3\n4 3 1 2 5 0\n4 0 5 1 3 2\n");
        let goal = Goal::BlankFirst;
        assert_eq!(
            text(&Request { goal, seed: 1, ..request("3x3", Kind::Moves(31), 2) }),
            "@goal blank-first\n6 7 2 0 4 5 1 8 3\n2 0 5 6 4 7 1 8 3\n"
        );
    }

    #[test]
    fn the_stream_is_the_published_one() {
        // First outputs of xoshiro256++ seeded with SplitMix64 of 0.
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(0);
        assert_eq!(stream.next_u64(), 5_987_356_902_031_041_503);
        assert_eq!(stream.next_u64(), 7_051_070_477_665_621_255);
    }

    #[test]
    fn boards_are_solvable_or_unsolvable_as_requested() {
        for size in ["2x2", "3x3", "4x4", "3x5", "9x9"] {
            for goal in [Goal::BlankLast, Goal::BlankFirst, Goal::Snail] {
                for (kind, solvable) in
                    [(Kind::Random, true), (Kind::Moves(50), true), (Kind::Unsolvable, false)]
                {
                    let request = Request { goal: goal.clone(), ..request(size, kind, 50) };
                    let end = goal.board(request.size).unwrap();
                    assert!(request.boards().unwrap().all(|board| is_solvable(&board, &end) == solvable));
                    assert_eq!(request.boards().unwrap().count(), 50);
                }
            }
        }
    }

    #[test]
    fn every_board_is_equally_likely() {
        let mut seen = HashMap::new();
        for board in request("2x2", Kind::Random, 12_000).boards().unwrap() {
            *seen.entry(board).or_insert(0u32) += 1;
        }
        assert_eq!(seen.len(), 12);
        assert!(seen.values().all(|count| (880..1120).contains(count)), "{seen:?}");
    }

    #[test]
    fn walks_never_undo_a_move() {
        // On 2x2 there is no choice after the first move: twelve moves bring the board back, which
        // a walk that undoes moves would not show.
        let goal = Goal::BlankLast.board("2x2".parse().unwrap()).unwrap().into_owned();
        assert!(request("2x2", Kind::Moves(12), 20).boards().unwrap().all(|board| board == goal));
        assert!(request("2x2", Kind::Moves(2), 20).boards().unwrap().all(|board| board != goal));
    }

    #[test]
    fn a_long_walk_can_be_stopped() {
        let calls = std::cell::Cell::new(0);
        let stop = || calls.replace(calls.get() + 1) == 3;
        let mut boards = request("9x9", Kind::Moves(u64::MAX), 1).boards().unwrap();
        assert_eq!(boards.next_unless(stop), None);
        assert_eq!(calls.get(), 4);
    }

    #[test]
    fn headers_contain_what_is_not_the_default() {
        let header = |request: &Request| {
            let mut out = Vec::new();
            request.write_header(&mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let square = request("4x4", Kind::Random, 1);
        assert_eq!(header(&square), "");
        let wide = Request { goal: Goal::Snail, ..request("2x3", Kind::Random, 1) };
        assert_eq!(header(&wide), "@size 2x3\n@goal snail\n");
        let given = Goal::Given(Goal::Snail.board("2x3".parse().unwrap()).unwrap().into_owned().into());
        assert_eq!(header(&Request { goal: given.clone(), ..wide }), "@size 2x3\n@goal 1 2 3/0 5 4\n");
        let error = Request { goal: given, ..square }.boards().unwrap_err();
        assert_eq!(error.to_string(), "the boards are 4x4, but the goal is not");
    }
}
