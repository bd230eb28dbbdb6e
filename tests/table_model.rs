//! The concurrent table and the pool of chunks against a model: all schedules
//! that chance gives, full to the last slot, in stripes of a line or two.
//!
//! Three ways to look at the same code:
//! * real threads, many of them, on tables that run full;
//! * shuttle, which runs one thread at a time and decides at each lock, and at
//!   each look at a slot, who is next (`Watched` asks it there);
//! * Miri, which sees data races and wrong pointers, on the same tests made
//!   small: `cargo +nightly miri test --test table_model`.

use batch_solve::memory::chunks::{Chain, Full, Pool};
use batch_solve::memory::geometry::{Fields, Geometry};
use batch_solve::memory::visited::{Access, Insert, Locks, Table};
use batch_solve::memory::{Key, Line, Region, Wide};
use bytemuck::Zeroable;
use lock_api::RawMutex;
use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

/// A stream of numbers that is the same on every machine.
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    (seed << 32..).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).mix(64))
}

/// What one thread asked for and was told.
#[derive(Clone, Copy, Debug)]
struct Event {
    id: u64,
    cost: u32,
    step: u32,
    answer: Insert,
}

/// One thread's insertions, each followed by a look at what was stored.
fn insert_all<K: Key>(
    access: &mut impl Access<K>,
    requests: impl Iterator<Item = (u64, u32, u32)>,
    key: impl Fn(u64) -> K,
    bits: u32,
) -> Vec<Event> {
    let mut events = Vec::new();
    for (id, cost, step) in requests {
        let answer = access.insert(key(id).mix(bits), cost, step);
        if let Insert::New(slot) | Insert::Better(slot) = answer {
            let known = access.content(slot);
            assert_eq!(known.mixed, key(id).mix(bits), "a slot keeps its key");
            assert!(known.cost <= cost, "costs never rise");
        }
        events.push(Event { id, cost, step, answer });
    }
    events
}

/// Whether all that the threads were told, and what is left in the table, can
/// have come about one insertion at a time. Returns how many keys there are.
fn judge<K: Key>(mut table: Table<'_, K>, events: &[Event], key: impl Fn(u64) -> K, bits: u32) -> usize {
    let mut of_key: HashMap<u64, Vec<Event>> = HashMap::new();
    events.iter().for_each(|event| of_key.entry(event.id).or_default().push(*event));
    let (mut used, slots) = (0, table.geometry().slots());
    let mut places = vec![false; slots];
    {
        let mut exclusive = table.exclusive();
        let mut taken = |slot: u32| {
            let place = &mut places[slot as usize];
            assert!(!std::mem::replace(place, true), "two keys in one slot");
            exclusive.content(slot)
        };
        for (&id, events) in &of_key {
            let stored: Vec<&Event> =
                events.iter().filter(|e| matches!(e.answer, Insert::New(_) | Insert::Better(_))).collect();
            let news: Vec<u32> = events
                .iter()
                .filter_map(|e| if let Insert::New(slot) = e.answer { Some(slot) } else { None })
                .collect();
            if news.is_empty() {
                assert!(events.iter().all(|e| e.answer == Insert::Full), "{id}: {events:?}");
                continue;
            }
            used += 1;
            assert_eq!(news.len(), 1, "{id} was new twice: {events:?}");
            assert!(events.iter().all(|e| e.answer != Insert::Full), "{id}: full after all: {events:?}");
            let mut costs: Vec<u32> = stored.iter().map(|e| e.cost).collect();
            costs.sort_unstable();
            assert!(costs.windows(2).all(|pair| pair[0] < pair[1]), "{id} is no better: {events:?}");
            let least = events.iter().map(|e| e.cost).min().unwrap();
            assert_eq!(costs[0], least, "{id}: {events:?}");
            let known = taken(news[0]);
            let last = stored.iter().find(|e| e.cost == least).unwrap();
            assert_eq!((known.mixed, known.cost, known.step), (key(id).mix(bits), least, last.step));
            for event in stored {
                let (Insert::New(slot) | Insert::Better(slot)) = event.answer else { continue };
                assert_eq!(slot, news[0], "{id} moved: {events:?}");
            }
        }
    }
    let frozen = table.freeze();
    for &id in of_key.keys() {
        let is_full = of_key[&id].iter().any(|e| e.answer == Insert::Full);
        assert_eq!(frozen.find(key(id).mix(bits)).is_none(), is_full);
    }
    assert_eq!(used, places.iter().filter(|&&place| place).count());
    used
}

