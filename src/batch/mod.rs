//! Which search for which puzzle under which budget; the workers.
//!
//! [`run`](run()) reads the files in blocks of records. A worker tries the
//! records of its block for a moment each; what is not decided then waits for a
//! worker's slice of memory, and what outgrows that for the large part
//! ([`plan`]). Idle workers help the oldest puzzle. Results leave in the order
//! of the input.

mod any_heuristic;
mod beginning;
pub mod checkpoint;
mod choice;
pub mod counters;
mod crew;
mod database_costs;
mod databases;
mod each;
mod error;
pub mod improve;
mod inputs;
pub mod interrupt;
mod large;
mod layered_tray;
mod lines;
mod long;
mod near;
mod one_tray;
pub mod plan;
mod promise;
mod ready;
pub mod resume;
mod run;
mod second_best;
pub mod settings;
mod shares;
mod single;
mod solver;
mod suitable;
mod survey;
mod tables;
mod tiles;
mod tray_priority;
mod tray_space;
mod trays;
mod window;
mod worker;

pub use each::each;
pub use error::RunError;
pub use one_tray::solve_tray;
pub use ready::UntilSignal;
pub use run::{Finished, Notices, run};
pub use single::Single;
