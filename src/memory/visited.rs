//! The visited table: open addressing in cache lines, inside stripes.
//!
//! The table lives in memory that it is given. It can be used in two ways: by
//! one owner, without any lock ([`Exclusive`]), or by many threads ([`Shared`]).
//! Among many, a slot that is one machine word is its own lock: it is read and
//! replaced atomically, and what it says needs no other word to be understood.
//! Wider slots have one lock for a stripe. Slots never move and are never
//! removed, so the number of a slot stays good until the table is rehashed into
//! a larger one.

use super::geometry::Geometry;
use super::key::Key;
use lock_api::{Mutex, MutexGuard, RawMutex};
use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What became of an insertion. The number is that of the state's slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Insert {
    /// The state was not known.
    New(u32),
    /// The state was known, but only by a dearer way.
    Better(u32),
    /// The state is known by a way that is as cheap or cheaper.
    Seen,
    /// The lines where the state could lie are full.
    Full,
}

/// A used slot, read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known<K> {
    /// The mixed key.
    pub mixed: K,
    /// The cost of the cheapest known way.
    pub cost: u32,
    /// The last move of that way.
    pub step: u32,
}

/// Keys with their costs and moves, in borrowed memory.
#[derive(Debug)]
pub struct Table<'m, K: Key> {
    slots: &'m [UnsafeCell<K::Slot>],
    geometry: Geometry,
}

#[allow(unsafe_code)]
// SAFETY: slots are reached only through `&mut Table` (nobody else has it); by
// many threads atomically if they are words, else under the lock of their
// stripe; or in a `Frozen` table, to which nobody writes.
unsafe impl<K: Key> Sync for Table<'_, K> {}
#[allow(unsafe_code)]
// SAFETY: the table is the only one to hold its memory, as if by `&mut`.
unsafe impl<K: Key> Send for Table<'_, K> {}

/// Locks for the stripes of one table after another. A lock may serve several
/// stripes.
pub struct Locks<L: RawMutex>(Box<[Padded<L>]>);

/// A lock in a cache line of its own.
#[repr(align(64))]
struct Padded<L>(Mutex<L, ()>);

impl<L: RawMutex> Locks<L> {
    /// `count` locks, rounded up to a power of two.
    pub fn new(count: usize) -> Self {
        Self((0..count.next_power_of_two()).map(|_| Padded(Mutex::new(()))).collect())
    }

    /// Bytes of `count` locks.
    pub fn bytes(count: usize) -> usize {
        count.next_power_of_two() * size_of::<Padded<L>>()
    }

    /// Asks the processor to fetch a stripe's lock.
    #[inline(always)]
    fn prefetch(&self, stripe: usize) {
        super::prefetch_to_write(&raw const self.0[stripe & (self.0.len() - 1)]);
    }

    #[inline(always)]
    fn hold(&self, stripe: usize) -> MutexGuard<'_, L, ()> {
        self.0[stripe & (self.0.len() - 1)].0.lock()
    }
}

impl<'m, K: Key> Table<'m, K> {
    /// An empty table in `memory`. Its first `used` slots are cleared, as far as
    /// the table reaches; the others are all zero already.
    ///
    /// # Panics
    /// If the memory is smaller than the geometry says.
    pub fn new(memory: &'m mut [K::Slot], used: usize, geometry: Geometry) -> Self {
        assert!(memory.len() >= geometry.slots());
        memory[..used.min(geometry.slots())].fill(bytemuck::Zeroable::zeroed());
        debug_assert!(memory[..geometry.slots()].iter().all(K::is_empty));
        #[allow(unsafe_code)]
        // SAFETY: `UnsafeCell<T>` has the layout of `T`, and the exclusive borrow
        // is given up for the shared one, so all access goes through the cells.
        let slots = unsafe { &*(std::ptr::from_mut(memory) as *const [UnsafeCell<K::Slot>]) };
        Self { slots, geometry }
    }

