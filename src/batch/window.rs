//! The ordering window: results leave in the order of the input.

use super::counters::Counters;
use crate::output::{Sink, SinkError, Summary};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// A block's results, ready to be written.
pub(super) struct Ready {
    pub(super) text: Vec<u8>,
    pub(super) records: u64,
    /// Bytes of input that they came from.
    pub(super) bytes: u64,
}

/// Takes finished blocks in any order and writes them in theirs.
pub(super) struct Window<'s> {
    inner: Mutex<Inner<'s>>,
    counters: &'s Counters,
}

struct Inner<'s> {
    sink: &'s mut Sink,
    /// The block to be written next.
    next: u64,
    waiting: BTreeMap<u64, Ready>,
    summary: Summary,
    failed: Option<SinkError>,
}

impl<'s> Window<'s> {
    /// A window that writes to a sink.
    pub(super) fn new(sink: &'s mut Sink, counters: &'s Counters) -> Self {
        let inner = Inner { sink, next: 0, waiting: BTreeMap::new(), summary: Summary::new(), failed: None };
        Self { inner: Mutex::new(inner), counters }
    }

    /// Takes a finished block; says how many blocks have been written, or that
    /// nothing more can be.
    pub(super) fn put(&self, seq: u64, ready: Ready) -> Result<u64, Closed> {
        let inner = &mut *self.inner.lock();
        if inner.failed.is_some() {
            return Err(Closed);
        }
        inner.waiting.insert(seq, ready);
        while let Some(ready) = inner.waiting.remove(&inner.next) {
            if let Err(error) = inner.sink.write_all(&ready.text) {
                inner.failed = Some(error);
                return Err(Closed);
            }
            inner.next += 1;
            self.counters.add_records(ready.records, ready.bytes);
        }
        Ok(inner.next)
    }

    /// Adds a worker's part of the summary.
    pub(super) fn add(&self, summary: &Summary) {
        self.inner.lock().summary.merge(summary);
    }

    /// The summary, or why results could not be written.
    pub(super) fn close(self) -> Result<Summary, SinkError> {
        let inner = self.inner.into_inner();
        match inner.failed {
            Some(error) => Err(error),
            None => Ok(inner.summary),
        }
    }
}

/// Nothing can be written any more.
#[derive(Debug)]
pub(super) struct Closed;
