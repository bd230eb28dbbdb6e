//! What an experiment may use, and how its memory is shared out.
//!
//! The cap is for the whole process, like everywhere. Every run works in memory
//! of one fixed size, so that what it counts depends neither on the cap nor on
//! how many runs there are at once: under a small cap there are fewer at once,
//! and under one that is too small for a single run the experiment is refused.

use crate::memory::budget::{Budget, OutOfBudget};

/// What an experiment may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Means {
    /// Runs at once, at most.
    pub threads: usize,
    /// The cap on the memory of the process.
    pub memory: u64,
    /// Memory for each run's search.
    pub run_memory: u64,
}

/// How the runs are done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Runs {
    /// How many there are at once.
    pub threads: usize,
    /// Memory for each one's search, in bytes.
    pub bytes: usize,
}

/// The program itself, with the figures that it draws.
const PROGRAM: u64 = 32 << 20;

/// What a thread needs beside its search.
const THREAD: u64 = 1 << 20;

impl Means {
    /// The budget, with the program in it, what all runs share, and one run of so
    /// many bytes; or what would be needed.
    pub(super) fn budget(&self, shared: u64, run: u64) -> Result<Budget, OutOfBudget> {
        let budget = Budget::new(self.memory);
        budget.reserve((PROGRAM + THREAD).saturating_add(shared).saturating_add(run))?;
        Ok(budget)
    }

    /// As many runs of so many bytes at once as were asked for and fit what is
    /// left, beside the one that is in the budget already.
    pub(super) fn runs(&self, budget: &Budget, bytes: u64) -> Result<Runs, OutOfBudget> {
        let each = bytes.saturating_add(THREAD);
        let more = (budget.left() / each).min(self.threads.max(1) as u64 - 1);
        budget.reserve(more * each)?;
        Ok(Runs { threads: 1 + more as usize, bytes: bytes as usize })
    }
}

/// Reserves memory for so many things of so many bytes.
pub(super) fn reserve(budget: &Budget, count: u64, each: usize) -> Result<(), OutOfBudget> {
    budget.reserve(count.saturating_mul(each as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_cap_means_fewer_runs_at_once_and_never_smaller_ones() {
        let means = |memory| Means { threads: 4, memory: memory << 20, run_memory: 64 << 20 };
        let runs = |memory| means(memory).runs(&means(memory).budget(8 << 20, 64 << 20)?, 64 << 20);
        let share = |threads| Ok(Runs { threads, bytes: 64 << 20 });
        assert_eq!((runs(4000), runs(300), runs(200), runs(105)), (share(4), share(4), share(2), share(1)));
        let short = runs(90).unwrap_err();
        assert_eq!(runs(short.needed.div_ceil(1 << 20)), share(1));
        assert!(means(20).budget(0, u64::MAX).is_err());
    }
}
