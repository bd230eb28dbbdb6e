//! How a stream of puzzle instances is run: sources, workers, scheduler, results in input order.

pub mod checkpoint;
mod defaults;
pub(crate) mod driver;
pub(crate) mod error;
pub mod improve;
pub(crate) mod parallel_map;
pub(crate) mod reorder;
pub mod resume;
pub(crate) mod scheduler;
pub(crate) mod source;
pub(crate) mod worker;

pub use crate::solve::Observer;
pub use driver::{RunOutcome, run};
pub use error::RunError;
pub use parallel_map::parallel_map;
pub use source::poll::UntilSignal;
