//! What a search found and what it did.

use super::Stop;
use crate::puzzle::Move;

/// How a search ended, and what it did.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// What it did.
    pub statistics: Statistics,
}

/// How a search ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending {
    /// A goal was reached.
    Solved {
        /// The moves from the start.
        path: Vec<Move>,
        /// No solution is shorter than this; the path is a shortest one if its
        /// length is this.
        bound: u32,
    },
    /// All states that can be reached were seen, and none is a goal.
    Exhausted,
    /// A limit came first.
    Stopped {
        /// The limit.
        stop: Stop,
        /// No solution is shorter than this.
        bound: u32,
    },
}

/// What a search did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// States whose successors were generated.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    /// States stored.
    pub stored: u64,
    /// Whether memory ran full and depth-first searches went on.
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
