//! Limits that end a search before it is decided, and callbacks for observers.

use crate::search::checkpoint::CheckpointSink;
use std::time::Instant;

/// The limit that ended a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// Memory is full, and the algorithm cannot continue without more.
    Memory,
    /// The deadline passed.
    Time,
    /// The node limit is reached: nodes stored or, for searches that store none, generated.
    Nodes,
    /// The search was interrupted.
    Interrupted,
    /// The beam became empty after states had been pruned.
    Beam,
}

/// The limits of one search.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Maximum of stored states, including the start; for searches that store nothing, of
    /// generated states.
    pub max_nodes: Option<u64>,
    /// Time at which the search ends.
    pub deadline: Option<Instant>,
    /// Time until which a search for any solution may run first, if the best solution found by
    /// the deadline is wanted.
    pub any_solution_until: Option<Instant>,
    /// Polled every few thousand nodes; the search ends when it returns true.
    pub halt: Option<&'a (dyn Fn() -> bool + Sync)>,
    /// Called as often with the number of nodes.
    pub on_nodes: Option<&'a (dyn Fn(u64) + Sync)>,
    /// Called with the solution cost (f) that is being searched.
    pub on_bound: Option<&'a (dyn Fn(u32) + Sync)>,
    /// Receiver of snapshots of a search from a frontier.
    pub checkpoint_sink: Option<&'a dyn CheckpointSink>,
}

impl Limits<'_> {
    /// Returns limits with a node limit only.
    pub fn nodes(max_nodes: u64) -> Self {
        Self { max_nodes: Some(max_nodes), ..Self::default() }
    }

    /// Returns these limits with a node limit of at most `nodes`: for an attempt, which may
    /// store no more than the user allows.
    #[must_use]
    pub fn with_at_most(self, nodes: u64) -> Self {
        Self { max_nodes: Some(self.max_nodes.map_or(nodes, |max_nodes| max_nodes.min(nodes))), ..self }
    }

    /// Reports that solutions of cost `bound` are being searched.
    #[inline]
    pub fn report_bound(&self, bound: u32) {
        if let Some(on_bound) = self.on_bound {
            on_bound(bound);
        }
    }

    /// Returns the limit that is reached after `nodes` nodes, if any.
    pub fn reached(&self, nodes: u64) -> Option<Stop> {
        if let Some(on_nodes) = self.on_nodes {
            on_nodes(nodes);
        }
        if self.max_nodes.is_some_and(|max_nodes| nodes >= max_nodes) {
            Some(Stop::Nodes)
        } else if self.halt.is_some_and(|halt| halt()) {
            Some(Stop::Interrupted)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Stop::Time)
        } else {
            None
        }
    }
}
