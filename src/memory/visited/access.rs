//! How a table is used while it is written to: by its owner, or by one of many.

use super::{FILLED, Insert, Locks, SlotContent, Table};
use crate::memory::key::Key;
use lock_api::RawMutex;
use std::sync::atomic::Ordering::Relaxed;

/// What a search does with a table, alone or among others.
pub trait Access<K: Key> {
    /// Whether others use the table at the same time.
    const IS_SHARED: bool;
    /// The table's prefetch of a mixed key; its home line.
    fn prefetch(&self, mixed: K) -> usize;
    /// The table's prefetch of a slot.
    fn prefetch_slot(&self, slot: u32);
    /// The home line of a mixed key.
    fn home(&self, mixed: K) -> usize;
    /// Inserts a mixed key or lowers its cost.
    #[inline(always)]
    fn insert(&mut self, mixed: K, cost: u32, step: u32) -> Insert {
        self.insert_from(self.home(mixed), mixed, cost, step)
    }
    /// The same, from its home line on.
    fn insert_from(&mut self, home: usize, mixed: K, cost: u32, step: u32) -> Insert;
    /// Reads a used slot.
    fn content(&mut self, slot: u32) -> SlotContent<K>;
}

/// The access of a table's only user.
#[derive(Debug)]
pub struct Exclusive<'a, 'm, K: Key>(pub(super) &'a mut Table<'m, K>);

/// The access of one user among many.
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
        // SAFETY: `&mut Table`: nobody else can reach the slots; the line is inside
        // the table.
        unsafe {
            self.0.put(mixed, home, cost, step)
        }
    }

    #[inline(always)]
    fn content(&mut self, slot: u32) -> SlotContent<K> {
        assert!((slot as usize) < self.0.slots.len());
        #[allow(unsafe_code)]
        // SAFETY: inside the table, and `&mut Table`: nobody else can reach it.
        let content = unsafe { self.0.plain(slot as usize) };
        self.0.decode(slot as usize, &content).expect(FILLED)
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
            // SAFETY: the line is inside the table; slots are words; while the table is lent out for sharing,
            // all use them so.
            unsafe { self.table.put_among_others(mixed, home, cost, step) }
        } else {
            let _held = self.locks.hold(home >> self.table.geometry.stripe_shift);
            // SAFETY: the line is inside the table; the stripe's lock is held, and
            // probing stays inside it.
            unsafe { self.table.put(mixed, home, cost, step) }
        }
    }

    #[inline(always)]
    fn content(&mut self, slot: u32) -> SlotContent<K> {
        let slot = slot as usize;
        assert!(slot < self.table.slots.len());
        #[allow(unsafe_code)]
        let content = if K::IS_WORD {
            // SAFETY: inside the table and a word; while the table is lent out
            // for sharing, all use it so.
            bytemuck::cast(unsafe { self.table.word(slot) }.load(Relaxed))
        } else {
            let _held = self.locks.hold(self.table.geometry.stripe(slot));
            // SAFETY: inside the table, and the stripe's lock is held.
            unsafe { self.table.plain(slot) }
        };
        self.table.decode(slot, &content).expect(FILLED)
    }
}
