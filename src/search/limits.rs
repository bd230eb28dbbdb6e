//! What may end a search before it has decided.

use crate::search::checkpoint::CheckpointSink;
use std::time::Instant;

/// The limit that ended a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// No memory was left, and the algorithm has no way on without.
    Memory,
    /// The deadline passed.
    Time,
    /// Enough nodes were stored (or, without storing, generated).
    Nodes,
    /// Somebody asked the search to end.
    Interrupted,
    /// A beam ran dry, after states were left out.
    Beam,
}

/// The limits of one search.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// New states generated and stored, the start included; for searches that
    /// store nothing, states generated.
    pub max_nodes: Option<u64>,
    /// When to end.
    pub deadline: Option<Instant>,
    /// Until when any solution may be looked for first, where the best one known is
    /// wanted at the deadline.
    pub any_solution_until: Option<Instant>,
    /// Asked every few thousand nodes whether to end.
    pub halt: Option<&'a (dyn Fn() -> bool + Sync)>,
    /// Told as often how many nodes there are.
    pub on_nodes: Option<&'a (dyn Fn(u64) + Sync)>,
    /// Told which total cost is being searched.
    pub on_bound: Option<&'a (dyn Fn(u32) + Sync)>,
    /// Who keeps the standing of a search from a frontier.
    pub checkpoint_sink: Option<&'a dyn CheckpointSink>,
}

impl Limits<'_> {
    /// Limits of nothing but the nodes.
    pub fn nodes(max_nodes: u64) -> Self {
        Self { max_nodes: Some(max_nodes), ..Self::default() }
    }

    /// Returns these limits with at most `nodes` nodes: for a search that is
    /// only an attempt, and may store no more than the user allows.
    #[must_use]
    pub fn with_at_most(self, nodes: u64) -> Self {
        Self { max_nodes: Some(self.max_nodes.map_or(nodes, |most| most.min(nodes))), ..self }
    }

    /// Says that solutions of total cost `bound` are searched for now.
    #[inline]
    pub fn report_bound(&self, cost: u32) {
        if let Some(on_bound) = self.on_bound {
            on_bound(cost);
        }
    }

    /// The limit that has been reached after so many nodes, if any.
    pub fn reached(&self, nodes: u64) -> Option<Stop> {
        if let Some(on_nodes) = self.on_nodes {
            on_nodes(nodes);
        }
        if self.max_nodes.is_some_and(|most| nodes >= most) {
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
