//! The division of a run's memory.
//!
//! Each worker owns a slice for the puzzles that it solves alone. The large region serves the few
//! puzzles that outgrow a slice, one at a time.

use crate::input::Reader;
use crate::memory::budget::{Budget, OutOfBudget, PROGRAM, least_cap};

/// Bytes per worker outside its slice: the used part of its stack, its block of input, its buffers
/// and its summary.
const WORKER: u64 = 288 << 10;

/// The largest slice.
const MAX_SLICE: u64 = 64 << 20;

/// The smallest arena for searches.
const MIN_ARENA: u64 = 8 << 20;

/// The parts of a run's memory, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryPlan {
    /// Results that wait for an earlier one, and their puzzles.
    pub(crate) reorder_buffer: u64,
    /// Tables of heuristics.
    pub(crate) tables: u64,
    /// The slice of each worker.
    pub(crate) slice: u64,
    /// The region for puzzles that outgrow a slice.
    pub(crate) large_region: u64,
}

impl MemoryPlan {
    /// Divides a budget among `threads` workers. `before` returns the part of the existing
    /// reservations that depends on the cap.
    pub(crate) fn new(
        budget: &Budget,
        threads: usize,
        before: impl Fn(u64) -> u64,
    ) -> Result<Self, OutOfBudget> {
        let (reorder_buffer, tables) = cap_dependent(budget.cap());
        let fixed_reservations = fixed_reservations(budget, &before);
        let least = Self::min_bytes(budget.cap(), threads);
        budget.reserve(least).map_err(|short| {
            let needs = |cap| fixed_reservations + before(cap) + Self::min_bytes(cap, threads);
            OutOfBudget { needed: least_cap(needs), ..short }
        })?;
        let threads = threads as u64;
        let arena = MIN_ARENA + budget.left();
        budget.reserve(budget.left())?;
        let slice = (arena / 2 / threads).min(MAX_SLICE) & !0xfff;
        Ok(Self { reorder_buffer, tables, slice, large_region: arena - slice * threads })
    }

    /// Returns a plan that does not depend on the cap or the number of workers, and the number of
    /// workers that fit, at most `threads`. Each worker needs `beside` bytes outside its slice.
    /// `before` returns the reservations that depend on the cap.
    pub(crate) fn deterministic(
        budget: &Budget,
        threads: usize,
        beside: u64,
        before: impl Fn(u64) -> u64,
    ) -> Result<(Self, usize), OutOfBudget> {
        let own = |threads: u64| threads * (SLICE + WORKER + Self::TRAY_TABLES + beside);
        let common = deterministic_common();
        let fit = budget.left().saturating_sub(common) / own(1);
        let threads = fit.min(threads as u64);
        if threads == 0 {
            let fixed_reservations = fixed_reservations(budget, &before);
            let needed = least_cap(|cap| fixed_reservations + before(cap) + common + own(1));
            return Err(OutOfBudget { cap: budget.cap(), needed });
        }
        budget.reserve(common + own(threads))?;
        let memory_plan =
            Self { reorder_buffer: REORDER_BUFFER, tables: TABLES, slice: SLICE, large_region: LARGE_REGION };
        Ok((memory_plan, threads as usize))
    }

    /// Returns the smallest memory of a deterministic run.
    pub(crate) fn min_deterministic_bytes() -> u64 {
        deterministic_common() + SLICE + WORKER + Self::TRAY_TABLES
    }

    /// The bytes for the tables of one tray in a deterministic run.
    pub(crate) const TRAY_TABLES: u64 = 1 << 20;

    /// The memory of the program itself.
    pub(crate) const PROGRAM: u64 = PROGRAM;

    /// Returns the smallest memory of a run under `cap`.
    pub(crate) fn min_bytes(cap: u64, threads: usize) -> u64 {
        let (reorder_buffer, tables) = cap_dependent(cap);
        fixed(threads as u64) + reorder_buffer + tables
    }

    /// Returns the size of the arena, which holds the slices and the large region.
    pub(crate) fn arena(&self, threads: usize) -> usize {
        (self.slice * threads as u64 + self.large_region) as usize
    }

