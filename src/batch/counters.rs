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
    /// The total cost that a long search is at, or 0; the nodes before it, and
    /// those that the last two took.
    cost: AtomicU64,
    before: AtomicU64,
    took: [AtomicU64; 2],
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
    /// The search that takes long, if one does.
    pub search: Option<Deepening>,
}

/// A search that goes from one total cost to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deepening {
    /// The total cost.
    pub cost: u64,
    /// Nodes of all searches before it.
    pub before: u64,
    /// Nodes that the last one took, and the one before.
    pub took: [u64; 2],
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

    /// A long search has come to this total cost.
    pub fn search(&self, cost: u32) {
        if self.cost.load(Relaxed) < cost.into() && self.cost.fetch_max(cost.into(), Relaxed) < cost.into() {
            let nodes = self.nodes.load(Relaxed);
            let before = self.before.swap(nodes, Relaxed);
            let last = self.took[0].swap(nodes.saturating_sub(before), Relaxed);
            self.took[1].store(last, Relaxed);
        }
    }

    /// The long search is over.
    pub fn search_ended(&self) {
        self.before.store(self.nodes.load(Relaxed), Relaxed);
        for counter in [&self.cost, &self.took[0], &self.took[1]] {
            counter.store(0, Relaxed);
        }
    }

    /// What has been counted so far.
    pub fn read(&self) -> Counted {
        let get = |counter: &AtomicU64| counter.load(Relaxed);
        Counted {
            records: get(&self.records),
            bytes: get(&self.bytes),
            nodes: get(&self.nodes),
            prepared: get(&self.prepared).checked_sub(1),
            search: (get(&self.cost) > 0).then(|| Deepening {
                cost: get(&self.cost),
                before: get(&self.before),
                took: [get(&self.took[0]), get(&self.took[1])],
            }),
        }
    }
}
