//! Heuristics: admissible lower bounds on the remaining solution length.
//!
//! A heuristic may keep a *memo* for each node, its incremental state, so that a move updates
//! the estimate instead of computing it anew. The part of the memo that is stored beside a node
//! in the open list is the *payload*.
//!
//! Lookups in large tables miss the cache. An update is therefore split into up to three
//! phases, so that many prefetches are under way at once:
//!
//! 1. [`Heuristic::prepare`] computes a table address and prefetches it.
//! 2. [`Heuristic::resolve`] performs the first of two dependent loads and prefetches the
//!    second.
//! 3. [`Heuristic::finish`] reads the value and completes the memo.

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

/// A lower bound on the remaining moves of a state.
pub trait Heuristic<P: Puzzle>: Sync {
    /// The incremental state of a node, from which the estimate of a successor is cheap.
    type Memo: Copy + Send;

    /// The part of the memo that is stored beside a node in the open list: empty, or one or
    /// several words aligned to 4 bytes.
    type Payload: Pod + Send;

    /// Whether [`Heuristic::prune_moves`] removes every move whose estimate is above its limit.
    const PRUNES: bool = false;

    /// Returns the name in options and results.
    fn name(&self) -> &'static str;

    /// Computes the memo of a state from scratch.
    fn evaluate(&self, puzzle: &P, state: &P::State) -> Self::Memo;

    /// Returns the memo after the move `step` of the state `before`.
    fn update(&self, puzzle: &P, memo: &Self::Memo, before: &P::State, step: Move) -> Self::Memo;

    /// Whether updates read tables that miss the cache, so that it pays to prepare many of them
    /// before the first is finished.
    const PREFETCHED: bool = false;

    /// First phase of a split update: computes what needs no table, and prefetches the tables.
    /// The result is a pending memo.
    #[inline(always)]
    fn prepare(&self, puzzle: &P, memo: &Self::Memo, before: &P::State, step: Move) -> Self::Memo {
        self.update(puzzle, memo, before, step)
    }

    /// Second phase of a split update, for heuristics with two dependent loads: performs the
    /// first load and prefetches the second.
    #[inline(always)]
    fn resolve(&self, _pending: &mut Self::Memo) {}

    /// Last phase of a split update: completes a pending memo that was resolved.
    #[inline(always)]
    fn finish(&self, _pending: &mut Self::Memo) {}

    /// Completes a pending memo if its estimate is at most `max_estimate`. Otherwise returns an
    /// estimate above that, which need not be the best one.
    #[inline(always)]
    fn finish_within(&self, mut pending: Self::Memo, max_estimate: u32) -> Result<Self::Memo, u32> {
        self.finish(&mut pending);
        let estimate = self.estimate(&pending);
        if estimate > max_estimate { Err(estimate) } else { Ok(pending) }
    }

    /// Returns the estimate of a memo: 0 for every goal.
    fn estimate(&self, memo: &Self::Memo) -> u32;

    /// Prunes moves of `state` whose estimate would be above `max_estimate`, where this is
    /// faster for all moves together than for each of them.
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

    /// Returns the payload of a memo.
    fn payload(&self, memo: &Self::Memo) -> Self::Payload;

    /// Whether every payload contains its state.
    const STORES_STATES: bool = false;

    /// Returns the state that a payload contains, if it does.
    #[inline(always)]
    fn state_of(&self, _: &Self::Payload) -> Option<P::State> {
        None
    }

    /// The batch type for [`Self::successors`]; used if payloads contain states.
    type SuccessorBatch: SuccessorBatch<P, Self::Payload>;

    /// Prepares all successors of up to [`EXPANSION_BATCH`] states, in any order. `payload`
    /// returns the payload of a parent by its index. Used if payloads contain states.
    #[inline(always)]
    fn successors<'k>(
        &self,
        _: &P,
        _parents: &[Parent],
        _payload: impl Fn(u32) -> &'k Self::Payload,
        _batch: &mut Self::SuccessorBatch,
    ) {
    }

    /// Prepares the successors of up to [`EXPANSION_BATCH`] selected entries of a finished
    /// batch directly, without building their payloads. Returns `false` if unsupported; the
    /// caller then uses [`Self::successors`]. The i-th selected entry becomes parent i.
    #[inline(always)]
    fn successors_of(
        &self,
        _batch: &Self::SuccessorBatch,
        _selected: SelectionMask,
        _next: &mut Self::SuccessorBatch,
    ) -> bool {
        false
    }

    /// Finishes all estimates of a prepared batch.
    #[inline(always)]
    fn finish_batch(&self, _batch: &mut Self::SuccessorBatch) {}

    /// Rebuilds the memo from the state, its estimate and its payload. A heuristic with
    /// [`Self::PREFETCHED`] must not depend on `estimate`.
    fn restore(&self, puzzle: &P, state: &P::State, estimate: u32, payload: Self::Payload) -> Self::Memo;
}

/// States that are expanded together, at most.
pub const EXPANSION_BATCH: usize = 32;

/// A subset of a successor batch, one bit per entry.
pub type SelectionMask = [u64; 2];
const _: () = assert!(4 * EXPANSION_BATCH <= 2 * u64::BITS as usize);

/// A state whose successors are generated in a batch.
#[derive(Clone, Copy, Debug)]
pub struct Parent {
    /// The index of its payload.
    pub index: u32,
    /// The move that led to it, which need not be undone.
    pub last: Option<Move>,
}

/// The successors of up to [`EXPANSION_BATCH`] states, as a structure of arrays. `C` is the
/// payload type.
pub trait SuccessorBatch<P: Puzzle, C>: Default + Send {
    /// Returns the estimates of all successors, valid once the batch is finished.
    fn estimates(&self) -> &[u32];

    /// Returns the move that leads to successor `at`.
    fn step(&self, at: usize) -> Move;

    /// Returns the state of successor `at`.
    fn state(&self, at: usize) -> P::State;

    /// Returns the parent of successor `at`, as an index into the list of parents.
    fn parent(&self, at: usize) -> usize;

    /// Returns the payload of successor `at`.
    fn payload(&self, at: usize) -> C;
}

/// The batch type of heuristics that do not support batches: always empty.
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

/// Why no entry of [`NoBatch`] is ever read.
const EMPTY_BATCH: &str = "`NoBatch` has no successors";

/// The result of [`Heuristic::prune_moves`].
#[derive(Clone, Copy, Debug)]
pub struct PrunedMoves<M> {
    /// The moves that remain.
    pub moves: M,
    /// Number of pruned moves.
    pub pruned: u32,
    /// Lower bound on the estimates after the pruned moves.
    pub min_estimate: u32,
}

/// Returns the axis along which a move of the tile puzzle changes positions: 0 for rows, 1 for
/// columns.
#[inline(always)]
fn axis(step: Move) -> usize {
    // Directions are numbered clockwise.
    step.0 as usize & 1
}

/// The zero heuristic.
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
