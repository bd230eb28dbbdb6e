//! What the workers of one search share.

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
use crate::search::astar::eager::{Flow, PUSHES_AMONG_OTHERS, Worker};
use crate::search::astar::frontier::interleaved::InHand;
use crate::search::{Ending, Limits, Order, Outcome, Problem, Statistics, Stop};
use parking_lot::{Condvar, Mutex, RawMutex, RwLock};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// Locks for the stripes of a shared table whose slots are no words.
const LOCKS: usize = 1024;

/// A best-first search in a region of memory.
///
/// It is run alone by its owner ([`BestFirst::run_alone`]) or by any number of
/// threads at once ([`BestFirst::work`]), then finished.
pub struct BestFirst<'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> {
    pub(super) problem: Problem<'a, P, H>,
    pub(super) order: Order,
    pub(super) limits: Limits<'a>,
    pub(super) layout: Layout,
    pub(super) when_full: WhenFull,
    /// Levels of the open list that a state may have at most, and whether that
    /// is known to lose no shortest solution.
    pub(super) levels_suffice: bool,
    /// Whether the open list keeps states and their estimates, so that they can be
    /// taken up from it alone; and whether they may be there without being in the
    /// table.
    pub(super) keeps_states: bool,
    pub(super) may_defer: bool,
    /// Costs from here on do not fit a slot.
    pub(super) costs_end: u32,
    /// Held for reading by all who use the table, for writing by who replaces
    /// it.
    pub(super) stage: RwLock<Stage<'m, P::Key, E>>,
    /// How many wait to replace the table: all who hold it should let go.
    pub(super) waiting: AtomicUsize,
    pub(super) desk: Mutex<Desk<'m, P::Key, E>>,
    pub(super) arrivals: Condvar,
    pub(super) locks: OnceLock<Locks<RawMutex>>,
    /// The incumbent's cost and whether the search is over, for those who are
    /// not at the desk.
    pub(super) best: AtomicU32,
    pub(super) over: AtomicBool,
    pub(super) watermark: &'m Watermark,
    /// The bytes of the whole region.
    pub(super) region: u64,
    estimate: u32,
}

/// The table, as the search goes on. There is one of it, so its size is no matter.
#[allow(clippy::large_enum_variant)]
pub(super) enum Stage<'m, K: Key, E> {
    /// States are added.
    Open(Table<'m, K>),
    /// All are moved into a larger table.
    Growing(Growth<'m, K, E>),
    /// Nothing is added any more.
    Frozen(Frozen<'m, K>),
    /// Between two of the above.
    Changing,
}

/// What workers share under one lock, held briefly once for each handful of
/// states.
pub(super) struct Desk<'m, K, E> {
    pub(super) open: Buckets<'m, E>,
    /// Workers that are at it, those that wait for something to do included.
    pub(super) present: usize,
    pub(super) idle: usize,
    pub(super) done: bool,
    pub(super) stop: Option<Stop>,
    pub(super) incumbent: Option<Incumbent<K>>,
    pub(super) statistics: Statistics,
    /// States in the open list that are not in the table yet.
    pub(super) deferred: u64,
    /// Nodes generated before memory ran full.
    pub(super) generated_before: u64,
    /// How many larger tables are still to be begun, and how many states the
    /// present one takes.
    pub(super) growths_left: usize,
    pub(super) room: u64,
    /// Raised each time the table is replaced or frozen.
    pub(super) version: u64,
    /// The piece that the table is not in.
    pub(super) spare: Option<Piece<'m>>,
    /// Roots that are being searched, or are next.
    pub(super) in_hand: Vec<InHand<E>>,
    /// In this level, columns from here on have no root that was never searched.
    pub(super) fresh: (usize, usize),
}

impl<K, E> Desk<'_, K, E> {
    /// What counts for the limit of nodes: states stored or to be stored later, and
    /// all that were generated when no more could be.
    pub(super) fn nodes(&self) -> u64 {
        let Statistics { generated, stored, fell_back, .. } = self.statistics;
        if fell_back { stored + generated - self.generated_before } else { stored + self.deferred }
    }
}

/// The best solution so far.
pub(super) struct Incumbent<K> {
    pub(super) cost: u32,
    pub(super) end: End<K>,
}

/// How to find an incumbent's moves.
pub(super) enum End<K> {
    /// Trace them back from a goal in the table, given by its mixed key.
    InTable(K),
    /// Here they are.
    Path(Vec<Move>),
}

/// How far a search has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It is decided or stopped.
    Finished,
    /// It was interrupted for others to join.
    Paused,
}

