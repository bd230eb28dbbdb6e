//! Snapshots of long searches, from which they can be resumed.
//!
//! The progress of a search from a frontier is one number per root: how far it is searched. The
//! frontier itself is not saved. The same best-first search finds it again: a single thread in
//! a region of equal size visits the same states in the same order and gives them the same
//! slots.

/// A root of the frontier: the slot of its state, and the least cost of a solution through it
/// that is not ruled out.
pub type Root = (u32, u16);

/// The progress of a search from a frontier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// Name of the heuristic.
    pub heuristic: String,
    /// Size in bytes of the region in which the frontier was found.
    pub region: u64,
    /// Nodes expanded so far.
    pub expanded: u64,
    /// Nodes generated so far.
    pub generated: u64,
    /// The remaining roots, sorted by slot.
    pub roots: Vec<Root>,
}

/// Receiver and source of snapshots.
pub trait CheckpointSink: Sync {
    /// Returns how many of `bytes` bytes the best-first search may use to find the frontier.
    fn frontier_bytes(&self, bytes: usize) -> usize;

    /// Returns the snapshot to resume from, if there is one.
    fn snapshot(&self) -> Option<&Snapshot>;

    /// Called when the frontier is found. From then on other threads may join.
    fn frontier_found(&self);

    /// Returns whether [`CheckpointSink::frontier_found`] was called.
    fn is_frontier_found(&self) -> bool;

    /// Called if searches with `heuristic` cannot save snapshots.
    fn unsupported(&self, heuristic: &str);

    /// Called if the snapshot belongs to another search; `why` says how it differs.
    fn reject(&self, why: &str);

    /// Returns whether a snapshot is due. Called often.
    fn is_due(&self) -> bool;

    /// Saves a snapshot.
    fn save(&self, snapshot: &Snapshot);
}
