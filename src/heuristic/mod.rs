//! How far it still is at least.
//!
//! A heuristic never says more than the length of a shortest solution. Beside
//! the estimate it may carry a memo from state to state, so that a move updates
//! it instead of computing it anew.

mod line_walk;
mod linear_conflict;
mod manhattan;
mod misplaced;
mod perfect_table;
mod perimeter;
#[cfg(test)]
pub(crate) mod test_support;
mod tray_bounds;
mod tray_priorities;
mod walking_distance;

pub use line_walk::{LineWalk, LineWalkMemo, line_cuts};
pub use linear_conflict::LinearConflict;
pub use manhattan::Manhattan;
pub use misplaced::Misplaced;
pub use perfect_table::{PathIter, PathSegment, PerfectTable};
pub use perimeter::{Perimeter, PerimeterMemo};
pub use tray_bounds::{TrayBound, TrayDistances};
pub use tray_priorities::{TrayPriorities, TrayPriority};
pub use walking_distance::{WalkTables, WalkingDistance};

use crate::puzzle::{Move, Puzzle};
use bytemuck::Pod;

/// A lower bound on the moves that a state still needs.
pub trait Heuristic<P: Puzzle>: Sync {
    /// What travels with a state so that the next estimate is cheap.
    type Memo: Copy + Send;

    /// As much of the memo as must be kept beside a state in the open list. It
    /// is a plain word or several: aligned to 4 bytes, or nothing at all.
    type Payload: Pod + Send;

    /// Whether [`Heuristic::screen`] leaves no move whose estimate is above what
    /// it was told.
    const PRUNES: bool = false;

    /// The name in options and results.
    fn name(&self) -> &'static str;

    /// The memo of a state, from nothing.
    fn evaluate(&self, puzzle: &P, state: &P::State) -> Self::Memo;

    /// The memo after the move `step` of the state `before`.
    fn update(&self, puzzle: &P, memo: &Self::Memo, before: &P::State, step: Move) -> Self::Memo;

    /// Whether the memos come from tables that are far away, so that it pays to
    /// make many pending_updates before the first is finished.
    const PREFETCHED: bool = false;

    /// The first half of an update: all that can be told without a look into far
    /// tables, which are asked for.
    #[inline(always)]
    fn prepare(&self, puzzle: &P, memo: &Self::Memo, before: &P::State, step: Move) -> Self::Memo {
        self.update(puzzle, memo, before, step)
    }

    /// Between the two halves: where the first look into far tables only tells
    /// where to look next, it is made here, and the next one is asked for.
    #[inline(always)]
    fn resolve(&self, _pending: &mut Self::Memo) {}

    /// The other half of an update: makes the memo of a pending that was resolved.
    #[inline(always)]
    fn finish(&self, _pending: &mut Self::Memo) {}

    /// The memo of a pending if its estimate is at most `most`; otherwise an
    /// estimate above that, which need not be the best one.
    #[inline(always)]
    fn finish_within(&self, mut pending: Self::Memo, max_estimate: u32) -> Result<Self::Memo, u32> {
        self.finish(&mut pending);
        let estimate = self.estimate(&pending);
        if estimate > max_estimate { Err(estimate) } else { Ok(pending) }
    }

    /// The estimate in a memo; 0 for every goal.
    fn estimate(&self, memo: &Self::Memo) -> u32;

    /// Leaves out moves of `state` whose estimate would be above `most`, where
    /// that can be told for all moves together faster than for one at a time.
    #[inline(always)]
    fn prune_moves(
        &self,
        _: &P,
        _: &Self::Memo,
        _: &P::State,
        moves: P::Moves,
        _max_estimate: u32,
    ) -> PrunedMoves<P::Moves> {
        PrunedMoves { moves, pruned: 0, min_estimate: u32::MAX }
    }

    /// What is kept of a memo in the open list.
    fn payload(&self, memo: &Self::Memo) -> Self::Payload;

    /// Whether what is kept always tells the state itself.
    const STORES_STATES: bool = false;

    /// The state itself, where what was kept tells it.
    #[inline(always)]
    fn state_of(&self, _: &Self::Payload) -> Option<P::State> {
        None
    }

    /// Successors that are made together, where states are kept.
    type SuccessorBatch: SuccessorBatch<P, Self::Payload>;

