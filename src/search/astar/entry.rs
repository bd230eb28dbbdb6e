//! Entries of the open list: the slot number of a state, the heuristic's payload, and g and h
//! where the bucket does not imply them.

use bytemuck::{Pod, Zeroable};

/// An entry of the open list, with a heuristic's payload `C`.
pub trait Entry<C>: Pod + Send {
    /// Whether the open list has a column for each g, so that level and column imply g and h.
    const BY_COST: bool;

    /// Creates an entry.
    fn new(slot: u32, cost: u32, estimate: u32, payload: C) -> Self;

    /// Returns the state's slot.
    fn slot(&self) -> u32;

    /// Replaces the slot number after the state was moved.
    fn set_slot(&mut self, slot: u32);

    /// Returns a copy of the payload.
    fn payload(&self) -> C;

    /// Returns the payload in place.
    fn payload_ref(&self) -> &C;

    /// Returns g at the time of the push; `column` is the entry's column.
    fn cost(&self, column: usize) -> u32;

    /// Returns h; `level` and `column` are the entry's bucket.
    fn estimate(&self, level: usize, column: usize) -> u32;
}

/// Slot numbers from here on mark a deferred state (in the open list, not yet in the table).
/// Their low byte is the last move.
const DEFERRED: u32 = !0xff;

/// Returns the slot number that marks a deferred state reached by `step`.
#[inline(always)]
pub(super) fn defer(step: u32) -> u32 {
    debug_assert!(step < 0x100);
    DEFERRED | step
}

/// Returns the last move of a deferred state, or `None` if `slot` is in the table.
#[inline(always)]
pub(super) fn deferred(slot: u32) -> Option<u32> {
    (slot >= DEFERRED).then_some(slot & !DEFERRED)
}

/// Entry of a search ordered by g + h: the column is g, level minus column is h.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ImplicitEntry<C> {
    payload: C,
    slot: u32,
}

/// Entry of a search in any order.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ExplicitEntry<C> {
    slot: u32,
    cost: u16,
    estimate: u16,
    payload: C,
}

/// Checks the layout of a payload at compile time.
const fn check_payload<C>() {
    assert!(size_of::<C>() == 0 || (align_of::<C>() == 4 && size_of::<C>().is_multiple_of(4)));
}

#[allow(unsafe_code)]
// SAFETY: all fields can be zero.
unsafe impl<C: Pod> Zeroable for ImplicitEntry<C> {}
#[allow(unsafe_code)]
// SAFETY: `repr(C)`; a payload is empty or made of 4-byte words (checked in `new`), so there is
// no padding; all fields are `Pod`.
unsafe impl<C: Pod> Pod for ImplicitEntry<C> {}
#[allow(unsafe_code)]
// SAFETY: all fields can be zero.
unsafe impl<C: Pod> Zeroable for ExplicitEntry<C> {}
#[allow(unsafe_code)]
// SAFETY: as for `ImplicitEntry`; the two halves make one word.
unsafe impl<C: Pod> Pod for ExplicitEntry<C> {}

impl<C: Pod + Send> Entry<C> for ImplicitEntry<C> {
    const BY_COST: bool = true;

    #[inline(always)]
    fn new(slot: u32, _cost: u32, _estimate: u32, payload: C) -> Self {
        const { check_payload::<C>() };
        Self { payload, slot }
    }

    #[inline(always)]
    fn slot(&self) -> u32 {
        self.slot
    }

    #[inline(always)]
    fn set_slot(&mut self, slot: u32) {
        self.slot = slot;
    }

    #[inline(always)]
    fn payload(&self) -> C {
        self.payload
    }

    #[inline(always)]
    fn payload_ref(&self) -> &C {
        &self.payload
    }

    #[inline(always)]
    fn cost(&self, column: usize) -> u32 {
        column as u32
    }

    #[inline(always)]
    fn estimate(&self, level: usize, column: usize) -> u32 {
        (level - column) as u32
    }
}

impl<C: Pod + Send> Entry<C> for ExplicitEntry<C> {
    const BY_COST: bool = false;

    #[inline(always)]
    fn new(slot: u32, cost: u32, estimate: u32, payload: C) -> Self {
        const { check_payload::<C>() };
        Self { slot, cost: cost as u16, estimate: estimate as u16, payload }
    }

    #[inline(always)]
    fn slot(&self) -> u32 {
        self.slot
    }

    #[inline(always)]
    fn set_slot(&mut self, slot: u32) {
        self.slot = slot;
    }

    #[inline(always)]
    fn payload(&self) -> C {
        self.payload
    }

    #[inline(always)]
    fn payload_ref(&self) -> &C {
        &self.payload
    }

    #[inline(always)]
    fn cost(&self, _column: usize) -> u32 {
        self.cost.into()
    }

    #[inline(always)]
    fn estimate(&self, _level: usize, _column: usize) -> u32 {
        self.estimate.into()
    }
}
