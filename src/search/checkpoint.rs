//! Searches of many hours that can be put down and taken up again.
//!
//! What a search from a frontier has proved is how far each of its roots is
//! searched. The frontier itself is found again by the same best-first search:
//! one thread in a region of the same size meets the same states in the same
//! order, and gives them the same slots.

/// A root of the frontier: the slot of its state, and the least total cost of a
/// solution by way of it that is not ruled out.
pub type Root = (u32, u16);

/// How far a search from a frontier has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The heuristic's name.
    pub heuristic: String,
    /// The bytes of the region in which the frontier was found.
    pub region: u64,
    /// Nodes expanded and generated so far.
    pub expanded: u64,
    /// The same, generated.
    pub generated: u64,
    /// The roots that are left, by their slots.
    pub roots: Vec<Root>,
}

/// Who keeps snapshots, outside of the search.
pub trait CheckpointSink: Sync {
    /// How many of these bytes the frontier is to be found in.
    fn frontier_bytes(&self, bytes: usize) -> usize;

    /// The standing to go on from, if there is one.
    fn snapshot(&self) -> Option<&Snapshot>;

    /// Says that the frontier is there, and that others may join.
    fn frontier_found(&self);

    /// Whether [`CheckpointSink::frontier_found`] was called.
    fn is_frontier_found(&self) -> bool;

    /// Says that a search with this heuristic tells no snapshots.
    fn unsupported(&self, heuristic: &str);

    /// Says that the standing is not one of this search, and why.
    fn reject(&self, why: &str);

    /// Whether it is time to keep a standing. Asked often.
    fn is_due(&self) -> bool;

    /// Keeps a standing.
    fn save(&self, snapshot: &Snapshot);
}
