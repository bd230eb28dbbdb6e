//! The visited table against ordinary hash maps: filling and asking, alone and
//! with two threads.
//!
//! Keys are boards of the 15-puzzle. *fill* inserts different boards into an
//! empty table up to a load of 50, 80 and 90 %, as a search does; *ask* offers
//! each of them again, at no lower cost, which a search does for every state
//! that it meets twice. `batched` mixes and prefetches 128 keys before it looks
//! at the first, as the search does. The maps hold the same boards, with room
//! for them reserved beforehand.

mod stores;
#[path = "../support/mod.rs"]
mod support;

use batch_solve::puzzle::tiles::Cells;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use std::time::{Duration, Instant};
use stores::{Dash, Locked, Plain, Slots, Store, Way};

/// How many slots the table has.
fn slots() -> usize {
    support::scale(8 << 20, 1 << 16)
}

fn main() {
    let mut criterion = support::criterion(2);
    let keys = boards(slots() * 9 / 10);
    let mut memory = support::Memory::new(slots() * 8);
    for load in [50, 80, 90] {
        let keys = &keys[..slots() * load / 100];
        let mut run = |name: &str, store: &mut dyn Store| bench(&mut criterion, name, load, keys, store);
        for (name, way, batched) in [
            ("visited, owner", Way::Exclusive, false),
            ("visited, owner, batched", Way::Exclusive, true),
            ("visited, 1 thread", Way::Shared(1), false),
            ("visited, 1 thread, batched", Way::Shared(1), true),
            ("visited, 2 threads", Way::Shared(2), false),
            ("visited, 2 threads, batched", Way::Shared(2), true),
        ] {
            run(name, &mut Slots::new(memory.slice(), way, batched));
        }
        run("hashbrown, owner", &mut Plain::new(keys.len()));
        for threads in [1, 2] {
            let of = if threads == 1 { "1 thread" } else { "2 threads" };
            run(&format!("hashbrown in a Mutex, {of}"), &mut Locked::new(keys.len(), threads));
            run(&format!("dashmap, {of}"), &mut Dash::new(keys.len(), threads));
        }
    }
    criterion.final_summary();
}

/// Fills one store and asks it, and makes sure that it holds what it should.
///
/// A table may refuse a board whose lines are full, but not one in a thousand.
fn bench(criterion: &mut Criterion, name: &str, load: usize, keys: &[u64], store: &mut dyn Store) {
    let id = || BenchmarkId::new(name, format!("{load} %"));
    let timed = |turns: u64, mut turn: Box<dyn FnMut() -> Duration + '_>| (0..turns).map(|_| turn()).sum();

    let mut fill = criterion.benchmark_group("fill");
    fill.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(keys.len() as u64));
    fill.bench_function(id(), |bencher| {
        bencher.iter_custom(|turns| {
            let turn = || {
                store.clear();
                let start = Instant::now();
                let new = store.fill(keys);
                let time = start.elapsed();
                assert!(new * 1000 >= keys.len() * 999, "{} boards are not new", keys.len() - new);
                time
            };
            timed(turns, Box::new(turn))
        });
    });
    fill.finish();

    // The benchmark above may have been left out by a filter.
    store.clear();
    let new = store.fill(keys);
    if new < keys.len() {
        println!("{name} at {load} %: {} of {} boards refused", keys.len() - new, keys.len());
    }
    let mut ask = criterion.benchmark_group("ask");
    ask.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(keys.len() as u64));
    ask.bench_function(id(), |bencher| {
        bencher.iter_custom(|turns| {
            let turn = || {
                let start = Instant::now();
                let known = store.ask(keys);
                let time = start.elapsed();
                assert_eq!(known, new, "every board is known");
                time
            };
            timed(turns, Box::new(turn))
        });
    });
    ask.finish();
    store.assert_holds(keys, new);
}

/// So many different boards, in no order.
fn boards(count: usize) -> Vec<u64> {
    /// 16! arrangements; the stride has no factor in common with it.
    const ALL: u64 = 20_922_789_888_000;
    const STRIDE: u64 = 12_345_678_910_987;
    (0..count as u64).map(|i| board((u128::from(i) * u128::from(STRIDE) % u128::from(ALL)) as u64)).collect()
}

/// The key of the arrangement with this number.
fn board(mut number: u64) -> u64 {
    let mut labels: [u8; 16] = std::array::from_fn(|label| label as u8);
    for cell in (1..16).rev() {
        labels.swap(cell, (number % (cell as u64 + 1)) as usize);
        number /= cell as u64 + 1;
    }
    <u64 as Cells>::from_labels(&labels).pack(16)
}
