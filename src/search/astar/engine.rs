//! The state of one best-first search, shared by all its workers.
//!
//! Invariants:
//!
//! * A worker that uses the visited table holds the `RwLock` on [`TablePhase`] for reading. The
//!   table is replaced only under the write lock.
//! * The open list, the incumbent and the statistics are protected by one mutex ([`Shared`]),
//!   which a worker takes once for each popped batch.
//! * In the open list a level is a priority (f) and a column is a cost (g). Roots that were
//!   searched from a frozen table are the exception: see [`BestFirst::is_stale`].

use super::growth::Growth;
use super::layout::Layout;
use super::{Entry, WhenFull};
use crate::heuristic::Heuristic;
use crate::memory::buckets::Buckets;
use crate::memory::geometry::Fields;
use crate::memory::region::{Piece, Watermark};
use crate::memory::visited::{Access, Frozen, Insert, Locks, Table};
use crate::memory::{Key, Region};
use crate::puzzle::{Move, Puzzle};
use crate::search::astar::eager::{LoopExit, PUSHES_SHARED, Worker};
use crate::search::astar::frontier::interleaved::ActiveRoot;
use crate::search::{Ending, Limits, Order, Outcome, Problem, Statistics, Stop};
use parking_lot::{Condvar, Mutex, RawMutex, RwLock};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// Stripe locks of a shared table whose slots are wider than a word.
const LOCKS: usize = 1024;

/// A best-first search in a region of memory.
///
/// The owner runs it on one thread ([`BestFirst::run_single`]) or any number of threads run it
/// together ([`BestFirst::work`]). [`BestFirst::finish`] then returns the outcome.
pub struct BestFirst<'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> {
    pub(super) problem: Problem<'a, P, H>,
    pub(super) order: Order,
    pub(super) limits: Limits<'a>,
    pub(super) layout: Layout,
    pub(super) when_full: WhenFull,
    /// Whether the levels of the open list suffice for every shortest solution. A successor
    /// above them can then be pruned without losing one.
    pub(super) levels_suffice: bool,
    /// `stores_states`: whether open-list entries contain the state and its estimate, so that a
    /// state can be expanded without reading the table. `may_defer`: whether such states may
    /// stay out of the table until they are popped.
    pub(super) stores_states: bool,
    pub(super) may_defer: bool,
    /// The least cost that does not fit a slot.
    pub(super) cost_limit: u32,
    /// The table. Locked for reading while it is used, for writing while it is replaced.
    pub(super) table_phase: RwLock<TablePhase<'m, P::Key, E>>,
    /// Threads that wait for the write lock. Workers release the read lock while this is
    /// positive.
    pub(super) writers_waiting: AtomicUsize,
    pub(super) shared: Mutex<Shared<'m, P::Key, E>>,
    pub(super) work_available: Condvar,
    pub(super) locks: OnceLock<Locks<RawMutex>>,
    /// The incumbent's cost, and whether the search is over. Copies that can be read without
    /// the lock on [`Shared`].
    pub(super) best_cost: AtomicU32,
    pub(super) is_over: AtomicBool,
    pub(super) watermark: &'m Watermark,
    /// Size of the region in bytes.
    pub(super) region: u64,
    start_estimate: u32,
}

/// The life cycle of the visited table. There is one value per search, so its size does not
/// matter.
#[allow(clippy::large_enum_variant)]
pub(super) enum TablePhase<'m, K: Key, E> {
    /// States are inserted.
    Open(Table<'m, K>),
    /// States are moved to a larger table.
    Growing(Growth<'m, K, E>),
    /// Read only: memory is full.
    Frozen(Frozen<'m, K>),
    /// Placeholder while the table is replaced, under the write lock.
    Changing,
}

/// State that workers share under one lock. The lock is taken once for each popped batch and
/// held briefly.
pub(super) struct Shared<'m, K, E> {
    pub(super) open: Buckets<'m, E>,
    /// Workers of the search, including idle ones.
    pub(super) workers: usize,
    pub(super) idle: usize,
    pub(super) done: bool,
    pub(super) stop: Option<Stop>,
    pub(super) incumbent: Option<Incumbent<K>>,
    pub(super) statistics: Statistics,
    /// States in the open list that are not yet in the table.
    pub(super) deferred: u64,
    /// Nodes generated before the table was frozen.
    pub(super) generated_before_freeze: u64,
    /// `growths_left`: larger tables that can still be begun. `capacity`: states after which
    /// the current table counts as full.
    pub(super) growths_left: usize,
    pub(super) capacity: u64,
    /// Incremented whenever the table is replaced or frozen.
    pub(super) version: u64,
    /// The piece of memory that the table does not use.
    pub(super) spare: Option<Piece<'m>>,
    /// Roots that a worker searches or has prefetched.
    pub(super) active_roots: Vec<ActiveRoot<E>>,
    /// `(level, column)`: in this level, no column from `column` on has a root that was never
    /// searched.
    pub(super) unsearched: (usize, usize),
}

impl<K, E> Shared<'_, K, E> {
    /// Returns the nodes that count for the node limit: states stored or deferred, and, once
    /// the table is frozen, also all states generated since.
    pub(super) fn nodes(&self) -> u64 {
        let Statistics { generated, stored, fell_back, .. } = self.statistics;
        if fell_back { stored + generated - self.generated_before_freeze } else { stored + self.deferred }
    }
}

