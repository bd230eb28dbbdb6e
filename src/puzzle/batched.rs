//! The contract of a puzzle whose states are expanded by the batch.
//!
//! Where a state fits one word and its neighbours are found by a few dozen
//! instructions, most time of a search goes into everything else. Such a puzzle
//! takes a handful of packed states at once and passes on their neighbours,
//! packed.

use super::Move;
use crate::memory::Packed;

/// A puzzle that expands packed states by the batch.
///
/// What every implementation owes to the searches:
/// * every move can be undone, and costs one;
/// * identities ([`Packed`]) are exact, never zero, and mixed well: any of
///   their bits may serve as a hash;
/// * a note, which is joined over all ways to a state, may be used to leave out
///   neighbours that are no farther from the start than the state itself. A
///   state without a note has all of its neighbours.
pub trait Batched: Sync {
    /// A state with its note.
    type State: Packed;
    /// Working memory of one thread.
    type Workspace: Default;

    /// How many bits a note has, at least one.
    fn used_move_bits(&self) -> u32;

    /// Whether a state with its note may still lead to states that are nearer
    /// to the start. If not, a search need not compare with the layer before.
    fn reaches_previous_layer(&self) -> bool;

    /// Passes on the neighbours of up to [`BATCH`] states, each with the note of
    /// the way by which it was reached.
    fn expand<S: Neighbours<Self::State>>(
        &self,
        states: &[Self::State],
        workspace: &mut Self::Workspace,
        neighbours: &mut S,
    );

    /// Whether a state is a goal.
    fn is_goal(&self, state: Self::State) -> bool;

    /// The move between two neighbours.
    fn step(&self, from: Self::State, to: Self::State) -> Move;
}

/// States that are expanded at once.
pub const BATCH: usize = 64;

/// Who takes the neighbours.
pub trait Neighbours<E> {
    /// A neighbour.
    fn push(&mut self, state: E);

    /// The neighbour that was last passed on is a goal.
    fn goal(&mut self, state: E);
}

impl<E> Neighbours<E> for Vec<E> {
    fn push(&mut self, state: E) {
        Vec::push(self, state);
    }

    fn goal(&mut self, _: E) {}
}
