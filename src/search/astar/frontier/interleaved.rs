//! Depth-first searches below several roots at once, so that the memory accesses of one overlap
//! with the work on the others.
//!
//! Each worker steps through [`LANES`] lanes in turn ([`crate::search::interleaved`]). When the
//! search below a root finds no goal within the bound, the root is requeued at its next f,
//! sorted by the largest g among its cut-off descendants. Within an f-level the largest g is
//! taken first.

use crate::heuristic::Heuristic;
use crate::memory::Key;
use crate::memory::visited::Frozen;
use crate::puzzle::{Move, Puzzle};
use crate::search::Stop;
use crate::search::astar::Entry;
use crate::search::astar::eager::{LoopExit, Worker};
use crate::search::astar::engine::{End, Shared, trace};
use crate::search::astar::layout::RESERVE;
use crate::search::interleaved::{CutOff, Lane, NodeCounts, Pruning, Step};
use parking_lot::MutexGuard;
use std::collections::VecDeque;

/// Roots that one worker searches in turn.
const LANES: usize = 8;

/// Nodes between two polls of the limits.
const POLL_INTERVAL: u64 = 1 << 14;

/// Roots whose slots are prefetched before a lane is free for them.
const PREFETCHED_ROOTS: usize = 8;

/// A root that a worker searches or has prefetched, and the bucket that it came from. It may
/// prove stale.
#[derive(Clone, Copy)]
pub(in crate::search::astar) struct ActiveRoot<E> {
    pub(in crate::search::astar) entry: E,
    pub(in crate::search::astar) level: usize,
    pub(in crate::search::astar) column: usize,
}

/// Pruning by the frozen table.
struct TablePruning<'t, 'm, P: Puzzle> {
    puzzle: &'t P,
    table: &'t Frozen<'m, P::Key>,
}

impl<P: Puzzle> TablePruning<'_, '_, P> {
    #[inline(always)]
    fn mixed(&self, state: &P::State) -> P::Key {
        self.puzzle.pack(state).mix(self.puzzle.key_bits())
    }
}

impl<P: Puzzle> Pruning<P> for TablePruning<'_, '_, P> {
    #[inline(always)]
    fn prefetch(&self, state: &P::State) {
        self.table.prefetch(self.mixed(state));
    }

