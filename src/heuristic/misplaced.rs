//! Misplaced tiles (h1 in textbooks): the number of tiles, without the blank, that are not in
//! their goal cells. Weak, but the usual first example.

use super::{Heuristic, NoBatch};
use crate::puzzle::Move;
use crate::puzzle::tiles::{Cells, TileState, Tiles};

/// The number of misplaced tiles.
#[derive(Debug)]
pub struct Misplaced {
    /// The goal cell of each label.
    homes: Box<[u8; 256]>,
}

impl Misplaced {
    /// Builds the table for a puzzle.
    pub fn new<C: Cells>(puzzle: &Tiles<C>) -> Self {
        let mut homes = Box::new([0; 256]);
        for (label, home) in homes.iter_mut().enumerate().take(puzzle.size().cells()) {
            *home = puzzle.home(label) as u8;
        }
        Self { homes }
    }
}

impl<C: Cells> Heuristic<Tiles<C>> for Misplaced {
    type Memo = u32;
    type Payload = ();
    type SuccessorBatch = NoBatch;

    fn name(&self) -> &'static str {
        "misplaced"
    }

    fn evaluate(&self, puzzle: &Tiles<C>, state: &TileState<C>) -> u32 {
        let is_misplaced = |&cell: &usize| {
            let label = state.cells.label(cell);
            label != 0 && puzzle.home(label) != cell
        };
        (0..puzzle.size().cells()).filter(is_misplaced).count() as u32
    }

    #[inline(always)]
    fn update(&self, puzzle: &Tiles<C>, &memo: &u32, before: &TileState<C>, step: Move) -> u32 {
        let (from, to) = (puzzle.beside(before.blank, step), before.blank);
        let home = self.homes[before.cells.label(from.into()) & 255];
        memo + u32::from(home == from) - u32::from(home == to)
    }

    #[inline(always)]
    fn estimate(&self, &memo: &u32) -> u32 {
        memo
    }

    #[inline(always)]
    fn payload(&self, _: &u32) {}

    #[inline(always)]
    fn restore(&self, _: &Tiles<C>, _: &TileState<C>, estimate: u32, (): ()) -> u32 {
        estimate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::test_support::{ChangePerMove, check_all_states, check_random_walks};

    #[test]
    fn is_admissible() {
        for size in [(3, 3), (2, 4), (3, 2)] {
            check_all_states(size, ChangePerMove::OneOrNone, Misplaced::new);
        }
        check_random_walks::<u64, _>((4, 4), ChangePerMove::OneOrNone, Misplaced::new);
        check_random_walks::<u128, _>((5, 5), ChangePerMove::OneOrNone, Misplaced::new);
        check_random_walks::<[u64; 5], _>((6, 6), ChangePerMove::OneOrNone, Misplaced::new);
        check_random_walks::<[u64; 32], _>((16, 16), ChangePerMove::OneOrNone, Misplaced::new);
    }
}
