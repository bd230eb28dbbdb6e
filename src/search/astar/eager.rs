//! The node loop of a worker: pop, expand, insert, push.
//!
//! 1. Pop states from the best bucket of the open list, under the lock on [`Shared`].
//! 2. Prefetch the slots of the next batch while the current one is expanded.
//! 3. Generate all successors of a batch of [`BATCH`] states and prefetch their table lines.
//!    Where heuristic lookups miss the cache, *prepare* prefetches those, too.
//! 4. Insert the successors into the visited table. Those that are new or cheaper go to the
//!    worker's push buffers.
//! 5. Flush the push buffers to the open list.
//!
//! This file inserts successors when they are generated. `lazy.rs` has the loop that inserts
//! them when they are popped.
//!
//! Invariant: chunks of the open list for all buffered pushes are reserved before states are
//! popped, so that a flush cannot fail.

use super::Entry;
use super::engine::{BestFirst, End, Shared};
use crate::heuristic::{EXPANSION_BATCH, Heuristic};
use crate::memory::Key;
use crate::memory::visited::{Access, Insert};
use crate::puzzle::{Move, Puzzle};
use crate::search::astar::lazy::LazyState;
use crate::search::bounded_dfs::DepthFirst;
use crate::search::{Statistics, Stop};
use parking_lot::MutexGuard;
use std::sync::atomic::Ordering;

/// States expanded together.
pub(super) const BATCH: usize = EXPANSION_BATCH;

/// States popped at once. A single worker pops one batch, so that the best states come first;
/// several workers pop more, so that the lock is free most of the time.
const POP_SINGLE: usize = BATCH;
const POP_SHARED: usize = 8 * BATCH;

/// A search with this many stored states is large: the exact order of expansion matters little,
/// and the table misses the cache. A single worker then pops more, too.
const LARGE: u64 = 1 << 18;

/// Successors that are generated before they are inserted.
const CHILDREN: usize = 128;

/// Capacity of the push buffers in entries, and so the greatest number of chunks that a flush
/// needs.
pub(super) const PUSHES_SINGLE: usize = CHILDREN;
pub(super) const PUSHES_SHARED: usize = 4 * CHILDREN;

/// Popped batches between two polls of the limits.
const POLL_INTERVAL: u32 = 64;

/// The reason why a worker's loop returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LoopExit {
    /// The search is over.
    Over,
    /// Idle threads can join the search.
    Paused,
    /// The table or the open list was full; the value is the table's version.
    Full(u64),
    /// No work is left in the current phase of a growth.
    PhaseDone,
    /// A thread waits for the write lock on the table.
    YieldTable,
    /// The open list has no state below the limit.
    Idle,
}

/// A successor that is not yet inserted. Its heuristic update may be pending.
struct Child<K, M> {
    mixed: K,
    memo: M,
    cost: u32,
    step: u32,
    /// Index of its parent in `popped`.
    parent: u32,
}

/// Buffered pushes to one bucket of the open list.
pub(super) struct PushRun<E> {
    level: u32,
    column: u32,
    entries: Vec<E>,
}

/// The state of one thread. Between two calls of its loops it holds no states.
pub(super) struct Worker<'w, 'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> {
    pub(super) search: &'w BestFirst<'a, 'm, P, H, E>,
    pub(super) popped: Vec<E>,
    children: Vec<Child<P::Key, H::Memo>>,
    pub(super) lazy: LazyState<P, H>,
    /// Push buffers for the popped level and the levels just above it, which take almost all
    /// entries. `push_runs` has the other buckets.
    pub(super) push_nearby: [Vec<E>; NEARBY_LEVELS],
    /// The popped level, and the column of its successors.
    pub(super) push_base: (usize, usize),
    pub(super) push_runs: Vec<PushRun<E>>,
    pub(super) push_count: usize,
    pub(super) goal: Option<(u32, P::Key)>,
    pub(super) statistics: Statistics,
    /// Deferred states pushed, minus deferred states inserted, since the last flush.
    pub(super) deferred: i64,
    polls: u32,
    pub(super) depth_first: DepthFirst<'a, P, H>,
}

