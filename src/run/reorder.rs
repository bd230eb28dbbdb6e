//! Reorder buffer: accepts the results of blocks in any order and writes them in input order.
//!
//! Invariants:
//! * The chunks of one block arrive in their order; blocks arrive in any order.
//! * The journal names the first provisional result before that result is written, and counts
//!   results only after they are written.

use super::resume::{Journal, Progress, ResumeState};
use crate::model::report::{Report, Verdict};
use crate::output::{Sink, SinkError, Style, Summary};
use crate::solve::Observer;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Consecutive results of one block.
#[derive(Default)]
pub(crate) struct Chunk {
    pub(crate) text: Vec<u8>,
    /// Long results, which are formatted while they are written, each with its offset in `text`.
    pub(crate) long: Vec<(usize, Box<Report>)>,
    pub(crate) records: u64,
    /// Input bytes of the whole block, in its last chunk.
    pub(crate) bytes: u64,
    pub(crate) is_last: bool,
    /// Position in the input at the end of the block.
    pub(crate) progress: Option<Progress>,
    /// Index of the first provisional result in this chunk.
    pub(crate) provisional_from: Option<u64>,
    /// Messages about the first invalid records.
    pub(crate) invalid: Vec<String>,
}

/// Maximum number of invalid records that a chunk describes.
const MAX_INVALID: usize = 8;

impl Chunk {
    /// Counts one more result. `provisional`: the end of the run cut its search short.
    pub(crate) fn count(&mut self, provisional: bool) {
        if provisional {
            self.provisional_from.get_or_insert(self.records);
        }
        self.records += 1;
    }

    /// Adds a message for an invalid record, up to [`MAX_INVALID`] of them.
    pub(crate) fn describe_invalid(&mut self, report: &Report) {
        if let Verdict::Invalid { reason } = &report.verdict
            && self.invalid.len() < MAX_INVALID
        {
            self.invalid.push(format!("{}, record {}: {reason}", report.file, report.n));
        }
    }

    /// Returns the memory that the results occupy, in bytes.
    pub(crate) fn pending_bytes(&self) -> u64 {
        let long = self.long.iter().map(|(_, report)| solution_bytes(report));
        self.text.len() as u64 + long.sum::<u64>()
    }

    /// Appends the next chunk of the block.
    fn append(&mut self, next: Self) {
        let before = self.text.len();
        self.long.extend(next.long.into_iter().map(|(at, report)| (before + at, report)));
        if self.text.is_empty() {
            self.text = next.text;
        } else {
            self.text.extend_from_slice(&next.text);
        }
        self.provisional_from =
            self.provisional_from.or(next.provisional_from.map(|index| self.records + index));
        self.records += next.records;
        self.bytes += next.bytes;
        let room = MAX_INVALID.saturating_sub(self.invalid.len());
        self.invalid.extend(next.invalid.into_iter().take(room));
        self.is_last = next.is_last;
        self.progress = next.progress.or(self.progress.take());
    }

    fn write(&self, sink: &mut Sink, style: Style) -> Result<(), SinkError> {
        let mut from = 0;
        for (at, report) in &self.long {
            sink.write_all(&self.text[from..*at])?;
            style.write_chunked(report, |bytes| sink.write_all(bytes))?;
            from = *at;
        }
        sink.write_all(&self.text[from..])
    }
}

/// Returns the bytes that a result's moves occupy.
pub(crate) fn solution_bytes(report: &Report) -> u64 {
    match &report.verdict {
        Verdict::Solved(solution) => solution.moves.len() as u64,
        _ => 0,
    }
}

/// Writes the results of all blocks in input order.
pub(crate) struct ReorderBuffer<'s> {
    inner: Mutex<Inner<'s>>,
    observer: Option<&'s dyn Observer>,
}

