//! The search algorithms: one per file, generic over puzzle and heuristic.
//!
//! * [`astar`]: parallel bucketed best-first search (A*, weighted A*, greedy, breadth-first, by
//!   its [`Order`]) inside a fixed region of memory. When the region is full, depth-first
//!   searches continue from its frontier (A*+IDA*).
//! * [`dynamic_key`]: searches on one thread over keys whose width is known at run time,
//!   without set-up; and a way to shorten solutions.
//! * [`ida`]: iterative-deepening A*, which needs no memory.
//! * [`checkpoint`]: snapshots of long searches.
//! * [`beam`]: beam search.
//! * [`bfs`]: breadth-first search with a FIFO queue and textbook node counts.
//! * [`dfs`]: depth-first search with a stack.
//! * [`layered`]: breadth-first search by layers, for puzzles that expand states in batches.
//! * [`diverse_bfs`]: breadth-first search that keeps few states of each class, for any
//!   solution.

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

/// A puzzle, a heuristic for it, and a start state.
#[derive(Debug)]
pub struct Problem<'a, P: crate::puzzle::Puzzle, H> {
    /// The puzzle.
    pub puzzle: &'a P,
    /// The heuristic.
    pub heuristic: &'a H,
    /// The start state.
    pub start: P::State,
}

impl<P: crate::puzzle::Puzzle, H> Clone for Problem<'_, P, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: crate::puzzle::Puzzle, H> Copy for Problem<'_, P, H> {}
