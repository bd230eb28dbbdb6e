//! Counters of a run, readable while it runs.
//!
//! Workers add to them; the progress display reads them. Values may be slightly out of date. The
//! summary does not use them.

use crate::pdb::BuildProgress;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Counters that any thread may increment.
#[derive(Debug, Default)]
pub struct Counters {
    records: AtomicU64,
    bytes: AtomicU64,
    nodes: AtomicU64,
    solving: AtomicBool,
    /// Percentage of the databases built, plus one; the number of the database being built; the
    /// number of databases.
    made: AtomicU64,
    database: AtomicU64,
    databases: AtomicU64,
    /// The f-bound of a long search, or 0; the nodes before this iteration; the nodes of the last
    /// two iterations.
    cost: AtomicU64,
    before: AtomicU64,
    took: [AtomicU64; 2],
}

/// The counters at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CounterSnapshot {
    /// Records decided, whether written or waiting for an earlier one.
    pub records: u64,
    /// The approximate bytes of input of these records.
    pub bytes: u64,
    /// Nodes generated, including those of running searches.
    pub nodes: u64,
    /// Whether set-up is over and records are being solved.
    pub solving: bool,
    /// The databases being built, if any.
    pub making: Option<DatabaseProgress>,
    /// The long search in progress, if any.
    pub search: Option<SearchProgress>,
}

/// The progress of building the databases for one kind of board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DatabaseProgress {
    /// The number of the database being built, from 1.
    pub number: u64,
    /// The number of databases.
    pub of: u64,
    /// The percentage of all work that is done. It never decreases.
    pub percent: u64,
}

impl From<&BuildProgress> for DatabaseProgress {
    fn from(made: &BuildProgress) -> Self {
        Self { number: made.number as u64, of: made.of as u64, percent: made.percent() }
    }
}

/// The progress of an iterative-deepening search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchProgress {
    /// The current f-bound.
    pub cost: u64,
    /// Nodes of all searches before this iteration.
    pub before: u64,
    /// Nodes of the last iteration and of the one before.
    pub took: [u64; 2],
}

impl Counters {
    /// Adds decided records and their bytes of input.
    pub fn add_records(&self, records: u64, bytes: u64) {
        self.records.fetch_add(records, Relaxed);
        self.bytes.fetch_add(bytes, Relaxed);
    }

    /// Adds generated nodes. Searches call this once every few thousand nodes.
    pub fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Relaxed);
    }

    /// Marks the end of set-up.
    pub fn begin_solving(&self) {
        self.solving.store(true, Relaxed);
    }

    /// Updates the progress of building databases.
    pub fn making(&self, making: DatabaseProgress) {
        self.database.store(making.number, Relaxed);
        self.databases.store(making.of, Relaxed);
        self.made.fetch_max(1 + making.percent, Relaxed);
    }

    /// Marks the end of building databases.
    pub fn making_ended(&self) {
        self.made.store(0, Relaxed);
    }

    /// Starts the iteration of a long search with f-bound `cost`.
    pub fn search(&self, cost: u32) {
        if self.cost.load(Relaxed) < cost.into() && self.cost.fetch_max(cost.into(), Relaxed) < cost.into() {
            let nodes = self.nodes.load(Relaxed);
            let before = self.before.swap(nodes, Relaxed);
            let last = self.took[0].swap(nodes.saturating_sub(before), Relaxed);
            self.took[1].store(last, Relaxed);
        }
    }

    /// Marks the end of the long search.
    pub fn search_ended(&self) {
        self.before.store(self.nodes.load(Relaxed), Relaxed);
        for counter in [&self.cost, &self.took[0], &self.took[1]] {
            counter.store(0, Relaxed);
        }
    }

    /// Returns the current values.
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
