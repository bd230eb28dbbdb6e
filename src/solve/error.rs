//! Errors while a solver or a batch is set up.

use crate::memory::budget::OutOfBudget;
use crate::pdb::BuildError;
use std::io;

/// An error while memory or databases are set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The memory cap is too small.
    #[error(transparent)]
    Memory(#[from] OutOfBudget),
    /// A pattern database on which results depend could not be built.
    #[error("{0}: {1}")]
    Database(&'static str, #[source] BuildError),
    /// The system refused memory.
    #[error("cannot allocate memory for searching: {0}")]
    Arena(#[source] io::Error),
}
