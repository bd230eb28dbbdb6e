//! The visited table: open addressing in cache lines, inside stripes.
//!
//! The table lives in memory that it is given. It can be used in two ways: by
//! one owner, without any lock ([`Exclusive`]), or by many threads ([`Shared`]).
//! Among many, a slot that is one machine word is its own lock: it is read and
//! replaced atomically, and what it says needs no other word to be understood.
//! Wider slots have one lock for a stripe. Slots never move and are never
//! removed, so the number of a slot stays good until the table is rehashed into
//! a larger one.

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
pub struct SlotContent<K> {
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
        let meta = g.fields.join(cost, step);
        if K::is_empty(&content) {
            Some((mixed.store(distance, meta, g), Insert::New(slot as u32)))
        } else if g.fields.cost_of(K::meta(&content, g)) > cost {
            Some((K::with_meta(&content, meta, g), Insert::Better(slot as u32)))
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
        let g = &self.geometry;
        let slot = home * g.width + mixed.start(g);
        // SAFETY: lines lie inside the table by the geometry; nobody else reads or
        // writes the stripe: the caller's duty.
        unsafe {
            // Most places are empty: nothing is to be compared or gone on with then.
            if K::is_empty(&self.plain(slot)) {
                *self.slots.get_unchecked(slot).get() = mixed.store(0, g.fields.join(cost, step), g);
                return Insert::New(slot as u32);
            }
            self.put_beside(mixed, home, cost, step)
        }
    }

    /// The same where the first place is not empty.
    ///
    /// # Safety
    /// As for [`Table::put`].
    #[inline(never)]
    #[allow(unsafe_code)]
    unsafe fn put_beside(&self, mixed: K, home: usize, cost: u32, step: u32) -> Insert {
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
    /// The home line is inside the table, slots are words, and nobody uses them
    /// otherwise than by [`Table::word`] meanwhile.
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

/// Why a slot that was asked for is in use.
const FILLED: &str = "a slot's number is given out when it is filled";

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
            let known = SlotContent { mixed, cost, step };
            assert_eq!(frozen.find(mixed), Some(known));
            assert_eq!(frozen.content(slots[&id]), known);
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
                            let known = shared.content(slot);
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