    /// The memory that the table was given, with whatever is in it.
    pub fn into_memory(self) -> &'m mut [K::Slot] {
        let cells = std::ptr::from_ref(self.slots);
        #[allow(unsafe_code)]
        // SAFETY: the table was the only one to hold the memory, for all of 'm,
        // and it ends here.
        unsafe {
            &mut *UnsafeCell::raw_get(cells as *const UnsafeCell<[K::Slot]>)
        }
    }

    /// The table's shape.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Asks the processor to fetch a mixed key's home line, and tells which that is.
    #[inline(always)]
    pub fn prefetch(&self, mixed: K) -> usize {
        let home = mixed.home(&self.geometry);
        self.prefetch_slot(home * self.geometry.width);
        home
    }

    /// Asks the processor to fetch a slot.
    #[inline(always)]
    pub fn prefetch_slot(&self, slot: usize) {
        super::prefetch(self.slots.as_ptr().wrapping_add(slot));
    }

    /// Owner's access, without locks.
    pub fn exclusive(&mut self) -> Exclusive<'_, 'm, K> {
        Exclusive(self)
    }

    /// One thread's access among many. All of them must use the same locks.
    pub fn shared<'a, L: RawMutex>(&'a self, locks: &'a Locks<L>) -> Shared<'a, 'm, K, L> {
        Shared { table: self, locks }
    }

    /// Ends all writing.
    pub fn freeze(self) -> Frozen<'m, K> {
        Frozen(self)
    }

    /// A slot's content, read by its only user.
    ///
    /// # Safety
    /// Nobody writes to the slot meanwhile, and it is inside the table.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn plain(&self, slot: usize) -> K::Slot {
        debug_assert!(slot < self.slots.len());
        // SAFETY: inside the table, and not written to: the caller's duty.
        unsafe { *self.slots.get_unchecked(slot).get() }
    }

    /// A slot that is a word, for many users at once.
    ///
    /// # Safety
    /// The slot is inside the table and a word, and whoever else reads or writes
    /// it meanwhile does so by this, too.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn word(&self, slot: usize) -> &AtomicU64 {
        const { assert!(!K::IS_WORD || size_of::<K::Slot>() == 8 && align_of::<K::Slot>() == 8) };
        debug_assert!(K::IS_WORD && slot < self.slots.len());
        // SAFETY: inside the table; of a word's size and alignment; only used
        // atomically: the caller's duty.
        unsafe { AtomicU64::from_ptr(self.slots.get_unchecked(slot).get().cast()) }
    }

    /// What a slot's content says.
    #[inline(always)]
    fn decode(&self, slot: usize, content: &K::Slot) -> Option<Known<K>> {
        if K::is_empty(content) {
            return None;
        }
        let note = K::note(content, &self.geometry);
        let fields = &self.geometry.fields;
        Some(Known {
            mixed: K::load(content, slot / self.geometry.width, &self.geometry),
            cost: fields.cost_of(note),
            step: fields.step_of(note),
        })
    }

    /// The slot of a mixed key and its content, or the empty slot where it
    /// would go, or nothing if its lines are full. `read` is asked for slots
    /// inside the table only.
    #[inline(always)]
    fn probe(&self, mixed: K, home: usize, read: impl Fn(usize) -> K::Slot) -> Option<(usize, u32, K::Slot)> {
        self.probe_line(mixed, home, 0, &read).or_else(|| self.probe_on(mixed, home, &read))
    }

    /// The same in one line, at a distance from the home line.
    #[inline(always)]
    fn probe_line(
        &self,
        mixed: K,
        line: usize,
        distance: u32,
        read: &impl Fn(usize) -> K::Slot,
    ) -> Option<(usize, u32, K::Slot)> {
        let g = &self.geometry;
        let start = mixed.start(g);
        let mut at = start;
        loop {
            let slot = line * g.width + at;
            let content = read(slot);
            if K::is_empty(&content) || mixed.is_in(&content, distance, g) {
                return Some((slot, distance, content));
            }
            at = (at + 1) & (g.width - 1);
            if at == start {
                return None;
            }
        }
    }

    /// The same in the lines after the home line, which are seldom looked at.
    #[cold]
    #[inline(never)]
    fn probe_on(
        &self,
        mixed: K,
        home: usize,
        read: &impl Fn(usize) -> K::Slot,
    ) -> Option<(usize, u32, K::Slot)> {
        let g = &self.geometry;
        (1..g.reach())
            .find_map(|distance| self.probe_line(mixed, g.after(home, distance as usize), distance, read))
    }

    /// What the slot that was found for a mixed key should hold, and what that
    /// makes of the insertion.
    #[inline(always)]
    fn change(
        &self,
        mixed: K,
        (slot, distance, content): (usize, u32, K::Slot),
        cost: u32,
        step: u32,
    ) -> Option<(K::Slot, Insert)> {
        let g = &self.geometry;
        let note = g.fields.join(cost, step);
        if K::is_empty(&content) {
            Some((mixed.store(distance, note, g), Insert::New(slot as u32)))
        } else if g.fields.cost_of(K::note(&content, g)) > cost {
            Some((K::renote(&content, note, g), Insert::Better(slot as u32)))
        } else {
            None
        }
    }

    /// Inserts a mixed key with the cost of a way to it and that way's last
    /// move, or lowers the cost of a known one.
    ///
    /// # Safety
    /// The home line is inside the table, and nobody else reads or writes its stripe
    /// meanwhile.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn put(&self, mixed: K, home: usize, cost: u32, step: u32) -> Insert {
        // SAFETY: lines lie inside the table by the geometry; nobody writes to
        // the stripe: the caller's duty.
        let found = self.probe(mixed, home, |slot| unsafe { self.plain(slot) });
        let Some(found) = found else { return Insert::Full };
        let Some((content, insert)) = self.change(mixed, found, cost, step) else { return Insert::Seen };
        // SAFETY: `probe` gives slots inside the table; nobody else reads or
        // writes it: the caller's duty.
        unsafe { *self.slots.get_unchecked(found.0).get() = content };
        insert
    }

    /// The same among others, where slots are words.
    ///
    /// A key's place is the first empty slot on its way. Slots are never
    /// emptied, so nobody can have passed that one; of all who want it one gets
    /// it, and the others look again.
    ///
    /// # Safety
    /// The home line is inside the table, slots are words, and nobody uses them otherwise than by
    /// [`Table::word`] meanwhile.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn put_among_others(&self, mixed: K, home: usize, cost: u32, step: u32) -> Insert {
        // A slot says all by itself, so its reads and writes need no order.
        loop {
            // SAFETY: lines lie inside the table by the geometry; only used as
            // words: the caller's duty.
            let read = |slot| bytemuck::cast(unsafe { self.word(slot) }.load(Relaxed));
            let Some(found) = self.probe(mixed, home, read) else { return Insert::Full };
            let Some((content, insert)) = self.change(mixed, found, cost, step) else { return Insert::Seen };
            let (slot, _, before) = found;
            // SAFETY: as above.
            let word = unsafe { self.word(slot) };
            if word
                .compare_exchange(bytemuck::cast(before), bytemuck::cast(content), Relaxed, Relaxed)
                .is_ok()
            {
                return insert;
            }
        }
    }
}