impl<'w, 'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Worker<'w, 'a, 'm, P, H, E> {
    pub(super) fn new(search: &'w BestFirst<'a, 'm, P, H, E>) -> Self {
        Self {
            search,
            popped: Vec::with_capacity(POP_SHARED),
            children: Vec::with_capacity(CHILDREN),
            lazy: LazyState::default(),
            push_nearby: std::array::from_fn(|_| Vec::with_capacity(CHILDREN)),
            push_base: (0, 0),
            push_runs: Vec::new(),
            push_count: 0,
            goal: None,
            statistics: Statistics::default(),
            deferred: 0,
            polls: 0,
            depth_first: DepthFirst::new(search.problem.puzzle, search.problem.heuristic),
        }
    }

    /// Expands states until the loop has a reason to return.
    pub(super) fn expand<A: Access<P::Key>>(
        &mut self,
        table: &mut A,
        has_idle: &impl Fn() -> bool,
    ) -> LoopExit {
        let search = self.search;
        let (pop_size, large_pop_size, max_pushes) = if A::IS_SHARED {
            (POP_SHARED, POP_SHARED, PUSHES_SHARED)
        } else if search.order.expands_singly() {
            (1, 1, PUSHES_SINGLE)
        } else {
            (POP_SINGLE, POP_SHARED, PUSHES_SINGLE)
        };
        loop {
            self.popped.clear();
            let mut shared = search.shared.lock();
            self.flush_results(&mut shared);
            let version = shared.version;
            if search.writers_waiting.load(Ordering::Relaxed) > 0 {
                return LoopExit::YieldTable;
            }
            if let Some(exit) = self.poll(&mut shared, has_idle) {
                return exit;
            }
            if shared.statistics.stored >= shared.capacity
                || shared.open.free_chunks() < (shared.workers + 1) * max_pushes
            {
                return LoopExit::Full(version);
            }
            let limit = search.limit(&shared);
            let pop_size = if shared.statistics.stored < LARGE { pop_size } else { large_pop_size };
            let Some((level, column)) = shared.open.pop(limit, pop_size, &mut self.popped) else {
                return LoopExit::Idle;
            };
            let max_new = search.limits.max_nodes.unwrap_or(u64::MAX).saturating_sub(shared.nodes());
            let defers = search.may_defer && shared.growths_left > 0;
            drop(shared);
            search.limits.report_bound(level as u32);
            let bucket = Bucket { level, column, limit, max_new, defers };
            self.push_base = (level, if E::BY_COST { column + 1 } else { 0 });
            let may_chain = !A::IS_SHARED && search.stores_states && !search.order.is_textbook();
            let done = if may_chain && self.popped.len() <= BATCH {
                self.prefetch(table, 0..self.popped.len());
                self.expand_chained(table, bucket, max_pushes)
            } else {
                self.expand_popped(table, bucket, max_pushes)
            };
            match done {
                Ok(()) => {}
                Err(Halt::Nodes) => {
                    let mut shared = search.shared.lock();
                    self.flush_results(&mut shared);
                    shared.stop = shared.stop.or(Some(Stop::Nodes));
                    search.end(&mut shared);
                }
                Err(Halt::Full) => {
                    if search.order.is_textbook() {
                        // The state is expanded again later and counted then.
                        (self.statistics.expanded, self.statistics.generated) = (0, 0);
                    }
                    self.flush_results(&mut search.shared.lock());
                    return LoopExit::Full(version);
                }
            }
        }
    }

    /// Expands the popped states batch by batch.
    fn expand_popped(
        &mut self,
        table: &mut impl Access<P::Key>,
        mut bucket: Bucket,
        max_pushes: usize,
    ) -> Result<(), Halt> {
        let all = self.popped.len();
        self.prefetch(table, 0..all.min(BATCH));
        for start in (0..all).step_by(BATCH) {
            let end = all.min(start + BATCH);
            self.prefetch(table, end..all.min(end + BATCH));
            if !self.search.stores_states {
                self.expand_batch(table, start..end, &mut bucket, max_pushes)?;
                continue;
            }
            self.expand_lazy(table, start..end, &bucket)?;
            if end < all {
                self.flush_if_full(&mut bucket, max_pushes);
            }
        }
        Ok(())
    }

    /// Returns a reason to leave the loop before the next pop, if there is one.
    pub(super) fn poll(
        &mut self,
        shared: &mut MutexGuard<'_, Shared<'m, P::Key, E>>,
        has_idle: &impl Fn() -> bool,
    ) -> Option<LoopExit> {
        if shared.done {
            return Some(LoopExit::Over);
        }
        self.polls = self.polls.wrapping_add(1);
        if self.polls % POLL_INTERVAL == 1 {
            if let Some(stop) = self.search.limits.reached(shared.nodes()) {
                shared.stop = Some(stop);
                self.search.end(shared);
                return Some(LoopExit::Over);
            }
            if has_idle() {
                return Some(LoopExit::Paused);
            }
        }
        None
    }

    /// Prefetches the slots of the popped states in the range `states`.
    fn prefetch(&mut self, table: &impl Access<P::Key>, states: std::ops::Range<usize>) {
        if self.search.stores_states {
            return self.prefetch_lazy(table, states);
        }
        for entry in &self.popped[states] {
            table.prefetch_slot(entry.slot());
        }
    }

    /// Expands the popped states in the range `batch`, which come from one bucket.
    #[inline]
    fn expand_batch(
        &mut self,
        table: &mut impl Access<P::Key>,
        batch: std::ops::Range<usize>,
        bucket: &mut Bucket,
        max_pushes: usize,
    ) -> Result<(), Halt> {
        let search = self.search;
        let (puzzle, heuristic, order) = (search.problem.puzzle, search.problem.heuristic, search.order);
        let bits = puzzle.key_bits();
        let Bucket { level, column, .. } = *bucket;
        let (mut expanded, mut generated) = (0, 0);
        for parent in batch {
            let entry = self.popped[parent];
            let stored = table.content(entry.slot());
            let cost = entry.cost(column);
            if stored.cost != cost {
                // Stale: a cheaper path was found, and it has an entry of its own.
                continue;
            }
            let state = heuristic
                .state_of(&entry.payload())
                .unwrap_or_else(|| puzzle.unpack(stored.mixed.unmix(bits)));
            let memo = if E::BY_COST && !order.weighs_estimates() {
                heuristic.evaluate(puzzle, &state)
            } else {
                heuristic.restore(puzzle, &state, entry.estimate(level, column), entry.payload())
            };
            expanded += 1;
            let last = (cost > 0).then_some(Move(stored.step));
            let cost_after = order.cost_after(cost);
            for step in puzzle.moves(&state, last) {
                generated += 1;
                let memo = heuristic.prepare(puzzle, &memo, &state, step);
                // A complete estimate prunes the successor now. A pending one is read after its
                // prefetch, when the successor is inserted.
                if !H::PREFETCHED {
                    match self.search.placement(bucket, cost_after, heuristic.estimate(&memo)) {
                        Placement::Level(_) => {}
                        Placement::Pruned => continue,
                        Placement::OutOfRange => {
                            self.insert_children(table, bucket)?;
                            self.requeue(parent, bucket);
                            return Err(Halt::Full);
                        }
                    }
                }
                if self.children.len() == CHILDREN {
                    self.insert_and_flush(table, bucket, max_pushes)?;
                }
                let mixed = puzzle.pack(&puzzle.apply(&state, step)).mix(bits);
                table.prefetch(mixed);
                self.children.push(Child {
                    mixed,
                    memo,
                    cost: cost_after,
                    step: step.0,
                    parent: parent as u32,
                });
            }
        }
        let done = self.insert_and_flush(table, bucket, max_pushes);
        // A single state that found the table full is expanded again in a larger table, and
        // counted then.
        if !order.expands_singly() || !matches!(done, Err(Halt::Full)) {
            self.statistics.expanded += expanded;
            self.statistics.generated += generated;
        }
        done
    }

    /// Inserts the children into the table, then flushes the push buffers if they are nearly
    /// full.
    #[inline]
    fn insert_and_flush(
        &mut self,
        table: &mut impl Access<P::Key>,
        bucket: &mut Bucket,
        max_pushes: usize,
    ) -> Result<(), Halt> {
        self.insert_children(table, bucket)?;
        self.flush_if_full(bucket, max_pushes);
        Ok(())
    }

    /// Flushes the push buffers if they have no room for another round of children.
    #[inline]
    fn flush_if_full(&mut self, bucket: &mut Bucket, max_pushes: usize) {
        if self.push_count + CHILDREN > max_pushes {
            bucket.max_new = bucket.max_new.saturating_add_signed(-self.nodes());
            self.flush_results(&mut self.search.shared.lock());
        }
    }

    /// Inserts the children into the table. Buffers a push for each one that is new or cheaper.
    #[inline]
    fn insert_children(&mut self, table: &mut impl Access<P::Key>, bucket: &Bucket) -> Result<(), Halt> {
        let search = self.search;
        let (puzzle, heuristic) = (search.problem.puzzle, search.problem.heuristic);
        let mut halt = None;
        let mut stored = self.statistics.stored;
        self.children.iter_mut().for_each(|child| heuristic.resolve(&mut child.memo));
        for child in &self.children {
            let mut memo = child.memo;
            heuristic.finish(&mut memo);
            let estimate = heuristic.estimate(&memo);
            let level = match self.search.placement(bucket, child.cost, estimate) {
                Placement::Level(level) => level,
                Placement::Pruned => continue,
                Placement::OutOfRange => {
                    // The children before this one stay inserted.
                    halt = Some((child.parent as usize, Halt::Full));
                    break;
                }
            };
            let slot = match table.insert(child.mixed, child.cost, child.step) {
                Insert::Seen => continue,
                Insert::Full => {
                    halt = Some((child.parent as usize, Halt::Full));
                    break;
                }
                Insert::Better(slot) => slot,
                Insert::New(slot) => {
                    stored += 1;
                    slot
                }
            };
            if estimate == 0 && puzzle.is_goal(&puzzle.unpack(child.mixed.unmix(puzzle.key_bits()))) {
                if self.goal.is_none_or(|(cost, _)| child.cost < cost) {
                    self.goal = Some((child.cost, child.mixed));
                }
            } else {
                self.push_count += 1;
                let make = || E::new(slot, child.cost, estimate, heuristic.payload(&memo));
                buffer_push(&mut self.push_nearby, &mut self.push_runs, self.push_base, level, make);
            }
            if stored >= bucket.max_new {
                halt = Some((child.parent as usize, Halt::Nodes));
                break;
            }
        }
        self.statistics.stored = stored;
        self.children.clear();
        let Some((parent, halt)) = halt else { return Ok(()) };
        self.requeue(parent, bucket);
        Err(halt)
    }

    /// Requeues the popped states from index `parent` on: not all of their successors are
    /// stored.
    pub(super) fn requeue(&mut self, parent: usize, bucket: &Bucket) {
        let entries = &self.popped[parent..];
        self.push_count += entries.len();
        run_for(&mut self.push_runs, bucket.level as u32, bucket.column as u32).extend_from_slice(entries);
    }

    /// Returns the states that this worker has stored or deferred since its last flush.
    #[inline(always)]
    pub(super) fn nodes(&self) -> i64 {
        self.statistics.stored as i64 + self.deferred
    }

    /// Flushes the push buffers, the statistics and the best goal to `shared`.
    pub(super) fn flush_results(&mut self, shared: &mut MutexGuard<'_, Shared<'m, P::Key, E>>) {
        let search = self.search;
        if self.push_count > 0 {
            let (base, column) = self.push_base;
            for (level, entries) in (base..).zip(&mut self.push_nearby) {
                if !entries.is_empty() {
                    shared.open.push_all(level, column, entries).expect(CHUNKS_RESERVED);
                    entries.clear();
                }
            }
            for PushRun { level, column, entries } in &mut self.push_runs {
                shared.open.push_all(*level as usize, *column as usize, entries).expect(CHUNKS_RESERVED);
                entries.clear();
            }
            self.push_count = 0;
            if self.push_runs.len() > MAX_RUNS {
                self.push_runs.clear();
            }
        }
        shared.statistics += std::mem::take(&mut self.statistics);
        shared.deferred = shared.deferred.saturating_add_signed(std::mem::take(&mut self.deferred));
        if let Some((cost, mixed)) = self.goal.take() {
            search.improve(shared, cost, End::InTable(mixed));
        }
        if shared.idle > 0 {
            search.work_available.notify_all();
        }
    }
}

