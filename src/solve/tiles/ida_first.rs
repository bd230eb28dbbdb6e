//! Boards a few moves from the goal: solved before databases are asked.
//!
//! A lookup in a database misses every cache, and a best-first search has a table
//! to set up; a short depth-first search has neither. In a batch of easy boards
//! that is most of the time.

use crate::heuristic::{Heuristic, Manhattan};
use crate::model::report::{Effort, Verdict};
use crate::puzzle::tiles::{Board, Tiles};
use crate::search::{Ending, Limits, Problem, ida};
use crate::solve::plan::Tier;
use crate::solve::solver::{Attempt, Solver, account, verdict};

/// Boards are solved up to this estimate, and so many nodes are spent on them.
const MAX_ESTIMATE: u32 = 20;
const MAX_NODES: u64 = 1000;

/// A solver for all boards, and a quick look at those that are solved.
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