/// What a search does with a table, alone or among others.
pub trait Access<K: Key> {
    /// Whether others use the table at the same time.
    const IS_SHARED: bool;
    /// The table's prefetch of a mixed key; its home line.
    fn prefetch(&self, mixed: K) -> usize;
    /// The table's prefetch of a slot.
    fn prefetch_slot(&self, slot: u32);
    /// The home line of a mixed key.
    fn home(&self, mixed: K) -> usize;
    /// Inserts a mixed key or lowers its cost.
    #[inline(always)]
    fn insert(&mut self, mixed: K, cost: u32, step: u32) -> Insert {
        self.insert_from(self.home(mixed), mixed, cost, step)
    }
    /// The same, from its home line on.
    fn insert_from(&mut self, home: usize, mixed: K, cost: u32, step: u32) -> Insert;
    /// Reads a used slot.
    fn known(&mut self, slot: u32) -> Known<K>;
}

/// Why a slot that was asked for is in use.
const FILLED: &str = "a slot's number is given out when it is filled";

/// The access of a table's only user.
#[derive(Debug)]
pub struct Exclusive<'a, 'm, K: Key>(&'a mut Table<'m, K>);

/// The access of one user among many.
pub struct Shared<'a, 'm, K: Key, L: RawMutex> {
    table: &'a Table<'m, K>,
    locks: &'a Locks<L>,
}

impl<K: Key> Access<K> for Exclusive<'_, '_, K> {
    const IS_SHARED: bool = false;

    #[inline(always)]
    fn prefetch(&self, mixed: K) -> usize {
        self.0.prefetch(mixed)
    }

