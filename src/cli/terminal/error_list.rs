//! Errors of which only the first are worth a line each.

use crate::cli::{Exit, Screen};

/// Errors that are named; `check` names as many.
const NAMED: u64 = 20;

/// Names the first errors on stderr and counts the others.
#[derive(Debug)]
pub(in crate::cli) struct ErrorList {
    screen: Screen,
    count: u64,
}

impl ErrorList {
    pub(in crate::cli) fn new(screen: Screen) -> Self {
        Self { screen, count: 0 }
    }

    /// Adds an error.
    pub(in crate::cli) fn add(&mut self, what: &str) {
        self.count += 1;
        if self.count <= NAMED {
            self.screen.error(what);
        }
    }

    /// Says how many errors were not named, and returns what they mean for the status.
    pub(in crate::cli) fn finish(self) -> Exit {
        if self.count > NAMED {
            self.screen.error(&format!("and {} more", self.count - NAMED));
        }
        if self.count > 0 { Exit::Failed } else { Exit::Decided }
    }
}
