//! One budget of bytes for the whole process.
//!
//! Whoever is going to use memory in earnest reserves it here first. What is
//! reserved is never given back: a run's parts live as long as the run.

use crate::quantity::Bytes;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the program itself takes: code, libraries, what the start has allocated.
pub const PROGRAM: u64 = 9 << 20;

/// A cap on memory, and how much of it is spoken for.
#[derive(Debug)]
pub struct Budget {
    cap: u64,
    reserved: AtomicU64,
}

/// There is not enough left.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} of memory are not enough: at least {} are needed here", Bytes(*.cap), Bytes(readable(*.needed)))]
pub struct OutOfBudget {
    /// The cap.
    pub cap: u64,
    /// A cap that would do.
    pub needed: u64,
}

/// A number of bytes that is no less even when only its first three digits are
/// written: whoever gives what is asked for is not refused again.
fn readable(bytes: u64) -> u64 {
    const MIB: u64 = 1 << 20;
    match bytes {
        0..MIB => bytes,
        _ if bytes <= 999 * MIB => bytes.next_multiple_of(MIB),
        _ => bytes.saturating_add(bytes / 100),
    }
}

/// Returns the least cap, in whole MiB, that is no less than what is needed under
/// it. Some needs grow with the cap, each by less than the cap grows.
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
    /// A budget with nothing reserved.
    pub fn new(cap: u64) -> Self {
        Self { cap, reserved: AtomicU64::new(0) }
    }

    /// The cap.
    pub fn cap(&self) -> u64 {
        self.cap
    }

    /// What is not spoken for.
    pub fn left(&self) -> u64 {
        self.cap.saturating_sub(self.reserved.load(Ordering::Relaxed))
    }

    /// Reserves some bytes.
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
    fn the_least_cap_does_and_one_less_does_not() {
        let needs = |cap: u64| (20 << 20) + (cap / 4).min(16 << 20) + cap / 12 + 77;
        let least = least_cap(needs);
        assert!(needs(least) <= least && needs(least - (1 << 20)) > least - (1 << 20));
        assert_eq!(least_cap(|_| 0), 0);
    }

    #[test]
    fn a_ledger_is_never_overdrawn() {
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
