//! What happens when the table is full: a larger one, or none.
//!
//! All workers of the search do it together, in three phases: memory that was
//! used before is cleared, the states move into the new table, and the entries
//! of the open list are told the new places of their states. A phase is a list
//! of small parts, which workers take one by one while they hold the stage for
//! reading. Who finds no part left asks for the stage to write: when that is
//! given, all others have finished theirs, and the next phase can begin. The old
//! table stays as it is to the end, so the search can be stopped at any time.

use super::WhenFull;
use super::engine::{BestFirst, Desk, Stage};
use super::entry::{Entry, deferred};
use crate::heuristic::Heuristic;
use crate::memory::Key;
use crate::memory::buckets::EntryLoan;
use crate::memory::geometry::Geometry;
use crate::memory::parallel_chunks::ParallelChunks;
use crate::memory::region::Piece;
use crate::memory::visited::{Access, Frozen, Insert, Locks, SlotContent, Table};
use crate::puzzle::Puzzle;
use crate::search::{Problem, Stop};
use lock_api::RawMutex;
use parking_lot::RwLockWriteGuard;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Slots cleared, and lines moved, at once: enough that taking a part costs
/// nothing, and few enough that nobody waits long for the last one.
const CLEARED: usize = 1 << 15;
const MOVED: usize = 1 << 11;

/// States under way at once, so that their lines are fetched together.
const BATCH: usize = 64;

/// A table on its way into a larger one.
pub(super) struct Growth<'m, K: Key, E> {
    pub(super) old: Frozen<'m, K>,
    geometry: Geometry,
    phase: Phase<'m, K, E>,
}

