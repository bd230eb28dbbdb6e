//! What the open list keeps of a state: the number of its slot, and only as
//! much more as cannot be told from elsewhere.

use bytemuck::{Pod, Zeroable};

/// An entry of the open list, with what a heuristic wants carried along.
pub trait Entry<C>: Pod + Send {
    /// Whether the list has a column for each cost, so that level and column
    /// tell cost and estimate.
    const BY_COST: bool;

    /// An entry for a state.
    fn new(slot: u32, cost: u32, estimate: u32, payload: C) -> Self;

    /// The state's slot.
    fn slot(&self) -> u32;

    /// Follows a state that was moved to another slot.
    fn set_slot(&mut self, slot: u32);

    /// What the heuristic wanted carried along.
    fn payload(&self) -> C;

    /// The same, where it lies.
    fn kept(&self) -> &C;

    /// The cost when the entry was made, found in a column.
    fn cost(&self, column: usize) -> u32;

    /// The estimate, found in a level and a column.
    fn estimate(&self, level: usize, column: usize) -> u32;
}

/// Numbers from here on belong to no slot: they say that a state is not in the
/// table yet, and by which move it was reached.
const DEFERRED: u32 = !0xff;

/// What stands in place of a slot for a state that is not entered yet.
#[inline(always)]
pub(super) fn defer(step: u32) -> u32 {
    debug_assert!(step < 0x100);
    DEFERRED | step
}

/// The last move to a state, if that is not entered yet.
#[inline(always)]
pub(super) fn deferred(slot: u32) -> Option<u32> {
    (slot >= DEFERRED).then_some(slot & !DEFERRED)
}

/// The entry of a search in the order of cost plus estimate: the column is the
/// cost, and what is missing to the level is the estimate.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ImplicitEntry<C> {
    payload: C,
    slot: u32,
}

/// The entry of a search in any order.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ExplicitEntry<C> {
    slot: u32,
    cost: u16,
    estimate: u16,
    payload: C,
}

/// Refuses, when compiled, what a heuristic may not carry.
const fn check_payload<C>() {
    assert!(size_of::<C>() == 0 || (align_of::<C>() == 4 && size_of::<C>().is_multiple_of(4)));
}

#[allow(unsafe_code)]
// SAFETY: all fields can be zero.
unsafe impl<C: Pod> Zeroable for ImplicitEntry<C> {}
#[allow(unsafe_code)]
// SAFETY: `repr(C)`; a carry is empty or made of 4-byte words (checked in
// `new`), so there is no padding; all fields are `Pod`.
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
    fn kept(&self) -> &C {
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
    fn kept(&self) -> &C {
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
