//! A puzzle's searches, behind one call.

use super::plan::Tier;
use crate::memory::Region;
use crate::model::report::{Effort, GiveUp, Moves, Solution, Verdict};
use crate::puzzle::Move;
use crate::puzzle::tiles::{Board, Direction, Lines};
use crate::search::{Ending, HelperPool, Limits, Outcome, Stop};
use std::iter::repeat_n;

/// Solves boards of one size for one goal. Any number of workers share it.
pub(crate) trait Solver: Send + Sync {
    /// Tries a board; none if it must be tried in the next tier. What was done
    /// is added to the effort.
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict>;
}

/// What one attempt may use.
pub(crate) struct Attempt<'a, 'r> {
    /// How much is to be spent.
    pub(crate) tier: Tier,
    /// The limits of this puzzle.
    pub(crate) limits: Limits<'a>,
    /// Memory for it.
    pub(crate) region: &'a mut Region<'r>,
    /// Who may help.
    pub(crate) helpers: &'a dyn HelperPool,
}

/// Adds what a search did to a puzzle's effort. States visited are those of the last
/// search alone, which is the one that gives the answer.
pub(crate) fn account(effort: &mut Effort, outcome: &Outcome) {
    let done = &outcome.statistics;
    effort.expanded += done.expanded;
    effort.generated += done.generated;
    effort.visited = done.stored;
    effort.fell_back |= done.fell_back;
}

/// A search's ending as a verdict.
pub(crate) fn verdict(ending: Ending) -> Verdict {
    match ending {
        Ending::Solved { path, bound } => {
            let length = path.len() as u32;
            // A move that goes further than one cell says so above its direction.
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

/// The reason in results for a limit.
pub(crate) fn give_up(stop: Stop) -> GiveUp {
    match stop {
        Stop::Memory => GiveUp::Memory,
        Stop::Time => GiveUp::Time,
        Stop::Nodes => GiveUp::Nodes,
        Stop::Interrupted => GiveUp::Interrupted,
        Stop::Beam => GiveUp::Beam,
    }
}

/// One solver for the first attempt at a board, and another one for all that
/// follow.
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