impl<P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> BestFirst<'_, '_, P, H, E> {
    /// Returns the level of a successor, or why it has none.
    #[inline(always)]
    pub(super) fn placement(&self, bucket: &Bucket, cost: u32, estimate: u32) -> Placement {
        let priority = self.order.priority(cost, estimate);
        // `bucket.limit` is at most the number of levels.
        if (priority as usize) < bucket.limit && cost < self.cost_limit {
            return Placement::Level(priority);
        }
        let has_level = (priority as usize) < self.layout.shape.levels;
        if priority as usize >= bucket.limit && (has_level || self.levels_suffice) {
            Placement::Pruned
        } else {
            Placement::OutOfRange
        }
    }
}

/// Levels, from the popped one on, that have a push buffer of their own.
const NEARBY_LEVELS: usize = 3;

/// Why pushing to the open list cannot fail.
pub(super) const CHUNKS_RESERVED: &str = "chunks are reserved before states are popped";

/// Push runs that a worker keeps between flushes.
const MAX_RUNS: usize = 16;

/// Buffers a push to `level`.
#[inline(always)]
pub(super) fn buffer_push<E>(
    nearby: &mut [Vec<E>; NEARBY_LEVELS],
    runs: &mut Vec<PushRun<E>>,
    base: (usize, usize),
    level: u32,
    make: impl FnOnce() -> E,
) {
    let list = match nearby.get_mut((level as usize).wrapping_sub(base.0)) {
        Some(list) => list,
        None => run_for(runs, level, base.1 as u32),
    };
    list.reserve(1);
    push_within_capacity(list, make);
}

