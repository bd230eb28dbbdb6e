//! How several threads go through the levels of one beam.
//!
//! A level is a few phases, and each phase the same piece of work for every
//! part of the beam. Whoever is there takes the next part; the owner goes on when
//! all are done. Nobody need come, and who comes late joins at the next phase.
//! A phase lasts some ten microseconds, so those who wait do not sleep.
//!
//! That is good while each has a processor of its own. Where others use the
//! processors, too, whoever is stopped in the middle of a part holds up all: if the
//! owner waits much of the time, the helpers are sent away.

use crossbeam::utils::CachePadded;
use std::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use std::time::Instant;

/// Looks at what others do before the processor is left to somebody else.
const PATIENCE: u32 = 2000;

pub(super) struct Team {
    parts: u64,
    /// The number of the phase in the high half, the next part in the low one: so
    /// whoever takes a part knows that it belongs to the phase that is on.
    next: CachePadded<AtomicU64>,
    done: CachePadded<AtomicUsize>,
    over: AtomicBool,
    broken: AtomicBool,
    /// Nanoseconds that the owner has waited for others, and of all phases, since
    /// they were last looked at.
    waited: AtomicU64,
    passed: AtomicU64,
}

/// The time after which the owner asks whether helpers help, in nanoseconds.
const BETWEEN_LOOKS: u64 = 20_000_000;

impl Team {
    /// For beams of so many parts.
    pub(super) fn new(parts: usize) -> Self {
        let parts = parts as u64;
        Self {
            parts,
            next: AtomicU64::new(parts).into(),
            done: AtomicUsize::new(0).into(),
            over: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            waited: AtomicU64::new(0),
            passed: AtomicU64::new(0),
        }
    }

    /// The next part of the phase that is on.
    fn take(&self) -> Option<usize> {
        let part = |next: u64| Some(next & u64::from(u32::MAX)).filter(|&part| part < self.parts);
        part(self.next.load(Acquire))?;
        part(self.next.fetch_add(1, AcqRel)).map(|part| part as usize)
    }

    /// Does a part's work, and says so whatever comes of it.
    fn handle(&self, part: usize, work: &impl Fn(usize)) {
        let _done = Done(self);
        work(part);
    }

    /// The owner's side: a phase, from its beginning to its end. `work` must be
    /// what helpers do, too. False if somebody's work broke off.
    pub(super) fn phase(&self, work: &impl Fn(usize)) -> bool {
        self.done.store(0, Relaxed);
        let phase = (self.next.load(Relaxed) >> 32) + 1;
        self.next.store(phase << 32, Release);
        let begun = Instant::now();
        while let Some(part) = self.take() {
            self.handle(part, work);
        }
        let mut looks = 0;
        if (self.done.load(Acquire) as u64) < self.parts {
            let waits = Instant::now();
            while (self.done.load(Acquire) as u64) < self.parts {
                relax(&mut looks);
            }
            self.waited.fetch_add(waits.elapsed().as_nanos() as u64, Relaxed);
        }
        let passed = self.passed.fetch_add(begun.elapsed().as_nanos() as u64, Relaxed);
        if passed > BETWEEN_LOOKS {
            self.passed.store(0, Relaxed);
            let waited = self.waited.swap(0, Relaxed);
            if waited > passed / 3 {
                self.over.store(true, Release);
            }
        }
        !self.broken.load(Relaxed)
    }

    /// A helper's side: parts of all phases until the beam has ended, or help is no
    /// use.
    pub(super) fn help(&self, work: &impl Fn(usize)) {
        let mut looks = 0;
        while !self.over.load(Acquire) {
            match self.take() {
                Some(part) => {
                    self.handle(part, work);
                    looks = 0;
                }
                None => relax(&mut looks),
            }
        }
    }

    /// For the owner: helpers leave when this is dropped.
    pub(super) fn ends(&self) -> impl Drop {
        struct Ends<'t>(&'t Team);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.over.store(true, Release);
            }
        }
        Ends(self)
    }
}

/// A part that is being worked at.
struct Done<'t>(&'t Team);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Relaxed);
        }
        self.0.done.fetch_add(1, Release);
    }
}

/// Waits a little; soon with the processor left to others.
fn relax(looks: &mut u32) {
    *looks += 1;
    if *looks < PATIENCE {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_every_phase_is_done_once_whoever_is_there() {
        for (helpers, parts) in [(0, 1), (0, 3), (1, 2), (3, 2), (2, 5)] {
            let team = Team::new(parts);
            let counts: Vec<AtomicUsize> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
            let work = |part: usize| {
                counts[part].fetch_add(1, Relaxed);
            };
            std::thread::scope(|scope| {
                for _ in 0..helpers {
                    scope.spawn(|| team.help(&work));
                }
                let _ends = team.ends();
                for phase in 1..=500 {
                    assert!(team.phase(&work));
                    assert!(counts.iter().all(|count| count.load(Relaxed) == phase));
                }
            });
        }
    }

    #[test]
    fn work_that_breaks_off_is_noticed() {
        let team = Team::new(2);
        let work = |_: usize| {
            assert!(std::thread::current().name() != Some("weak"));
            // Time for the other to come.
            std::thread::sleep(std::time::Duration::from_millis(1));
        };
        std::thread::scope(|scope| {
            let _ends = team.ends();
            let weak = std::thread::Builder::new().name("weak".into());
            let weak = weak.spawn_scoped(scope, || {
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| team.help(&work))).is_err()
            });
            while team.phase(&work) {}
            assert!(weak.unwrap().join().unwrap());
        });
    }
}