/// A table of about so many bytes, with stripes of `1 << shift` lines.
fn striped<K: Key>(bytes: usize, fields: Fields, shift: u32) -> Geometry {
    let geometry = Geometry::fitting::<K>(bytes, fields).unwrap();
    geometry.with_stripe_shift(shift)
}

/// Real threads, more keys than slots.
fn stress<K: Key>(
    geometry: Geometry,
    threads: u64,
    each: usize,
    locks: usize,
    key: impl Fn(u64) -> K + Sync,
) {
    let bits = geometry.fields().key;
    let mut memory = vec![K::Slot::zeroed(); geometry.slots()];
    let table = Table::<K>::new(&mut memory, 0, geometry);
    let locks = Locks::<parking_lot::RawMutex>::new(locks);
    // Few that come often, and so many others that no line stays empty.
    let (few, many) = (geometry.slots() as u64 / 2, 32 * geometry.slots() as u64);
    let events: Vec<Event> = std::thread::scope(|scope| {
        let run = |thread: u64| {
            let requests = numbers(thread).take(each).map(|number| {
                let id = (number >> 8) % if number % 2 == 0 { few } else { many };
                (id, (number >> 40) as u32 % 50, (number >> 50) as u32 % 4)
            });
            insert_all(&mut table.shared(&locks), requests, &key, bits)
        };
        let threads: Vec<_> = (1..=threads).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let used = judge(table, &events, &key, bits);
    let asked = threads as usize * each;
    if asked > 128 * geometry.slots() {
        assert_eq!(
            used,
            geometry.slots(),
            "a table with enough keys for every line is full to the last slot"
        );
    }
}

/// SpawnThreads, and insertions of each: few under Miri, which is slow.
const THREADS: u64 = if cfg!(miri) { 3 } else { 16 };
const SCALE: usize = if cfg!(miri) { 16 } else { 1 };

#[test]
fn words_full_to_the_last_slot() {
    let fields = Fields { key: 30, cost: 6, step: 2 };
    for (shift, locks) in [(0, 1), (0, 4), (1, 64), (3, 2), (10, 1024)] {
        let geometry = striped::<u64>((16 << 10) / SCALE, fields, shift);
        stress::<u64>(geometry, THREADS, 40_000 / SCALE / SCALE, locks, |id| id);
    }
}

#[test]
fn double_words_full_to_the_last_slot() {
    let fields = Fields { key: 100, cost: 6, step: 2 };
    for (shift, locks) in [(0, 1), (1, 4), (2, 64)] {
        let geometry = striped::<u128>((32 << 10) / SCALE, fields, shift);
        stress::<u128>(geometry, THREADS, 40_000 / SCALE / SCALE, locks, |id| u128::from(id) << 40 | 5);
    }
}

#[test]
fn wide_keys_full_to_the_last_slot() {
    let fields = Fields { key: 256, cost: 16, step: 2 };
    for (shift, locks) in [(0, 2), (2, 16)] {
        let geometry = striped::<Wide<4>>((64 << 10) / SCALE, fields, shift);
        stress::<Wide<4>>(geometry, THREADS, 40_000 / SCALE / SCALE, locks, |id| Wide([id, 3, id * 7, 0]));
    }
}

/// Threads that grow chains, give them back and take others', in a pool that
/// runs dry: no chunk is lost, none is in two chains.
fn churn<L: RawMutex + Sync>(
    pool: &Pool<'_, L>,
    shelf: &lock_api::Mutex<L, Vec<(Chain, Vec<u64>)>>,
    thread: u64,
    turns: usize,
) {
    let words =
        |chain: &Chain| -> Vec<u64> { pool.chunks(chain).flatten().map(|word| word.load(Relaxed)).collect() };
    let (mut chain, mut model) = (Chain::EMPTY, Vec::new());
    for number in numbers(thread).take(turns) {
        match number % 8 {
            0..4 => {
                let some: Vec<u64> =
                    (0..number >> 8 & 7).map(|word| thread << 32 | word ^ number >> 40).collect();
                match pool.append(&mut chain, &some) {
                    Ok(()) => model.extend(some),
                    Err(Full) => assert_eq!(chain.len(), model.len()),
                }
            }
            4 => {
                let kept = model.len() * (number >> 8 & 3) as usize / 4;
                model.truncate(kept);
                pool.rewrite(&mut chain, &model);
            }
            5 => {
                pool.release(std::mem::replace(&mut chain, Chain::EMPTY));
                model.clear();
            }
            6 => shelf.lock().push((std::mem::replace(&mut chain, Chain::EMPTY), std::mem::take(&mut model))),
            _ => {
                let taken = shelf.lock().pop();
                if let Some((other, expected)) = taken {
                    assert_eq!(words(&other), expected);
                    pool.release(std::mem::replace(&mut chain, other));
                    model = expected;
                }
            }
        }
        assert_eq!(words(&chain), model);
    }
    pool.release(chain);
}

/// How many chunks of a pool are to be had.
fn all_chunks<L: RawMutex>(pool: &Pool<'_, L>, words: usize) -> usize {
    let (mut chain, mut count) = (Chain::EMPTY, 0);
    while pool.append(&mut chain, &vec![7; words]).is_ok() {
        count += 1;
    }
    pool.release(chain);
    count
}

#[test]
fn chains_change_hands_and_no_chunk_is_lost() {
    let mut memory = vec![Line::zeroed(); 60];
    let mut region = Region::zeroed(&mut memory);
    let ([_, _, piece], watermark) = region.split(0, 0);
    let pool: Pool<'_> = Pool::new(piece.words, 8, watermark, 0);
    let before = all_chunks(&pool, 8);
    let shelf = parking_lot::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 1..=THREADS {
            let (pool, shelf) = (&pool, &shelf);
            scope.spawn(move || churn(pool, shelf, thread, 20_000 / SCALE / SCALE));
        }
    });
    shelf.into_inner().into_iter().for_each(|(chain, _)| pool.release(chain));
    assert_eq!(all_chunks(&pool, 8), before);
}