    /// The smallest useful arena.
    pub(crate) const MIN_ARENA: usize = MIN_ARENA as usize;
}

/// The parts of a deterministic run.
const REORDER_BUFFER: u64 = 8 << 20;
const TABLES: u64 = 16 << 20;
const SLICE: u64 = 8 << 20;
const LARGE_REGION: u64 = 64 << 20;

/// Returns the bytes of a deterministic run apart from those of its workers.
fn deterministic_common() -> u64 {
    fixed(0) - MIN_ARENA + REORDER_BUFFER + TABLES + LARGE_REGION
}

/// Returns the bytes needed under any cap.
fn fixed(threads: u64) -> u64 {
    PROGRAM + threads * WORKER + Reader::FOOTPRINT as u64 + MIN_ARENA
}

/// Returns the sizes of the reorder buffer and the tables, which grow with the cap.
fn cap_dependent(cap: u64) -> (u64, u64) {
    ((cap / 24).clamp(1 << 20, 64 << 20), (cap / 24).clamp(2 << 20, 64 << 20))
}

/// Returns the reservations that do not depend on the cap.
fn fixed_reservations(budget: &Budget, before: &impl Fn(u64) -> u64) -> u64 {
    (budget.cap() - budget.left()).saturating_sub(before(budget.cap()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deterministic_plan_does_not_depend_on_the_cap() {
        let (small, one) = MemoryPlan::deterministic(&Budget::new(128 << 20), 1, 0, |_| 0).unwrap();
        let (large, many) = MemoryPlan::deterministic(&Budget::new(4 << 30), 64, 0, |_| 0).unwrap();
        assert_eq!((small, one, many), (large, 1, 64));
        assert!(MemoryPlan::deterministic(&Budget::new(128 << 20), 64, 0, |_| 0).unwrap().1 < 8);
        let short = MemoryPlan::deterministic(&Budget::new(64 << 20), 2, 1 << 20, |_| 0).unwrap_err();
        assert!(MemoryPlan::deterministic(&Budget::new(short.needed), 2, 1 << 20, |_| 0).is_ok());
    }

    #[test]
    fn parts_of_the_plan_fit_the_cap() {
        for (cap, threads) in [(48u64 << 20, 16), (64 << 20, 1), (256 << 20, 64), (16 << 30, 2)] {
            let budget = Budget::new(cap);
            let memory_plan = MemoryPlan::new(&budget, threads, |_| 0).unwrap();
            assert_eq!(budget.left(), 0);
            assert!(
                memory_plan.arena(threads) as u64 + memory_plan.reorder_buffer + memory_plan.tables < cap
            );
            assert!(memory_plan.large_region >= memory_plan.slice);
        }
    }

    proptest::proptest! {
        /// The cap that an error reports as needed is sufficient, and one MiB less is not, for any
        /// cap, number of threads and compression.
        #[test]
        fn needed_cap_is_the_smallest_that_works(
            cap in 0u64..(256 << 20),
            threads in 1usize..2000,
            name in proptest::sample::select(&["a.txt", "a.gz", "a.zst"][..]),
            databases in proptest::sample::select(&[0u64, 60 << 20][..]),
            deterministic: bool,
        ) {
            use crate::input::Compression;
            let before = |cap| Compression::footprint_of(&[name], cap);
            let divide = |cap: u64| {
                let budget = Budget::new(cap);
                let short = |_| OutOfBudget { cap, needed: least_cap(|cap| before(cap) + databases) };
                budget.reserve(before(cap) + databases).map_err(short)?;
                match deterministic {
                    true => MemoryPlan::deterministic(&budget, threads, 0, before).map(|(memory_plan, _)| memory_plan),
                    false => MemoryPlan::new(&budget, threads, before),
                }
            };
            if let Err(short) = divide(cap)
                && before(cap) + databases <= cap
            {
                proptest::prop_assert!(short.needed > cap);
                proptest::prop_assert!(divide(short.needed).is_ok(), "{}", short);
                proptest::prop_assert!(divide(short.needed - (1 << 20)).is_err(), "{}", short);
            }
        }
    }
}
