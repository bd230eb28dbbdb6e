//! A barrier that lets several threads run the phases of one beam.
//!
//! A level consists of a few phases. In each phase the same work is done for every shard. Threads
//! claim shards from a shared counter; the owner continues when all shards are done. Helpers are
//! optional, and a late helper joins at the next phase. A phase lasts about ten microseconds, so
//! waiting threads spin instead of sleeping.
//!
//! Spinning is good while every thread has a core of its own. If other processes use the cores, a
//! thread that is preempted in the middle of a shard delays all others. When the owner spends much
//! of its time waiting, the barrier is closed and the helpers leave.

use crossbeam::utils::CachePadded;
use std::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use std::time::Instant;

/// The number of spins before a waiting thread yields its core.
const SPINS_BEFORE_YIELD: u32 = 2000;

pub(super) struct PhaseBarrier {
    shards: u64,
    /// The number of the phase in the high half, the next shard in the low half. A thread that
    /// claims a shard therefore knows that it belongs to the current phase.
    ticket: CachePadded<AtomicU64>,
    done: CachePadded<AtomicUsize>,
    closed: AtomicBool,
    panicked: AtomicBool,
    /// Nanoseconds that the owner has waited for helpers, and nanoseconds of all phases, since the
    /// last check.
    waited: AtomicU64,
    elapsed: AtomicU64,
}

/// The time between two checks whether helpers are useful, in nanoseconds.
const NANOS_BETWEEN_CHECKS: u64 = 20_000_000;

impl PhaseBarrier {
    /// Creates a barrier for a beam of `shards` shards.
    pub(super) fn new(shards: usize) -> Self {
        let shards = shards as u64;
        Self {
            shards,
            ticket: AtomicU64::new(shards).into(),
            done: AtomicUsize::new(0).into(),
            closed: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            waited: AtomicU64::new(0),
            elapsed: AtomicU64::new(0),
        }
    }

    /// Claims the next shard of the current phase.
    fn claim(&self) -> Option<usize> {
        let shard = |ticket: u64| Some(ticket & u64::from(u32::MAX)).filter(|&shard| shard < self.shards);
        shard(self.ticket.load(Acquire))?;
        shard(self.ticket.fetch_add(1, AcqRel)).map(|shard| shard as usize)
    }

    /// Runs the work of `shard` and counts it as done, even if it panics.
    fn run_shard(&self, shard: usize, work: &impl Fn(usize)) {
        let _completion = Completion(self);
        work(shard);
    }

    /// Runs one phase from start to end, for the owner. `work` must be the same as that of the
    /// helpers. Returns `false` if the work of any thread panicked.
    pub(super) fn run_phase(&self, work: &impl Fn(usize)) -> bool {
        self.done.store(0, Relaxed);
        let phase = (self.ticket.load(Relaxed) >> 32) + 1;
        self.ticket.store(phase << 32, Release);
        let started = Instant::now();
        while let Some(shard) = self.claim() {
            self.run_shard(shard, work);
        }
        let mut spins = 0;
        if (self.done.load(Acquire) as u64) < self.shards {
            let wait_started = Instant::now();
            while (self.done.load(Acquire) as u64) < self.shards {
                spin(&mut spins);
            }
            self.waited.fetch_add(wait_started.elapsed().as_nanos() as u64, Relaxed);
        }
        let elapsed = self.elapsed.fetch_add(started.elapsed().as_nanos() as u64, Relaxed);
        if elapsed > NANOS_BETWEEN_CHECKS {
            self.elapsed.store(0, Relaxed);
            let waited = self.waited.swap(0, Relaxed);
            if waited > elapsed / 3 {
                self.closed.store(true, Release);
            }
        }
        !self.panicked.load(Relaxed)
    }

    /// Runs shards of all phases, for a helper, until the barrier is closed.
    pub(super) fn help(&self, work: &impl Fn(usize)) {
        let mut spins = 0;
        while !self.closed.load(Acquire) {
            match self.claim() {
                Some(shard) => {
                    self.run_shard(shard, work);
                    spins = 0;
                }
                None => spin(&mut spins),
            }
        }
    }

    /// Returns a guard for the owner that closes the barrier when it is dropped.
    pub(super) fn close_on_drop(&self) -> impl Drop {
        struct CloseOnDrop<'b>(&'b PhaseBarrier);
        impl Drop for CloseOnDrop<'_> {
            fn drop(&mut self) {
                self.0.closed.store(true, Release);
            }
        }
        CloseOnDrop(self)
    }
}

/// A shard in progress; counted as done when dropped.
struct Completion<'b>(&'b PhaseBarrier);

impl Drop for Completion<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.panicked.store(true, Relaxed);
        }
        self.0.done.fetch_add(1, Release);
    }
}

/// Spins; after many spins yields the core.
fn spin(spins: &mut u32) {
    *spins += 1;
    if *spins < SPINS_BEFORE_YIELD {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shard_of_every_phase_runs_once() {
        for (helpers, shards) in [(0, 1), (0, 3), (1, 2), (3, 2), (2, 5)] {
            let barrier = PhaseBarrier::new(shards);
            let counts: Vec<AtomicUsize> = (0..shards).map(|_| AtomicUsize::new(0)).collect();
            let work = |shard: usize| {
                counts[shard].fetch_add(1, Relaxed);
            };
            std::thread::scope(|scope| {
                for _ in 0..helpers {
                    scope.spawn(|| barrier.help(&work));
                }
                let _close = barrier.close_on_drop();
                for phase in 1..=500 {
                    assert!(barrier.run_phase(&work));
                    assert!(counts.iter().all(|count| count.load(Relaxed) == phase));
                }
            });
        }
    }

    #[test]
    fn panic_of_a_helper_is_reported() {
        let barrier = PhaseBarrier::new(2);
        let work = |_: usize| {
            assert!(std::thread::current().name() != Some("panicking"));
            // Gives the other thread time to join.
            std::thread::sleep(std::time::Duration::from_millis(1));
        };
        std::thread::scope(|scope| {
            let _close = barrier.close_on_drop();
            let panicking = std::thread::Builder::new().name("panicking".into());
            let panicking = panicking.spawn_scoped(scope, || {
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| barrier.help(&work))).is_err()
            });
            while barrier.run_phase(&work) {}
            assert!(panicking.unwrap().join().unwrap());
        });
    }
}
