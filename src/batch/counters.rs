//! What a run has done so far, readable while it runs.
//!
//! Workers add; whoever shows progress reads. The numbers are for people: they
//! may be a moment old, and the summary does not come from them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters that any thread may add to.
#[derive(Debug, Default)]
pub struct Counters {
    records: AtomicU64,
    bytes: AtomicU64,
    nodes: AtomicU64,
    /// Percent of what comes before the first record, and one more.
    prepared: AtomicU64,
}

/// The counters at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    /// Results written.
    pub records: u64,
    /// Bytes of input that these results came from.
    pub bytes: u64,
    /// Nodes generated, also by searches that still run.
    pub nodes: u64,
    /// Percent of the tables that are being made before the first record.
    pub prepared: Option<u64>,
}

impl Counters {
    /// Adds results that were written, and the bytes of input they came from.
    pub fn add_records(&self, records: u64, bytes: u64) {
        self.records.fetch_add(records, Relaxed);
        self.bytes.fetch_add(bytes, Relaxed);
    }

    /// Adds generated nodes. Searches call this once in thousands of nodes.
    pub fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Relaxed);
    }

    /// So much is done of the tables that come before the first record.
    pub fn prepare(&self, done: u64, all: u64) {
        self.prepared.store(1 + done * 100 / all.max(1), Relaxed);
    }

    /// The tables are there.
    pub fn prepared(&self) {
        self.prepared.store(0, Relaxed);
    }

    /// What has been counted so far.
    pub fn read(&self) -> Counted {
        let get = |counter: &AtomicU64| counter.load(Relaxed);
        Counted {
            records: get(&self.records),
            bytes: get(&self.bytes),
            nodes: get(&self.nodes),
            prepared: get(&self.prepared).checked_sub(1),
        }
    }
}
