//! Bounded depth-first search that need not wait for memory: a few searches,
//! below different roots, take turns.
//!
//! In its turn a lane settles the successors that it drafted in its last one,
//! whose table entries have arrived meanwhile, and drafts those of its next
//! state. So each lane waits while the others work.

use crate::heuristic::Heuristic;
use crate::puzzle::{Move, Puzzle};

/// Successors of most states, at most.
const DRAFTS: usize = 4;

/// A state that is still to be expanded.
struct Node<P: Puzzle, M> {
    state: P::State,
    memo: M,
    /// Moves below the root, the one that led here included.
    depth: u32,
    step: Move,
}

/// One search below one root.
pub(super) struct Lane<P: Puzzle, M> {
    /// The cost of the root.
    cost: u32,
    stack: Vec<Node<P, M>>,
    /// The moves from the root to the state in hand.
    path: Vec<Move>,
    /// The state in hand, and the drafts of its successors.
    state: Option<P::State>,
    drafts: Vec<(Move, M)>,
    /// The least cost plus estimate beyond the bound.
    beyond: u32,
}

/// What a turn of a lane came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    /// There is more to do.
    More,
    /// A goal at the end of these moves from the root.
    Goal(Vec<Move>),
    /// Nothing is left. The least cost plus estimate beyond the bound, or
    /// `u32::MAX` if nothing was cut off.
    Done(u32),
}

/// Nodes that lanes have seen.
#[derive(Clone, Copy, Default)]
pub(super) struct Seen {
    pub(super) expanded: u64,
    pub(super) generated: u64,
}

impl<P: Puzzle, M: Copy> Lane<P, M> {
    /// A lane with nothing to do.
    pub(super) fn new() -> Self {
        Self {
            cost: 0,
            stack: Vec::with_capacity(256),
            path: Vec::with_capacity(128),
            state: None,
            drafts: Vec::with_capacity(DRAFTS),
            beyond: u32::MAX,
        }
    }

    /// Begins below a root.
    pub(super) fn begin(&mut self, state: P::State, memo: M, cost: u32) {
        self.cost = cost;
        self.stack.clear();
        self.drafts.clear();
        self.path.clear();
        self.state = None;
        self.beyond = u32::MAX;
        self.stack.push(Node { state, memo, depth: 0, step: Move(0) });
    }

    /// Takes a turn. `known` is asked about the states one move below the root,
    /// with their costs, and cuts off what need not be searched.
    #[inline]
    pub(super) fn turn<H: Heuristic<P, Memo = M>>(
        &mut self,
        puzzle: &P,
        heuristic: &H,
        bound: u32,
        known: impl Fn(&P::State, u32) -> bool,
        seen: &mut Seen,
    ) -> Turn {
        if let Some(before) = self.state {
            let depth = self.path.len() as u32 + 1;
            // What a successor may still need.
            let most = bound.saturating_sub(self.cost + depth);
            for (step, draft) in self.drafts.drain(..) {
                let memo = match heuristic.settle_within(draft, most) {
                    Ok(memo) => memo,
                    Err(estimate) => {
                        self.beyond = self.beyond.min(self.cost + depth + estimate);
                        continue;
                    }
                };
                let state = puzzle.apply(&before, step);
                if heuristic.estimate(&memo) == 0 && puzzle.is_goal(&state) {
                    let mut path = self.path.clone();
                    path.push(step);
                    return Turn::Goal(path);
                }
                if depth > 1 || !known(&state, self.cost + 1) {
                    self.stack.push(Node { state, memo, depth, step });
                }
            }
        }
        let Some(Node { state, memo, depth, step }) = self.stack.pop() else {
            return Turn::Done(self.beyond);
        };
        self.path.truncate((depth as usize).saturating_sub(1));
        if depth > 0 {
            self.path.push(step);
        }
        // A root has no history: it may be left in any direction.
        let last = (depth > 0).then_some(step);
        for step in puzzle.moves(&state, last) {
            self.drafts.push((step, heuristic.draft(puzzle, &memo, &state, step)));
        }
        seen.expanded += 1;
        seen.generated += self.drafts.len() as u64;
        self.state = Some(state);
        Turn::More
    }
}
