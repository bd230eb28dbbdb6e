//! The ways to keep states that are compared.
//!
//! Each keeps, for a key, a cost and a move; a key that comes again at no lower
//! cost changes nothing.

use batch_solve::memory::{
    Key,
    geometry::{Fields, Geometry},
    visited::{Access, Insert, Locks, Table},
};
use dashmap::DashMap;
use hashbrown::HashMap;
use parking_lot::{Mutex, RawMutex};

/// Keys under way at once.
const BATCH: usize = 128;

/// The fields of a slot, as for a 15-puzzle.
const FIELDS: Fields = Fields { key: 60, cost: 8, step: 2 };

/// Shards of the dashmap, and locks of the table.
const SHARDS: usize = 1024;

pub(crate) trait Store {
    /// Forgets all states.
    fn clear(&mut self);
    /// Inserts keys; how many were new.
    fn fill(&mut self, keys: &[u64]) -> usize;
    /// Offers keys again; how many were known.
    fn ask(&mut self, keys: &[u64]) -> usize;
    /// Panics unless it holds exactly `count` of these keys, with their notes,
    /// and nothing else.
    fn assert_holds(&mut self, keys: &[u64], count: usize);
}

/// Cost and move of a key.
fn note(key: u64) -> (u32, u32) {
    ((key >> 7) as u32 % 80, (key >> 3) as u32 % 4)
}

/// Cost and move as the maps keep them.
fn value(key: u64) -> u16 {
    let (cost, step) = note(key);
    (cost << 2 | step) as u16
}

/// Runs `work` on equal parts of the keys, each on a thread of its own.
fn divide(keys: &[u64], threads: usize, work: impl Fn(&[u64]) -> usize + Sync) -> usize {
    if threads == 1 {
        return work(keys);
    }
    std::thread::scope(|scope| {
        let parts = keys.chunks(keys.len().div_ceil(threads));
        let running: Vec<_> = parts.map(|part| scope.spawn(|| work(part))).collect();
        running.into_iter().map(|thread| thread.join().expect("no thread panics")).sum()
    })
}

/// How the visited table is reached.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    /// By its owner, without locks.
    Exclusive,
    /// By so many threads, each slot being its own lock.
    Shared(usize),
}

/// The visited table.
pub(crate) struct Slots<'m> {
    table: Option<Table<'m, u64>>,
    locks: Locks<RawMutex>,
    way: Way,
    batched: bool,
}

impl<'m> Slots<'m> {
    pub(crate) fn new(memory: &'m mut [u64], way: Way, batched: bool) -> Self {
        let geometry = Geometry::fitting::<u64>(size_of_val(memory), FIELDS).expect("large enough");
        assert_eq!(geometry.slots(), memory.len(), "no slot is left over");
        let used = memory.len();
        let table = Some(Table::new(memory, used, geometry));
        Self { table, locks: Locks::new(SHARDS), way, batched }
    }

    /// Offers each key; how many times the answer was as asked for.
    fn offer(&mut self, keys: &[u64], counts: impl Fn(Insert) -> bool + Sync) -> usize {
        let (locks, batched) = (&self.locks, self.batched);
        let table = self.table.as_mut().expect("there between two calls");
        match self.way {
            Way::Exclusive => offer(&mut table.exclusive(), keys, batched, &counts),
            Way::Shared(threads) => {
                let table = &*table;
                divide(keys, threads, |part| offer(&mut table.shared(locks), part, batched, &counts))
            }
        }
    }
}

fn offer(
    table: &mut impl Access<u64>,
    keys: &[u64],
    batched: bool,
    counts: &impl Fn(Insert) -> bool,
) -> usize {
    let mut count = 0;
    if !batched {
        for &key in keys {
            let (cost, step) = note(key);
            count += usize::from(counts(table.insert(key.mix(FIELDS.key), cost, step)));
        }
        return count;
    }
    let mut mixed = [0; BATCH];
    for keys in keys.chunks(BATCH) {
        for (mixed, key) in mixed.iter_mut().zip(keys) {
            *mixed = key.mix(FIELDS.key);
            table.prefetch(*mixed);
        }
        for (&mixed, &key) in mixed.iter().zip(keys) {
            let (cost, step) = note(key);
            count += usize::from(counts(table.insert(mixed, cost, step)));
        }
    }
    count
}

