//! Growth of the visited table: a larger one, or a frozen one if none is left.
//!
//! All workers take part, in three phases:
//!
//! 1. Clear the memory of the new table, as far as it was used before.
//! 2. Move the states into the new table.
//! 3. Renumber the open-list entries: they contain slot numbers.
//!
//! A phase consists of small chunks that workers take one after the other. Workers hold the
//! table's `RwLock` for reading during a phase. Acquiring the write lock therefore proves that
//! all workers have finished the phase, and the next one can begin.
//!
//! Invariant: the old table is unchanged until the last phase is over, so the search can be
//! stopped at any time.

use super::WhenFull;
use super::engine::{BestFirst, Shared, TablePhase};
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

/// Slots cleared and lines moved per chunk: large enough that taking a chunk costs nothing,
/// small enough that the last chunk delays the others little.
const CLEAR_CHUNK: usize = 1 << 15;
const MOVE_CHUNK: usize = 1 << 11;

/// States whose lines are prefetched together.
const GROUP: usize = 64;

/// A table that is being replaced by a larger one.
pub(super) struct Growth<'m, K: Key, E> {
    pub(super) old: Frozen<'m, K>,
    geometry: Geometry,
    phase: GrowthPhase<'m, K, E>,
}

/// The current phase of a growth.
enum GrowthPhase<'m, K: Key, E> {
    /// The used memory of the new table is cleared.
    Clearing(ParallelChunks<'m, K::Slot>),
    /// States are moved, from line `next` on. `fits` turns false if one finds no slot.
    Moving { larger: Table<'m, K>, next: AtomicUsize, fits: AtomicBool },
    /// Open-list entries get the new slot numbers.
    Renumbering { larger: Frozen<'m, K>, open: EntryLoan<'m, E> },
}

impl<'m, K: Key, E> Growth<'m, K, E> {
    fn new(table: Table<'m, K>, spare: Piece<'m>, geometry: Geometry) -> Self {
        let used = spare.used.div_ceil(size_of::<K::Slot>() / 8).min(geometry.slots());
        let memory =
            ParallelChunks::new(slots::<K>(spare.words), CLEAR_CHUNK).up_to(used.div_ceil(CLEAR_CHUNK));
        Self { old: table.freeze(), geometry, phase: GrowthPhase::Clearing(memory) }
    }

    fn is_phase_over(&self) -> bool {
        match &self.phase {
            GrowthPhase::Clearing(memory) => memory.is_empty(),
            GrowthPhase::Moving { next, .. } => next.load(Ordering::Relaxed) >= self.old.geometry().lines(),
            GrowthPhase::Renumbering { open, .. } => open.is_empty(),
        }
    }

    /// Processes chunks of the current phase on a single worker until none is left or
    /// `must_stop` returns true.
    pub(super) fn work_exclusive<C>(&mut self, must_stop: impl Fn() -> bool)
    where
        E: Entry<C>,
    {
        match &mut self.phase {
            GrowthPhase::Moving { larger, next, fits } => {
                move_states(&self.old, &mut larger.exclusive(), next, fits, must_stop);
            }
            _ => self.clear_or_renumber(must_stop),
        }
    }

    /// Processes chunks of the current phase together with other workers until none is left or
    /// `must_stop` returns true.
    pub(super) fn work_shared<C, L: RawMutex>(&self, locks: &Locks<L>, must_stop: impl Fn() -> bool)
    where
        E: Entry<C>,
    {
        match &self.phase {
            GrowthPhase::Moving { larger, next, fits } => {
                move_states(&self.old, &mut larger.shared(locks), next, fits, must_stop);
            }
            _ => self.clear_or_renumber(must_stop),
        }
    }

    /// Processes chunks of the two phases that need no access to the open table.
    fn clear_or_renumber<C>(&self, must_stop: impl Fn() -> bool)
    where
        E: Entry<C>,
    {
        match &self.phase {
            GrowthPhase::Clearing(memory) => {
                while !must_stop()
                    && let Some((_, part)) = memory.next()
                {
                    part.fill(bytemuck::Zeroable::zeroed());
                }
            }
            GrowthPhase::Moving { .. } => unreachable!("handled by the callers"),
            GrowthPhase::Renumbering { larger, open } => {
                while !must_stop()
                    && let Some(entries) = open.next()
                {
                    renumber(&self.old, larger, entries);
                }
            }
        }
    }
}

/// Moves states into the larger table, [`MOVE_CHUNK`] lines at a time. Clears `fits` if a state
/// finds no slot.
fn move_states<K: Key>(
    old: &Frozen<'_, K>,
    larger: &mut impl Access<K>,
    next: &AtomicUsize,
    fits: &AtomicBool,
    must_stop: impl Fn() -> bool,
) {
    let lines = old.geometry().lines();
    let mut group = Vec::with_capacity(GROUP);
    let insert_group = |group: &mut Vec<SlotContent<K>>, larger: &mut _| {
        for stored in group.drain(..) {
            if Access::insert(larger, stored.mixed, stored.cost, stored.step) == Insert::Full {
                fits.store(false, Ordering::Relaxed);
            }
        }
    };
    while !must_stop() {
        let first = next.fetch_add(MOVE_CHUNK, Ordering::Relaxed);
        if first >= lines {
            break;
        }
        old.for_each_in(first..lines.min(first + MOVE_CHUNK), |stored| {
            larger.prefetch(stored.mixed);
            group.push(stored);
            if group.len() == GROUP {
                insert_group(&mut group, larger);
            }
        });
        insert_group(&mut group, larger);
    }
}

/// Replaces the slot numbers in open-list entries by those of the larger table.
fn renumber<K: Key, C, E: Entry<C>>(old: &Frozen<'_, K>, larger: &Frozen<'_, K>, entries: &mut [E]) {
    let mut mixed = Vec::with_capacity(GROUP);
    for entries in entries.chunks_mut(GROUP) {
        let is_stored = |entry: &&mut E| deferred(entry.slot()).is_none();
        entries.iter_mut().filter(is_stored).for_each(|entry| old.prefetch_slot(entry.slot()));
        mixed.clear();
        mixed.extend(entries.iter_mut().filter(is_stored).map(|entry| old.content(entry.slot()).mixed));
        mixed.iter().for_each(|&mixed| larger.prefetch(mixed));
        for (entry, &mixed) in entries.iter_mut().filter(is_stored).zip(&mixed) {
            entry.set_slot(larger.slot_of(mixed).expect("all states were moved"));
        }
    }
}

/// Returns the words of a piece of memory as slots.
pub(super) fn slots<K: Key>(words: &mut [u64]) -> &mut [K::Slot] {
    let words_per_slot = size_of::<K::Slot>() / 8;
    let whole = words.len() / words_per_slot * words_per_slot;
    bytemuck::cast_slice_mut(&mut words[..whole])
}

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> BestFirst<'_, 'm, P, H, E> {
    /// Reacts to a table that was full at `version`: begins a larger table, freezes this one,
    /// or ends the search. The caller must not hold the lock on the table.
    pub(super) fn grow_or_freeze(&self, version: u64) {
        let mut table_phase = self.lock_exclusive();
        let shared = &mut *self.shared.lock();
        if shared.version != version || shared.done {
            return;
        }
        shared.version += 1;
        let TablePhase::Open(table) = std::mem::replace(&mut *table_phase, TablePhase::Changing) else {
            unreachable!("only an open table is full");
        };
        *table_phase = match shared.growths_left.checked_sub(1).zip(shared.spare.take()) {
            Some((left, spare)) => {
                let geometry = self.layout.tables[left];
                if left % 2 == 0 {
                    self.watermark.raise(self.layout.large + geometry.bytes::<P::Key>());
                }
                shared.growths_left = left;
                TablePhase::Growing(Growth::new(table, spare, geometry))
            }
            None => self.freeze(table, shared),
        };
    }

    /// Returns the write lock on the table. While `writers_waiting` is positive, workers
    /// release their read locks.
    fn lock_exclusive(&self) -> RwLockWriteGuard<'_, TablePhase<'m, P::Key, E>> {
        self.writers_waiting.fetch_add(1, Ordering::Relaxed);
        let table_phase = self.table_phase.write();
        self.writers_waiting.fetch_sub(1, Ordering::Relaxed);
        table_phase
    }

    /// Begins the next phase of a growth if the current one is over. The caller must not hold
    /// the lock on the table.
    pub(super) fn advance(&self) {
        let is_over = |table_phase: &TablePhase<'m, P::Key, E>| matches!(table_phase, TablePhase::Growing(growth) if growth.is_phase_over());
        if !is_over(&self.table_phase.read()) {
            return;
        }
        let mut table_phase = self.lock_exclusive();
        if !is_over(&table_phase) || self.is_over.load(Ordering::Relaxed) {
            return;
        }
        let TablePhase::Growing(growth) = std::mem::replace(&mut *table_phase, TablePhase::Changing) else {
            unreachable!("checked under the lock");
        };
        let Growth { old, geometry, phase } = growth;
        let shared = &mut *self.shared.lock();
        let phase = match phase {
            GrowthPhase::Clearing(memory) => GrowthPhase::Moving {
                larger: Table::new(memory.into_slice(), 0, geometry),
                next: AtomicUsize::new(0),
                fits: AtomicBool::new(true),
            },
            GrowthPhase::Moving { fits, .. } if !fits.load(Ordering::Relaxed) => {
                // Unlikely: a state found no slot near its home line.
                *table_phase = self.freeze(old.thaw(), shared);
                return;
            }
            GrowthPhase::Moving { larger, .. } => {
                GrowthPhase::Renumbering { larger: larger.freeze(), open: shared.open.lend_entries() }
            }
            GrowthPhase::Renumbering { larger, open } => {
                shared.open.return_entries(open);
                shared.capacity = self.layout.capacity(shared.growths_left);
                let words = bytemuck::cast_slice_mut(old.thaw().into_memory());
                if shared.growths_left > 0 {
                    let used = words.len();
                    shared.spare = Some(Piece { words, used });
                } else {
                    shared.open.extend(words);
                }
                *table_phase = TablePhase::Open(larger.thaw());
                return;
            }
        };
        *table_phase = TablePhase::Growing(Growth { old, geometry, phase });
    }

    /// Returns whether a growth must be abandoned. Called between two chunks.
    pub(super) fn must_stop(&self, nodes: u64) -> bool {
        if self.is_over.load(Ordering::Relaxed) {
            return true;
        }
        let Some(stop) = self.limits.reached(nodes) else { return false };
        let shared = &mut *self.shared.lock();
        shared.stop = shared.stop.or(Some(stop));
        self.end(shared);
        true
    }

    /// Freezes the table. The search continues from its frontier if it may, otherwise it ends.
    fn freeze(
        &self,
        mut table: Table<'m, P::Key>,
        shared: &mut Shared<'m, P::Key, E>,
    ) -> TablePhase<'m, P::Key, E> {
        let fits = !self.may_defer || self.insert_deferred(&mut table, shared);
        let table = table.freeze();
        if fits && self.may_defer {
            shared.open.for_each(|_, _, entry: &mut E| {
                if let Some((mixed, _)) = self.deferred(entry) {
                    entry.set_slot(table.slot_of(mixed).expect("all states were is_stored"));
                }
            });
        }
        if fits && self.when_full == WhenFull::FallBackToDfs && self.order.is_optimal() {
            shared.statistics.fell_back = true;
            shared.generated_before_freeze = shared.statistics.generated;
            self.restore_snapshot(shared, &table);
        } else {
            shared.stop = Some(Stop::Memory);
            self.end(shared);
        }
        TablePhase::Frozen(table)
    }

    /// Inserts all deferred states of the open list. Returns whether they fit. They date from
    /// before the last growth, so in the last table they are few.
    fn insert_deferred(&self, table: &mut Table<'m, P::Key>, shared: &mut Shared<'m, P::Key, E>) -> bool {
        let (mut stored, mut fits) = (0, true);
        shared.open.for_each(|_, column, entry: &mut E| {
            if let Some((mixed, step)) = self.deferred(entry) {
                match table.exclusive().insert(mixed, entry.cost(column), step) {
                    Insert::New(_) => stored += 1,
                    // An entry with a larger cost than its state's is stale.
                    Insert::Better(_) | Insert::Seen => {}
                    Insert::Full => fits = false,
                }
            }
        });
        shared.statistics.stored += stored;
        shared.deferred = 0;
        fits
    }

    /// Returns the mixed key and the last move of a deferred entry.
    fn deferred(&self, entry: &E) -> Option<(P::Key, u32)> {
        let Problem { puzzle, heuristic, .. } = self.problem;
        let step = deferred(entry.slot())?;
        let state = heuristic.state_of(&entry.payload())?;
        Some((puzzle.pack(&state).mix(puzzle.key_bits()), step))
    }
}
