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
    percent_plus_one: AtomicU64,
    database: AtomicU64,
    databases: AtomicU64,
    /// The f-bound of a long search, or 0; the nodes before this iteration; the nodes of the last
    /// two iterations.
    bound: AtomicU64,
    nodes_before: AtomicU64,
    last_iterations: [AtomicU64; 2],
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
    pub databases: Option<DatabaseProgress>,
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
    pub bound: u64,
    /// Nodes of all searches before this iteration.
    pub nodes_before: u64,
    /// Nodes of the last iteration and of the one before.
    pub last_iterations: [u64; 2],
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
    pub fn set_database_progress(&self, progress: DatabaseProgress) {
        self.database.store(progress.number, Relaxed);
        self.databases.store(progress.of, Relaxed);
        self.percent_plus_one.fetch_max(1 + progress.percent, Relaxed);
    }

    /// Marks the end of building databases.
    pub fn end_database_progress(&self) {
        self.percent_plus_one.store(0, Relaxed);
    }

    /// Starts the iteration of a long search with f-bound `bound`.
    pub fn start_iteration(&self, bound: u32) {
        if self.bound.load(Relaxed) < bound.into()
            && self.bound.fetch_max(bound.into(), Relaxed) < bound.into()
        {
            let nodes = self.nodes.load(Relaxed);
            let before = self.nodes_before.swap(nodes, Relaxed);
            let last = self.last_iterations[0].swap(nodes.saturating_sub(before), Relaxed);
            self.last_iterations[1].store(last, Relaxed);
        }
    }

    /// Marks the end of the long search.
    pub fn end_search(&self) {
        self.nodes_before.store(self.nodes.load(Relaxed), Relaxed);
        for counter in [&self.bound, &self.last_iterations[0], &self.last_iterations[1]] {
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
            databases: get(&self.percent_plus_one).checked_sub(1).map(|percent| DatabaseProgress {
                number: get(&self.database),
                of: get(&self.databases),
                percent,
            }),
            search: (get(&self.bound) > 0).then(|| SearchProgress {
                bound: get(&self.bound),
                nodes_before: get(&self.nodes_before),
                last_iterations: [get(&self.last_iterations[0]), get(&self.last_iterations[1])],
            }),
        }
    }
}
