//! Searches over keys whose width is known only at run time, on one thread in a region of
//! memory.
//!
//! They take any [`Space`]: one whose states are too wide, or vary too much in width from
//! puzzle to puzzle, for a key type of their own; and any [`Puzzle`](crate::puzzle::Puzzle)
//! through [`PuzzleSpace`]. Nothing is set up beforehand, so small searches are cheap. Keys are
//! compared completely.
//!
//! [`solve`] is best-first search; [`depth_first`], [`beam`] and [`ida`] are depth-first search
//! with a stack, beam search and IDA*; [`shorten`] improves a solution by a search in its
//! neighbourhood.

mod beam;
mod depth_first;
mod ida;
mod nodes;
mod puzzle_space;
mod shorten;
mod solve;

pub use beam::beam;
pub use depth_first::depth_first;
pub use ida::ida;
pub use puzzle_space::PuzzleSpace;
pub use shorten::shorten;
pub use solve::solve;

use crate::puzzle::Move;

/// The contract of a puzzle with keys of run-time width. An implementation may own scratch
/// memory, so it serves one search at a time.
///
/// The requirements are those of [`Puzzle`](crate::puzzle::Puzzle): exact keys, reversible
/// moves of cost one, and admissible estimates.
pub trait Space {
    /// Returns the words of a key.
    fn width(&self) -> usize;

    /// Writes the start's key; returns its estimate and whether it is a goal.
    fn start(&mut self, key: &mut [u32]) -> (u32, bool);

    /// Calls `visit` for each successor of the state with `key` and `estimate`, which was
    /// reached by the move `last`, until `visit` returns [`Flow::Break`].
    fn expand(
        &mut self,
        key: &[u32],
        estimate: u32,
        last: Option<Move>,
        visit: impl FnMut(Successor<'_>) -> Flow,
    );

    /// Writes to `after` the key of the state that `step` leads to; returns its estimate.
    fn apply(&mut self, key: &[u32], step: Move, after: &mut [u32]) -> u32;
}

/// A successor of a state.
#[derive(Clone, Copy, Debug)]
pub struct Successor<'k> {
    /// Its key.
    pub key: &'k [u32],
    /// The move that leads to it.
    pub step: Move,
    /// Its estimate.
    pub estimate: u32,
    /// Whether it is a goal.
    pub is_goal: bool,
}

/// Whether [`Space::expand`] continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Generate the next successor.
    Continue,
    /// Generate no more successors.
    Break,
}