    #[inline(always)]
    fn prunes(&self, state: &P::State, cost: u32) -> bool {
        self.table.find(self.mixed(state)).is_some_and(|stored| stored.cost <= cost)
    }
}

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Worker<'_, '_, 'm, P, H, E> {
    /// Searches below open states until the loop has a reason to return.
    pub(in crate::search::astar) fn search_frontier_interleaved(
        &mut self,
        table: &Frozen<'_, P::Key>,
        has_idle: &impl Fn() -> bool,
    ) -> LoopExit {
        let search = self.search;
        let (puzzle, heuristic) = (search.problem.puzzle, search.problem.heuristic);
        let bits = puzzle.key_bits();
        let pruning = &TablePruning { puzzle, table };
        let mut lanes: Vec<Lane<P, H::Memo>> = (0..LANES).map(|_| Lane::new()).collect();
        let mut roots: [Option<ActiveRoot<E>>; LANES] = std::array::from_fn(|_| None);
        let mut prefetched: VecDeque<ActiveRoot<E>> = VecDeque::with_capacity(PREFETCHED_ROOTS);
        let mut counts = NodeCounts::default();
        // False when the open list had no root for a free lane.
        let mut may_have_roots = true;
        let mut next_poll = POLL_INTERVAL;
        loop {
            let has_free = may_have_roots && roots.iter().any(Option::is_none);
            if has_free || counts.generated >= next_poll {
                let shared = &mut search.shared.lock();
                self.statistics.expanded += std::mem::take(&mut counts.expanded);
                self.statistics.generated += std::mem::take(&mut counts.generated);
                self.flush_results(shared);
                if let Some(exit) = self.poll(shared, has_idle).or_else(|| self.stop_at_node_limit(shared)) {
                    roots
                        .into_iter()
                        .flatten()
                        .chain(prefetched)
                        .for_each(|root| self.requeue_root(shared, root));
                    return exit;
                }
                let max_nodes = search.limits.max_nodes.unwrap_or(u64::MAX);
                next_poll = POLL_INTERVAL.min(max_nodes.saturating_sub(shared.nodes()));
                // Roots that cannot improve a new incumbent are requeued.
                let limit = search.limit(shared);
                for root in &mut roots {
                    root.take_if(|root| root.level >= limit)
                        .into_iter()
                        .for_each(|root| self.requeue_root(shared, root));
                }
                if prefetched.iter().any(|root| root.level >= limit) {
                    prefetched.drain(..).for_each(|root| self.requeue_root(shared, root));
                }
                self.save_snapshot(shared, table);
                may_have_roots = true;
                for (lane, root) in lanes.iter_mut().zip(&mut roots).filter(|(_, root)| root.is_none()) {
                    while may_have_roots && root.is_none() {
                        while prefetched.len() < PREFETCHED_ROOTS
                            && let Some(next) = self.acquire_root(shared, limit)
                        {
                            table.prefetch_slot(next.entry.slot());
                            prefetched.push_back(next);
                        }
                        let Some(next) = prefetched.pop_front() else {
                            may_have_roots = false;
                            break;
                        };
                        let stored = table.content(next.entry.slot());
                        if search.is_stale(&next.entry, next.column, stored.cost) {
                            let _ = self.release_root(shared, next);
                            continue;
                        }
                        let state = puzzle.unpack(stored.mixed.unmix(bits));
                        let memo = heuristic.restore(puzzle, &state, 0, next.entry.payload());
                        let last = (stored.cost > 0).then_some(Move(stored.step));
                        lane.begin(state, memo, stored.cost, last);
                        *root = Some(next);
                    }
                }
                if roots.iter().all(Option::is_none) {
                    return LoopExit::Idle;
                }
            }
            for (lane, active) in lanes.iter_mut().zip(&mut roots) {
                let Some(root) = *active else { continue };
                match lane.step(puzzle, heuristic, root.level as u32, pruning, &mut counts) {
                    Step::More => continue,
                    Step::Goal(mut below) => {
                        let mut path = trace(puzzle, table, table.content(root.entry.slot()).mixed);
                        path.append(&mut below);
                        let shared = &mut search.shared.lock();
                        search.improve(shared, path.len() as u32, End::Path(path));
                        self.requeue_root(shared, root);
                    }
                    Step::Done(cut_off) => self.finish_root(&mut search.shared.lock(), root, cut_off),
                }
                *active = None;
                may_have_roots = true;
            }
        }
    }

    /// Ends the search if the node limit is reached.
    fn stop_at_node_limit(&self, shared: &mut MutexGuard<'_, Shared<'m, P::Key, E>>) -> Option<LoopExit> {
        let max_nodes = self.search.limits.max_nodes?;
        if shared.nodes() < max_nodes {
            return None;
        }
        shared.stop = shared.stop.or(Some(Stop::Nodes));
        self.search.end(shared);
        Some(LoopExit::Over)
    }

    /// Pops the most promising root below `limit`, if there is one.
    fn acquire_root(
        &mut self,
        shared: &mut MutexGuard<'_, Shared<'m, P::Key, E>>,
        limit: usize,
    ) -> Option<ActiveRoot<E>> {
        let (level, column) = self.best_bucket(shared, limit)?;
        self.popped.clear();
        shared.open.take(level, column, 1, &mut self.popped);
        let entry = *self.popped.first()?;
        self.search.limits.report_bound(level as u32);
        let root = ActiveRoot { entry, level, column };
        shared.active_roots.push(root);
        Some(root)
    }

    /// Returns the bucket with the most promising root: of the lowest level, the one with the
    /// largest g of the root itself or of its cut-off descendants.
    fn best_bucket(&self, shared: &mut Shared<'m, P::Key, E>, limit: usize) -> Option<(usize, usize)> {
        let level = shared.open.lowest().filter(|&level| level < limit)?;
        let costs = if E::BY_COST { self.search.layout.shape.levels } else { 1 };
        if shared.unsearched.0 != level {
            shared.unsearched = (level, costs);
        }
        let unsearched = shared.open.highest_below(level, shared.unsearched.1);
        shared.unsearched.1 = unsearched.map_or(0, |column| column + 1);
        let searched = shared.open.highest(level).filter(|&column| column >= costs);
        let column = match (unsearched, searched) {
            (Some(unsearched), Some(searched)) if searched - costs <= unsearched => unsearched,
            (unsearched, searched) => searched.or(unsearched)?,
        };
        Some((level, column))
    }

    /// Removes a root from the list of active roots and returns its entry.
    fn release_root(&self, shared: &mut Shared<'m, P::Key, E>, root: ActiveRoot<E>) -> E {
        let id = |root: &ActiveRoot<E>| (root.entry.slot(), root.level, root.column);
        if let Some(at) = shared.active_roots.iter().position(|other| id(other) == id(&root)) {
            shared.active_roots.swap_remove(at);
        }
        root.entry
    }

    /// Requeues a root in the bucket that it came from.
    fn requeue_root(&self, shared: &mut Shared<'m, P::Key, E>, root: ActiveRoot<E>) {
        let entry = self.release_root(shared, root);
        let ActiveRoot { level, column, .. } = root;
        shared.open.push(level, column, entry).expect("popped entries leave room");
        if column < self.search.layout.shape.levels {
            shared.unsearched = (usize::MAX, 0);
        }
    }

    /// Requeues an exhausted root in the bucket (next f, largest g cut off at that f). On the
    /// last level, which is the largest, a goal is then found before most roots are searched
    /// again.
    fn finish_root(&self, shared: &mut Shared<'m, P::Key, E>, root: ActiveRoot<E>, cut_off: CutOff) {
        let search = self.search;
        let (next_f, levels) = (cut_off.f, search.layout.shape.levels);
        if next_f as usize >= levels && (next_f == u32::MAX || search.levels_suffice) {
            let _ = self.release_root(shared, root);
            return;
        }
        if next_f as usize >= levels {
            // The open list has no level for this f.
            shared.stop = shared.stop.or(Some(Stop::Memory));
            search.end(shared);
            return self.requeue_root(shared, root);
        }
        let entry = self.release_root(shared, root);
        // Many columns need many chunks.
        let has_choice = E::BY_COST && shared.open.free_chunks() > RESERVE / 2;
        let column = if has_choice { levels + cut_off.cost as usize } else { 0 };
        shared.open.push(next_f as usize, column, entry).expect("popped entries leave room");
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::Region;
    use crate::memory::arena::Arena;
    use crate::pdb::{Library, MaxOfPartitions, Partition};
    use crate::puzzle::Puzzle;
    use crate::puzzle::tiles::{Goal, Size, Tiles};
    use crate::search::astar::test_support::{SEED, random_walk};
    use crate::search::astar::{WhenFull, solve};
    use crate::search::{Ending, Limits, Order, Problem, SpawnThreads};

    /// Searches from frontiers of different sizes find solutions as short as those of A* with
    /// enough memory.
    #[test]
    fn shortest_solutions_are_found_from_any_frontier() {
        let (size, partition) = (Size::new(3, 6).unwrap(), "5-4-4-4x2".parse::<Partition>().unwrap());
        let goal = Goal::BlankLast.board(size).unwrap().into_owned();
        let puzzle = Tiles::<u128>::new(&goal).unwrap();
        let mut library = Library::default();
        assert!(library.fetch(&partition, size, puzzle.goal_blank(), 2, &|_| true).unwrap());
        let heuristic = MaxOfPartitions::<8>::new(&puzzle, &partition, &library).unwrap();
        let mut random = SEED;
        let mut from_a_frontier = 0;
        for board in 0..8 {
            let start = random_walk(&puzzle, puzzle.state(&goal), 80 + 4 * board, &mut random);
            let mut reference = None;
            for (bytes, threads) in [(64 << 20, 1), (2700 << 10, 1), (2700 << 10, 5), (6000 << 10, 2)] {
                let mut arena = Arena::new(bytes, bytes).unwrap();
                let mut region = Region::zeroed(arena.divide(&[]).remove(0));
                let problem = Problem { puzzle: &puzzle, heuristic: &heuristic, start };
                let (limits, helpers) = (Limits::default(), SpawnThreads(threads));
                let found =
                    solve(problem, Order::ASTAR, &limits, &mut region, &helpers, WhenFull::FallBackToDfs);
                let Ending::Solved { path, bound } = found.ending else { panic!("board {board} is solved") };
                let end = path.iter().fold(start, |state, &step| puzzle.apply(&state, step));
                assert!(puzzle.is_goal(&end) && bound as usize == path.len());
                assert_eq!(*reference.get_or_insert(path.len()), path.len(), "board {board}, {bytes} bytes");
                from_a_frontier += u32::from(found.statistics.fell_back);
            }
        }
        assert!(from_a_frontier > 8);
    }
}
