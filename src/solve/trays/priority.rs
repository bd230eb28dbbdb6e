//! Trays by the priorities that course exercises use: greedy or beam search in the order of block
//! distances.
//!
//! States are expanded one by one, each at most once, and the first solution ends the search. The
//! priority is not a lower bound, so the bound of the answer is that of the start's distances.

use crate::heuristic::{TrayDistances, TrayPriorities, TrayPriority};
use crate::model::report::{Effort, GiveUp, Verdict};
use crate::puzzle::Move;
use crate::puzzle::trays::{Lists, Metric, Tray};
use crate::search::beam::Width;
use crate::search::dynamic_key;
use crate::search::{Ending, Order, Outcome};
use crate::solve::plan::Tier;
use crate::solve::solver::Attempt;
use crate::solve::trays::lists::TraySpace;
use crate::solve::trays::{TraySolver, conclude, quick_limits, record_outcome};
use std::sync::Arc;

/// The search that uses the priority.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PrioritySearch {
    /// Greedy best-first search.
    Greedy,
    /// Beam search of a width, or of the width that the memory allows.
    Beam(Width),
}

/// Returns a solver for `tray` whose priority tables take at most `table_bytes`.
pub(crate) fn solver(
    tray: &Arc<Tray>,
    metric: Metric,
    priority: TrayPriority,
    search: PrioritySearch,
    bound: Option<TrayDistances>,
    table_bytes: usize,
) -> Box<dyn TraySolver> {
    let bound = bound.map(Arc::new);
    let lower_bound = TraySpace::new(tray, metric, bound, false).first_estimate();
    let priorities = TrayPriorities::new(tray, priority, table_bytes).map(Arc::new);
    Box::new(PriorityTray {
        tray: tray.clone(),
        metric,
        name: priority.name(),
        search,
        priorities,
        lower_bound,
    })
}

struct PriorityTray {
    tray: Arc<Tray>,
    metric: Metric,
    name: &'static str,
    search: PrioritySearch,
    /// None if the tables are too large.
    priorities: Option<Arc<TrayPriorities>>,
    /// A lower bound on the length of a solution.
    lower_bound: u32,
}

impl TraySolver for PriorityTray {
    fn attempt(&self, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let Attempt { tier, limits, region, .. } = attempt;
        let Some(priorities) = self.priorities.clone() else {
            let gave_up = Verdict::GaveUp { reason: GiveUp::Memory, bound: self.lower_bound };
            return (tier == Tier::Large).then_some(gave_up);
        };
        let (limits, cut_short) = quick_limits(tier, limits);
        let mut space = TraySpace::new(&self.tray, self.metric, None, false).with_priority(priorities);
        let (algorithm, outcome) = match self.search {
            PrioritySearch::Greedy => {
                ("greedy", dynamic_key::solve(&mut space, Order::GREEDY, &limits, region))
            }
            PrioritySearch::Beam(width) => ("beam", dynamic_key::beam(&mut space, width, &limits, region)),
        };
        let outcome = Outcome { ending: self.with_true_bound(outcome.ending), ..outcome };
        let ending = record_outcome(effort, algorithm, self.name, outcome);
        let cols = self.tray.cols();
        let shifts = |path: &[Move]| path.iter().map(|&step| Lists::shift(step, cols)).collect();
        conclude(ending, tier, cut_short, shifts, |_| None)
    }
}

impl PriorityTray {
    /// Replaces the bound of a search that used priorities as estimates.
    fn with_true_bound(&self, ending: Ending) -> Ending {
        match ending {
            Ending::Solved { path, .. } => {
                let bound = self.lower_bound.min(path.len() as u32);
                Ending::Solved { path, bound }
            }
            Ending::Stopped { stop, .. } => Ending::Stopped { stop, bound: self.lower_bound },
            Ending::Exhausted => Ending::Exhausted,
        }
    }
}
