//! Manhattan distance (h2 in textbooks): the sum of each tile's row and column distance from
//! its goal cell. A move changes it by one, up or down.

use super::{Heuristic, NoBatch, PrunedMoves};
use crate::puzzle::tiles::{Cells, Direction, TileMoves, TileState, Tiles};
use crate::puzzle::{Move, Puzzle};

/// The Manhattan distance, with a table of the change by each move.
#[derive(Debug)]
pub struct Manhattan {
    /// Distance of each label from its goal, for each cell: `cells` labels per row.
    distance: Vec<u8>,
    /// +1 or −1, by the blank's cell, its move, and the label that moves.
    change: Box<[i8]>,
    stride: usize,
    /// For boards of up to 32 labels, one bit per label: whether the move brings it nearer. One
    /// row for each cell of the blank.
    nearer: Box<[[u32; 4]; 256]>,
}

impl Manhattan {
    /// Builds the tables for a puzzle.
    pub fn new<C: Cells>(puzzle: &Tiles<C>) -> Self {
        let (cells, cols) = (puzzle.size().cells(), puzzle.size().cols());
        let distance_of = |label: usize, cell: usize| {
            let home = puzzle.home(label);
            if label == 0 {
                0
            } else {
                (home / cols).abs_diff(cell / cols) + (home % cols).abs_diff(cell % cols)
            }
        };
        let distance = (0..cells * cells).map(|i| distance_of(i % cells, i / cells) as u8).collect();
        let stride = cells.next_power_of_two();
        let mut change = vec![0; cells * 4 * stride];
        let mut nearer = Box::new([[0; 4]; 256]);
        for blank in 0..cells {
            let state = TileState { cells: C::from_labels(&[]), blank: blank as u8 };
            for step in puzzle.moves(&state, None) {
                let from = puzzle.beside(blank as u8, step) as usize;
                for label in 1..cells {
                    let less = distance_of(label, blank) < distance_of(label, from);
                    change[(blank * 4 + step.0 as usize) * stride + label] = if less { -1 } else { 1 };
                    nearer[blank][step.0 as usize] |= u32::from(less).checked_shl(label as u32).unwrap_or(0);
                }
            }
        }
        Self { distance, change: change.into(), stride, nearer }
    }

    /// Returns the distance of a label in a cell from its goal.
    pub fn distance(&self, label: usize, cell: usize) -> u32 {
        let cells = self.distance.len().isqrt();
        self.distance[cell * cells + label].into()
    }

    /// Returns the sum over a board.
    pub fn sum<C: Cells>(&self, puzzle: &Tiles<C>, state: &TileState<C>) -> u32 {
        (0..puzzle.size().cells()).map(|cell| self.distance(state.cells.label(cell), cell)).sum()
    }

    /// Returns the change of the sum by the move `step` of `before`.
    #[inline(always)]
    pub fn change<C: Cells>(&self, puzzle: &Tiles<C>, before: &TileState<C>, step: Move) -> i32 {
        let label = before.cells.label(puzzle.beside(before.blank, step).into());
        self.change[(before.blank as usize * 4 + step.0 as usize) * self.stride + label].into()
    }
}

impl<C: Cells> Heuristic<Tiles<C>> for Manhattan {
    type Memo = u32;
    type Payload = ();
    type SuccessorBatch = NoBatch;
    const PRUNES: bool = C::CAPACITY <= 32;

    fn name(&self) -> &'static str {
        "manhattan"
    }

    fn evaluate(&self, puzzle: &Tiles<C>, state: &TileState<C>) -> u32 {
        self.sum(puzzle, state)
    }

    #[inline(always)]
    fn update(&self, puzzle: &Tiles<C>, &memo: &u32, before: &TileState<C>, step: Move) -> u32 {
        memo.wrapping_add_signed(self.change(puzzle, before, step))
    }

    #[inline(always)]
    fn prune_moves(
        &self,
        puzzle: &Tiles<C>,
        &memo: &u32,
        state: &TileState<C>,
        moves: TileMoves,
        max_estimate: u32,
    ) -> PrunedMoves<TileMoves> {
        if !<Self as Heuristic<Tiles<C>>>::PRUNES || max_estimate > memo {
            return PrunedMoves { moves, pruned: 0, min_estimate: u32::MAX };
        }
        let nearer = &self.nearer[state.blank as usize];
        let good = Direction::ALL.into_iter().fold(0, |good, direction| {
            let step = Move(direction as u32);
            let label = state.cells.label(puzzle.beside(state.blank, step).into());
            good | (nearer[direction as usize] >> label & 1) << step.0
        });
        let remaining = moves.only(good as u8);
        let pruned = moves.count_left() - remaining.count_left();
        PrunedMoves { moves: remaining, pruned, min_estimate: if pruned > 0 { memo + 1 } else { u32::MAX } }
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
        for size in [(2, 2), (2, 4), (2, 5), (3, 2), (3, 3)] {
            check_all_states(size, ChangePerMove::One, Manhattan::new);
        }
        check_random_walks::<u64, _>((4, 4), ChangePerMove::One, Manhattan::new);
        check_random_walks::<u128, _>((5, 5), ChangePerMove::One, Manhattan::new);
        check_random_walks::<[u64; 5], _>((6, 6), ChangePerMove::One, Manhattan::new);
        check_random_walks::<[u64; 32], _>((16, 16), ChangePerMove::One, Manhattan::new);
    }
}
