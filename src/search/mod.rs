//! The searches: one algorithm a file, generic over puzzle and heuristic.
//!
//! * [`best_first`]: parallel bucketed best-first search (A*, weighted A*,
//!   greedy, breadth-first, by its [`Order`]) inside a fixed region of memory;
//!   when that is full, depth-first searches go on from its frontier.
//! * [`any_width`]: best-first search by one thread over keys of any width, which
//!   needs no preparation; and a way to shorten solutions.
//! * [`ida`]: iterative-deepening A*, which needs no memory.
//! * [`keeper`]: how long searches are put down and taken up again.
//! * [`beam`]: level by level, the best of each level only.
//! * [`bfs`]: breadth-first with a FIFO queue, counted as textbooks count.
//! * [`dfs`]: depth-first with a stack.
//! * [`layered`]: breadth-first search from layer to layer, for puzzles whose
//!   states are expanded by the batch.
//! * [`spread`]: the same with few states of each kind, for any solution.

pub mod astar;
pub mod beam;
pub mod bfs;
mod bounded_dfs;
pub mod checkpoint;
mod closed_set;
pub mod dfs;
pub mod diverse_bfs;
pub mod dynamic_key;
mod helpers;
pub mod ida;
mod interleaved;
pub mod layered;
mod limits;
mod order;
mod outcome;

pub use crate::search::helpers::{HelperPool, NoHelpers, SpawnThreads};
pub use limits::{Limits, Stop};
pub use order::Order;
pub use outcome::{Ending, Outcome, Statistics};

/// A puzzle, a heuristic for it, and where to start.
#[derive(Debug)]
pub struct Problem<'a, P: crate::puzzle::Puzzle, H> {
    /// The puzzle.
    pub puzzle: &'a P,
    /// Its heuristic.
    pub heuristic: &'a H,
    /// The start.
    pub start: P::State,
}

impl<P: crate::puzzle::Puzzle, H> Clone for Problem<'_, P, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: crate::puzzle::Puzzle, H> Copy for Problem<'_, P, H> {}
