//! The ordering window: results leave in the order of the input.

use super::resume::{Journal, Mark, ResumeState};
use crate::model::report::{Report, Verdict};
use crate::output::{Sink, SinkError, Style, Summary};
use crate::solve::Observer;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Results of a block, the next ones in its order.
#[derive(Default)]
pub(crate) struct Part {
    pub(crate) text: Vec<u8>,
    /// Results that become text only when they are written, each with its place in
    /// the text.
    pub(crate) long: Vec<(usize, Box<Report>)>,
    pub(crate) records: u64,
    /// Bytes of input that the block came from, with its last part.
    pub(crate) bytes: u64,
    /// Whether nothing more of this block will come.
    pub(crate) is_last: bool,
    /// How far the input is at the end of the block.
    pub(crate) mark: Option<Mark>,
    /// How many of the results come before the first one that was cut short.
    pub(crate) cut: Option<u64>,
    /// The first invalid records, in words.
    pub(crate) invalid: Vec<String>,
}

/// Invalid records of a part that are put into words.
const MOST_INVALID: usize = 8;

impl Part {
    /// Counts one more result, which may have been cut short by the end of the run.
    pub(crate) fn count(&mut self, cut_short: bool) {
        if cut_short {
            self.cut.get_or_insert(self.records);
        }
        self.records += 1;
    }

    /// Puts an invalid record into words, unless there are many.
    pub(crate) fn name_invalid(&mut self, report: &Report) {
        if let Verdict::Invalid { reason } = &report.verdict
            && self.invalid.len() < MOST_INVALID
        {
            self.invalid.push(format!("{}, record {}: {reason}", report.file, report.n));
        }
    }

    /// What is held in memory of it, in bytes.
    pub(crate) fn held(&self) -> u64 {
        let long = self.long.iter().map(|(_, report)| moves(report));
        self.text.len() as u64 + long.sum::<u64>()
    }

    /// Puts a further part behind this one.
    fn append(&mut self, part: Self) {
        let before = self.text.len();
        self.long.extend(part.long.into_iter().map(|(at, report)| (before + at, report)));
        if self.text.is_empty() {
            self.text = part.text;
        } else {
            self.text.extend_from_slice(&part.text);
        }
        self.cut = self.cut.or(part.cut.map(|cut| self.records + cut));
        self.records += part.records;
        self.bytes += part.bytes;
        let room = MOST_INVALID.saturating_sub(self.invalid.len());
        self.invalid.extend(part.invalid.into_iter().take(room));
        self.is_last = part.is_last;
        self.mark = part.mark.or(self.mark.take());
    }

    fn write(&self, sink: &mut Sink, style: Style) -> Result<(), SinkError> {
        let mut from = 0;
        for (at, report) in &self.long {
            sink.write_all(&self.text[from..*at])?;
            style.write_chunked(report, |chunk| sink.write_all(chunk))?;
            from = *at;
        }
        sink.write_all(&self.text[from..])
    }
}

/// Bytes of a result's moves.
pub(crate) fn moves(report: &Report) -> u64 {
    match &report.verdict {
        Verdict::Solved(solution) => solution.moves.len() as u64,
        _ => 0,
    }
}

/// Takes results of blocks in any order and writes them in theirs.
pub(crate) struct ReorderBuffer<'s> {
    inner: Mutex<Inner<'s>>,
    observer: Option<&'s dyn Observer>,
}

struct Inner<'s> {
    sink: &'s mut Sink,
    style: Style,
    /// The block to be written next.
    next: u64,
    waiting: BTreeMap<u64, Part>,
    summary: Summary,
    failed: Option<SinkError>,
    /// Results in the file, those of an earlier run included.
    records: u64,
    journal: Option<Journal>,
}

impl<'s> ReorderBuffer<'s> {
    /// A window that writes to a sink, behind what is there already.
    pub(crate) fn new(sink: &'s mut Sink, style: Style, resume_state: ResumeState) -> Self {
        let ResumeState { records, summary, journal, .. } = resume_state;
        let waiting = BTreeMap::new();
        let (next, failed) = (0, None);
        let inner = Inner { sink, style, next, waiting, summary, failed, records, journal };
        Self { inner: Mutex::new(inner), observer: None }
    }

    /// Has invalid records named as they are written.
    pub(crate) fn naming_invalid(self, observer: &'s dyn Observer) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Takes the next part of a block; says how many blocks have been written
    /// to their end and how many bytes were written now, or that nothing more can
    /// be.
    pub(crate) fn put(&self, seq: u64, part: Part) -> Result<(u64, u64), Closed> {
        let inner = &mut *self.inner.lock();
        if inner.failed.is_some() {
            return Err(Closed);
        }
        inner.waiting.entry(seq).or_default().append(part);
        let mut bytes = 0;
        while let Some(mut part) = inner.waiting.remove(&inner.next) {
            bytes += part.held();
            let (invalid, is_last) = (std::mem::take(&mut part.invalid), part.is_last);
            if let Err(error) = inner.write(part) {
                inner.failed = Some(error);
                return Err(Closed);
            }
            if let Some(observer) = self.observer {
                invalid.iter().for_each(|what| observer.invalid_record(what));
            }
            if !is_last {
                break;
            }
            inner.next += 1;
        }
        if inner.journal.as_ref().is_some_and(Journal::is_sync_due)
            && let Err(error) = inner.sync()
        {
            inner.failed = Some(error);
            return Err(Closed);
        }
        Ok((inner.next, bytes))
    }

    /// Adds a worker's part of the summary.
    pub(crate) fn add(&self, summary: &Summary) {
        self.inner.lock().summary.merge(summary);
    }

    /// The summary and the journal, or why results could not be written.
    pub(crate) fn close(self) -> Result<(Summary, Option<Journal>), SinkError> {
        let mut inner = self.inner.into_inner();
        let synced = inner.sync();
        match inner.failed {
            // The run was interrupted, and its summary can still be told.
            Some(SinkError::Unread) => Ok((inner.summary, inner.journal)),
            Some(error) => Err(error),
            None => synced.map(|()| (inner.summary, inner.journal)),
        }
    }
}

impl Inner<'_> {
    /// Writes the next results, and then has the journal say so.
    fn write(&mut self, part: Part) -> Result<(), SinkError> {
        // Before the results are written: a later run must know that they are not final.
        if let (Some(cut), Some(journal)) = (part.cut, &mut self.journal) {
            journal.cut(self.records + cut)?;
        }
        part.write(self.sink, self.style)?;
        self.records += part.records;
        if let (Some(mark), Some(journal)) = (part.mark, &mut self.journal) {
            let (records, bytes, checksum) = (self.records, self.sink.len(), self.sink.checksum());
            journal.set(Mark { records, bytes, checksum, ..mark })?;
        }
        Ok(())
    }

    /// Has what is written on disk, and then has the journal say so.
    fn sync(&mut self) -> Result<(), SinkError> {
        match &mut self.journal {
            Some(journal) => self.sink.sync().and_then(|()| journal.set_synced()),
            None => Ok(()),
        }
    }
}

/// Nothing can be written any more.
#[derive(Debug)]
pub(crate) struct Closed;