    #[inline(always)]
    fn home(&self, mixed: K) -> usize {
        mixed.home(&self.0.geometry)
    }

    #[inline(always)]
    fn prefetch_slot(&self, slot: u32) {
        self.0.prefetch_slot(slot as usize);
    }

    #[inline(always)]
    fn insert_from(&mut self, home: usize, mixed: K, cost: u32, step: u32) -> Insert {
        debug_assert_eq!(home, self.home(mixed));
        assert!(home < self.0.geometry.lines);
        #[allow(unsafe_code)]
        // SAFETY: `&mut Table`: nobody else can reach the slots; the line is inside
        // the table.
        unsafe {
            self.0.put(mixed, home, cost, step)
        }
    }

    #[inline(always)]
    fn known(&mut self, slot: u32) -> Known<K> {
        assert!((slot as usize) < self.0.slots.len());
        #[allow(unsafe_code)]
        // SAFETY: inside the table, and `&mut Table`: nobody else can reach it.
        let content = unsafe { self.0.plain(slot as usize) };
        self.0.decode(slot as usize, &content).expect(FILLED)
    }
}

impl<K: Key, L: RawMutex> Access<K> for Shared<'_, '_, K, L> {
    const IS_SHARED: bool = true;

    #[inline(always)]
    fn prefetch(&self, mixed: K) -> usize {
        let home = self.home(mixed);
        self.prefetch_slot((home * self.table.geometry.width) as u32);
        home
    }

    #[inline(always)]
    fn home(&self, mixed: K) -> usize {
        mixed.home(&self.table.geometry)
    }

    #[inline(always)]
    fn prefetch_slot(&self, slot: u32) {
        self.table.prefetch_slot(slot as usize);
        if !K::IS_WORD {
            self.locks.prefetch(self.table.geometry.stripe(slot as usize));
        }
    }

    #[inline(always)]
    fn insert_from(&mut self, home: usize, mixed: K, cost: u32, step: u32) -> Insert {
        debug_assert_eq!(home, self.home(mixed));
        assert!(home < self.table.geometry.lines);
        #[allow(unsafe_code)]
        if K::IS_WORD {
            // SAFETY: the line is inside the table; slots are words; while the table is lent out for sharing,
            // all use them so.
            unsafe { self.table.put_among_others(mixed, home, cost, step) }
        } else {
            let _held = self.locks.hold(home >> self.table.geometry.stripe_shift);
            // SAFETY: the line is inside the table; the stripe's lock is held, and
            // probing stays inside it.
            unsafe { self.table.put(mixed, home, cost, step) }
        }
    }

    #[inline(always)]
    fn known(&mut self, slot: u32) -> Known<K> {
        let slot = slot as usize;
        assert!(slot < self.table.slots.len());
        #[allow(unsafe_code)]
        let content = if K::IS_WORD {
            // SAFETY: inside the table and a word; while the table is lent out
            // for sharing, all use it so.
            bytemuck::cast(unsafe { self.table.word(slot) }.load(Relaxed))
        } else {
            let _held = self.locks.hold(self.table.geometry.stripe(slot));
            // SAFETY: inside the table, and the stripe's lock is held.
            unsafe { self.table.plain(slot) }
        };
        self.table.decode(slot, &content).expect(FILLED)
    }
}

/// A table that nobody writes to any more: it is read without locks.
#[derive(Debug)]
pub struct Frozen<'m, K: Key>(Table<'m, K>);

impl<'m, K: Key> Frozen<'m, K> {
    /// The table's shape.
    pub fn geometry(&self) -> &Geometry {
        &self.0.geometry
    }

    /// Asks the processor to fetch the two lines where a mixed key is looked for
    /// first: a frozen table is nearly full, and most keys that are looked for are
    /// not in it.
    #[inline(always)]
    pub fn prefetch(&self, mixed: K) {
        let geometry = &self.0.geometry;
        let home = mixed.home(geometry);
        for line in [home, geometry.after(home, 1)] {
            self.0.prefetch_slot(line * geometry.width);
        }
    }

