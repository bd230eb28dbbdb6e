//! One memory budget for the whole process.
//!
//! Every large use of memory is reserved here before it is allocated. Reservations are never
//! released: the parts of a run live as long as the run.

use crate::quantity::Bytes;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of the program itself: code, libraries, allocations at start.
pub const PROGRAM: u64 = 9 << 20;

/// Memory cap, and the bytes reserved so far.
#[derive(Debug)]
pub struct Budget {
    cap: u64,
    reserved: AtomicU64,
}

/// Error: the budget is exhausted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} of memory are not enough: at least {} are needed here", Bytes(*.cap), Bytes(round_up_for_display(*.needed)))]
pub struct OutOfBudget {
    /// The cap of the budget.
    pub cap: u64,
    /// A cap that would suffice.
    pub needed: u64,
}

/// Rounds `bytes` up so that the displayed value, which has three digits, is not less than
/// `bytes`: a user who passes the displayed value is not refused again.
fn round_up_for_display(bytes: u64) -> u64 {
    const MIB: u64 = 1 << 20;
    match bytes {
        0..MIB => bytes,
        _ if bytes <= 999 * MIB => bytes.next_multiple_of(MIB),
        _ => bytes.saturating_add(bytes / 100),
    }
}

/// Returns the smallest cap, in whole MiB, with `needs(cap) <= cap`. `needs` may grow with
/// the cap, but must grow more slowly.
pub fn least_cap(needs: impl Fn(u64) -> u64) -> u64 {
    const MIB: u64 = 1 << 20;
    let mut cap = 0;
    loop {
        let needed = needs(cap).next_multiple_of(MIB);
        if needed <= cap {
            return cap;
        }
        cap = needed;
    }
}

impl Budget {
    /// Creates a budget without reservations.
    pub fn new(cap: u64) -> Self {
        Self { cap, reserved: AtomicU64::new(0) }
    }

    /// Returns the cap.
    pub fn cap(&self) -> u64 {
        self.cap
    }

    /// Returns the bytes that are not reserved.
    pub fn left(&self) -> u64 {
        self.cap.saturating_sub(self.reserved.load(Ordering::Relaxed))
    }

    /// Reserves `bytes`, or returns an error and reserves nothing.
    pub fn reserve(&self, bytes: u64) -> Result<(), OutOfBudget> {
        self.reserved
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |reserved| {
                reserved.checked_add(bytes).filter(|&sum| sum <= self.cap)
            })
            .map(drop)
            .map_err(|reserved| OutOfBudget { cap: self.cap, needed: reserved.saturating_add(bytes) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_cap_suffices_and_a_smaller_one_does_not() {
        let needs = |cap: u64| (20 << 20) + (cap / 4).min(16 << 20) + cap / 12 + 77;
        let least = least_cap(needs);
        assert!(needs(least) <= least && needs(least - (1 << 20)) > least - (1 << 20));
        assert_eq!(least_cap(|_| 0), 0);
    }

    #[test]
    fn a_budget_is_never_overdrawn() {
        let budget = Budget::new(100);
        assert!(budget.reserve(60).is_ok());
        assert_eq!(budget.reserve(41), Err(OutOfBudget { cap: 100, needed: 101 }));
        assert_eq!(budget.left(), 40);
        assert!(budget.reserve(40).is_ok());
        assert!(budget.reserve(u64::MAX).is_err());
        let short = OutOfBudget { cap: 100 << 20, needed: (128 << 20) + 1 };
        assert_eq!(short.to_string(), "100 MiB of memory are not enough: at least 129 MiB are needed here");
        assert_eq!(budget.left(), 0);
    }
}
