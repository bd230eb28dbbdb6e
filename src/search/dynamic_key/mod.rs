//! Best-first search over keys whose width is known only when the program runs,
//! by one thread in a region of memory.
//!
//! It takes any [`Space`]: one whose states are too wide, or too different in
//! width from puzzle to puzzle, for a key type of their own, and any
//! [`Puzzle`](crate::puzzle::Puzzle) through [`PuzzleSpace`]. Nothing is set up
//! beforehand, so small searches are cheap: that is what it is for, and for
//! states of hundreds of bytes. Keys are compared whole.
//!
//! [`solve`] searches best-first; [`depth_first`], [`beam`] and [`ida`] are depth-first
//! search with a stack, beam search and IDA*; [`shorten`] makes a solution shorter by a
//! look around it.

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

/// A puzzle as this search sees it. It may keep scratch memory of its own, so
/// it belongs to one search at a time.
///
/// It owes what [`Puzzle`](crate::puzzle::Puzzle) does: exact keys, moves that
/// can be taken back, each of which costs one, and estimates that are never too
/// large.
pub trait Space {
    /// The words of a key.
    fn width(&self) -> usize;

    /// Writes the start's key; its estimate, and whether it is a goal.
    fn start(&mut self, key: &mut [u32]) -> (u32, bool);

    /// Calls `visit` for each successor of the state with this key and estimate
    /// that was reached by the move `last`, until it says that this is enough.
    fn expand(
        &mut self,
        key: &[u32],
        estimate: u32,
        last: Option<Move>,
        visit: impl FnMut(Successor<'_>) -> Flow,
    );

    /// Writes the key of the state after a move of another; its estimate.
    fn apply(&mut self, key: &[u32], step: Move, after: &mut [u32]) -> u32;
}

/// A state after a move.
#[derive(Clone, Copy, Debug)]
pub struct Successor<'k> {
    /// Its key.
    pub key: &'k [u32],
    /// The move.
    pub step: Move,
    /// Its estimate.
    pub estimate: u32,
    /// Whether it is a goal.
    pub is_goal: bool,
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// More successors are wanted.
    Continue,
    /// No more.
    Break,
}
