//! The contract of every puzzle: states and moves.
//!
//! A puzzle is a graph in which every move can be undone and costs one. It defines how a state
//! packs into an exact key, which moves a state has and what a move does. It does not depend on the
//! search.

pub mod batched;
pub mod tiles;
pub mod trays;

pub use crate::memory::{Key, Wide};

/// A move, as a small number that only the puzzle interprets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move(pub u32);

/// The contract of a puzzle.
///
/// `examples/pancakes.rs` implements it for another puzzle.
///
/// Every implementation guarantees:
/// * `unpack(pack(s)) == s`, and `pack` returns different keys for different states, within the low
///   [`Puzzle::key_bits`] bits;
/// * `undo(apply(s, m), m) == s` for every move `m` of `s`;
/// * neighbourhood is symmetric: if `t` is a neighbour of `s`, then `s` is a neighbour of `t`.
pub trait Puzzle: Sync {
    /// State in the form in which moves are cheap.
    type State: Copy + Send + Sync;
    /// State in the form in which it is stored.
    type Key: Key;
    /// Iterator over the moves of a state.
    type Moves: Iterator<Item = Move>;

    /// Returns the number of bits of a key.
    fn key_bits(&self) -> u32;

    /// Returns the number of bits of a [`Move`].
    fn move_bits(&self) -> u32;

    /// Returns the key of a state.
    fn pack(&self, state: &Self::State) -> Self::Key;

    /// Returns the state of a key.
    fn unpack(&self, key: Self::Key) -> Self::State;

    /// Returns whether a state is a goal.
    fn is_goal(&self, state: &Self::State) -> bool;

    /// Returns the moves of a state that was reached by the move `last`, if any. Moves that only
    /// undo `last` may be omitted.
    fn moves(&self, state: &Self::State, last: Option<Move>) -> Self::Moves;

    /// Returns the state after one of the moves of `state`.
    fn apply(&self, state: &Self::State, step: Move) -> Self::State;

    /// Returns the state before the move `step` that led to `state`.
    fn undo(&self, state: &Self::State, step: Move) -> Self::State;

    /// Returns an upper bound on the length of shortest solutions, if one is known.
    fn longest(&self) -> Option<u32> {
        None
    }
}
