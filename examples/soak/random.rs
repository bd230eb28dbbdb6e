//! Random choices that repeat exactly for the same seed.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A stream of random choices.
pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Returns the stream of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Returns 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((self.bits() >> 11) % bound as u64) as usize
    }

    /// Returns a number from `least` to `most`, both included.
    pub(crate) fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// Returns true once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns one of `choices`.
    pub(crate) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// Shuffles `items`, all orders equally likely.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// Returns a time up to `most` microseconds; short times are as likely as
    /// long ones.
    pub(crate) fn moment(&mut self, most: u64) -> std::time::Duration {
        let digits = 64 - most.leading_zeros();
        let shift = self.below(digits as usize);
        std::time::Duration::from_micros(self.bits() % ((most >> shift).max(1)))
    }
}
