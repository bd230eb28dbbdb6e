//! Early end of a run, by a signal or a deadline.

use std::sync::{
    Arc,
    atomic::{AtomicI32, Ordering::Relaxed},
};
use std::time::Instant;

/// A flag that a signal handler raises. No new puzzle is started, running searches end, and decided
/// results are still written.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    /// Number of the signal; 0 before the first one.
    signal: Arc<AtomicI32>,
}

impl Interrupt {
    /// Creates a flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag for a signal. Returns whether it was the first one; later ones have no effect.
    pub fn raise(&self, signal: i32) -> bool {
        self.signal.compare_exchange(0, signal, Relaxed, Relaxed).is_ok()
    }

    /// Returns whether the run should end. Cheap enough for every few hundred nodes.
    pub fn is_raised(&self) -> bool {
        self.signal.load(Relaxed) != 0
    }

    /// Returns the number of the signal that ended the run, if any.
    pub fn signal(&self) -> Option<i32> {
        Some(self.signal.load(Relaxed)).filter(|&signal| signal != 0)
    }
}

/// Condition that ends a run before the end of its input: a signal or the deadline.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopCondition {
    pub(crate) interrupt: Interrupt,
    pub(crate) deadline: Option<Instant>,
}

impl StopCondition {
    /// Returns whether the deadline has passed.
    pub(crate) fn is_past_deadline(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Returns whether a signal has arrived or the deadline has passed.
    pub(crate) fn is_due(&self) -> bool {
        self.interrupt.is_raised() || self.is_past_deadline()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_signal_counts() {
        let interrupt = Interrupt::new();
        let shared = interrupt.clone();
        assert!(!shared.is_raised() && shared.signal().is_none());
        assert!(interrupt.raise(15));
        assert!(!interrupt.raise(2));
        assert_eq!((shared.is_raised(), shared.signal()), (true, Some(15)));
    }
}
