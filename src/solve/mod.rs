//! Solves one puzzle instance: chooses the search, its memory and its tables.
//!
//! * `plan`, `memory_plan`: the choice of algorithm, heuristic and memory.
//! * `solver`, `cache`: the interface of all solvers, and the solvers of a run.
//! * `tiles`, `trays`: solvers and their combinators.
//! * `databases`: the choice of pattern databases.
//! * `one_board`, `one_tray`: solve a single instance without files.

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
