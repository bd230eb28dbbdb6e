//! Why a run could not be done.

use super::checkpoint::BadCheckpoint;
use crate::check::CheckError;
use crate::input::{GoalError, UnknownForm};
use crate::memory::budget::OutOfBudget;
use crate::output::SinkError;
use crate::pdb::BuildError;
use crate::solve::SetupError;
use std::io;
use std::path::PathBuf;

impl From<SetupError> for RunError {
    fn from(error: SetupError) -> Self {
        match error {
            SetupError::Memory(error) => Self::Memory(error),
            SetupError::Database(name, error) => Self::Database(name, error),
            SetupError::Arena(error) => Self::Arena(error),
        }
    }
}

/// Why a run did not begin, or ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The goal is none.
    #[error("--goal: {0}")]
    Goal(#[from] GoalError),
    /// The input form is none.
    #[error("--input-format: {0}")]
    Form(#[from] UnknownForm),
    /// The memory cap is too small for any run.
    #[error("--memory: {0}")]
    Memory(#[from] OutOfBudget),
    /// A pattern database that the results depend on could not be made.
    #[error("{0}: {1}")]
    Database(&'static str, #[source] BuildError),
    /// The system gave no memory.
    #[error("cannot allocate memory for searching: {0}")]
    Arena(#[source] io::Error),
    /// The checkpoint cannot be used or written.
    #[error("--checkpoint {0}: {1}")]
    Checkpoint(PathBuf, #[source] BadCheckpoint),
    /// Results could not be written.
    #[error(transparent)]
    Output(#[from] SinkError),
    /// Results that are to be improved could not be read.
    #[error(transparent)]
    Results(#[from] CheckError),
    /// There are more results than records.
    #[error("there are {0} more results than records to go on from (--force starts over)")]
    TooManyResults(u64),
    /// A solution does not lead to its goal: a bug.
    #[error("a wrong solution was found and not written (this is a bug, please report it): {0}")]
    Wrong(String),
}
