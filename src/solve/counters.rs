//! What a run has done so far, readable while it runs.
//!
//! Workers add; whoever shows progress reads. The numbers are for people: they
//! may be a moment old, and the summary does not come from them.

use crate::pdb::BuildProgress;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Counters that any thread may add to.
#[derive(Debug, Default)]
pub struct Counters {
    records: AtomicU64,
    bytes: AtomicU64,
    nodes: AtomicU64,
    solving: AtomicBool,
    /// Percent of the databases that are being made, and one more; which one is being
    /// made, and how many there are.
    made: AtomicU64,
    database: AtomicU64,
    databases: AtomicU64,
    /// The total cost that a long search is at, or 0; the nodes before it, and
    /// those that the last two took.
    cost: AtomicU64,
    before: AtomicU64,
    took: [AtomicU64; 2],
}

/// The counters at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CounterSnapshot {
    /// Records decided, written or still waiting for an earlier one.
    pub records: u64,
    /// Bytes of input that these came from, about.
    pub bytes: u64,
    /// Nodes generated, also by searches that still run.
    pub nodes: u64,
    /// Whether set-up is over and records are being solved.
    pub solving: bool,
    /// The databases that are being made, if any are.
    pub making: Option<DatabaseProgress>,
    /// The search that takes long, if one does.
    pub search: Option<SearchProgress>,
}

/// Databases that are being made for one kind of board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DatabaseProgress {
    /// The number of the one that is being made, from 1.
    pub number: u64,
    /// How many there are.
    pub of: u64,
    /// Percent of the work on all of them that is done. It never falls.
    pub percent: u64,
}

impl From<&BuildProgress> for DatabaseProgress {
    fn from(made: &BuildProgress) -> Self {
        Self { number: made.number as u64, of: made.of as u64, percent: made.percent() }
    }
}

/// A search that goes from one total cost to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchProgress {
    /// The total cost.
    pub cost: u64,
    /// Nodes of all searches before it.
    pub before: u64,
    /// Nodes that the last one took, and the one before.
    pub took: [u64; 2],
}

impl Counters {
    /// Adds records that are decided, and the bytes of input they came from.
    pub fn add_records(&self, records: u64, bytes: u64) {
        self.records.fetch_add(records, Relaxed);
        self.bytes.fetch_add(bytes, Relaxed);
    }

    /// Adds generated nodes. Searches call this once in thousands of nodes.
    pub fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Relaxed);
    }

    /// Set-up is over: records are being solved from now on.
    pub fn begin_solving(&self) {
        self.solving.store(true, Relaxed);
    }

    /// Says how far the databases are made.
    pub fn making(&self, making: DatabaseProgress) {
        self.database.store(making.number, Relaxed);
        self.databases.store(making.of, Relaxed);
        self.made.fetch_max(1 + making.percent, Relaxed);
    }

    /// All databases are made.
    pub fn making_ended(&self) {
        self.made.store(0, Relaxed);
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
    pub fn read(&self) -> CounterSnapshot {
        let get = |counter: &AtomicU64| counter.load(Relaxed);
        CounterSnapshot {
            records: get(&self.records),
            bytes: get(&self.bytes),
            nodes: get(&self.nodes),
            solving: self.solving.load(Relaxed),
            making: get(&self.made).checked_sub(1).map(|percent| DatabaseProgress {
                number: get(&self.database),
                of: get(&self.databases),
                percent,
            }),
            search: (get(&self.cost) > 0).then(|| SearchProgress {
                cost: get(&self.cost),
                before: get(&self.before),
                took: [get(&self.took[0]), get(&self.took[1])],
            }),
        }
    }
}
