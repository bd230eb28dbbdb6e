//! Depth-first searches from the frontier that best-first search has left.

pub(crate) mod checkpoint;
pub(crate) mod interleaved;

use super::Entry;
use super::engine::{End, trace};
use crate::heuristic::Heuristic;
use crate::memory::Key;
use crate::memory::visited::Frozen;
use crate::puzzle::Puzzle;
use crate::search::Stop;
use crate::search::astar::eager::{Flow, Worker};
use crate::search::bounded_dfs::{Below, Root};
use std::sync::atomic::Ordering;

/// Roots taken from the open list at once.
const ROOTS: usize = 4;

/// Plies below a root in which states are looked up in the table. The first one
/// saves about half of the nodes; further down a look costs more than it saves
/// (docs/benchmarks.md).
const LOOKED_UP: usize = 1;

impl<P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Worker<'_, '_, '_, P, H, E> {
    /// Searches below open states until something else must be done.
    pub(super) fn dig(&mut self, table: &Frozen<'_, P::Key>, has_idle: &impl Fn() -> bool) -> Flow {
        if H::PREFETCHED {
            return self.dig_in_lanes(table, has_idle);
        }
        let search = self.search;
        let puzzle = search.problem.puzzle;
        let bits = puzzle.key_bits();
        let levels = search.layout.shape.levels;
        loop {
            let mut desk = search.desk.lock();
            if let Some(flow) = self.look(&mut desk, has_idle) {
                return flow;
            }
            self.portion.clear();
            let limit = search.limit(&desk);
            let Some((level, column)) = desk.open.pop(limit, ROOTS, &mut self.portion) else {
                return Flow::Idle;
            };
            let mut before = desk.nodes();
            drop(desk);
            for entry in self.portion.clone() {
                let known = table.content(entry.slot());
                if search.is_stale(&entry, column, known.cost) {
                    continue;
                }
                let root = puzzle.unpack(known.mixed.unmix(bits));
                let heuristic = search.problem.heuristic;
                // What is far away is not looked up again; what was carried
                // along is enough.
                let memo = if H::PREFETCHED {
                    heuristic.restore(puzzle, &root, 0, entry.payload())
                } else {
                    heuristic.evaluate(puzzle, &root)
                };
                let mut stop = None;
                let most = search.limits.max_nodes.map_or(u64::MAX, |most| most.saturating_sub(before));
                let below = self.depth_first.search(
                    Root { state: root, memo, cost: known.cost },
                    level as u32,
                    most,
                    |state, cost, depth| {
                        depth <= LOOKED_UP
                            && table
                                .find(puzzle.pack(state).mix(bits))
                                .is_some_and(|known| known.cost <= cost)
                    },
                    |nodes| {
                        stop = search.limits.reached(before + nodes);
                        stop.is_some()
                            || search.over.load(Ordering::Relaxed)
                            || search.best.load(Ordering::Relaxed) <= level as u32
                    },
                );
                self.statistics.expanded += std::mem::take(&mut self.depth_first.expanded);
                let generated = std::mem::take(&mut self.depth_first.generated);
                self.statistics.generated += generated;
                let mut desk = search.desk.lock();
                let back = match below {
                    Below::Goal(cost) => {
                        let mut path = trace(puzzle, table, known.mixed);
                        path.append(&mut self.depth_first.path);
                        search.improve(&mut desk, cost, End::Path(path));
                        None
                    }
                    Below::Beyond(u32::MAX) => None,
                    Below::Beyond(next) if (next as usize) < levels => Some(next as usize),
                    Below::Beyond(_) if search.levels_suffice => None,
                    Below::Beyond(_) => {
                        // The list has no level for it.
                        desk.stop = desk.stop.or(Some(Stop::Memory));
                        search.end(&mut desk);
                        Some(level)
                    }
                    Below::Stopped => {
                        if let Some(stop) = stop.or((generated >= most).then_some(Stop::Nodes)) {
                            desk.stop = desk.stop.or(Some(stop));
                            search.end(&mut desk);
                        }
                        Some(level)
                    }
                };
                if let Some(level) = back {
                    desk.open.push(level, 0, entry).expect("popped entries leave room");
                }
                self.flush_results(&mut desk);
                before = desk.nodes();
            }
        }
    }
}