impl Store for Slots<'_> {
    fn clear(&mut self) {
        let table = self.table.take().expect("there between two calls");
        let geometry = *table.geometry();
        self.table = Some(Table::new(table.into_memory(), geometry.slots(), geometry));
    }

    fn fill(&mut self, keys: &[u64]) -> usize {
        self.offer(keys, |insert| matches!(insert, Insert::New(_)))
    }

    fn ask(&mut self, keys: &[u64]) -> usize {
        self.offer(keys, |insert| insert == Insert::Seen)
    }

    fn assert_holds(&mut self, keys: &[u64], count: usize) {
        let table = self.table.take().expect("there between two calls").freeze();
        let mut held = 0;
        table.for_each_in(0..table.geometry().lines(), |known| {
            assert_eq!((known.cost, known.step), note(known.mixed.unmix(FIELDS.key)));
            held += 1;
        });
        let found = keys.iter().filter(|key| table.slot_of(key.mix(FIELDS.key)).is_some()).count();
        assert_eq!((held, found), (count, count));
        self.table = Some(table.thaw());
    }
}

type Hasher = ahash::RandomState;

/// A hash map that one thread owns.
pub(crate) struct Plain(HashMap<u64, u16, Hasher>);

impl Plain {
    pub(crate) fn new(capacity: usize) -> Self {
        Self(HashMap::with_capacity_and_hasher(capacity, Hasher::default()))
    }
}

/// Inserts a key or lowers its cost; whether it was new.
fn put(map: &mut HashMap<u64, u16, Hasher>, key: u64) -> bool {
    let new = value(key);
    match map.entry(key) {
        hashbrown::hash_map::Entry::Vacant(entry) => {
            entry.insert(new);
            true
        }
        hashbrown::hash_map::Entry::Occupied(mut entry) => {
            if *entry.get() >> 2 > new >> 2 {
                entry.insert(new);
            }
            false
        }
    }
}

impl Store for Plain {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn fill(&mut self, keys: &[u64]) -> usize {
        keys.iter().filter(|&&key| put(&mut self.0, key)).count()
    }

    fn ask(&mut self, keys: &[u64]) -> usize {
        keys.iter().filter(|&&key| !put(&mut self.0, key)).count()
    }

    fn assert_holds(&mut self, keys: &[u64], count: usize) {
        assert_eq!((self.0.len(), keys.len()), (count, count));
        assert!(keys.iter().all(|&key| self.0.get(&key) == Some(&value(key))));
    }
}

/// A hash map behind one lock.
pub(crate) struct Locked {
    map: Mutex<Plain>,
    threads: usize,
}

impl Locked {
    pub(crate) fn new(capacity: usize, threads: usize) -> Self {
        Self { map: Mutex::new(Plain::new(capacity)), threads }
    }
}

impl Store for Locked {
    fn clear(&mut self) {
        self.map.get_mut().clear();
    }

    fn fill(&mut self, keys: &[u64]) -> usize {
        divide(keys, self.threads, |part| {
            part.iter().filter(|&&key| put(&mut self.map.lock().0, key)).count()
        })
    }

    fn ask(&mut self, keys: &[u64]) -> usize {
        divide(keys, self.threads, |part| {
            part.iter().filter(|&&key| !put(&mut self.map.lock().0, key)).count()
        })
    }

    fn assert_holds(&mut self, keys: &[u64], count: usize) {
        self.map.get_mut().assert_holds(keys, count);
    }
}

/// A hash map in shards with a lock each.
pub(crate) struct Dash {
    map: DashMap<u64, u16, Hasher>,
    threads: usize,
}

impl Dash {
    pub(crate) fn new(capacity: usize, threads: usize) -> Self {
        let map = DashMap::with_capacity_and_hasher_and_shard_amount(capacity, Hasher::default(), SHARDS);
        Self { map, threads }
    }

    fn put(&self, key: u64) -> bool {
        let new = value(key);
        match self.map.entry(key) {
            dashmap::Entry::Vacant(entry) => {
                entry.insert(new);
                true
            }
            dashmap::Entry::Occupied(mut entry) => {
                if *entry.get() >> 2 > new >> 2 {
                    entry.insert(new);
                }
                false
            }
        }
    }
}

impl Store for Dash {
    fn clear(&mut self) {
        self.map.clear();
    }

    fn fill(&mut self, keys: &[u64]) -> usize {
        divide(keys, self.threads, |part| part.iter().filter(|&&key| self.put(key)).count())
    }

    fn ask(&mut self, keys: &[u64]) -> usize {
        divide(keys, self.threads, |part| part.iter().filter(|&&key| !self.put(key)).count())
    }

    fn assert_holds(&mut self, keys: &[u64], count: usize) {
        assert_eq!((self.map.len(), keys.len()), (count, count));
        assert!(keys.iter().all(|key| self.map.get(key).is_some_and(|held| *held == value(*key))));
    }
}
