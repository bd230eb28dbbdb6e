//! Tile boards that are too large for shortest solutions: first any solution, then shorter ones.
//!
//! * [`mutable_board`]: a board of any size with its history of moves.
//! * [`peel`]: the unsolved rectangle, from whose sides lines are solved.
//! * [`staged`]: solves line by line, each tile by its shortest route; always succeeds.
//! * [`beam`]: beam search, line by line.
//! * [`windows`]: shortcuts between two boards of a path.
//! * [`improve`]: all of these until the deadline.
//! * [`endgame`]: the last 3×3 cells by a shortest path.
//! * [`bound`]: a lower bound on the length of a solution.

pub mod beam;
pub mod bound;
pub mod endgame;
pub mod improve;
pub mod mutable_board;
pub mod peel;
pub mod staged;
pub mod windows;