#[cfg(not(miri))]
mod schedules {
    use super::*;
    use shuttle::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use shuttle::thread;

    /// A lock that shuttle knows.
    struct Known(AtomicBool);

    #[allow(unsafe_code)]
    // SAFETY: the flag is up while somebody holds the lock, and nobody else gets
    // it then.
    unsafe impl RawMutex for Known {
        #[allow(clippy::declare_interior_mutable_const)]
        const INIT: Self = Self(AtomicBool::new(false));
        type Guard = lock_api::GuardNoSend;

        fn lock(&self) -> Self::Guard {
            loop {
                if let Some(guard) = self.try_lock() {
                    return guard;
                }
                thread::yield_now();
            }
        }

        fn try_lock(&self) -> Option<Self::Guard> {
            (!self.0.swap(true, SeqCst)).then(Self::Guard::new)
        }

        unsafe fn unlock(&self, _: Self::Guard) {
            self.0.store(false, SeqCst);
        }

        fn is_locked(&self) -> bool {
            self.0.load(SeqCst)
        }
    }

    /// A lock that keeps nobody out: what goes wrong then must be seen.
    struct Broken;

    #[allow(unsafe_code)]
    // SAFETY: none. Shuttle runs one thread at a time, so even here nothing is
    // ever touched by two at once.
    unsafe impl RawMutex for Broken {
        const INIT: Self = Self;
        type Guard = lock_api::GuardNoSend;

        fn lock(&self) -> Self::Guard {
            thread::yield_now();
            Self::Guard::new()
        }

        fn try_lock(&self) -> Option<Self::Guard> {
            Some(Self::Guard::new())
        }

        unsafe fn unlock(&self, _: Self::Guard) {}

        fn is_locked(&self) -> bool {
            false
        }
    }

    /// A word as a key, which lets others go first whenever a slot is looked at
    /// or made. Slots are shared as words, or by the stripe's lock.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::Zeroable)]
    struct Watched<const AS_WORD: bool>(u64);

    // SAFETY: everything that the table relies on is done by the key inside.
    #[allow(unsafe_code)]
    unsafe impl<const AS_WORD: bool> Key for Watched<AS_WORD> {
        type Slot = u64;
        const BITS: u32 = 64;
        const QUOTIENT: bool = true;
        const IS_WORD: bool = AS_WORD;

