//! `--weight W` on boards for which weighted search runs out of memory.
//!
//! A solution of at max_length W times a lower bound is at max_length W times as long as the
//! shortest, however it was found. Beams find such solutions where a search that
//! keeps every state cannot: so they keep the promise, if they can.

use super::large;
use crate::large::beam::{self, BeamParams, Weights, Work};
use crate::large::bound::lower_bound;
use crate::large::mutable_board::MutableBoard;
use crate::model::report::{Effort, GiveUp, Verdict};
use crate::puzzle::tiles::{Board, Metric};
use crate::search::Order;
use crate::solve::plan::Method;
use crate::solve::plan::Plan;
use crate::solve::solver::{Attempt, Solver};

/// A weighted search, and what comes after it.
pub(crate) struct WeightedFallback {
    search: Box<dyn Solver>,
    goal: Board,
    order: Order,
}

/// Widths of the beams that are tried, one after the other.
const WIDTHS: [usize; 4] = [100, 1_000, 10_000, 100_000];

impl WeightedFallback {
    /// The search with beams behind it, if it is a weighted one that counts the
    /// moves of single tiles on a board that beams suit.
    pub(crate) fn wrap(search: Box<dyn Solver>, goal: &Board, plan: &Plan) -> Box<dyn Solver> {
        match plan.method {
            Method::BestFirst(order)
                if order.is_weighted() && plan.metric == Metric::Tile && beam::suits(goal.size()) =>
            {
                Box::new(Self { search, goal: goal.clone(), order })
            }
            _ => search,
        }
    }
}

impl Solver for WeightedFallback {
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let Attempt { tier, limits, region, helpers } = attempt;
        let first = Attempt { tier, limits, region: &mut *region, helpers };
        let verdict = self.search.attempt(board, first, effort)?;
        let Verdict::GaveUp { reason: GiveUp::Memory, bound } = verdict else { return Some(verdict) };
        let field = MutableBoard::new(board, &self.goal);
        let bound = bound.max(lower_bound(&field));
        // What costs nothing yet and is estimated at the bound has W times the bound.
        let max_length = self.order.priority(0, bound) as usize;
        let memory = large::whole_region(region);
        let max_width = beam::max_width(board.size(), size_of_val(memory));
        let mut work = Work::default();
        let mut found = None;
        for width in WIDTHS.into_iter().filter(|&width| width <= max_width) {
            let params = BeamParams {
                width,
                deadline: None,
                side_order: BeamParams::SIDE_ORDERS[0],
                weights: Weights::of(board.size()),
            };
            found = beam::solve(&field, &params, max_length + 1, &limits, memory, &mut work).ok().flatten();
            if found.is_some() || limits.reached(work.generated).is_some() {
                break;
            }
        }
        large::add_work(effort, work);
        let Some(moves) = found else { return Some(Verdict::GaveUp { reason: GiveUp::Memory, bound }) };
        effort.algorithm = "beam";
        Some(large::solved(moves, bound))
    }
}
