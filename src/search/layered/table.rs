//! The small table that finds duplicates: one bucket at a time, so that it stays in the cache.

use crate::memory::Packed;

/// States with their used-operator bits, by open addressing.
pub(super) struct Table<'s, E> {
    slots: &'s mut [E],
    /// Slots from here on may hold anything; slots before are empty between two rounds.
    clean: usize,
    used_move_bits: u32,
    /// The slots of this round as a power of two, and the highest bits that all its states
    /// share.
    bits: u32,
    skip: u32,
    len: usize,
}

impl<'s, E: Packed> Table<'s, E> {
    /// Creates a table in memory that may hold anything. The number of slots must be a power of
    /// two.
    pub(super) fn new(slots: &'s mut [E], used_move_bits: u32) -> Self {
        debug_assert!(slots.len().is_power_of_two());
        Self { slots, clean: 0, used_move_bits, bits: 0, skip: 0, len: 0 }
    }

    /// Returns the number of states, including duplicates, that always fit.
    pub(super) fn capacity(&self) -> usize {
        self.slots.len() / 4 * 3
    }

    /// Begins a round of up to `states` insertions, including duplicates, of states that share
    /// their highest `skip` bits.
    pub(super) fn begin_round(&mut self, states: usize, skip: u32) {
        let size = (states + states / 2).next_power_of_two().clamp(16, self.slots.len());
        if size > self.clean {
            self.slots[self.clean..size].fill(E::NONE);
            self.clean = size;
        }
        self.bits = size.ilog2();
        self.skip = skip;
        self.len = 0;
    }

    /// Returns the number of different states inserted in this round.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Inserts a state, or merges its used-operator bits with those of the stored duplicate. At
    /// least one slot must be empty.
    #[inline(always)]
    pub(super) fn insert(&mut self, state: E) {
        let slots = &mut self.slots[..1 << self.bits];
        let mask = slots.len() - 1;
        let mut at = state.slice(self.skip, self.bits) & mask;
        loop {
            let slot = &mut slots[at];
            if *slot == E::NONE {
                *slot = state;
                self.len += 1;
                return;
            }
            if slot.same(state, self.used_move_bits) {
                *slot = slot.union(state);
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// Removes a state, if it is present. Nothing may be inserted afterwards.
    #[inline(always)]
    pub(super) fn remove(&mut self, state: E) {
        let slots = &mut self.slots[..1 << self.bits];
        let mask = slots.len() - 1;
        let mut at = state.slice(self.skip, self.bits) & mask;
        while slots[at] != E::NONE {
            if slots[at].same(state, self.used_move_bits) {
                slots[at] = E::TOMBSTONE;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// Ends the round and returns the result of `take` on the remaining states.
    pub(super) fn finish_round<R>(&mut self, take: impl FnOnce(&[E]) -> R) -> R {
        let slots = &mut self.slots[..1 << self.bits];
        let mut left = 0;
        for at in 0..slots.len() {
            let state = slots[at];
            slots[left] = state;
            left += usize::from(state.is_state(self.used_move_bits));
        }
        let taken = take(&slots[..left]);
        slots.fill(E::NONE);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_merge_notes_and_removed_states_are_gone() {
        let mut memory = [77u64; 32];
        let mut table = Table::new(&mut memory, 4);
        for round in 0..3 {
            table.begin_round(12, round);
            let state = |i: u64| (i << 60) >> round | 0x50 | 1 << (i % 4);
            (1..8).for_each(|i| table.insert(state(i)));
            assert_eq!(table.len(), 7);
            table.insert(state(1) | 8);
            table.remove(state(2));
            table.remove(state(9));
            assert_eq!(table.len(), 7);
            let mut left = table.finish_round(<[u64]>::to_vec);
            left.sort_unstable();
            let expected: Vec<u64> =
                [1, 3, 4, 5, 6, 7].map(|i| if i == 1 { state(1) | 8 } else { state(i) }).into();
            assert_eq!(left, expected);
        }
    }
}
