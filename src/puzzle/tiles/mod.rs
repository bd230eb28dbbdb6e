//! The (R×C − 1)-puzzle on any rectangle from 2×2 to 256×256, for any goal.
//!
//! A [`Board`] has a tile for each cell, 0 for the blank. It is always valid: its constructor
//! rejects anything that is not a permutation. [`Tiles`] is the puzzle for searches: boards packed
//! into words ([`Cells`]), with tables for moves. [`Lines`] is the puzzle in the line metric, in
//! which a run of tiles moves at once.

mod board;
mod cells;
mod direction;
mod goal;
mod lines;
mod metric;
mod packed;
mod parity;
mod size;

pub use board::{Board, BoardError};
pub use cells::Cells;
pub use direction::Direction;
pub use goal::Goal;
pub use lines::{LineMoves, Lines};
pub use metric::Metric;
pub use packed::{TileMoves, TileState, Tiles};
pub use parity::{Parity, is_solvable};
pub use size::{Size, SizeError};