    /// Drafts all successors of up to [`EXPANSION_BATCH`] states, in any order, where states
    /// are kept: `kept` tells what was kept of the state in a place.
    #[inline(always)]
    fn successors<'k>(
        &self,
        _: &P,
        _parents: &[Parent],
        _payload: impl Fn(u32) -> &'k Self::Payload,
        _batch: &mut Self::SuccessorBatch,
    ) {
    }

    /// The same for up to [`EXPANSION_BATCH`] of a brood that is finished, if that is faster than
    /// from what would be kept of them; whether it is done. The first one that is chosen is
    /// the first parent, and so on.
    #[inline(always)]
    fn successors_of(
        &self,
        _batch: &Self::SuccessorBatch,
        _selected: SelectionMask,
        _next: &mut Self::SuccessorBatch,
    ) -> bool {
        false
    }

    /// Tells the estimates of successors that were prepared.
    #[inline(always)]
    fn finish_batch(&self, _batch: &mut Self::SuccessorBatch) {}

    /// The memo again, from the state, its estimate and what was kept. A
    /// heuristic whose tables are far away does without the estimate.
    fn restore(&self, puzzle: &P, state: &P::State, estimate: u32, payload: Self::Payload) -> Self::Memo;
}

/// States whose successors are asked for together, at most.
pub const EXPANSION_BATCH: usize = 32;

/// Some of a brood, a bit each.
pub type SelectionMask = [u64; 2];
const _: () = assert!(4 * EXPANSION_BATCH <= 2 * u64::BITS as usize);

/// A state whose successors are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Parent {
    /// The place of what was kept of it.
    pub index: u32,
    /// The move that led to it, which need not be undone.
    pub last: Option<Move>,
}

/// The successors of up to [`EXPANSION_BATCH`] states, `C` being what is kept of a state.
pub trait SuccessorBatch<P: Puzzle, C>: Default + Send {
    /// Their estimates, as soon as they are finished: one for each.
    fn estimates(&self) -> &[u32];

    /// The move that leads to one of them.
    fn step(&self, at: usize) -> Move;

    /// One of them.
    fn state(&self, at: usize) -> P::State;

    /// Which state it is a successor of, by the place among the parents.
    fn parent(&self, at: usize) -> usize;

    /// What is kept of one of them.
    fn payload(&self, at: usize) -> C;
}

/// No successors: they are not made together.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBatch;

impl<P: Puzzle, C: Copy> SuccessorBatch<P, C> for NoBatch {
    fn estimates(&self) -> &[u32] {
        &[]
    }

    fn step(&self, _: usize) -> Move {
        unreachable!("{EMPTY_BATCH}")
    }

    fn state(&self, _: usize) -> P::State {
        unreachable!("{EMPTY_BATCH}")
    }

    fn parent(&self, _: usize) -> usize {
        unreachable!("{EMPTY_BATCH}")
    }

    fn payload(&self, _: usize) -> C {
        unreachable!("{EMPTY_BATCH}")
    }
}

/// Why nobody asks for one of them.
const EMPTY_BATCH: &str = "`NoBatch` has no successors";

/// The moves that are left after a look at all of them.
#[derive(Clone, Copy, Debug)]
pub struct PrunedMoves<M> {
    /// Moves that may be good enough.
    pub moves: M,
    /// How many were left out.
    pub pruned: u32,
    /// No estimate after one that was left out is below this.
    pub min_estimate: u32,
}

/// What a move of the tile puzzle changes: 0 for the rows of the blank and of
/// the tile, 1 for their columns.
#[inline(always)]
fn axis(step: Move) -> usize {
    // Directions are numbered clockwise.
    step.0 as usize & 1
}

/// The heuristic that knows nothing: every estimate is 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl<P: Puzzle> Heuristic<P> for Blind {
    type Memo = ();
    type Payload = ();
    type SuccessorBatch = NoBatch;

    fn name(&self) -> &'static str {
        "none"
    }

    #[inline(always)]
    fn evaluate(&self, _: &P, _: &P::State) {}

    #[inline(always)]
    fn update(&self, _: &P, (): &(), _: &P::State, _: Move) {}

    #[inline(always)]
    fn estimate(&self, (): &()) -> u32 {
        0
    }

    #[inline(always)]
    fn payload(&self, (): &()) {}

    #[inline(always)]
    fn restore(&self, _: &P, _: &P::State, _: u32, (): ()) {}
}