/// Appends an entry to `list`, which must have capacity left. The entry is built in place:
/// without a possible reallocation it need not be saved on the stack first.
#[inline(always)]
pub(super) fn push_within_capacity<E>(list: &mut Vec<E>, make: impl FnOnce() -> E) {
    assert!(list.len() < list.capacity());
    list.push(make());
}

/// Returns the push run of a bucket.
#[inline]
fn run_for<E>(runs: &mut Vec<PushRun<E>>, level: u32, column: u32) -> &mut Vec<E> {
    let found = runs.iter().position(|run| run.level == level && run.column == column);
    let index = found.unwrap_or_else(|| {
        // Reuse an empty run.
        let index = runs.iter().position(|run| run.entries.is_empty()).unwrap_or_else(|| {
            runs.push(PushRun { level, column, entries: Vec::with_capacity(CHILDREN) });
            runs.len() - 1
        });
        (runs[index].level, runs[index].column) = (level, column);
        index
    });
    &mut runs[index].entries
}

/// The bucket that was popped, and the limits for its successors.
#[derive(Clone, Copy)]
pub(super) struct Bucket {
    pub(super) level: usize,
    pub(super) column: usize,
    /// Successors of this level or above are pruned.
    pub(super) limit: usize,
    /// States that may still be stored or deferred.
    pub(super) max_new: u64,
    /// Whether successors with a larger f are deferred.
    pub(super) defers: bool,
}

/// The destination of a successor.
pub(super) enum Placement {
    /// This level of the open list.
    Level(u32),
    /// None: it cannot improve the incumbent.
    Pruned,
    /// None: it may be useful, but its level or cost cannot be represented.
    OutOfRange,
}

/// The reason why a batch was not expanded completely.
pub(super) enum Halt {
    /// The table is full.
    Full,
    /// The node limit is reached.
    Nodes,
}
