//! Visited table: open addressing inside borrowed memory, one cache line after another.
//!
//! A table has one of three kinds of access:
//!
//! * [`Exclusive`]: one owner, no locks, no atomic instructions.
//! * [`Shared`]: many threads. A word-sized slot is read and replaced atomically (compare
//!   and swap); it contains everything needed to interpret it, so no ordering is required.
//!   Wider slots are protected by the lock of their stripe.
//! * [`Frozen`]: read only, no locks.
//!
//! Invariants: slots never move and are never emptied, so a slot number stays valid until
//! the table is rehashed into a larger one; a key is stored in the first slot of its probe
//! sequence that was empty when it was inserted; probing never leaves the stripe of the
//! home line. "Full" is a return value, not an error.

mod access;
mod frozen;
mod locks;

pub use access::{Access, Exclusive, Shared};
pub use frozen::Frozen;
pub use locks::Locks;

use super::geometry::Geometry;
use super::key::Key;
use lock_api::RawMutex;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Result of an insertion, with the number of the state's slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Insert {
    /// The state was not in the table.
    New(u32),
    /// The state was in the table with a higher cost; the cost was lowered.
    Better(u32),
    /// The state is in the table with an equal or lower cost.
    Seen,
    /// Every slot of the state's probe sequence is occupied.
    Full,
}

/// Decoded content of an occupied slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotContent<K> {
    /// The mixed key.
    pub mixed: K,
    /// Cost of the cheapest known path to the state.
    pub cost: u32,
    /// Last move of that path.
    pub step: u32,
}

/// Result of a probe: the slot that holds the key, or the empty slot where it belongs.
#[derive(Clone, Copy)]
struct Probe<S> {
    slot: usize,
    /// Position of the slot's line in the probe sequence; 0 is the home line.
    distance: u32,
    content: S,
}

/// Hash table from mixed keys to costs and moves, in borrowed memory.
#[derive(Debug)]
pub struct Table<'m, K: Key> {
    slots: &'m [UnsafeCell<K::Slot>],
    geometry: Geometry,
    /// Address of the locks that the table was first shared with; 0 before that.
    locks: AtomicUsize,
}

#[allow(unsafe_code)]
// SAFETY: slots are accessed in one of three ways. Through `&mut Table`: no other access
// exists. Through `Shared`: word-sized slots atomically, wider ones under the lock of their
// stripe, and all `Shared` of a table use one set of locks. Through `Frozen`: never written.
unsafe impl<K: Key> Sync for Table<'_, K> {}
#[allow(unsafe_code)]
// SAFETY: the table owns the borrow of its memory, as `&mut [K::Slot]` would.
unsafe impl<K: Key> Send for Table<'_, K> {}

impl<'m, K: Key> Table<'m, K> {
    /// Creates an empty table in `memory`. Clears the first `used` slots, as far as they
    /// belong to the table; all others must be zero already.
    ///
    /// # Panics
    /// If `memory` has fewer slots than `geometry`.
    pub fn new(memory: &'m mut [K::Slot], used: usize, geometry: Geometry) -> Self {
        assert!(memory.len() >= geometry.slots());
        memory[..used.min(geometry.slots())].fill(bytemuck::Zeroable::zeroed());
        debug_assert!(memory[..geometry.slots()].iter().all(K::is_empty));
        #[allow(unsafe_code)]
        // SAFETY: `UnsafeCell<T>` has the layout of `T`. The exclusive borrow is converted
        // into the shared one, so all access goes through the cells.
        let slots = unsafe { &*(std::ptr::from_mut(memory) as *const [UnsafeCell<K::Slot>]) };
        Self { slots, geometry, locks: AtomicUsize::new(0) }
    }

