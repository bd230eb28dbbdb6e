//! The wish to end a run early, shared by everyone who should notice it.

use std::sync::{
    Arc,
    atomic::{AtomicI32, Ordering::Relaxed},
};
use std::time::Instant;

/// A flag that a signal raises: no new puzzle is begun, running searches end,
/// what is decided is still written.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    /// The signal's number; 0 while there was none.
    signal: Arc<AtomicI32>,
}

impl Interrupt {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag for a signal; whether this was the first one. Later ones
    /// change nothing.
    pub fn raise(&self, signal: i32) -> bool {
        self.signal.compare_exchange(0, signal, Relaxed, Relaxed).is_ok()
    }

    /// Whether the run should end. Cheap enough for every few hundred nodes.
    pub fn is_raised(&self) -> bool {
        self.signal.load(Relaxed) != 0
    }

    /// The number of the signal that ended the run, if one did.
    pub fn signal(&self) -> Option<i32> {
        Some(self.signal.load(Relaxed)).filter(|&signal| signal != 0)
    }
}

/// What ends a run before its input does: a signal or the deadline.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopCondition {
    pub(crate) interrupt: Interrupt,
    pub(crate) deadline: Option<Instant>,
}

impl StopCondition {
    /// Whether the deadline has passed.
    pub(crate) fn is_past_deadline(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether a signal has arrived or the deadline has passed.
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
