//! Access to a table that is being written: by its owner, or by one of many threads.

use super::{Insert, Locks, OCCUPIED, SlotContent, Table};
use crate::memory::key::Key;
use lock_api::RawMutex;
use std::sync::atomic::Ordering::Relaxed;

/// Operations of a search on a table, whether it is shared or not.
pub trait Access<K: Key> {
    /// Whether other threads may use the table at the same time.
    const IS_SHARED: bool;
    /// Prefetches the home line of `mixed` and returns its number.
    fn prefetch(&self, mixed: K) -> usize;
    /// Prefetches `slot`.
    fn prefetch_slot(&self, slot: u32);
    /// Returns the home line of `mixed`.
    fn home(&self, mixed: K) -> usize;
    /// Inserts `mixed` with the cost and last move of a path to it, or lowers its cost.
    #[inline(always)]
    fn insert(&mut self, mixed: K, cost: u32, step: u32) -> Insert {
        self.insert_from(self.home(mixed), mixed, cost, step)
    }
    /// Inserts `mixed` like [`Access::insert`]; `home` is its home line, already computed.
    fn insert_from(&mut self, home: usize, mixed: K, cost: u32, step: u32) -> Insert;
    /// Reads an occupied slot.
    fn content(&mut self, slot: u32) -> SlotContent<K>;
}

/// Access of the only user of a table.
#[derive(Debug)]
pub struct Exclusive<'a, 'm, K: Key>(pub(super) &'a mut Table<'m, K>);

/// Access of one thread among many.
pub struct Shared<'a, 'm, K: Key, L: RawMutex> {
    pub(super) table: &'a Table<'m, K>,
    pub(super) locks: &'a Locks<L>,
}

impl<K: Key> Access<K> for Exclusive<'_, '_, K> {
    const IS_SHARED: bool = false;

    #[inline(always)]
    fn prefetch(&self, mixed: K) -> usize {
        self.0.prefetch(mixed)
    }

    #[inline(always)]
    fn home(&self, mixed: K) -> usize {
        mixed.home(&self.0.geometry)
    }

    #[inline(always)]
    fn prefetch_slot(&self, slot: u32) {
        self.0.prefetch_slot(slot as usize);
    }

    #[inline(always)]
    fn insert_from(&mut self, home: usize, mixed: K, cost: u32, step: u32) -> Insert {
        debug_assert_eq!(home, self.home(mixed));
        assert!(home < self.0.geometry.lines);
        #[allow(unsafe_code)]
        // SAFETY: the line is inside the table, and `&mut Table` excludes other access.
        unsafe {
            self.0.insert_unsynchronised(mixed, home, cost, step)
        }
    }

    #[inline(always)]
    fn content(&mut self, slot: u32) -> SlotContent<K> {
        assert!((slot as usize) < self.0.slots.len());
        #[allow(unsafe_code)]
        // SAFETY: the slot is inside the table, and `&mut Table` excludes other access.
        let content = unsafe { self.0.read_unsynchronised(slot as usize) };
        self.0.decode(slot as usize, &content).expect(OCCUPIED)
    }
}

impl<K: Key, L: RawMutex> Access<K> for Shared<'_, '_, K, L> {
    const IS_SHARED: bool = true;

    #[inline(always)]
    fn prefetch(&self, mixed: K) -> usize {
        let home = self.home(mixed);
        self.prefetch_slot((home * self.table.geometry.width) as u32);
        home
    }

    #[inline(always)]
    fn home(&self, mixed: K) -> usize {
        mixed.home(&self.table.geometry)
    }

    #[inline(always)]
    fn prefetch_slot(&self, slot: u32) {
        self.table.prefetch_slot(slot as usize);
        if !K::IS_WORD {
            self.locks.prefetch(self.table.geometry.stripe(slot as usize));
        }
    }

    #[inline(always)]
    fn insert_from(&mut self, home: usize, mixed: K, cost: u32, step: u32) -> Insert {
        debug_assert_eq!(home, self.home(mixed));
        assert!(home < self.table.geometry.lines);
        #[allow(unsafe_code)]
        if K::IS_WORD {
            // SAFETY: the line is inside the table and slots are words; while the table is
            // shared, every thread accesses them atomically.
            unsafe { self.table.insert_atomic(mixed, home, cost, step) }
        } else {
            let _guard = self.locks.lock(home >> self.table.geometry.stripe_shift);
            // SAFETY: the line is inside the table; the lock of its stripe is held, and
            // probing stays inside the stripe.
            unsafe { self.table.insert_unsynchronised(mixed, home, cost, step) }
        }
    }

    #[inline(always)]
    fn content(&mut self, slot: u32) -> SlotContent<K> {
        let slot = slot as usize;
        assert!(slot < self.table.slots.len());
        #[allow(unsafe_code)]
        let content = if K::IS_WORD {
            // SAFETY: the slot is inside the table and a word; while the table is shared,
            // every thread accesses it atomically.
            bytemuck::cast(unsafe { self.table.atomic_word(slot) }.load(Relaxed))
        } else {
            let _guard = self.locks.lock(self.table.geometry.stripe(slot));
            // SAFETY: the slot is inside the table, and the lock of its stripe is held.
            unsafe { self.table.read_unsynchronised(slot) }
        };
        self.table.decode(slot, &content).expect(OCCUPIED)
    }
}
