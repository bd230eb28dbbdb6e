//! `--weight W` on boards for which weighted A* runs out of memory.
//!
//! A solution of at most W times a lower bound is at most W times as long as a shortest one,
//! however it was found. Beams find such solutions where a search that stores every state cannot.

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

/// Runs a weighted search, then beams if it runs out of memory.
pub(crate) struct WeightedFallback {
    search: Box<dyn Solver>,
    goal: Board,
    order: Order,
}

/// The widths of the beams, tried in this order.
const WIDTHS: [usize; 4] = [100, 1_000, 10_000, 100_000];

impl WeightedFallback {
    /// Wraps `search` with beams, if it is a weighted search in the single-tile metric on a board
    /// that beams can search.
    pub(crate) fn wrap(search: Box<dyn Solver>, goal: &Board, plan: &Plan) -> Box<dyn Solver> {
        match plan.method {
            Method::BestFirst(order)
                if order.is_weighted() && plan.metric == Metric::Tile && beam::supports(goal.size()) =>
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
        // The priority at g = 0 and h = bound is W times the bound.
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
                weights: Weights::for_size(board.size()),
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
