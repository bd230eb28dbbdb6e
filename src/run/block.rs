//! Blocks whose results are not complete, and the jobs that complete them.

use super::resume::Progress;
use crate::model::report::Report;
use parking_lot::Mutex;
use std::sync::Arc;

/// A puzzle that tier `Quick` did not decide.
pub(crate) struct Job {
    pub(super) block: Arc<PendingBlock>,
    pub(super) slot: usize,
    pub(super) report: Report,
    /// Number of records of the whole run before it. The solver is looked up only when the job
    /// starts: each job may need another one, and solvers of waiting jobs would occupy memory.
    pub(super) before: u64,
}

/// Results of one block, from the first record that tier `Quick` did not decide.
pub(super) struct PendingBlock {
    pub(super) number: u64,
    /// Input bytes of all records.
    pub(super) bytes: u64,
    /// Input bytes of one record, on average.
    pub(super) bytes_per_record: u64,
    /// Position in the input at the end of the block.
    pub(super) progress: Option<Progress>,
    pub(super) inner: Mutex<Results>,
}

pub(super) struct Results {
    pub(super) slots: Vec<Slot>,
    /// Number of slots that have been handed to the reorder buffer.
    pub(super) emitted: usize,
}

/// The result of one record.
pub(super) enum Slot {
    /// No result: the record belongs to another shard, is already answered, or was not started
    /// before the run was interrupted.
    Skipped,
    /// The job is queued or running.
    Undecided,
    /// The result.
    Decided { report: Box<Report>, provisional: bool },
}
