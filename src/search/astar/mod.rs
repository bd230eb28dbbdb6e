//! Parallel bucketed best-first search in a fixed region of memory.
//!
//! One engine serves A*, weighted A*, greedy and breadth-first search; they differ only in
//! their [`Order`]. States are popped and expanded in batches: the slots of a batch are
//! prefetched together, then the table lines of all its successors, so that one cache miss
//! overlaps with many others.
//!
//! Invariants:
//!
//! * The first goal found is an incumbent. The search ends when no state with a lower priority
//!   is left, neither in the open list nor held by a worker.
//! * A cheaper path to a state re-opens it, so heuristics may be inconsistent. Greedy search
//!   ignores costs and expands each state at most once.
//! * Where open-list entries contain the full state, states with a larger f are *deferred*
//!   (`lazy.rs`): they are in the open list only. When popped, a deferred state is dropped if
//!   the table has it at no greater cost; otherwise it is inserted before it is expanded. After
//!   the last growth, and when the table is frozen, every open state is in the table.
//!
//! **When memory is full** the table is frozen, and the open states become the roots of
//! depth-first searches, in the order of their priority: A*+IDA* (Bu and Korf, IJCAI 2019). A
//! root without a goal within its bound is requeued at the least f that was cut off below it.
//! The frozen table prunes states that it has at no greater cost.
//!
//! This keeps a shortest solution. Of all open states on shortest solutions, take the one
//! nearest to its goal. Suppose the depth-first search below it is pruned on the way there.
//! Then it is pruned at a state that the table has at its least cost. That state is either
//! open, and nearer to the goal, or closed, and followed by an open state that is nearer. Both
//! contradict the choice. Each root starts without a last move, and only moves that undo the
//! last one are left out.

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
/// If the region is too small for a table, the result is [`Stop::Memory`].
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
        if search.run_single(|| helpers.has_idle() && may_join()) == Progress::Paused {
            helpers.run_shared(&|| search.work());
        }
        search.finish()
    }
    // A frontier can be reproduced for a checkpoint only if a single thread finds it.
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

/// Memory that a thread needs outside the region if heuristic lookups are prefetched.
pub const BYTES_OUTSIDE_REGION: u64 = crate::search::interleaved::BYTES as u64;

/// The reaction to a full region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// Continue with depth-first searches from the frontier, if the order is optimal.
    FallBackToDfs,
    /// Stop with [`Stop::Memory`].
    Stop,
}