    /// Returns the memory of the table with its current content.
    pub fn into_memory(self) -> &'m mut [K::Slot] {
        let cells = std::ptr::from_ref(self.slots);
        #[allow(unsafe_code)]
        // SAFETY: the table had the only borrow of the memory, for all of 'm, and it is
        // consumed here.
        unsafe {
            &mut *UnsafeCell::raw_get(cells as *const UnsafeCell<[K::Slot]>)
        }
    }

    /// Returns the layout of the table.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Prefetches the home line of `mixed` and returns its number.
    #[inline(always)]
    pub fn prefetch(&self, mixed: K) -> usize {
        let home = mixed.home(&self.geometry);
        self.prefetch_slot(home * self.geometry.width);
        home
    }

    /// Prefetches `slot`.
    #[inline(always)]
    pub fn prefetch_slot(&self, slot: usize) {
        super::prefetch(self.slots.as_ptr().wrapping_add(slot));
    }

    /// Returns the owner's access, without locks.
    pub fn exclusive(&mut self) -> Exclusive<'_, 'm, K> {
        Exclusive(self)
    }

    /// Returns the access of one thread among many.
    ///
    /// # Panics
    /// If the slots are wider than a word and the table was shared with other locks
    /// before: two sets of locks do not exclude each other.
    pub fn shared<'a, L: RawMutex>(&'a self, locks: &'a Locks<L>) -> Shared<'a, 'm, K, L> {
        if !K::IS_WORD {
            let first = self.locks.compare_exchange(0, locks.address(), Relaxed, Relaxed);
            assert!(
                first.is_ok() || first == Err(locks.address()),
                "a table is shared with one set of locks"
            );
        }
        Shared { table: self, locks }
    }

    /// Makes the table read only.
    pub fn freeze(self) -> Frozen<'m, K> {
        Frozen(self)
    }

    /// Reads `slot` without synchronisation.
    ///
    /// # Safety
    /// `slot` is inside the table, and no other thread writes to it during the call.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn read_unsynchronised(&self, slot: usize) -> K::Slot {
        debug_assert!(slot < self.slots.len());
        // SAFETY: inside the table and not written to: guaranteed by the caller.
        unsafe { *self.slots.get_unchecked(slot).get() }
    }

    /// Returns word-sized `slot` as an atomic word.
    ///
    /// # Safety
    /// `slot` is inside the table, slots are words, and all concurrent access to the slot
    /// goes through this function.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn atomic_word(&self, slot: usize) -> &AtomicU64 {
        const { assert!(!K::IS_WORD || size_of::<K::Slot>() == 8 && align_of::<K::Slot>() == 8) };
        debug_assert!(K::IS_WORD && slot < self.slots.len());
        // SAFETY: size and alignment are asserted above; inside the table and only accessed
        // atomically: guaranteed by the caller.
        unsafe { AtomicU64::from_ptr(self.slots.get_unchecked(slot).get().cast()) }
    }

    /// Decodes the content of `slot`; `None` if it is empty.
    #[inline(always)]
    fn decode(&self, slot: usize, content: &K::Slot) -> Option<SlotContent<K>> {
        if K::is_empty(content) {
            return None;
        }
        let meta = K::meta(content, &self.geometry);
        let fields = &self.geometry.fields;
        Some(SlotContent {
            mixed: K::load(content, slot / self.geometry.width, &self.geometry),
            cost: fields.cost_of(meta),
            step: fields.step_of(meta),
        })
    }

    /// Finds the slot of `mixed`, or the empty slot where it belongs; `None` if all slots
    /// of the probe sequence hold other keys. Calls `read` for slots inside the table only.
    #[inline(always)]
    fn probe(&self, mixed: K, home: usize, read: impl Fn(usize) -> K::Slot) -> Option<Probe<K::Slot>> {
        self.probe_line(mixed, home, 0, &read).or_else(|| self.probe_further(mixed, home, &read))
    }

    /// Probes one line, at `distance` in the probe sequence.
    #[inline(always)]
    fn probe_line(
        &self,
        mixed: K,
        line: usize,
        distance: u32,
        read: &impl Fn(usize) -> K::Slot,
    ) -> Option<Probe<K::Slot>> {
        let g = &self.geometry;
        let start = mixed.start(g);
        let mut at = start;
        loop {
            let slot = line * g.width + at;
            let content = read(slot);
            if K::is_empty(&content) || mixed.is_in(&content, distance, g) {
                return Some(Probe { slot, distance, content });
            }
            at = (at + 1) & (g.width - 1);
            if at == start {
                return None;
            }
        }
    }

    /// Probes the lines after the home line. Rarely needed.
    #[cold]
    #[inline(never)]
    fn probe_further(
        &self,
        mixed: K,
        home: usize,
        read: &impl Fn(usize) -> K::Slot,
    ) -> Option<Probe<K::Slot>> {
        let g = &self.geometry;
        (1..g.max_probes()).find_map(|distance| {
            self.probe_line(mixed, g.probed_line(home, distance as usize), distance, read)
        })
    }

    /// Returns the new content of the probed slot and the result of the insertion; `None`
    /// if the slot already has an equal or lower cost.
    #[inline(always)]
    fn updated(&self, mixed: K, found: Probe<K::Slot>, cost: u32, step: u32) -> Option<(K::Slot, Insert)> {
        let Probe { slot, distance, content } = found;
        let g = &self.geometry;
        let meta = g.fields.join(cost, step);
        if K::is_empty(&content) {
            Some((mixed.store(distance, meta, g), Insert::New(slot as u32)))
        } else if g.fields.cost_of(K::meta(&content, g)) > cost {
            Some((K::with_meta(&content, meta, g), Insert::Better(slot as u32)))
        } else {
            None
        }
    }

    /// Inserts `mixed` with the cost and last move of a path to it, or lowers its cost.
    ///
    /// # Safety
    /// `home` is inside the table, and no other thread accesses its stripe during the call.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn insert_unsynchronised(&self, mixed: K, home: usize, cost: u32, step: u32) -> Insert {
        let g = &self.geometry;
        let slot = home * g.width + mixed.start(g);
        // SAFETY: the geometry keeps the slot inside the table; no other thread accesses the
        // stripe: guaranteed by the caller.
        unsafe {
            // Fast path: in most cases the first slot is empty.
            if K::is_empty(&self.read_unsynchronised(slot)) {
                *self.slots.get_unchecked(slot).get() = mixed.store(0, g.fields.join(cost, step), g);
                return Insert::New(slot as u32);
            }
            self.insert_probing(mixed, home, cost, step)
        }
    }

    /// Slow path of [`Table::insert_unsynchronised`]: the first slot is occupied.
    ///
    /// # Safety
    /// As for [`Table::insert_unsynchronised`].
    #[inline(never)]
    #[allow(unsafe_code)]
    unsafe fn insert_probing(&self, mixed: K, home: usize, cost: u32, step: u32) -> Insert {
        // SAFETY: the geometry keeps probed lines inside the table; no other thread accesses
        // the stripe: guaranteed by the caller.
        let found = self.probe(mixed, home, |slot| unsafe { self.read_unsynchronised(slot) });
        let Some(found) = found else { return Insert::Full };
        let Some((content, insert)) = self.updated(mixed, found, cost, step) else { return Insert::Seen };
        // SAFETY: `probe` returns slots inside the table; no other thread accesses the
        // stripe: guaranteed by the caller.
        unsafe { *self.slots.get_unchecked(found.slot).get() = content };
        insert
    }

    /// Inserts `mixed` or lowers its cost, concurrently with other threads. Slots are words.
    ///
    /// A key belongs into the first empty slot of its probe sequence. Slots are never
    /// emptied, so no thread can have stored the key behind that slot. If several threads
    /// claim the slot, one compare-and-swap succeeds and the others probe again.
    ///
    /// # Safety
    /// `home` is inside the table, slots are words, and all concurrent access to them goes
    /// through [`Table::atomic_word`].
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn insert_atomic(&self, mixed: K, home: usize, cost: u32, step: u32) -> Insert {
        // A slot is complete in itself, so relaxed ordering is enough.
        loop {
            // SAFETY: the geometry keeps probed lines inside the table; only accessed as
            // atomic words: guaranteed by the caller.
            let read = |slot| bytemuck::cast(unsafe { self.atomic_word(slot) }.load(Relaxed));
            let Some(found) = self.probe(mixed, home, read) else { return Insert::Full };
            let Some((content, insert)) = self.updated(mixed, found, cost, step) else { return Insert::Seen };
            // SAFETY: as above.
            let word = unsafe { self.atomic_word(found.slot) };
            let (before, after) = (bytemuck::cast(found.content), bytemuck::cast(content));
            if word.compare_exchange(before, after, Relaxed, Relaxed).is_ok() {
                return insert;
            }
        }
    }
}