impl<'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> BestFirst<'a, 'm, P, H, E> {
    /// A search that will work in `region`; none if that is too small.
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
            // Roots in lanes have columns of their own.
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
        let (mine, spare) = if growths_left % 2 == 0 { (large, small) } else { (small, large) };
        let geometry = layout.tables[growths_left];
        if growths_left % 2 == 0 {
            watermark.raise(layout.large + geometry.bytes::<P::Key>());
        }
        let table = Table::new(
            super::growth::slots::<P::Key>(mine.words),
            mine.used.div_ceil(size_of::<<P::Key as Key>::Slot>() / 8),
            geometry,
        );
        let memo = heuristic.evaluate(puzzle, &start);
        let estimate = heuristic.estimate(&memo);
        let keeps_states = H::STORES_STATES && E::BY_COST && order.weighs_estimates();
        let search = Self {
            problem,
            order,
            limits,
            when_full,
            levels_suffice: longest.is_some(),
            // Who goes by the book wants states counted when they are found.
            may_defer: keeps_states && !order.expands_singly(),
            keeps_states,
            costs_end: 1 << layout.tables[0].fields.cost.min(31),
            stage: RwLock::new(Stage::Open(table)),
            waiting: AtomicUsize::new(0),
            desk: Mutex::new(Desk {
                open,
                present: 0,
                idle: 0,
                done: false,
                stop: None,
                incumbent: None,
                statistics: Statistics { stored: 1, ..Statistics::default() },
                deferred: 0,
                generated_before: 0,
                growths_left,
                room: layout.room(growths_left),
                version: 0,
                spare: Some(spare),
                in_hand: Vec::new(),
                fresh: (0, 0),
            }),
            arrivals: Condvar::new(),
            locks: OnceLock::new(),
            best: AtomicU32::new(u32::MAX),
            over: AtomicBool::new(false),
            watermark,
            region: bytes as u64,
            estimate,
            layout,
        };
        search.begin(memo);
        Some(search)
    }

    /// Puts the start into the table and the open list.
    fn begin(&self, memo: H::Memo) {
        let Problem { puzzle, heuristic, start } = self.problem;
        let mixed = puzzle.pack(&start).mix(puzzle.key_bits());
        let (mut stage, mut desk) = (self.stage.write(), self.desk.lock());
        if let Stage::Open(table) = &mut *stage
            && let Insert::New(slot) = table.exclusive().insert(mixed, 0, 0)
        {
            if self.estimate == 0 && puzzle.is_goal(&start) {
                desk.incumbent = Some(Incumbent { cost: 0, end: End::Path(Vec::new()) });
                desk.done = true;
                return;
            }
            let level = self.order.priority(0, self.estimate) as usize;
            let entry = E::new(slot, 0, self.estimate, heuristic.payload(&memo));
            if level < self.layout.shape.levels && desk.open.push(level, 0, entry).is_ok() {
                return;
            }
        }
        desk.stop = Some(Stop::Memory);
        desk.done = true;
    }

    /// Works on the calling thread, without locks, until the search is over or
    /// `has_idle` says that somebody would help.
    pub fn run_alone(&mut self, has_idle: impl Fn() -> bool) -> Progress {
        self.desk.get_mut().present = 1;
        let search = &*self;
        let mut worker = Worker::new(search);
        let may_join = || !search.order.is_textbook() && has_idle();
        loop {
            let mut stage = search.stage.write();
            let flow = match &mut *stage {
                Stage::Open(table) => worker.expand(&mut table.exclusive(), &may_join),
                Stage::Growing(growth) => {
                    let nodes = search.desk.lock().nodes();
                    growth.go_on(|| search.halts(nodes));
                    Flow::Grown
                }
                Stage::Frozen(table) => worker.dig(table, &has_idle),
                Stage::Changing => unreachable!("changed only under the lock"),
            };
            drop(stage);
            match flow {
                Flow::Over => return Progress::Finished,
                Flow::Paused => {
                    search.desk.lock().present = 0;
                    return Progress::Paused;
                }
                Flow::Full(version) => search.make_room(version),
                Flow::Grown if search.over.load(Ordering::Relaxed) => return Progress::Finished,
                Flow::Grown => search.advance(),
                // Nobody else could bring anything.
                Flow::Idle => search.end(&mut search.desk.lock()),
                Flow::LetGo => {}
            }
        }
    }

    /// Works on the calling thread among others, until the search is over.
    pub fn work(&self) {
        let locks = self.locks.get_or_init(|| Locks::new(if P::Key::IS_WORD { 1 } else { LOCKS }));
        {
            let mut desk = self.desk.lock();
            // More workers than the open list can serve would only fill it; once
            // nothing is added to it any more, there is work for all.
            let is_open = !desk.statistics.fell_back;
            let chunks = (desk.present + 2) * PUSHES_AMONG_OTHERS;
            if desk.done || is_open && desk.present > 0 && chunks > desk.open.free_chunks() / 2 {
                return;
            }
            desk.present += 1;
        }
        let _present = EndOnPanic(self);
        let mut worker = Worker::new(self);
        loop {
            let stage = self.stage.read();
            let flow = match &*stage {
                Stage::Open(table) => worker.expand(&mut table.shared(locks), &|| false),
                Stage::Growing(growth) => {
                    let nodes = self.desk.lock().nodes();
                    growth.help(locks, || self.halts(nodes));
                    Flow::Grown
                }
                Stage::Frozen(table) => worker.dig(table, &|| false),
                Stage::Changing => unreachable!("changed only under the lock"),
            };
            drop(stage);
            match flow {
                Flow::Over => return,
                Flow::Full(version) => self.make_room(version),
                Flow::Grown if self.over.load(Ordering::Relaxed) => return,
                Flow::Grown => self.advance(),
                Flow::Idle => {
                    let mut desk = self.desk.lock();
                    desk.idle += 1;
                    if desk.idle == desk.present {
                        self.end(&mut desk);
                    }
                    while !desk.done && desk.open.lowest().is_none_or(|level| level >= self.limit(&desk)) {
                        self.arrivals.wait(&mut desk);
                    }
                    desk.idle -= 1;
                }
                Flow::LetGo => std::hint::spin_loop(),
                Flow::Paused => unreachable!("nobody was asked for"),
            }
        }
    }

    /// States of this level or above need not be looked at.
    pub(super) fn limit(&self, desk: &Desk<'m, P::Key, E>) -> usize {
        let levels = self.layout.shape.levels;
        let Some(incumbent) = &desk.incumbent else { return levels };
        let cost =
            if desk.statistics.fell_back { incumbent.cost } else { self.order.accepts(incumbent.cost) };
        levels.min(cost as usize)
    }

    /// Whether an entry's state is known at less cost than when it was entered.
    /// Roots that were searched once, which no longer are found cheaper, go back
    /// into column 0, where only the start was, or behind the columns of costs.
    pub(super) fn is_stale(&self, entry: &E, column: usize, known_cost: u32) -> bool {
        if E::BY_COST {
            (1..self.layout.shape.levels).contains(&column) && known_cost != column as u32
        } else {
            known_cost != entry.cost(0)
        }
    }

    /// Ends the search for all.
    pub(super) fn end(&self, desk: &mut Desk<'m, P::Key, E>) {
        desk.done = true;
        self.over.store(true, Ordering::Relaxed);
        self.arrivals.notify_all();
    }

    /// Notes a solution, if it is better than the best so far.
    pub(super) fn improve(&self, desk: &mut Desk<'m, P::Key, E>, cost: u32, end: End<P::Key>) {
        if desk.incumbent.as_ref().is_none_or(|incumbent| cost < incumbent.cost) {
            desk.incumbent = Some(Incumbent { cost, end });
            self.best.store(cost, Ordering::Relaxed);
        }
    }

    /// What became of the search.
    pub fn finish(mut self) -> Outcome {
        let puzzle = self.problem.puzzle;
        // What is left in the list may lead to a shorter solution, and so may
        // what was left out for the incumbent; their levels bound it from below.
        let limit = self.desk.get_mut().incumbent.is_some().then(|| self.limit(&self.desk.lock()));
        let mut desk = self.desk.into_inner();
        let statistics = desk.statistics;
        let lowest = desk.open.lowest().into_iter().chain(limit).min().map(|level| level as u32);
        let bound = lowest
            .map_or(0, |level| if statistics.fell_back { level } else { self.order.bound(level) })
            .max(self.estimate);
        let ending = match (desk.incumbent, desk.stop) {
            (Some(Incumbent { cost, end }), stop) => {
                let path = match end {
                    End::Path(path) => path,
                    End::InTable(mixed) => match self.stage.into_inner() {
                        Stage::Open(table) => trace(puzzle, &table.freeze(), mixed),
                        Stage::Growing(growth) => trace(puzzle, &growth.old, mixed),
                        Stage::Frozen(table) => trace(puzzle, &table, mixed),
                        Stage::Changing => unreachable!("changed only under the lock"),
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

/// Ends the search for all if a worker panics: the others would wait forever for
/// what it had in its hands.
struct EndOnPanic<'s, 'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>>(
    &'s BestFirst<'a, 'm, P, H, E>,
);

impl<P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Drop for EndOnPanic<'_, '_, '_, P, H, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut desk = self.0.desk.lock();
            desk.stop = Some(Stop::Interrupted);
            self.0.end(&mut desk);
        }
    }
}

/// The moves to a state in the table, found by undoing the last one again and
/// again.
pub(in crate::search) fn trace<P: Puzzle>(
    puzzle: &P,
    table: &Frozen<'_, P::Key>,
    mixed: P::Key,
) -> Vec<Move> {
    let bits = puzzle.key_bits();
    let mut path = Vec::new();
    let mut mixed = mixed;
    while let Some(known) = table.find(mixed) {
        if known.cost == 0 {
            break;
        }
        let step = Move(known.step);
        path.push(step);
        let state = puzzle.unpack(mixed.unmix(bits));
        mixed = puzzle.pack(&puzzle.undo(&state, step)).mix(bits);
    }
    path.reverse();
    path
}

/// Bits for costs where the list does not bound them: 16 if the slot has them.
fn cost_bits<P: Puzzle>(puzzle: &P) -> u32 {
    if P::Key::QUOTIENT && P::Key::BITS - puzzle.key_bits() < 16 { 11 } else { 16 }
}