/// What is to be done now.
enum Phase<'m, K: Key, E> {
    /// The new table's memory is cleared, as far as it was used.
    Clearing(ParallelChunks<'m, K::Slot>),
    /// States are moved, from line `next` on.
    Moving { larger: Table<'m, K>, next: AtomicUsize, fits: AtomicBool },
    /// The open list learns where they are now.
    Renumbering { larger: Frozen<'m, K>, open: EntryLoan<'m, E> },
}

impl<'m, K: Key, E> Growth<'m, K, E> {
    fn new(table: Table<'m, K>, spare: Piece<'m>, geometry: Geometry) -> Self {
        let used = spare.used.div_ceil(size_of::<K::Slot>() / 8).min(geometry.slots());
        let memory = ParallelChunks::new(slots::<K>(spare.words), CLEARED).up_to(used.div_ceil(CLEARED));
        Self { old: table.freeze(), geometry, phase: Phase::Clearing(memory) }
    }

    fn is_phase_over(&self) -> bool {
        match &self.phase {
            Phase::Clearing(memory) => memory.is_empty(),
            Phase::Moving { next, .. } => next.load(Ordering::Relaxed) >= self.old.geometry().lines,
            Phase::Renumbering { open, .. } => open.is_empty(),
        }
    }

    /// Does parts of the present phase, alone, until none is left or `halt` says
    /// so.
    pub(super) fn go_on<C>(&mut self, halt: impl Fn() -> bool)
    where
        E: Entry<C>,
    {
        match &mut self.phase {
            Phase::Moving { larger, next, fits } => {
                move_states(&self.old, &mut larger.exclusive(), next, fits, halt);
            }
            _ => self.sweep(halt),
        }
    }

    /// The same among others.
    pub(super) fn help<C, L: RawMutex>(&self, locks: &Locks<L>, halt: impl Fn() -> bool)
    where
        E: Entry<C>,
    {
        match &self.phase {
            Phase::Moving { larger, next, fits } => {
                move_states(&self.old, &mut larger.shared(locks), next, fits, halt);
            }
            _ => self.sweep(halt),
        }
    }

    /// The phases for which it does not matter who else is there.
    fn sweep<C>(&self, halt: impl Fn() -> bool)
    where
        E: Entry<C>,
    {
        match &self.phase {
            Phase::Clearing(memory) => {
                while !halt()
                    && let Some((_, part)) = memory.next()
                {
                    part.fill(bytemuck::Zeroable::zeroed());
                }
            }
            Phase::Moving { .. } => unreachable!("moving asks for a way of access"),
            Phase::Renumbering { larger, open } => {
                while !halt()
                    && let Some(entries) = open.next()
                {
                    renumber(&self.old, larger, entries);
                }
            }
        }
    }
}

/// Moves states into the larger table, some lines at a time, and notes if one
/// finds no place.
fn move_states<K: Key>(
    old: &Frozen<'_, K>,
    larger: &mut impl Access<K>,
    next: &AtomicUsize,
    fits: &AtomicBool,
    halt: impl Fn() -> bool,
) {
    let lines = old.geometry().lines;
    let mut batch = Vec::with_capacity(BATCH);
    let insert_batch = |batch: &mut Vec<SlotContent<K>>, larger: &mut _| {
        for known in batch.drain(..) {
            if Access::insert(larger, known.mixed, known.cost, known.step) == Insert::Full {
                fits.store(false, Ordering::Relaxed);
            }
        }
    };
    while !halt() {
        let first = next.fetch_add(MOVED, Ordering::Relaxed);
        if first >= lines {
            break;
        }
        old.for_each_in(first..lines.min(first + MOVED), |known| {
            larger.prefetch(known.mixed);
            batch.push(known);
            if batch.len() == BATCH {
                insert_batch(&mut batch, larger);
            }
        });
        insert_batch(&mut batch, larger);
    }
}

/// Tells entries of the open list where their states are now.
fn renumber<K: Key, C, E: Entry<C>>(old: &Frozen<'_, K>, larger: &Frozen<'_, K>, entries: &mut [E]) {
    let mut mixed = Vec::with_capacity(BATCH);
    for entries in entries.chunks_mut(BATCH) {
        let entered = |entry: &&mut E| deferred(entry.slot()).is_none();
        entries.iter_mut().filter(entered).for_each(|entry| old.prefetch_slot(entry.slot()));
        mixed.clear();
        mixed.extend(entries.iter_mut().filter(entered).map(|entry| old.content(entry.slot()).mixed));
        mixed.iter().for_each(|&mixed| larger.prefetch(mixed));
        for (entry, &mixed) in entries.iter_mut().filter(entered).zip(&mixed) {
            entry.set_slot(larger.slot_of(mixed).expect("all states were moved"));
        }
    }
}

/// As many slots as a piece of memory has room for.
pub(super) fn slots<K: Key>(words: &mut [u64]) -> &mut [K::Slot] {
    let each = size_of::<K::Slot>() / 8;
    let whole = words.len() / each * each;
    bytemuck::cast_slice_mut(&mut words[..whole])
}

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> BestFirst<'_, 'm, P, H, E> {
    /// Makes room in a table that was full at a version: begins a larger table,
    /// or freezes this one, or ends the search. Nobody may hold the stage.
    pub(super) fn make_room(&self, version: u64) {
        let mut stage = self.hold_alone();
        let desk = &mut *self.desk.lock();
        if desk.version != version || desk.done {
            return;
        }
        desk.version += 1;
        let Stage::Open(table) = std::mem::replace(&mut *stage, Stage::Changing) else {
            unreachable!("only an open table is full");
        };
        *stage = match desk.growths_left.checked_sub(1).zip(desk.spare.take()) {
            Some((left, spare)) => {
                let geometry = self.layout.tables[left];
                if left % 2 == 0 {
                    self.watermark.raise(self.layout.large + geometry.bytes::<P::Key>());
                }
                desk.growths_left = left;
                Stage::Growing(Growth::new(table, spare, geometry))
            }
            None => self.freeze(table, desk),
        };
    }

    /// The stage, when all others have let go.
    fn hold_alone(&self) -> RwLockWriteGuard<'_, Stage<'m, P::Key, E>> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let stage = self.stage.write();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        stage
    }

    /// Goes on to the next phase of a growth when the present one is over.
    /// Nobody may hold the stage.
    pub(super) fn advance(&self) {
        let is_over =
            |stage: &Stage<'m, P::Key, E>| matches!(stage, Stage::Growing(growth) if growth.is_phase_over());
        if !is_over(&self.stage.read()) {
            return;
        }
        let mut stage = self.hold_alone();
        if !is_over(&stage) || self.over.load(Ordering::Relaxed) {
            return;
        }
        let Stage::Growing(growth) = std::mem::replace(&mut *stage, Stage::Changing) else {
            unreachable!("it was just seen");
        };
        let Growth { old, geometry, phase } = growth;
        let desk = &mut *self.desk.lock();
        let phase = match phase {
            Phase::Clearing(memory) => Phase::Moving {
                larger: Table::new(memory.into_slice(), 0, geometry),
                next: AtomicUsize::new(0),
                fits: AtomicBool::new(true),
            },
            Phase::Moving { fits, .. } if !fits.load(Ordering::Relaxed) => {
                // Unlikely: some line cannot take all that belongs there.
                *stage = self.freeze(old.thaw(), desk);
                return;
            }
            Phase::Moving { larger, .. } => {
                Phase::Renumbering { larger: larger.freeze(), open: desk.open.lend_entries() }
            }
            Phase::Renumbering { larger, open } => {
                desk.open.return_entries(open);
                desk.room = self.layout.room(desk.growths_left);
                let words = bytemuck::cast_slice_mut(old.thaw().into_memory());
                if desk.growths_left > 0 {
                    let used = words.len();
                    desk.spare = Some(Piece { words, used });
                } else {
                    desk.open.extend(words);
                }
                *stage = Stage::Open(larger.thaw());
                return;
            }
        };
        *stage = Stage::Growing(Growth { old, geometry, phase });
    }

    /// Whether a growth must be broken off, asked between two parts of it.
    pub(super) fn halts(&self, nodes: u64) -> bool {
        if self.over.load(Ordering::Relaxed) {
            return true;
        }
        let Some(stop) = self.limits.reached(nodes) else { return false };
        let desk = &mut *self.desk.lock();
        desk.stop = desk.stop.or(Some(stop));
        self.end(desk);
        true
    }

    /// Nothing is added any more: the search goes on without, or ends.
    fn freeze(&self, mut table: Table<'m, P::Key>, desk: &mut Desk<'m, P::Key, E>) -> Stage<'m, P::Key, E> {
        let fits = !self.may_defer || self.enter_deferred(&mut table, desk);
        let table = table.freeze();
        if fits && self.may_defer {
            desk.open.for_each(|_, _, entry: &mut E| {
                if let Some((mixed, _)) = self.deferred(entry) {
                    entry.set_slot(table.slot_of(mixed).expect("all states were entered"));
                }
            });
        }
        if fits && self.when_full == WhenFull::FallBackToDfs && self.order.is_optimal() {
            desk.statistics.fell_back = true;
            desk.generated_before = desk.statistics.generated;
            self.restore_snapshot(desk, &table);
        } else {
            desk.stop = Some(Stop::Memory);
            self.end(desk);
        }
        Stage::Frozen(table)
    }

    /// Enters all states of the open list that are not in the table yet; whether
    /// there is room for them. They date from before the last growth, so in the
    /// last table they are few.
    fn enter_deferred(&self, table: &mut Table<'m, P::Key>, desk: &mut Desk<'m, P::Key, E>) -> bool {
        let (mut stored, mut fits) = (0, true);
        desk.open.for_each(|_, column, entry: &mut E| {
            if let Some((mixed, step)) = self.deferred(entry) {
                match table.exclusive().insert(mixed, entry.cost(column), step) {
                    Insert::New(_) => stored += 1,
                    // An entry of more than its state's cost is stale.
                    Insert::Better(_) | Insert::Seen => {}
                    Insert::Full => fits = false,
                }
            }
        });
        desk.statistics.stored += stored;
        desk.deferred = 0;
        fits
    }

    /// The mixed key of an entry's state, and the last move to it, if it is not
    /// in the table yet.
    fn deferred(&self, entry: &E) -> Option<(P::Key, u32)> {
        let Problem { puzzle, heuristic, .. } = self.problem;
        let step = deferred(entry.slot())?;
        let state = heuristic.state_of(&entry.payload())?;
        Some((puzzle.pack(&state).mix(puzzle.key_bits()), step))
    }
}
