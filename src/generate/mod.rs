//! Random boards and [trays], the same for the same seed on every machine.
//!
//! The stream is xoshiro256++ seeded through SplitMix64, and bounded integers
//! are drawn from it here, so that no change in a library can change what a
//! seed means.

mod farthest;
pub mod trays;

use crate::puzzle::tiles::{Board, Direction, Goal, Size, is_solvable};
use rand_xoshiro::{
    Xoshiro256PlusPlus,
    rand_core::{Rng, SeedableRng},
};
use std::io::{self, Write};

/// Which boards are asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Their size.
    pub size: Size,
    /// How many.
    pub count: u64,
    /// What the random stream starts from.
    pub seed: u64,
    /// How each comes about.
    pub kind: Kind,
    /// The goal that they can, or cannot, be brought to.
    pub goal: Goal,
}

/// How a board comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Every solvable board equally likely.
    Random,
    /// So many random moves from the goal, none of which undoes the one before,
    /// each allowed one equally likely.
    Moves(u64),
    /// Every unsolvable board equally likely.
    Unsolvable,
}

/// After so many moves a walk asks whether to go on.
const MOVES_BETWEEN_CHECKS: u64 = 1 << 16;

/// A goal that is of another size than the boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the boards are {0}, but the goal is not")]
pub struct GoalSizeError(Size);

/// The boards of a request, one after the other.
#[derive(Clone, Debug)]
pub struct Boards {
    goal: Board,
    kind: Kind,
    left: u64,
    stream: Xoshiro256PlusPlus,
}

impl Request {
    /// The boards asked for.
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
    /// The next board; none after the last, or when `stop` says so, which is
    /// asked before each board and now and then on a long walk.
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

    /// A board from one of the two halves of all arrangements. Changing two
    /// tiles maps each half onto the other, one to one, so what falls into the
    /// wrong one is put right without favour.
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

    /// The end of a random walk from the goal, unless it was stopped. It takes
    /// from the same stream as the boards.
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

/// A number below `bound`, each equally likely (Lemire, "Fast Random Integer
/// Generation in an Interval", 2019). Nothing is drawn where there is no choice.
fn below(stream: &mut Xoshiro256PlusPlus, bound: u64) -> u64 {
    if bound <= 1 {
        return 0;
    }
    loop {
        let product = u128::from(stream.next_u64()) * u128::from(bound);
        let low = product as u64;
        // The division is needed only for the few that may have to be refused.
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
    fn the_same_seed_gives_the_same_boards_everywhere() {
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
    fn boards_are_solvable_or_not_as_asked() {
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
        // On 2x2 there is no choice after the first move: twelve bring the
        // board back, and one more than undone would not.
        let goal = Goal::BlankLast.board("2x2".parse().unwrap()).unwrap().into_owned();
        assert!(request("2x2", Kind::Moves(12), 20).boards().unwrap().all(|board| board == goal));
        assert!(request("2x2", Kind::Moves(2), 20).boards().unwrap().all(|board| board != goal));
    }

    #[test]
    fn a_long_walk_can_be_stopped() {
        let asked = std::cell::Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) == 3;
        let mut boards = request("9x9", Kind::Moves(u64::MAX), 1).boards().unwrap();
        assert_eq!(boards.next_unless(stop), None);
        assert_eq!(asked.get(), 4);
    }

    #[test]
    fn headers_say_what_is_not_the_default() {
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
