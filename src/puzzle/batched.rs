//! Contract of a puzzle that expands packed states in batches.
//!
//! If a state fits one word and its neighbours take a few dozen instructions, most of the time of a
//! search is spent elsewhere. Such a puzzle expands a batch of packed states at once and emits
//! their neighbours, packed.

use super::Move;
use crate::memory::Packed;

/// A puzzle that expands packed states in batches.
///
/// Every implementation guarantees:
/// * every move can be undone, and costs one;
/// * keys ([`Packed`]) are exact, never zero, and well mixed: any of their bits may serve as a
///   hash;
/// * *used-move bits* (Korf 2004, used-operator bits) are combined over all paths to a state. They
///   may exclude neighbours that are no farther from the start than the state itself. A state
///   without used-move bits has all of its neighbours.
pub trait Batched: Sync {
    /// A state with its used-move bits.
    type State: Packed;
    /// Working memory of one thread.
    type Workspace: Default;

    /// Returns the number of used-move bits, at least one.
    fn used_move_bits(&self) -> u32;

    /// Returns whether a state with used-move bits may still lead to states nearer to the start. If
    /// not, a search need not compare with the previous layer.
    fn reaches_previous_layer(&self) -> bool;

    /// Emits the neighbours of up to [`BATCH`] states, each with the used-move bits of the move
    /// that led to it.
    fn expand<S: Neighbours<Self::State>>(
        &self,
        states: &[Self::State],
        workspace: &mut Self::Workspace,
        neighbours: &mut S,
    );

    /// Returns whether a state is a goal.
    fn is_goal(&self, state: Self::State) -> bool;

    /// Returns the move between two neighbours.
    fn step(&self, from: Self::State, to: Self::State) -> Move;
}

/// Maximum number of states expanded at once.
pub const BATCH: usize = 64;

/// Receiver of neighbours.
pub trait Neighbours<E> {
    /// Receives a neighbour.
    fn push(&mut self, state: E);

    /// Reports that the last neighbour is a goal.
    fn goal(&mut self, state: E);
}

impl<E> Neighbours<E> for Vec<E> {
    fn push(&mut self, state: E) {
        Vec::push(self, state);
    }

    fn goal(&mut self, _: E) {}
}
