//! Perimeter: makes any lower bound exact near the goal (Dillenburg and Nelson, Artificial
//! Intelligence 65, 1994).
//!
//! All states within some distance of the goal are stored with their distances, as many as
//! memory allows. A state whose estimate is within that distance is looked up: either the table
//! has its true distance, or it is farther away than all stored states. A search then need not
//! explore the last moves of a solution, where a weak bound prunes little.
//!
//! A slot is a state's key above four bits for its distance; a key is never 0.

use super::{Heuristic, NoBatch};
use crate::puzzle::{Move, Puzzle};

/// Bits of a distance, and the largest distance.
const BITS: u32 = 4;
const MAX_DISTANCE: u64 = (1 << BITS) - 1;

/// Maximum load of the table in percent.
const MAX_LOAD: usize = 80;

/// A lower bound with a perimeter.
#[derive(Debug)]
pub struct Perimeter<H> {
    inner: H,
    slots: Vec<u64>,
    /// All states up to this distance are stored, and some of the next.
    depth: u32,
}

/// The inner heuristic's memo, and the improved estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerimeterMemo<M> {
    inner: M,
    estimate: u32,
}

impl<H> Perimeter<H> {
    /// Builds a perimeter around `goal` in `bytes` bytes. Returns `None` if the puzzle's keys
    /// are too long or `bytes` is too small.
    pub fn new<P: Puzzle<Key = u64>>(puzzle: &P, inner: H, goal: &P::State, bytes: usize) -> Option<Self> {
        let capacity = bytes / size_of::<u64>() * MAX_LOAD / 100;
        if puzzle.key_bits() + BITS > u64::BITS || capacity == 0 {
            return None;
        }
        let mut new = Self { inner, slots: vec![0; bytes / size_of::<u64>()], depth: 0 };
        let index = new.slot_of(puzzle.pack(goal));
        new.slots[index] = puzzle.pack(goal) << BITS;
        let mut count = 1;
        for depth in 0..MAX_DISTANCE {
            let before = count;
            for at in 0..new.slots.len() {
                let slot = new.slots[at];
                if slot == 0 || slot & MAX_DISTANCE != depth {
                    continue;
                }
                let state = puzzle.unpack(slot >> BITS);
                for step in puzzle.moves(&state, None) {
                    let key = puzzle.pack(&puzzle.apply(&state, step));
                    let index = new.slot_of(key);
                    if new.slots[index] == 0 {
                        if count == capacity {
                            new.depth = depth as u32;
                            return Some(new);
                        }
                        new.slots[index] = key << BITS | (depth + 1);
                        count += 1;
                    }
                }
            }
            new.depth = depth as u32 + 1;
            if count == before {
                // All states are stored.
                break;
            }
        }
        Some(new)
    }

    /// Returns the slot of a key, or the empty slot for it.
    #[inline(always)]
    fn slot_of(&self, key: u64) -> usize {
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut index = ((u128::from(mixed ^ (mixed >> 32)) * self.slots.len() as u128) >> 64) as usize;
        while self.slots[index] != 0 && self.slots[index] >> BITS != key {
            index += 1;
            if index == self.slots.len() {
                index = 0;
            }
        }
        index
    }

    /// Returns the improved estimate of a state, given that of the inner heuristic.
    #[inline(always)]
    fn improve(&self, key: impl FnOnce() -> u64, estimate: u32) -> u32 {
        if estimate > self.depth {
            return estimate;
        }
        let slot = self.slots[self.slot_of(key())];
        let distance = if slot == 0 { self.depth + 1 } else { (slot & MAX_DISTANCE) as u32 };
        estimate.max(distance)
    }
}

impl<P: Puzzle<Key = u64>, H: Heuristic<P>> Heuristic<P> for Perimeter<H> {
    type Memo = PerimeterMemo<H::Memo>;
    type Payload = H::Payload;
    type SuccessorBatch = NoBatch;

    fn name(&self) -> &'static str {
        "perimeter"
    }

    fn evaluate(&self, puzzle: &P, state: &P::State) -> Self::Memo {
        let inner = self.inner.evaluate(puzzle, state);
        PerimeterMemo { inner, estimate: self.improve(|| puzzle.pack(state), self.inner.estimate(&inner)) }
    }

    #[inline(always)]
    fn update(&self, puzzle: &P, memo: &Self::Memo, before: &P::State, step: Move) -> Self::Memo {
        let inner = self.inner.update(puzzle, &memo.inner, before, step);
        let key = || puzzle.pack(&puzzle.apply(before, step));
        PerimeterMemo { inner, estimate: self.improve(key, self.inner.estimate(&inner)) }
    }

    #[inline(always)]
    fn estimate(&self, memo: &Self::Memo) -> u32 {
        memo.estimate
    }

    #[inline(always)]
    fn payload(&self, memo: &Self::Memo) -> H::Payload {
        self.inner.payload(&memo.inner)
    }

    #[inline(always)]
    fn restore(&self, puzzle: &P, state: &P::State, estimate: u32, payload: H::Payload) -> Self::Memo {
        PerimeterMemo { inner: self.inner.restore(puzzle, state, estimate, payload), estimate }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Blind, LineWalk, Manhattan};
    use super::*;
    use crate::heuristic::test_support::{distances, goals};
    use crate::puzzle::tiles::{Lines, Tiles};

    /// Checks a perimeter on all states. Returns the number of exact estimates.
    fn count_exact<P: Puzzle<Key = u64>, H: Heuristic<P>>(
        puzzle: &P,
        inner: H,
        goal: P::State,
        bytes: usize,
    ) -> usize {
        let bound = Perimeter::new(puzzle, inner, &goal, bytes).unwrap();
        let states = distances(puzzle, goal);
        let exact = |&(ref state, distance): &(P::State, u32)| {
            let estimate = bound.estimate(&bound.evaluate(puzzle, state));
            assert!(estimate <= distance);
            assert!(estimate == distance || distance > bound.depth);
            for step in puzzle.moves(state, None) {
                let next = puzzle.apply(state, step);
                let updated =
                    bound.estimate(&bound.update(puzzle, &bound.evaluate(puzzle, state), state, step));
                assert!(updated >= bound.estimate(&bound.evaluate(puzzle, &next)));
            }
            estimate == distance
        };
        states.iter().filter(|state| exact(state)).count()
    }

    #[test]
    fn exact_near_the_goal_and_admissible() {
        for goal in &goals(3, 3)[..2] {
            let puzzle = Tiles::<u64>::new(goal).unwrap();
            let mut last = 0;
            for bytes in [80, 8_000, 400_000] {
                let exact = count_exact(&puzzle, Manhattan::new(&puzzle), puzzle.state(goal), bytes);
                assert!(exact > last);
                last = exact;
            }
            let puzzle = Lines::new(goal).unwrap();
            let exact = count_exact(&puzzle, LineWalk::new(&puzzle, 1 << 20), puzzle.state(goal), 100_000);
            assert!(exact > 10_000);
        }
        // A perimeter that contains all states.
        let goal = &goals(2, 2)[0];
        let puzzle = Lines::new(goal).unwrap();
        assert_eq!(count_exact(&puzzle, Blind, puzzle.state(goal), 800), 12);
    }
}
