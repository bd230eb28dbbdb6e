//! Interleaved bounded depth-first search: several searches below different roots advance in
//! turn, so that the memory accesses of one overlap with the work on the others.
//!
//! One step of a lane:
//!
//! 1. *Resolve* the pending successors of its current state, if that is not done yet, and
//!    return.
//! 2. *Finish* them: the prefetched data has arrived while the other lanes worked. Push those
//!    within the bound to the lane's stack.
//! 3. Pop the next state, *prepare* its successors (which prefetches their data), and return.

use crate::heuristic::Heuristic;
use crate::puzzle::{Move, Puzzle};

/// Successors of most states, at most.
const PENDING_CAPACITY: usize = 4;

/// Initial capacity of a lane's stack and path. Few searches need more.
const STACK_CAPACITY: usize = 64;
const PATH_CAPACITY: usize = 128;

/// Approximate memory of the lanes of one thread in bytes.
pub(super) const BYTES: usize = 128 << 10;

/// A state on the stack.
struct Node<P: Puzzle, M> {
    state: P::State,
    memo: M,
    /// Moves below the root, including the one that led here.
    depth: u32,
    step: Move,
}

/// One search below one root.
pub(super) struct Lane<P: Puzzle, M> {
    /// g of the root, and the move that led to it.
    cost: u32,
    last: Option<Move>,
    stack: Vec<Node<P, M>>,
    /// The moves from the root to the current state.
    path: Vec<Move>,
    /// The current state, and the pending updates of its successors.
    state: Option<P::State>,
    pending_updates: Vec<(Move, M)>,
    /// Whether the pending updates are resolved.
    is_resolved: bool,
    cut_off: CutOff,
}

/// The least f above the bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CutOff {
    /// The least f that was cut off, or `u32::MAX` if nothing was.
    pub(super) f: u32,
    /// The largest g of a state that was cut off at that f: the one nearest to a goal.
    pub(super) cost: u32,
}

impl CutOff {
    const NONE: Self = Self { f: u32::MAX, cost: 0 };

    #[inline(always)]
    fn record(&mut self, cost: u32, estimate: u32) {
        let f = cost + estimate;
        if f < self.f {
            *self = Self { f, cost };
        } else if f == self.f {
            self.cost = self.cost.max(cost);
        }
    }
}

/// The result of one step of a lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The search below the root continues.
    More,
    /// A goal, with its moves from the root.
    Goal(Vec<Move>),
    /// The search is exhausted; nothing is left but states that were cut off.
    Done(CutOff),
}

/// Pruning by a visited table.
pub(super) trait Pruning<P: Puzzle> {
    /// Prefetches the data for a later call of [`Self::prunes`].
    fn prefetch(&self, state: &P::State);

    /// Returns whether a state with this cost need not be searched.
    fn prunes(&self, state: &P::State, cost: u32) -> bool;
}

/// Node counts of the lanes.
#[derive(Clone, Copy, Default)]
pub(super) struct NodeCounts {
    pub(super) expanded: u64,
    pub(super) generated: u64,
}

impl<P: Puzzle, M: Copy> Lane<P, M> {
    /// Creates a lane without a root.
    pub(super) fn new() -> Self {
        Self {
            cost: 0,
            last: None,
            stack: Vec::with_capacity(STACK_CAPACITY),
            path: Vec::with_capacity(PATH_CAPACITY),
            state: None,
            pending_updates: Vec::with_capacity(PENDING_CAPACITY),
            is_resolved: false,
            cut_off: CutOff::NONE,
        }
    }

    /// Begins a search below a root that was reached by the move `last`, if any.
    pub(super) fn begin(&mut self, state: P::State, memo: M, cost: u32, last: Option<Move>) {
        self.cost = cost;
        self.stack.clear();
        self.pending_updates.clear();
        self.path.clear();
        self.state = None;
        self.cut_off = CutOff::NONE;
        self.last = last;
        self.stack.push(Node { state, memo, depth: 0, step: Move(0) });
    }

    /// Performs one step. `pruning` is applied to the states one move below the root.
    #[inline]
    pub(super) fn step<H: Heuristic<P, Memo = M>>(
        &mut self,
        puzzle: &P,
        heuristic: &H,
        bound: u32,
        pruning: &impl Pruning<P>,
        counts: &mut NodeCounts,
    ) -> Step {
        if !self.is_resolved {
            self.pending_updates.iter_mut().for_each(|(_, pending)| heuristic.resolve(pending));
            self.is_resolved = true;
            if !self.pending_updates.is_empty() {
                return Step::More;
            }
        }
        if let Some(before) = self.state {
            let depth = self.path.len() as u32 + 1;
            // The largest h within the bound.
            let max_estimate = bound.saturating_sub(self.cost + depth);
            for (step, pending) in self.pending_updates.drain(..) {
                let memo = match heuristic.finish_within(pending, max_estimate) {
                    Ok(memo) => memo,
                    Err(estimate) => {
                        self.cut_off.record(self.cost + depth, estimate);
                        continue;
                    }
                };
                let state = puzzle.apply(&before, step);
                if heuristic.estimate(&memo) == 0 && puzzle.is_goal(&state) {
                    let mut path = self.path.clone();
                    path.push(step);
                    return Step::Goal(path);
                }
                if depth > 1 || !pruning.prunes(&state, self.cost + 1) {
                    self.stack.push(Node { state, memo, depth, step });
                }
            }
        }
        let Some(Node { state, memo, depth, step }) = self.stack.pop() else {
            return Step::Done(self.cut_off);
        };
        self.path.truncate((depth as usize).saturating_sub(1));
        if depth > 0 {
            self.path.push(step);
        }
        let last = if depth > 0 { Some(step) } else { self.last };
        for step in puzzle.moves(&state, last) {
            if depth == 0 {
                pruning.prefetch(&puzzle.apply(&state, step));
            }
            self.pending_updates.push((step, heuristic.prepare(puzzle, &memo, &state, step)));
        }
        self.is_resolved = false;
        counts.expanded += 1;
        counts.generated += self.pending_updates.len() as u64;
        self.state = Some(state);
        Step::More
    }
}
