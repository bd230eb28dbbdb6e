//! What a state and a move are: the contract of every puzzle.
//!
//! A puzzle is a graph in which every move can be undone and costs one. It says
//! how a state packs into an exact key, which moves a state has and what a move
//! does. It knows nothing of searching.

pub mod batched;
pub mod tiles;
pub mod trays;

pub use crate::memory::{Key, Wide};

/// A move, as a small number whose meaning is the puzzle's own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move(pub u32);

/// The contract of a puzzle.
///
/// `examples/pancakes.rs` fulfils it for a puzzle of its own.
///
/// What every implementation owes to the searches:
/// * `unpack(pack(s)) == s`, and `pack` gives different keys for different
///   states, inside the low [`Puzzle::key_bits`] bits;
/// * `undo(apply(s, m), m) == s` for every move `m` of `s`;
/// * whatever can be reached by a move can be left by one: if `t` is a neighbour
///   of `s`, then `s` is a neighbour of `t`.
pub trait Puzzle: Sync {
    /// A state in the form in which moves are cheap.
    type State: Copy + Send + Sync;
    /// A state in the form in which it is stored.
    type Key: Key;
    /// The moves of a state, one after another.
    type Moves: Iterator<Item = Move>;

    /// How many bits of a key are in use.
    fn key_bits(&self) -> u32;

    /// How many bits a [`Move`] needs.
    fn move_bits(&self) -> u32;

    /// The key of a state.
    fn pack(&self, state: &Self::State) -> Self::Key;

    /// The state of a key.
    fn unpack(&self, key: Self::Key) -> Self::State;

    /// Whether a state is a goal.
    fn is_goal(&self, state: &Self::State) -> bool;

    /// The moves of a state that was reached by the move `last`, if any. Moves
    /// that only undo `last` may be left out.
    fn moves(&self, state: &Self::State, last: Option<Move>) -> Self::Moves;

    /// The state after one of the moves of `state`.
    fn apply(&self, state: &Self::State, step: Move) -> Self::State;

    /// The state before the move that led to `state`.
    fn undo(&self, state: &Self::State, step: Move) -> Self::State;

    /// A number of moves that no shortest solution exceeds, where one is known.
    fn longest(&self) -> Option<u32> {
        None
    }
}
