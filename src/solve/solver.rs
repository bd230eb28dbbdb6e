//! The interface of all solvers for tile boards.

use super::plan::Tier;
use crate::memory::Region;
use crate::model::report::{Effort, GiveUp, Moves, Solution, Verdict};
use crate::puzzle::Move;
use crate::puzzle::tiles::{Board, Direction, Lines};
use crate::search::{Ending, HelperPool, Limits, Outcome, Stop};
use std::iter::repeat_n;

/// Solves boards of one size for one goal. All workers share it.
pub(crate) trait Solver: Send + Sync {
    /// Tries a board and adds the work to `effort`. Returns none if the board must be tried in the
    /// next tier.
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict>;
}

/// The resources of one attempt.
pub(crate) struct Attempt<'a, 'r> {
    /// How much may be spent.
    pub(crate) tier: Tier,
    /// The limits of this puzzle.
    pub(crate) limits: Limits<'a>,
    /// The memory of this attempt.
    pub(crate) region: &'a mut Region<'r>,
    /// The pool of helper threads.
    pub(crate) helpers: &'a dyn HelperPool,
}

/// Adds the statistics of a search to `effort`. Visited states are those of the last search, which
/// gives the answer.
pub(crate) fn account(effort: &mut Effort, outcome: &Outcome) {
    let done = &outcome.statistics;
    effort.expanded += done.expanded;
    effort.generated += done.generated;
    effort.visited = done.stored;
    effort.fell_back |= done.fell_back;
}

/// Converts the ending of a search to a verdict.
pub(crate) fn verdict(ending: Ending) -> Verdict {
    match ending {
        Ending::Solved { path, bound } => {
            let length = path.len() as u32;
            // A move over several cells stores its length above the bits of the direction.
            let run =
                |step: &Move| repeat_n(Direction::from_index(step.0 as usize), Lines::cells(*step) as usize);
            let moves = path.iter().flat_map(run).collect();
            Verdict::Solved(Solution {
                moves: Moves::Tiles(moves),
                length,
                optimal: bound >= length,
                bound: bound.min(length),
            })
        }
        Ending::Exhausted => Verdict::Unsolvable { hint: None },
        Ending::Stopped { stop, bound } => Verdict::GaveUp { reason: give_up(stop), bound },
    }
}

/// Returns the reason in results for a limit that was reached.
pub(crate) fn give_up(stop: Stop) -> GiveUp {
    match stop {
        Stop::Memory => GiveUp::Memory,
        Stop::Time => GiveUp::Time,
        Stop::Nodes => GiveUp::Nodes,
        Stop::Interrupted => GiveUp::Interrupted,
        Stop::Beam => GiveUp::Beam,
    }
}

/// Combines a solver for [`Tier::Quick`] with one for the later tiers.
pub(crate) struct QuickThen<A, B> {
    pub(crate) quick: A,
    pub(crate) then: B,
}

impl<A: Solver, B: Solver> Solver for QuickThen<A, B> {
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        if attempt.tier == Tier::Quick {
            self.quick.attempt(board, attempt, effort)
        } else {
            self.then.attempt(board, attempt, effort)
        }
    }
}