/// The best solution found so far.
pub(super) struct Incumbent<K> {
    pub(super) cost: u32,
    pub(super) end: End<K>,
}

/// The source of an incumbent's moves.
pub(super) enum End<K> {
    /// The mixed key of a goal in the table; the moves are traced back from it.
    InTable(K),
    /// The moves.
    Path(Vec<Move>),
}

/// The result of [`BestFirst::run_single`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// The search is decided or stopped.
    Finished,
    /// Idle threads can join the search.
    Paused,
}

impl<'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> BestFirst<'a, 'm, P, H, E> {
    /// Creates a search that works in `region`. Returns `None` if the region is too small for a
    /// table.
    pub fn new(
        problem: Problem<'a, P, H>,
        order: Order,
        limits: Limits<'a>,
        region: &'m mut Region<'_>,
        when_full: WhenFull,
    ) -> Option<Self> {
        let Problem { puzzle, heuristic, start } = problem;
        let bytes = region.bytes();
        let longest = puzzle.longest().filter(|_| order.is_optimal());
        let (levels, columns) = if E::BY_COST {
            let levels = longest.map_or(512, |longest| longest as usize + 1);
            // Roots that were searched before use a second set of columns.
            (levels, if H::PREFETCHED { 2 * levels } else { levels })
        } else {
            (1 << 15, 1)
        };
        let cost_bits = if E::BY_COST { levels.ilog2() + 1 } else { cost_bits::<P>(puzzle) };
        let fields = Fields { key: puzzle.key_bits(), cost: cost_bits, step: puzzle.move_bits() };
        let layout = Layout::new::<P::Key, E, H::Payload>(bytes, fields, levels, columns, H::PREFETCHED)?;
        let ([open, small, large], watermark) = region.split(layout.small, layout.large);
        watermark.raise(layout.large);
        let open = Buckets::new(open.words, layout.shape)?;
        let growths_left = layout.tables.len() - 1;
        let (first, spare) = if growths_left % 2 == 0 { (large, small) } else { (small, large) };
        let geometry = layout.tables[growths_left];
        if growths_left % 2 == 0 {
            watermark.raise(layout.large + geometry.bytes::<P::Key>());
        }
        let table = Table::new(
            super::growth::slots::<P::Key>(first.words),
            first.used.div_ceil(size_of::<<P::Key as Key>::Slot>() / 8),
            geometry,
        );
        let memo = heuristic.evaluate(puzzle, &start);
        let estimate = heuristic.estimate(&memo);
        let stores_states = H::STORES_STATES && E::BY_COST && order.weighs_estimates();
        let search = Self {
            problem,
            order,
            limits,
            when_full,
            levels_suffice: longest.is_some(),
            // A textbook search counts states when they are generated.
            may_defer: stores_states && !order.expands_singly(),
            stores_states,
            cost_limit: 1 << layout.tables[0].fields().cost.min(31),
            table_phase: RwLock::new(TablePhase::Open(table)),
            writers_waiting: AtomicUsize::new(0),
            shared: Mutex::new(Shared {
                open,
                workers: 0,
                idle: 0,
                done: false,
                stop: None,
                incumbent: None,
                statistics: Statistics { stored: 1, ..Statistics::default() },
                deferred: 0,
                generated_before_freeze: 0,
                growths_left,
                capacity: layout.capacity(growths_left),
                version: 0,
                spare: Some(spare),
                active_roots: Vec::new(),
                unsearched: (0, 0),
            }),
            work_available: Condvar::new(),
            locks: OnceLock::new(),
            best_cost: AtomicU32::new(u32::MAX),
            is_over: AtomicBool::new(false),
            watermark,
            region: bytes as u64,
            start_estimate: estimate,
            layout,
        };
        search.begin(memo);
        Some(search)
    }

    /// Inserts the start into the table and the open list.
    fn begin(&self, memo: H::Memo) {
        let Problem { puzzle, heuristic, start } = self.problem;
        let mixed = puzzle.pack(&start).mix(puzzle.key_bits());
        let (mut table_phase, mut shared) = (self.table_phase.write(), self.shared.lock());
        if let TablePhase::Open(table) = &mut *table_phase
            && let Insert::New(slot) = table.exclusive().insert(mixed, 0, 0)
        {
            if self.start_estimate == 0 && puzzle.is_goal(&start) {
                shared.incumbent = Some(Incumbent { cost: 0, end: End::Path(Vec::new()) });
                shared.done = true;
                return;
            }
            let level = self.order.priority(0, self.start_estimate) as usize;
            let entry = E::new(slot, 0, self.start_estimate, heuristic.payload(&memo));
            if level < self.layout.shape.levels && shared.open.push(level, 0, entry).is_ok() {
                return;
            }
        }
        shared.stop = Some(Stop::Memory);
        shared.done = true;
    }

    /// Runs the search on the calling thread, without locking the table, until it is over or
    /// `has_idle` returns true.
    pub fn run_single(&mut self, has_idle: impl Fn() -> bool) -> Progress {
        self.shared.get_mut().workers = 1;
        let search = &*self;
        let mut worker = Worker::new(search);
        let may_join = || !search.order.is_textbook() && has_idle();
        loop {
            let mut table_phase = search.table_phase.write();
            let exit = match &mut *table_phase {
                TablePhase::Open(table) => worker.expand(&mut table.exclusive(), &may_join),
                TablePhase::Growing(growth) => {
                    let nodes = search.shared.lock().nodes();
                    growth.work_exclusive(|| search.must_stop(nodes));
                    LoopExit::PhaseDone
                }
                TablePhase::Frozen(table) => worker.search_frontier(table, &has_idle),
                TablePhase::Changing => unreachable!("replaced only under the write lock"),
            };
            drop(table_phase);
            match exit {
                LoopExit::Over => return Progress::Finished,
                LoopExit::Paused => {
                    search.shared.lock().workers = 0;
                    return Progress::Paused;
                }
                LoopExit::Full(version) => search.grow_or_freeze(version),
                LoopExit::PhaseDone if search.is_over.load(Ordering::Relaxed) => return Progress::Finished,
                LoopExit::PhaseDone => search.advance(),
                // A single worker that is idle has emptied the open list.
                LoopExit::Idle => search.end(&mut search.shared.lock()),
                LoopExit::YieldTable => {}
            }
        }
    }

    /// Runs the search on the calling thread, together with other threads, until it is over.
    pub fn work(&self) {
        let locks = self.locks.get_or_init(|| Locks::new(if P::Key::IS_WORD { 1 } else { LOCKS }));
        {
            let mut shared = self.shared.lock();
            // Each worker reserves chunks of the open list. Too many workers would use them up,
            // so further ones leave. A frozen table pushes nothing new: then every worker can
            // be used.
            let is_open = !shared.statistics.fell_back;
            let chunks = (shared.workers + 2) * PUSHES_SHARED;
            if shared.done || is_open && shared.workers > 0 && chunks > shared.open.free_chunks() / 2 {
                return;
            }
            shared.workers += 1;
        }
        let _guard = EndOnPanic(self);
        let mut worker = Worker::new(self);
        loop {
            let table_phase = self.table_phase.read();
            let exit = match &*table_phase {
                TablePhase::Open(table) => worker.expand(&mut table.shared(locks), &|| false),
                TablePhase::Growing(growth) => {
                    let nodes = self.shared.lock().nodes();
                    growth.work_shared(locks, || self.must_stop(nodes));
                    LoopExit::PhaseDone
                }
                TablePhase::Frozen(table) => worker.search_frontier(table, &|| false),
                TablePhase::Changing => unreachable!("replaced only under the write lock"),
            };
            drop(table_phase);
            match exit {
                LoopExit::Over => return,
                LoopExit::Full(version) => self.grow_or_freeze(version),
                LoopExit::PhaseDone if self.is_over.load(Ordering::Relaxed) => return,
                LoopExit::PhaseDone => self.advance(),
                LoopExit::Idle => {
                    let mut shared = self.shared.lock();
                    shared.idle += 1;
                    if shared.idle == shared.workers {
                        self.end(&mut shared);
                    }
                    while !shared.done
                        && shared.open.lowest().is_none_or(|level| level >= self.limit(&shared))
                    {
                        self.work_available.wait(&mut shared);
                    }
                    shared.idle -= 1;
                }
                LoopExit::YieldTable => std::hint::spin_loop(),
                LoopExit::Paused => unreachable!("`has_idle` returned false"),
            }
        }
    }

    /// Returns the level from which on states can be ignored: they cannot improve the
    /// incumbent.
    pub(super) fn limit(&self, shared: &Shared<'m, P::Key, E>) -> usize {
        let levels = self.layout.shape.levels;
        let Some(incumbent) = &shared.incumbent else { return levels };
        let cost =
            if shared.statistics.fell_back { incumbent.cost } else { self.order.accepts(incumbent.cost) };
        levels.min(cost as usize)
    }

    /// Returns whether a cheaper path to the state of `entry` was found after it was pushed.
    ///
    /// Requeued roots cannot become stale, because the table is frozen. They are stored in
    /// column 0, where only the start was before, or in columns from `levels` on (interleaved
    /// search). There the column is not g.
    pub(super) fn is_stale(&self, entry: &E, column: usize, stored_cost: u32) -> bool {
        if E::BY_COST {
            (1..self.layout.shape.levels).contains(&column) && stored_cost != column as u32
        } else {
            stored_cost != entry.cost(0)
        }
    }

    /// Ends the search for all workers.
    pub(super) fn end(&self, shared: &mut Shared<'m, P::Key, E>) {
        shared.done = true;
        self.is_over.store(true, Ordering::Relaxed);
        self.work_available.notify_all();
    }

    /// Records a solution if it is better than the incumbent.
    pub(super) fn improve(&self, shared: &mut Shared<'m, P::Key, E>, cost: u32, end: End<P::Key>) {
        if shared.incumbent.as_ref().is_none_or(|incumbent| cost < incumbent.cost) {
            shared.incumbent = Some(Incumbent { cost, end });
            self.best_cost.store(cost, Ordering::Relaxed);
        }
    }

    /// Returns the outcome of the search.
    pub fn finish(mut self) -> Outcome {
        let puzzle = self.problem.puzzle;
        // States left in the open list may lead to a shorter solution, and so may successors
        // that the incumbent pruned. The lowest of their levels is a lower bound.
        let limit = self.shared.get_mut().incumbent.is_some().then(|| self.limit(&self.shared.lock()));
        let mut shared = self.shared.into_inner();
        let statistics = shared.statistics;
        let lowest = shared.open.lowest().into_iter().chain(limit).min().map(|level| level as u32);
        let bound = lowest
            .map_or(0, |level| if statistics.fell_back { level } else { self.order.bound(level) })
            .max(self.start_estimate);
        let ending = match (shared.incumbent, shared.stop) {
            (Some(Incumbent { cost, end }), stop) => {
                let path = match end {
                    End::Path(path) => path,
                    End::InTable(mixed) => match self.table_phase.into_inner() {
                        TablePhase::Open(table) => trace(puzzle, &table.freeze(), mixed),
                        TablePhase::Growing(growth) => trace(puzzle, &growth.old, mixed),
                        TablePhase::Frozen(table) => trace(puzzle, &table, mixed),
                        TablePhase::Changing => unreachable!("replaced only under the write lock"),
                    },
                };
                let proved = stop.is_none() && self.order.is_optimal();
                let length = path.len() as u32;
                debug_assert!(length <= cost || !self.order.is_optimal());
                Ending::Solved { path, bound: if proved { length } else { bound.min(length) } }
            }
            (None, Some(stop)) => Ending::Stopped { stop, bound },
            (None, None) => Ending::Exhausted,
        };
        Outcome { ending, statistics }
    }
}

