//! Bounded depth-first search: the inner loop of IDA*.
//!
//! The path is an explicit stack, so depth costs no call frames, and the current frame stays in
//! registers. A successor is evaluated before it is generated.

use crate::heuristic::Heuristic;
use crate::puzzle::{Move, Puzzle};

/// A state on the path, with its untried moves.
struct Frame<P: Puzzle, M> {
    state: P::State,
    memo: M,
    moves: P::Moves,
    step: Move,
}

/// The root of a search.
pub(super) struct Root<P: Puzzle, M> {
    pub(super) state: P::State,
    pub(super) memo: M,
    /// g of the root.
    pub(super) cost: u32,
}

/// The result of the search below a root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SubtreeResult {
    /// A goal with this cost; its moves are in [`DepthFirst::path`].
    Goal(u32),
    /// No goal within the bound. The least f above it, or `u32::MAX` if nothing was cut off by
    /// the bound.
    CutOff(u32),
    /// The search was stopped.
    Stopped,
}

/// A reusable depth-first search.
pub(super) struct DepthFirst<'a, P: Puzzle, H: Heuristic<P>> {
    puzzle: &'a P,
    heuristic: &'a H,
    stack: Vec<Frame<P, H::Memo>>,
    /// The moves from the root to the last goal found.
    pub(super) path: Vec<Move>,
    pub(super) expanded: u64,
    pub(super) generated: u64,
}

/// Generated nodes between two polls of `stop`.
const POLL_INTERVAL: u64 = 1 << 13;

impl<'a, P: Puzzle, H: Heuristic<P>> DepthFirst<'a, P, H> {
    pub(super) fn new(puzzle: &'a P, heuristic: &'a H) -> Self {
        Self {
            puzzle,
            heuristic,
            stack: Vec::with_capacity(128),
            path: Vec::new(),
            expanded: 0,
            generated: 0,
        }
    }

    /// Searches below a root for a goal of cost at most `bound`, until `max_generated` nodes
    /// have been generated in all.
    ///
    /// `prune` is called with each state, its cost and its depth below the root; if it returns
    /// true, the state is not searched. `stop` is polled regularly with the nodes generated so
    /// far.
    pub(super) fn search(
        &mut self,
        Root { state: root, memo, mut cost }: Root<P, H::Memo>,
        bound: u32,
        max_generated: u64,
        mut prune: impl FnMut(&P::State, u32, usize) -> bool,
        mut stop: impl FnMut(u64) -> bool,
    ) -> SubtreeResult {
        let (puzzle, heuristic) = (self.puzzle, self.heuristic);
        let mut next = u32::MAX;
        if cost + heuristic.estimate(&memo) > bound {
            return SubtreeResult::CutOff(cost + heuristic.estimate(&memo));
        }
        let mut generated = 0u64;
        let mut prune_moves = |memo: &H::Memo, state: &P::State, moves: P::Moves, cost: u32| {
            let max_estimate = bound.saturating_sub(cost + 1);
            let pruned = heuristic.prune_moves(puzzle, memo, state, moves, max_estimate);
            next = next.min(pruned.min_estimate.saturating_add(cost + 1));
            (pruned.moves, pruned.pruned)
        };
        let (moves, pruned) = prune_moves(&memo, &root, puzzle.moves(&root, None), cost);
        generated += u64::from(pruned);
        let mut frame: Frame<P, H::Memo> = Frame { state: root, memo, moves, step: Move(0) };
        self.stack.clear();
        let mut expanded = 1u64;
        let mut next_poll = POLL_INTERVAL.min(max_generated.saturating_sub(self.generated));
        let mut cut_off = u32::MAX;
        let result = loop {
            let Some(step) = frame.moves.next() else {
                match self.stack.pop() {
                    Some(above) => frame = above,
                    None => break SubtreeResult::CutOff(u32::MAX),
                }
                cost -= 1;
                continue;
            };
            generated += 1;
            let memo = heuristic.update(puzzle, &frame.memo, &frame.state, step);
            let estimate = heuristic.estimate(&memo);
            let f = cost + 1 + estimate;
            if !H::PRUNES && f > bound {
                cut_off = cut_off.min(f);
                continue;
            }
            let state = puzzle.apply(&frame.state, step);
            if estimate == 0 && puzzle.is_goal(&state) {
                self.stack.push(frame);
                self.path.clear();
                self.path.extend(self.stack.iter().skip(1).map(|frame| frame.step).chain([step]));
                break SubtreeResult::Goal(cost + 1);
            }
            if prune(&state, cost + 1, self.stack.len() + 1) {
                continue;
            }
            expanded += 1;
            if generated >= next_poll {
                let all = self.generated + generated;
                next_poll = generated + POLL_INTERVAL.min(max_generated.saturating_sub(all));
                if all >= max_generated || stop(all) {
                    break SubtreeResult::Stopped;
                }
            }
            let (moves, pruned) = prune_moves(&memo, &state, puzzle.moves(&state, Some(step)), cost + 1);
            generated += u64::from(pruned);
            if moves.size_hint().1 == Some(0) {
                continue;
            }
            self.stack.push(frame);
            frame = Frame { state, memo, moves, step };
            cost += 1;
        };
        let result = match result {
            SubtreeResult::CutOff(_) => SubtreeResult::CutOff(next.min(cut_off)),
            other => other,
        };
        self.expanded += expanded;
        self.generated += generated;
        result
    }
}
