//! Visited states on boards of up to 256 cells: packed into words.

use super::index::Index;
use super::visits::Visits;
use crate::heuristic::{Heuristic, Manhattan};
use crate::puzzle::tiles::{Board, Cells, Direction, TileState, Tiles};
use crate::puzzle::{Move, Puzzle};
use bytemuck::Pod;

/// Packed states in the order of their visits.
pub(super) struct Log<C> {
    puzzle: Tiles<C>,
    distance: Manhattan,
    states: Vec<C>,
    parents: Vec<u32>,
    index: Index,
}

impl<C: Cells + Pod> Log<C> {
    /// Bytes for each state: itself, its parent, and its share of the index
    /// while that grows.
    pub(super) const BYTES: u64 = size_of::<C>() as u64 + 4 + Index::BYTES;

    /// A log that begins with a board; none if it has too many cells.
    pub(super) fn new(start: &Board, goal: &Board) -> Option<Self> {
        let puzzle = Tiles::new(goal)?;
        let distance = Manhattan::new(&puzzle);
        let first = puzzle.state(start);
        let mut log = Self { puzzle, distance, states: Vec::new(), parents: Vec::new(), index: Index::new() };
        log.visit(&first, 0);
        Some(log)
    }
}

impl<C: Cells + Pod> Visits for Log<C> {
    type State = TileState<C>;

    #[inline(always)]
    fn len(&self) -> u32 {
        self.states.len() as u32
    }

    #[inline(always)]
    fn state(&self, number: u32) -> TileState<C> {
        let cells = self.states[number as usize];
        TileState { cells, blank: cells.blank(self.puzzle.size().cells()) as u8 }
    }

    fn parent(&self, number: u32) -> u32 {
        self.parents[number as usize]
    }

    #[inline(always)]
    fn successor(&self, state: &TileState<C>, direction: Direction) -> Option<TileState<C>> {
        let open = self.puzzle.moves(state, None).only(1 << direction as u8).count_left() > 0;
        open.then(|| self.puzzle.apply(state, Move(direction as u32)))
    }

    #[inline(always)]
    fn visit(&mut self, state: &TileState<C>, parent: u32) -> Option<u32> {
        let Self { states, parents, index, .. } = self;
        let cells = state.cells;
        let place = index.place(hash(&cells), |number| states[number as usize] == cells)?;
        let number = states.len() as u32;
        states.push(cells);
        parents.push(parent);
        index.put(place, number, |number| hash(&states[number as usize]));
        Some(number)
    }

    #[inline(always)]
    fn is_goal(&self, state: &TileState<C>) -> bool {
        self.puzzle.is_goal(state)
    }

    fn estimate(&self, state: &TileState<C>) -> u32 {
        self.distance.evaluate(&self.puzzle, state)
    }

    #[inline(always)]
    fn estimate_after(&self, state: &TileState<C>, estimate: u32, direction: Direction) -> u32 {
        self.distance.update(&self.puzzle, &estimate, state, Move(direction as u32))
    }

    #[inline(always)]
    fn blank(&self, state: &TileState<C>) -> usize {
        state.blank.into()
    }

    #[inline(always)]
    fn label(&self, state: &TileState<C>, cell: usize) -> usize {
        state.cells.label(cell)
    }
}

/// Where a state's place in the index is looked for.
#[inline(always)]
fn hash<C: Pod>(state: &C) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let words: &[u64] = bytemuck::cast_slice(std::slice::from_ref(state));
    let sum = words.iter().fold(0u64, |sum, &word| (sum ^ word).wrapping_mul(ODD).rotate_left(29));
    (sum ^ (sum >> 32)).wrapping_mul(ODD) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Kind, Request};
    use crate::puzzle::tiles::Goal;
    use crate::tools::trace::wide::WideLog;

    /// Visits boards and their successors, some of them twice.
    fn visits(log: &mut impl Visits) -> Vec<(Option<u32>, bool, u32, usize)> {
        let mut told = Vec::new();
        for parent in 0..600 {
            let state = log.state(parent);
            let estimate = log.estimate(&state);
            for direction in Direction::ALL {
                let Some(child) = log.successor(&state, direction) else { continue };
                let after = log.estimate_after(&state, estimate, direction);
                assert_eq!(after, log.estimate(&child));
                let labels = (0..12).fold(0, |sum, cell| 12 * sum + log.label(&child, cell));
                let number = log.visit(&child, parent);
                if let Some(number) = number {
                    let again = log.state(number);
                    assert_eq!(log.blank(&again), log.blank(&child));
                    assert!((0..12).all(|cell| log.label(&again, cell) == log.label(&child, cell)));
                }
                told.push((number, log.is_goal(&child), after, labels));
            }
        }
        assert_eq!(log.path(4).first(), Some(&0));
        told
    }

    #[test]
    fn packed_and_wide_logs_tell_the_same() {
        let size = "3x4".parse().unwrap();
        let request = Request { size, count: 3, seed: 5, kind: Kind::Moves(5), goal: Goal::Snail };
        let goal = Goal::Snail.board(size).unwrap().into_owned();
        for start in request.boards().unwrap() {
            let packed = visits(&mut Log::<u64>::new(&start, &goal).unwrap());
            assert_eq!(visits(&mut WideLog::new(&start, &goal)), packed);
            assert!(packed.iter().any(|told| told.0.is_none()) && packed.iter().any(|told| told.1));
        }
    }
}
