//! A puzzle's searches, behind one call.

use super::plan::Tier;
use crate::memory::Region;
use crate::output::{Effort, GiveUp, Moves, Solution, Verdict};
use crate::puzzle::Move;
use crate::puzzle::tiles::{Board, Direction, Lines};
use crate::search::{Company, Ending, Limits, Outcome, Stop};
use std::iter::repeat_n;

/// Solves boards of one size for one goal. Any number of workers share it.
pub(super) trait Solver: Send + Sync {
    /// Tries a board; none if it must be tried in the next tier. What was done
    /// is added to the effort.
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict>;
}

/// What one attempt may use.
pub(super) struct Attempt<'a, 'r> {
    /// How much is to be spent.
    pub(super) tier: Tier,
    /// The limits of this puzzle.
    pub(super) limits: Limits<'a>,
    /// Memory for it.
    pub(super) region: &'a mut Region<'r>,
    /// Who may help.
    pub(super) company: &'a dyn Company,
}

/// Adds what a search did to a puzzle's effort. States visited are those of the last
/// search alone, which is the one that gives the answer.
pub(super) fn account(effort: &mut Effort, outcome: &Outcome) {
    let done = &outcome.statistics;
    effort.expanded += done.expanded;
    effort.generated += done.generated;
    effort.visited = done.stored;
    effort.fell_back |= done.fell_back;
}

/// A search's ending as a verdict.
pub(super) fn verdict(ending: Ending) -> Verdict {
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
pub(super) fn give_up(stop: Stop) -> GiveUp {
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
pub(super) struct FirstThen<A, B> {
    pub(super) first: A,
    pub(super) then: B,
}

impl<A: Solver, B: Solver> Solver for FirstThen<A, B> {
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        if attempt.tier == Tier::Quick {
            self.first.attempt(board, attempt, effort)
        } else {
            self.then.attempt(board, attempt, effort)
        }
    }
}
