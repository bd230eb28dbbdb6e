//! Parallel bucketed best-first search in a fixed region of memory.
//!
//! One engine serves A*, weighted A*, greedy and breadth-first search; the
//! [`Order`] is all that tells them apart. States are taken from the open list
//! by the handful; their slots are fetched together, their successors made
//! together and their places fetched together, so that the search waits for
//! memory once for many states.
//!
//! The first goal found is only an incumbent: the search ends when nothing of
//! lower priority is left in the open list or in any worker's hands. A state
//! that is reached by a cheaper way is opened again, so heuristics may be
//! inconsistent. Greedy search does not compare costs: it expands each state at
//! most once.
//!
//! Where the open list keeps the states themselves, those of a later level are in
//! the list alone until they are taken (`kept.rs`): one that is known by then, at no
//! more cost, is dropped, and all others are entered before they are expanded. In
//! the last table, and when it is frozen, all states are entered.
//!
//! **When memory is full** the table is frozen, and the states that are still
//! open become the roots of depth-first searches, in the order of their
//! priority: A*+IDA* (Bu and Korf, IJCAI 2019). A root that was searched in
//! vain up to its level goes back into the list at the least value beyond it.
//! The frozen table cuts off states that are known at no more cost. That keeps
//! a shortest solution: of all open states on shortest solutions take the one
//! nearest to its goal. Were the depth-first search below it cut off on its way
//! there, then at a state known at its least cost, which is open itself and
//! nearer to the goal, or closed and followed by one that is. Each root starts
//! without a last move, and only moves that undo the last one are left out.

mod eager;
mod engine;
mod entry;
mod frontier;
mod growth;
mod layout;
mod lazy;
mod selection;
#[cfg(test)]
mod test_support;

pub(super) use engine::trace;
pub use engine::{BestFirst, Progress};
pub use entry::{Entry, ExplicitEntry, ImplicitEntry};

use super::{Ending, HelperPool, Limits, Order, Outcome, Problem, Statistics, Stop};
use crate::heuristic::Heuristic;
use crate::memory::Region;
use crate::puzzle::Puzzle;

/// Solves a problem in a region of memory.
///
/// If the region is too small for any table, the search stops at once for want
/// of memory.
pub fn solve<P: Puzzle, H: Heuristic<P>>(
    problem: Problem<'_, P, H>,
    order: Order,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
    helpers: &dyn HelperPool,
    when_full: WhenFull,
) -> Outcome {
    fn run<P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>>(
        search: Option<BestFirst<'_, '_, P, H, E>>,
        helpers: &dyn HelperPool,
        may_join: impl Fn() -> bool,
        least: impl Fn() -> u32,
    ) -> Outcome {
        let Some(mut search) = search else {
            let ending = Ending::Stopped { stop: Stop::Memory, bound: least() };
            return Outcome { ending, statistics: Statistics::default() };
        };
        if search.run_alone(|| helpers.has_idle() && may_join()) == Progress::Paused {
            helpers.run_shared(&|| search.work());
        }
        search.finish()
    }
    // A frontier that is to be found again is found by one thread.
    let may_join =
        || limits.checkpoint_sink.is_none_or(|checkpoint_sink| checkpoint_sink.is_frontier_found());
    let least = || problem.heuristic.estimate(&problem.heuristic.evaluate(problem.puzzle, &problem.start));
    if order.is_optimal() && <P::Key as crate::memory::Key>::QUOTIENT {
        run(
            BestFirst::<_, _, ImplicitEntry<H::Payload>>::new(problem, order, *limits, region, when_full),
            helpers,
            may_join,
            least,
        )
    } else {
        run(
            BestFirst::<_, _, ExplicitEntry<H::Payload>>::new(problem, order, *limits, region, when_full),
            helpers,
            may_join,
            least,
        )
    }
}

/// What a thread needs outside of the region where estimates are far away.
pub const BYTES_BESIDE: u64 = crate::search::interleaved::BYTES as u64;

/// What to do when the region is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// Go on by depth-first searches from the frontier, where the order allows
    /// it.
    FallBackToDfs,
    /// Stop for want of memory.
    Stop,
}
