//! Runs a stream of puzzle instances: sources, workers, scheduler, results in input order.
//!
//! [`run`] (`driver`) reserves the memory and starts the workers. Each `worker` asks the
//! `scheduler` for its next task: read a block from the `source`, solve a job, or help with one.
//! Results go through the reorder buffer (`reorder`), which writes them in input order. `resume`
//! continues an earlier run; `checkpoint` continues a single search of many hours.

mod block;
pub mod checkpoint;
mod context;
mod defaults;
pub(crate) mod driver;
pub(crate) mod error;
mod helpers;
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
