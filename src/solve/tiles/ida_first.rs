//! Short IDA* before pattern databases, for boards a few moves from the goal.
//!
//! A database lookup misses every cache, and a best-first search must set up a table; a short
//! depth-first search does neither. In a batch of easy boards this would be most of the time.

use crate::heuristic::{Heuristic, Manhattan};
use crate::model::report::{Effort, Verdict};
use crate::puzzle::tiles::{Board, Tiles};
use crate::search::{Ending, Limits, Problem, ida};
use crate::solve::plan::Tier;
use crate::solve::solver::{Attempt, Solver, account, verdict};

/// The largest Manhattan distance for which IDA* is tried, and its limit on nodes.
const MAX_ESTIMATE: u32 = 20;
const MAX_NODES: u64 = 1000;

/// Tries IDA* with Manhattan distance on boards close to the goal, then another solver.
pub(crate) struct TryIdaFirst<S> {
    pub(crate) puzzle: Tiles<u64>,
    pub(crate) heuristic: Manhattan,
    pub(crate) then: S,
}

impl<S: Solver> TryIdaFirst<S> {
    fn try_ida(&self, board: &Board, limits: &Limits<'_>, effort: &mut Effort) -> Option<Verdict> {
        let (puzzle, heuristic) = (&self.puzzle, &self.heuristic);
        let problem = Problem { puzzle, heuristic, start: puzzle.state(board) };
        let memo = heuristic.evaluate(puzzle, &problem.start);
        let estimate = Heuristic::<Tiles<u64>>::estimate(heuristic, &memo);
        if estimate > MAX_ESTIMATE || limits.max_nodes.is_some_and(|most| most < MAX_NODES) {
            return None;
        }
        let outcome = ida::solve(problem, &Limits { max_nodes: Some(MAX_NODES), ..*limits });
        account(effort, &outcome);
        let Ending::Solved { .. } = outcome.ending else { return None };
        (effort.algorithm, effort.heuristic) = ("ida", Heuristic::<Tiles<u64>>::name(heuristic));
        Some(verdict(outcome.ending))
    }
}

impl<S: Solver> Solver for TryIdaFirst<S> {
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let solved =
            (attempt.tier == Tier::Quick).then(|| self.try_ida(board, &attempt.limits, effort)).flatten();
        solved.or_else(|| self.then.attempt(board, attempt, effort))
    }
}