    /// The table, to be written to again.
    pub fn thaw(self) -> Table<'m, K> {
        self.0
    }

    /// Finds a mixed key.
    #[inline(always)]
    pub fn find(&self, mixed: K) -> Option<Known<K>> {
        let (_, content) = self.locate(mixed)?;
        let g = &self.0.geometry;
        let note = K::note(&content, g);
        Some(Known { mixed, cost: g.fields.cost_of(note), step: g.fields.step_of(note) })
    }

    /// The slot of a mixed key.
    #[inline(always)]
    pub fn slot_of(&self, mixed: K) -> Option<u32> {
        self.locate(mixed).map(|(slot, _)| slot as u32)
    }

    #[inline(always)]
    fn locate(&self, mixed: K) -> Option<(usize, K::Slot)> {
        #[allow(unsafe_code)]
        // SAFETY: lines lie inside the table by the geometry, and nobody writes
        // to a frozen table.
        let read = |slot| unsafe { self.0.plain(slot) };
        let (slot, _, content) = self.0.probe(mixed, mixed.home(&self.0.geometry), read)?;
        (!K::is_empty(&content)).then_some((slot, content))
    }

    /// Asks the processor to fetch a slot.
    #[inline(always)]
    pub fn prefetch_slot(&self, slot: u32) {
        self.0.prefetch_slot(slot as usize);
    }

    /// Reads a used slot.
    #[inline]
    pub fn known(&self, slot: u32) -> Known<K> {
        let slot = slot as usize;
        assert!(slot < self.0.slots.len());
        #[allow(unsafe_code)]
        // SAFETY: inside the table, and nobody writes to a frozen table.
        let content = unsafe { self.0.plain(slot) };
        self.0.decode(slot, &content).expect(FILLED)
    }

    /// Calls `visit` with the content of every used slot of some lines.
    pub fn for_each_in(&self, lines: Range<usize>, mut visit: impl FnMut(Known<K>)) {
        let g = &self.0.geometry;
        assert!(lines.end <= g.lines);
        for slot in lines.start * g.width..lines.end * g.width {
            #[allow(unsafe_code)]
            // SAFETY: inside the table, and nobody writes to a frozen table.
            let content = unsafe { self.0.plain(slot) };
            if let Some(known) = self.0.decode(slot, &content) {
                visit(known);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::Fields;
    use super::super::key::Wide;
    use super::*;
    use parking_lot::RawMutex as Raw;
    use std::collections::HashMap;

    /// A stream of numbers that is the same on every machine.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        (seed..).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).mix(64))
    }

    fn agrees_with_a_map<K: Key>(bytes: usize, fields: Fields, key: impl Fn(u64) -> K) {
        let geometry = Geometry::fitting::<K>(bytes, fields).unwrap();
        let mut memory = vec![bytemuck::Zeroable::zeroed(); geometry.slots()];
        let mut table = Table::<K>::new(&mut memory, 0, geometry);
        let mut model: HashMap<u64, (u32, u32)> = HashMap::new();
        let mut slots: HashMap<u64, u32> = HashMap::new();
        let most = geometry.slots() * 9 / 10;
        for number in numbers(1) {
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
                Some(&(known, _)) if known > cost => Insert::Better(slots[&id]),
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
            let known = Known { mixed, cost, step };
            assert_eq!(frozen.find(mixed), Some(known));
            assert_eq!(frozen.known(slots[&id]), known);
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
    fn threads_keep_the_cheapest_way_of_every_key() {
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
                for number in numbers(seed << 40).take(200_000) {
                    let (id, cost) = (number % keys, (number >> 50) as u32 % 200);
                    match shared.insert(id.mix(40), cost, cost % 4) {
                        Insert::New(slot) | Insert::Better(slot) => {
                            let known = shared.known(slot);
                            assert_eq!(known.mixed.unmix(40), id);
                            assert!(known.cost <= cost && known.step == known.cost % 4);
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
        for number in (1..=8u64).flat_map(|seed| numbers(seed << 40).take(200_000)) {
            let cost = (number >> 50) as u32 % 200;
            cheapest.entry(number % keys).and_modify(|c| *c = cost.min(*c)).or_insert(cost);
        }
        let mut count = 0;
        table.freeze().for_each_in(0..geometry.lines, |known| {
            count += 1;
            assert_eq!(cheapest.get(&known.mixed.unmix(40)), Some(&known.cost));
        });
        assert_eq!(count, cheapest.len());
        assert!(news >= count);
    }
}
