//! The result of a search and its statistics.

use super::Stop;
use crate::puzzle::Move;

/// The result of a search and its statistics.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The result.
    pub ending: Ending,
    /// The statistics.
    pub statistics: Statistics,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending {
    /// A goal was reached.
    Solved {
        /// The moves from the start.
        path: Vec<Move>,
        /// Lower bound on the solution length. The path is a shortest one if its length equals
        /// this.
        bound: u32,
    },
    /// All reachable states were visited; none is a goal.
    Exhausted,
    /// A limit was reached first.
    Stopped {
        /// The limit.
        stop: Stop,
        /// Lower bound on the solution length.
        bound: u32,
    },
}

/// Statistics of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// States whose successors were generated.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    /// States stored.
    pub stored: u64,
    /// Whether memory was full and depth-first searches continued from the frontier.
    pub fell_back: bool,
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.expanded += other.expanded;
        self.generated += other.generated;
        self.stored += other.stored;
        self.fell_back |= other.fell_back;
    }
}