        fn mix(self, bits: u32) -> Self {
            Self(self.0.mix(bits))
        }
        fn unmix(self, bits: u32) -> Self {
            Self(self.0.unmix(bits))
        }
        fn home(self, geometry: &Geometry) -> usize {
            self.0.home(geometry)
        }
        fn is_in(self, slot: &u64, distance: u32, geometry: &Geometry) -> bool {
            thread::yield_now();
            self.0.is_in(slot, distance, geometry)
        }
        fn store(self, distance: u32, meta: u64, geometry: &Geometry) -> u64 {
            thread::yield_now();
            self.0.store(distance, meta, geometry)
        }
        fn load(slot: &u64, line: usize, geometry: &Geometry) -> Self {
            Self(u64::load(slot, line, geometry))
        }
        fn is_empty(slot: &u64) -> bool {
            u64::is_empty(slot)
        }
        fn meta(slot: &u64, geometry: &Geometry) -> u64 {
            u64::meta(slot, geometry)
        }
        fn with_meta(slot: &u64, meta: u64, geometry: &Geometry) -> u64 {
            thread::yield_now();
            u64::with_meta(slot, meta, geometry)
        }
    }

    /// Three threads, a few keys, a table of two lines.
    fn small_table<L: RawMutex + Send + Sync, const AS_WORD: bool>(locks: usize) {
        let geometry = striped::<Watched<AS_WORD>>(128, Fields { key: 30, cost: 6, step: 2 }, 0);
        let mut memory = vec![0u64; geometry.slots()];
        let table = Table::<Watched<AS_WORD>>::new(&mut memory, 0, geometry);
        let locks = Locks::<L>::new(locks);
        let seed = 1 + shuttle::rand::Rng::r#gen::<u64>(&mut shuttle::rand::thread_rng()) % 1000;
        let events: Vec<Event> = thread::scope(|scope| {
            let run = |thread: u64| {
                let requests = numbers(seed << 4 | thread)
                    .take(8)
                    .map(move |number| (number % 24, (number >> 40) as u32 % 8, thread as u32));
                insert_all(&mut table.shared(&locks), requests, Watched::<AS_WORD>, 30)
            };
            let threads: Vec<_> = (1..=3).map(|thread| scope.spawn(move || run(thread))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        judge(table, &events, Watched::<AS_WORD>, 30);
    }

    const SCHEDULES: usize = 3000;

    #[test]
    fn insertions_in_any_order_are_insertions_one_by_one() {
        shuttle::check_random(|| small_table::<Known, false>(8), SCHEDULES);
        shuttle::check_random(|| small_table::<Known, false>(1), SCHEDULES);
        shuttle::check_pct(|| small_table::<Known, false>(8), SCHEDULES, 3);
    }

    #[test]
    fn slots_that_are_words_need_no_lock() {
        shuttle::check_random(|| small_table::<Broken, true>(1), SCHEDULES);
        shuttle::check_pct(|| small_table::<Broken, true>(1), SCHEDULES, 3);
    }

    #[test]
    fn without_a_lock_it_is_seen_that_something_is_wrong() {
        let seen =
            std::panic::catch_unwind(|| shuttle::check_random(|| small_table::<Broken, false>(8), SCHEDULES));
        assert!(seen.is_err());
    }

    #[test]
    fn chains_change_hands_in_any_order() {
        let run = || {
            let mut memory = vec![Line::zeroed(); 12];
            let mut region = Region::zeroed(&mut memory);
            let ([_, _, piece], watermark) = region.split(0, 0);
            let pool: Pool<'_, Known> = Pool::new(piece.words, 8, watermark, 0);
            let before = all_chunks(&pool, 8);
            let shelf = lock_api::Mutex::<Known, _>::new(Vec::new());
            thread::scope(|scope| {
                for thread in 1..=3 {
                    let (pool, shelf) = (&pool, &shelf);
                    scope.spawn(move || churn(pool, shelf, thread, 20));
                }
            });
            shelf.into_inner().into_iter().for_each(|(chain, _)| pool.release(chain));
            assert_eq!(all_chunks(&pool, 8), before);
        };
        shuttle::check_random(run, SCHEDULES);
        shuttle::check_pct(run, SCHEDULES, 3);
    }
}
