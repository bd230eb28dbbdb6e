//! Depth-first searches below the open states of a frozen table: the IDA* phase of A*+IDA*.
//!
//! 1. Pop roots of the lowest f.
//! 2. Search below each root up to that f
//!    ([`DepthFirst`](crate::search::bounded_dfs::DepthFirst)). States near the root that the
//!    table has at no greater cost are pruned.
//! 3. Requeue a root without a goal at the least f that was cut off below it.
//!
//! Where heuristic lookups miss the cache, [`interleaved`] searches below several roots at
//! once.

pub(crate) mod checkpoint;
pub(crate) mod interleaved;

use super::Entry;
use super::engine::{End, trace};
use crate::heuristic::Heuristic;
use crate::memory::Key;
use crate::memory::visited::Frozen;
use crate::puzzle::Puzzle;
use crate::search::Stop;
use crate::search::astar::eager::{LoopExit, Worker};
use crate::search::bounded_dfs::{Root, SubtreeResult};
use std::sync::atomic::Ordering;

/// Roots popped at once.
const ROOTS: usize = 4;

/// Plies below a root in which states are looked up in the table. The first ply saves about
/// half of the nodes; further down a lookup costs more than it saves (docs/benchmarks.md).
const LOOKUP_DEPTH: usize = 1;

impl<P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Worker<'_, '_, '_, P, H, E> {
    /// Searches below open states until the loop has a reason to return.
    pub(super) fn search_frontier(
        &mut self,
        table: &Frozen<'_, P::Key>,
        has_idle: &impl Fn() -> bool,
    ) -> LoopExit {
        if H::PREFETCHED {
            return self.search_frontier_interleaved(table, has_idle);
        }
        let search = self.search;
        let puzzle = search.problem.puzzle;
        let bits = puzzle.key_bits();
        let levels = search.layout.shape.levels;
        loop {
            let mut shared = search.shared.lock();
            if let Some(exit) = self.poll(&mut shared, has_idle) {
                return exit;
            }
            self.popped.clear();
            let limit = search.limit(&shared);
            let Some((level, column)) = shared.open.pop(limit, ROOTS, &mut self.popped) else {
                return LoopExit::Idle;
            };
            let mut nodes_before = shared.nodes();
            drop(shared);
            for entry in self.popped.clone() {
                let stored = table.content(entry.slot());
                if search.is_stale(&entry, column, stored.cost) {
                    continue;
                }
                let root = puzzle.unpack(stored.mixed.unmix(bits));
                let heuristic = search.problem.heuristic;
                // A payload spares the lookups of a full evaluation.
                let memo = if H::PREFETCHED {
                    heuristic.restore(puzzle, &root, 0, entry.payload())
                } else {
                    heuristic.evaluate(puzzle, &root)
                };
                let mut stop = None;
                let max_generated =
                    search.limits.max_nodes.map_or(u64::MAX, |max| max.saturating_sub(nodes_before));
                let result = self.depth_first.search(
                    Root { state: root, memo, cost: stored.cost },
                    level as u32,
                    max_generated,
                    |state, cost, depth| {
                        depth <= LOOKUP_DEPTH
                            && table
                                .find(puzzle.pack(state).mix(bits))
                                .is_some_and(|stored| stored.cost <= cost)
                    },
                    |nodes| {
                        stop = search.limits.reached(nodes_before + nodes);
                        stop.is_some()
                            || search.is_over.load(Ordering::Relaxed)
                            || search.best_cost.load(Ordering::Relaxed) <= level as u32
                    },
                );
                self.statistics.expanded += std::mem::take(&mut self.depth_first.expanded);
                let generated = std::mem::take(&mut self.depth_first.generated);
                self.statistics.generated += generated;
                let mut shared = search.shared.lock();
                let requeue_at = match result {
                    SubtreeResult::Goal(cost) => {
                        let mut path = trace(puzzle, table, stored.mixed);
                        path.append(&mut self.depth_first.path);
                        search.improve(&mut shared, cost, End::Path(path));
                        None
                    }
                    SubtreeResult::CutOff(u32::MAX) => None,
                    SubtreeResult::CutOff(next) if (next as usize) < levels => Some(next as usize),
                    SubtreeResult::CutOff(_) if search.levels_suffice => None,
                    SubtreeResult::CutOff(_) => {
                        // The open list has no level for this f.
                        shared.stop = shared.stop.or(Some(Stop::Memory));
                        search.end(&mut shared);
                        Some(level)
                    }
                    SubtreeResult::Stopped => {
                        if let Some(stop) = stop.or((generated >= max_generated).then_some(Stop::Nodes)) {
                            shared.stop = shared.stop.or(Some(stop));
                            search.end(&mut shared);
                        }
                        Some(level)
                    }
                };
                if let Some(level) = requeue_at {
                    shared.open.push(level, 0, entry).expect("popped entries leave room");
                }
                self.flush_results(&mut shared);
                nodes_before = shared.nodes();
            }
        }
    }
}
