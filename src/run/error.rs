//! Errors that end a run.

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

/// Reason why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The goal is invalid.
    #[error("--goal: {0}")]
    Goal(#[from] GoalError),
    /// The input form is unknown.
    #[error("--input-format: {0}")]
    Form(#[from] UnknownForm),
    /// The memory cap is too small for any run.
    #[error("--memory: {0}")]
    Memory(#[from] OutOfBudget),
    /// A required pattern database could not be built.
    #[error("{0}: {1}")]
    Database(&'static str, #[source] BuildError),
    /// The system refused memory.
    #[error("cannot allocate memory for searching: {0}")]
    Arena(#[source] io::Error),
    /// The checkpoint cannot be used or written.
    #[error("--checkpoint {0}: {1}")]
    Checkpoint(PathBuf, #[source] BadCheckpoint),
    /// Results could not be written.
    #[error(transparent)]
    Output(#[from] SinkError),
    /// Results for `improve` could not be read.
    #[error(transparent)]
    Results(#[from] CheckError),
    /// The file to resume has more results than the input has records.
    #[error("the output has {0} more results than the input has records (--force starts over)")]
    TooManyResults(u64),
    /// A solution does not lead to its goal. This is a bug.
    #[error("a wrong solution was found and not written (this is a bug, please report it): {0}")]
    Wrong(String),
}
