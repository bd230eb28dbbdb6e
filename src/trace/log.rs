//! Every state that was visited, numbered in the order of the visits, with its
//! parent; and an index that finds a state's number.
//!
//! The index holds numbers only: what it compares is the state itself, in the
//! log.

use crate::puzzle::tiles::{Cells, TileState, Tiles};
use bytemuck::Pod;

/// No state yet.
const NONE: u32 = u32::MAX;

/// Places of the index for each state, at least, in tenths.
const SPARE: usize = 13;

/// States in the order of their visits.
pub(super) struct Log<C> {
    states: Vec<C>,
    /// The number of each one's parent, its own for the start.
    parents: Vec<u32>,
    /// Numbers at the places where their states hash to, or as soon after them
    /// as there was room; a power of two of places.
    index: Vec<u32>,
}

impl<C: Cells + Pod> Log<C> {
    /// Bytes for each state: itself, its parent, and its share of the index
    /// while that grows.
    pub(super) const BYTES: u64 = size_of::<C>() as u64 + 4 + 16;

    /// A log that begins with a state.
    pub(super) fn new(start: C) -> Self {
        let mut log = Self { states: Vec::new(), parents: Vec::new(), index: vec![NONE; 1 << 10] };
        log.visit(start, 0);
        log
    }

    /// How many states there are.
    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.states.len() as u32
    }

    /// Adds a state and says its number; none if it is there already.
    #[inline]
    pub(super) fn visit(&mut self, state: C, parent: u32) -> Option<u32> {
        let mask = self.index.len() - 1;
        let mut place = hash(&state) as usize & mask;
        loop {
            match self.index[place] {
                NONE => break,
                number if self.states[number as usize] == state => return None,
                _ => place = (place + 1) & mask,
            }
        }
        let number = self.len();
        self.index[place] = number;
        self.states.push(state);
        self.parents.push(parent);
        if self.states.len() * SPARE > self.index.len() * 10 {
            self.grow();
        }
        Some(number)
    }

    /// Makes an index of twice the size.
    #[cold]
    fn grow(&mut self) {
        let places = self.index.len() * 2;
        self.index = Vec::new();
        self.index = vec![NONE; places];
        for (number, state) in (0..).zip(&self.states) {
            let mut place = hash(state) as usize & (places - 1);
            while self.index[place] != NONE {
                place = (place + 1) & (places - 1);
            }
            self.index[place] = number;
        }
    }

    /// The state of a number.
    #[inline(always)]
    pub(super) fn state(&self, number: u32, puzzle: &Tiles<C>) -> TileState<C> {
        let cells = self.states[number as usize];
        TileState { cells, blank: cells.blank(puzzle.size().cells()) as u8 }
    }

    /// The numbers of the states from the start to this one.
    pub(super) fn path(&self, number: u32) -> Vec<u32> {
        let mut path = vec![number];
        let mut number = number;
        while number != 0 {
            number = self.parents[number as usize];
            path.push(number);
        }
        path.reverse();
        path
    }
}

/// Where a state's place in the index is looked for.
#[inline(always)]
fn hash<C: Pod>(state: &C) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let words: &[u64] = bytemuck::cast_slice(std::slice::from_ref(state));
    let sum = words.iter().fold(0u64, |sum, &word| (sum ^ word).wrapping_mul(ODD).rotate_left(29));
    (sum ^ (sum >> 32)).wrapping_mul(ODD) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_numbered_once() {
        let mut log = Log::<u64>::new(7);
        assert_eq!(log.visit(7, 0), None);
        for state in 100..5000u64 {
            assert_eq!(log.visit(state, log.len() - 1), Some(state as u32 - 99));
        }
        assert!((100..5000u64).all(|state| log.visit(state, 0).is_none()));
        assert_eq!(log.path(3), [0, 1, 2, 3]);
    }
}
