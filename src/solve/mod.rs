//! How one puzzle instance is solved: which search, in which memory, with which tables.

pub(crate) mod cache;
pub mod counters;
pub(crate) mod databases;
mod error;
pub(crate) mod memory_plan;
mod observer;
pub mod one_board;
pub mod one_tray;
pub mod plan;
pub(crate) mod solver;
pub(crate) mod suitable;
pub(crate) mod tiles;
pub(crate) mod trays;

pub use error::SetupError;
pub use observer::Observer;
