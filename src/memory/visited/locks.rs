//! Lock striping for tables whose slots are wider than a word.

use crate::memory::prefetch_to_write;
use lock_api::{Mutex, MutexGuard, RawMutex};

/// Locks for the stripes of a table, reusable for one table after another. A lock may serve
/// several stripes.
pub struct Locks<L: RawMutex>(Box<[Padded<L>]>);

/// Lock in a cache line of its own, to avoid false sharing.
#[repr(align(64))]
struct Padded<L>(Mutex<L, ()>);

impl<L: RawMutex> Locks<L> {
    /// Creates `count` locks, rounded up to a power of two.
    pub fn new(count: usize) -> Self {
        Self((0..count.next_power_of_two()).map(|_| Padded(Mutex::new(()))).collect())
    }

    /// Returns the size of `count` locks in bytes.
    pub fn bytes(count: usize) -> usize {
        count.next_power_of_two() * size_of::<Padded<L>>()
    }

    /// Returns an address that no other locks have while these exist. Never 0.
    pub(super) fn address(&self) -> usize {
        self.0.as_ptr().addr()
    }

    /// Prefetches the lock of `stripe`.
    #[inline(always)]
    pub(super) fn prefetch(&self, stripe: usize) {
        prefetch_to_write(&raw const self.0[stripe & (self.0.len() - 1)]);
    }

    /// Acquires the lock of `stripe`.
    #[inline(always)]
    pub(super) fn lock(&self, stripe: usize) -> MutexGuard<'_, L, ()> {
        self.0[stripe & (self.0.len() - 1)].0.lock()
    }
}