/// Panic message for a slot number that does not stem from an insertion.
const OCCUPIED: &str = "slot numbers come from insertions, so their slots are occupied";

#[cfg(test)]
mod tests {
    use super::super::geometry::Fields;
    use super::super::key::Wide;
    use super::*;
    use parking_lot::RawMutex as Raw;
    use std::collections::HashMap;

    /// Returns a reproducible stream of pseudo-random numbers.
    fn pseudo_random(seed: u64) -> impl Iterator<Item = u64> {
        (seed..).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).mix(64))
    }

    fn agrees_with_a_map<K: Key>(bytes: usize, fields: Fields, key: impl Fn(u64) -> K) {
        let geometry = Geometry::fitting::<K>(bytes, fields).unwrap();
        let mut memory = vec![bytemuck::Zeroable::zeroed(); geometry.slots()];
        let mut table = Table::<K>::new(&mut memory, 0, geometry);
        let mut model: HashMap<u64, (u32, u32)> = HashMap::new();
        let mut slots: HashMap<u64, u32> = HashMap::new();
        let most = geometry.slots() * 9 / 10;
        for number in pseudo_random(1) {
            let id = number % (most as u64 * 2);
            let (cost, step) = ((number >> 32) as u32 % 100, (number >> 48) as u32 % 4);
            let insert = table.exclusive().insert(key(id).mix(fields.key), cost, step);
            let expected = match model.get(&id) {
                None if insert == Insert::Full => break,
                None => {
                    let Insert::New(slot) = insert else { panic!("{insert:?} of a new key") };
                    slots.insert(id, slot);
                    insert
                }
                Some(&(before, _)) if before > cost => Insert::Better(slots[&id]),
                Some(_) => Insert::Seen,
            };
            assert_eq!(insert, expected);
            if insert != Insert::Seen {
                model.insert(id, (cost, step));
            }
            if model.len() >= most {
                break;
            }
        }
        assert!(model.len() * 10 >= geometry.slots() * 8, "full at {} of {}", model.len(), geometry.slots());
        let frozen = table.freeze();
        let mut count = 0;
        frozen.for_each_in(0..geometry.lines, |_| count += 1);
        assert_eq!(count, model.len());
        for (&id, &(cost, step)) in &model {
            let mixed = key(id).mix(fields.key);
            let content = SlotContent { mixed, cost, step };
            assert_eq!(frozen.find(mixed), Some(content));
            assert_eq!(frozen.content(slots[&id]), content);
            assert_eq!(mixed.unmix(fields.key), key(id));
        }
    }

    #[test]
    fn the_table_is_an_exact_map_at_every_width() {
        agrees_with_a_map(1 << 17, Fields { key: 60, cost: 8, step: 2 }, |id| id);
        agrees_with_a_map(100_000, Fields { key: 32, cost: 8, step: 2 }, |id| id);
        agrees_with_a_map(1 << 18, Fields { key: 120, cost: 10, step: 2 }, |id| u128::from(id) << 50);
        agrees_with_a_map(1 << 18, Fields { key: 320, cost: 16, step: 2 }, |id| Wide([id, 0, 7, 0, id * 3]));
    }

    #[test]
    #[should_panic(expected = "one set of locks")]
    fn a_wide_table_is_not_shared_with_two_sets_of_locks() {
        let fields = Fields { key: 120, cost: 8, step: 2 };
        let geometry = Geometry::fitting::<u128>(1 << 18, fields).unwrap();
        let mut memory = vec![0u128; geometry.slots()];
        let table = Table::<u128>::new(&mut memory, 0, geometry);
        let (first, second) = (Locks::<Raw>::new(4), Locks::<Raw>::new(4));
        table.shared(&first);
        table.shared(&first);
        table.shared(&second);
    }

    #[test]
    fn threads_keep_the_cheapest_path_of_every_key() {
        let fields = Fields { key: 40, cost: 8, step: 2 };
        let geometry = Geometry::fitting::<u64>(1 << 18, fields).unwrap();
        let mut memory = vec![0u64; geometry.slots()];
        let table = Table::<u64>::new(&mut memory, 0, geometry);
        let locks = Locks::<Raw>::new(16);
        let keys = geometry.slots() as u64 * 8 / 10;
        let news: usize = std::thread::scope(|scope| {
            let run = |seed: u64| {
                let mut shared = table.shared(&locks);
                let mut news = 0;
                for number in pseudo_random(seed << 40).take(200_000) {
                    let (id, cost) = (number % keys, (number >> 50) as u32 % 200);
                    match shared.insert(id.mix(40), cost, cost % 4) {
                        Insert::New(slot) | Insert::Better(slot) => {
                            let content = shared.content(slot);
                            assert_eq!(content.mixed.unmix(40), id);
                            assert!(content.cost <= cost && content.step == content.cost % 4);
                            news += 1;
                        }
                        Insert::Seen => {}
                        Insert::Full => panic!("full"),
                    }
                }
                news
            };
            let threads: Vec<_> = (1..=8).map(|seed| scope.spawn(move || run(seed))).collect();
            threads.into_iter().map(|t| t.join().unwrap()).sum()
        });
        let mut cheapest: HashMap<u64, u32> = HashMap::new();
        for number in (1..=8u64).flat_map(|seed| pseudo_random(seed << 40).take(200_000)) {
            let cost = (number >> 50) as u32 % 200;
            cheapest.entry(number % keys).and_modify(|c| *c = cost.min(*c)).or_insert(cost);
        }
        let mut count = 0;
        table.freeze().for_each_in(0..geometry.lines, |content| {
            count += 1;
            assert_eq!(cheapest.get(&content.mixed.unmix(40)), Some(&content.cost));
        });
        assert_eq!(count, cheapest.len());
        assert!(news >= count);
    }
}
