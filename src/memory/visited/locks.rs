//! Locks for tables whose slots are wider than a word.

use crate::memory::prefetch_to_write;
use lock_api::{Mutex, MutexGuard, RawMutex};

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
    pub(super) fn prefetch(&self, stripe: usize) {
        prefetch_to_write(&raw const self.0[stripe & (self.0.len() - 1)]);
    }

    #[inline(always)]
    pub(super) fn hold(&self, stripe: usize) -> MutexGuard<'_, L, ()> {
        self.0[stripe & (self.0.len() - 1)].0.lock()
    }
}
