//! Escalation of long searches.
//!
//! A small frontier and few partitions are fastest for boards that take seconds. A search that
//! exceeds a limit on nodes is restarted with more of both: a larger frontier leaves fewer states
//! below it, and more partitions prune more of them, but each state costs more
//! (docs/benchmarks.md).

use crate::model::report::{Effort, Solution, Verdict};
use crate::puzzle::tiles::Board;
use crate::search::Limits;
use crate::solve::plan::Tier;
use crate::solve::solver::{Attempt, Solver};

/// The limit on nodes of the first search.
const SHORT_NODES: u64 = 64_000_000;

/// The memory of the first search.
const SHORT_FRONTIER: usize = 32 << 20;

/// Tries a cheap solver first and escalates to a stronger one.
pub(crate) struct Escalate {
    pub(crate) first: Box<dyn Solver>,
    pub(crate) then: Box<dyn Solver>,
}

impl Solver for Escalate {
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let limits = attempt.limits;
        if attempt.tier != Tier::Large {
            return self.first.attempt(board, attempt, effort);
        }
        // A limit on nodes or a checkpoint requires a single search.
        if limits.max_nodes.is_some() || limits.checkpoint_sink.is_some() {
            return self.then.attempt(board, attempt, effort);
        }
        let Attempt { tier, region, helpers, .. } = attempt;
        let short = Limits { max_nodes: Some(SHORT_NODES), ..limits };
        let small = Attempt { tier, limits: short, region: &mut region.first(SHORT_FRONTIER), helpers };
        let first = self.first.attempt(board, small, effort)?;
        let is_undecided = match &first {
            Verdict::Solved(solution) => !solution.optimal,
            Verdict::GaveUp { .. } => true,
            Verdict::Unsolvable { .. } | Verdict::Invalid { .. } => false,
        };
        if !is_undecided || limits.reached(0).is_some() {
            return Some(first);
        }
        let then = self.then.attempt(board, Attempt { tier, limits, region, helpers }, effort)?;
        Some(combine(first, then))
    }
}

/// Combines the verdicts of two searches of one board: the best solution and the best bound.
fn combine(first: Verdict, then: Verdict) -> Verdict {
    match (first, then) {
        (Verdict::GaveUp { bound: first, .. }, Verdict::GaveUp { reason, bound }) => {
            Verdict::GaveUp { reason, bound: bound.max(first) }
        }
        (Verdict::Solved(found), Verdict::GaveUp { bound, .. }) => {
            let bound = found.bound.max(bound).min(found.length);
            Verdict::Solved(Solution { bound, optimal: bound == found.length, ..found })
        }
        (_, then) => then,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::report::{GiveUp, Moves};

    #[test]
    fn combined_verdict_keeps_the_best_bound() {
        let gave_up = |bound| Verdict::GaveUp { reason: GiveUp::Time, bound };
        let solved = |length, bound| {
            let moves = Moves::Tiles(Vec::new());
            Verdict::Solved(Solution { moves, length, optimal: length == bound, bound })
        };
        assert_eq!(combine(gave_up(90), gave_up(88)), gave_up(90));
        assert_eq!(combine(gave_up(86), gave_up(88)), gave_up(88));
        assert_eq!(combine(solved(96, 90), gave_up(92)), solved(96, 92));
        assert_eq!(combine(solved(96, 90), gave_up(96)), solved(96, 96));
        assert_eq!(combine(gave_up(90), solved(96, 96)), solved(96, 96));
        assert_eq!(combine(solved(98, 90), solved(96, 96)), solved(96, 96));
    }
}