struct Inner<'s> {
    sink: &'s mut Sink,
    style: Style,
    /// Number of the block that is written next.
    next: u64,
    /// Results of later blocks.
    pending: BTreeMap<u64, Chunk>,
    summary: Summary,
    error: Option<SinkError>,
    /// Results in the file, including those of an earlier run.
    records: u64,
    journal: Option<Journal>,
}

impl<'s> ReorderBuffer<'s> {
    /// Creates a buffer that appends to `sink`, after the results of the earlier run that
    /// `resume_state` describes.
    pub(crate) fn new(sink: &'s mut Sink, style: Style, resume_state: ResumeState) -> Self {
        let ResumeState { records, summary, journal, .. } = resume_state;
        let pending = BTreeMap::new();
        let (next, error) = (0, None);
        let inner = Inner { sink, style, next, pending, summary, error, records, journal };
        Self { inner: Mutex::new(inner), observer: None }
    }

    /// Reports invalid records to `observer` when they are written.
    pub(crate) fn with_observer(self, observer: &'s dyn Observer) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Accepts the next chunk of the block with number `block` and writes all results that no
    /// earlier result precedes. Returns the number of blocks that are written completely, and the
    /// bytes of results written by this call.
    pub(crate) fn put(&self, block: u64, chunk: Chunk) -> Result<(u64, u64), Closed> {
        let inner = &mut *self.inner.lock();
        if inner.error.is_some() {
            return Err(Closed);
        }
        inner.pending.entry(block).or_default().append(chunk);
        let mut bytes = 0;
        while let Some(mut chunk) = inner.pending.remove(&inner.next) {
            bytes += chunk.pending_bytes();
            let (invalid, is_last) = (std::mem::take(&mut chunk.invalid), chunk.is_last);
            if let Err(error) = inner.write(chunk) {
                inner.error = Some(error);
                return Err(Closed);
            }
            if let Some(observer) = self.observer {
                invalid.iter().for_each(|message| observer.invalid_record(message));
            }
            if !is_last {
                break;
            }
            inner.next += 1;
        }
        if inner.journal.as_ref().is_some_and(Journal::is_sync_due)
            && let Err(error) = inner.sync()
        {
            inner.error = Some(error);
            return Err(Closed);
        }
        Ok((inner.next, bytes))
    }

    /// Merges a worker's summary into that of the run.
    pub(crate) fn merge_summary(&self, summary: &Summary) {
        self.inner.lock().summary.merge(summary);
    }

    /// Syncs the results and returns the summary and the journal, or the error that ended the
    /// writing.
    pub(crate) fn close(self) -> Result<(Summary, Option<Journal>), SinkError> {
        let mut inner = self.inner.into_inner();
        let synced = inner.sync();
        match inner.error {
            // The run was interrupted, and its summary is still valid.
            Some(SinkError::Unread) => Ok((inner.summary, inner.journal)),
            Some(error) => Err(error),
            None => synced.map(|()| (inner.summary, inner.journal)),
        }
    }
}

impl Inner<'_> {
    /// Writes the next results and then records them in the journal.
    fn write(&mut self, chunk: Chunk) -> Result<(), SinkError> {
        // Before the results are written: a later run must know that they are not final.
        if let (Some(index), Some(journal)) = (chunk.provisional_from, &mut self.journal) {
            journal.set_provisional_from(self.records + index)?;
        }
        chunk.write(self.sink, self.style)?;
        self.records += chunk.records;
        if let (Some(progress), Some(journal)) = (chunk.progress, &mut self.journal) {
            let (records, bytes, checksum) = (self.records, self.sink.len(), self.sink.checksum());
            journal.record(Progress { records, bytes, checksum, ..progress })?;
        }
        Ok(())
    }

    /// Syncs the written results to disk and then records that in the journal.
    fn sync(&mut self) -> Result<(), SinkError> {
        match &mut self.journal {
            Some(journal) => self.sink.sync().and_then(|()| journal.record_synced()),
            None => Ok(()),
        }
    }
}

/// Error: an earlier write failed, and no further results are accepted.
#[derive(Debug)]
pub(crate) struct Closed;
