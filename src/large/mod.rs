//! Tile boards too large for shortest solutions: first any solution, then
//! shorter ones.
//!
//! * [`field`]: a board of any size while it is being solved.
//! * [`peel`]: what is left of it while lines are peeled off its sides.
//! * [`staged`]: line by line, each tile by its shortest route; always solves.
//! * [`beam`]: the best boards of each level, line by line.
//! * [`windows`]: shorter ways between two boards of a path.
//! * [`improve`]: all of these, until the time is over.
//! * [`core`]: what is left in the end, by a shortest path.
//! * [`bound`]: how short a solution can be at best.

pub mod beam;
pub mod bound;
pub mod endgame;
pub mod improve;
pub mod mutable_board;
pub mod peel;
pub mod staged;
pub mod windows;
