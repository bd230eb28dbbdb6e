//! What the search needs to know of the states that were visited, however they
//! are kept.

use crate::puzzle::tiles::Direction;

/// Every state that was visited, numbered in the order of the visits, with its
/// parent.
pub(super) trait Visits {
    /// A state that was visited, or the successor of one.
    type State: Copy;

    /// How many states there are.
    fn len(&self) -> u32;

    /// The state of a number.
    fn state(&self, number: u32) -> Self::State;

    /// The parent of a number; the start is its own.
    fn parent(&self, number: u32) -> u32;

    /// The state after the blank has gone this way, if it can.
    fn successor(&self, state: &Self::State, direction: Direction) -> Option<Self::State>;

    /// Adds a state and says its number; none if it is there already.
    fn visit(&mut self, state: &Self::State, parent: u32) -> Option<u32>;

    /// Whether a state is the goal.
    fn is_goal(&self, state: &Self::State) -> bool;

    /// The Manhattan distance of a state.
    fn estimate(&self, state: &Self::State) -> u32;

    /// The Manhattan distance of a successor, from that of the state before.
    fn estimate_after(&self, state: &Self::State, estimate: u32, direction: Direction) -> u32;

    /// The blank's cell.
    fn blank(&self, state: &Self::State) -> usize;

    /// What lies in a cell: 0 for the blank, or a tile by its place in the order
    /// of the goal.
    fn label(&self, state: &Self::State, cell: usize) -> usize;

    /// The numbers of the states from the start to this one.
    fn path(&self, number: u32) -> Vec<u32> {
        let mut path = vec![number];
        let mut number = number;
        while number != 0 {
            number = self.parent(number);
            path.push(number);
        }
        path.reverse();
        path
    }
}