/// Ends the search for all workers if one panics. The others would wait forever for the states
/// that it had popped.
struct EndOnPanic<'s, 'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>>(
    &'s BestFirst<'a, 'm, P, H, E>,
);

impl<P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Drop for EndOnPanic<'_, '_, '_, P, H, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut shared = self.0.shared.lock();
            shared.stop = Some(Stop::Interrupted);
            self.0.end(&mut shared);
        }
    }
}

/// Returns the moves from the start to a state in the table, by undoing the stored last move of
/// each state.
pub(in crate::search) fn trace<P: Puzzle>(
    puzzle: &P,
    table: &Frozen<'_, P::Key>,
    mixed: P::Key,
) -> Vec<Move> {
    let bits = puzzle.key_bits();
    let mut path = Vec::new();
    let mut mixed = mixed;
    while let Some(stored) = table.find(mixed) {
        if stored.cost == 0 {
            break;
        }
        let step = Move(stored.step);
        path.push(step);
        let state = puzzle.unpack(mixed.unmix(bits));
        mixed = puzzle.pack(&puzzle.undo(&state, step)).mix(bits);
    }
    path.reverse();
    path
}

/// Returns the bits for costs where the open list does not limit them: 16 if they fit the slot.
fn cost_bits<P: Puzzle>(puzzle: &P) -> u32 {
    if P::Key::QUOTIENT && P::Key::BITS - puzzle.key_bits() < 16 { 11 } else { 16 }
}
