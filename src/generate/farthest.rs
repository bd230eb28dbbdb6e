//! Finds the position that takes the most moves for one block of a tray.
//!
//! Breadth-first search over the states of a tray. All states are in one list in the order in which
//! they are found; the list is also the queue. A hash table of positions in this list detects
//! duplicates. Both grow by doubling and never hold more states than the memory allows.

use super::trays::GenerateError;
use crate::memory::budget::OutOfBudget;
use crate::puzzle::Puzzle;
use crate::puzzle::trays::{Block, Mask, Metric, Packed, PackedState, Place, Tray};

/// A state in which a block is at a position that no block of its class had before.
pub(super) struct Farthest {
    /// The blocks of the state.
    pub(super) blocks: Vec<Block>,
    /// Index of the block.
    pub(super) last: usize,
}

/// Expansions between two checks of `stop`.
const STOP_EVERY: usize = 1024;

/// Returns the first state with a block at the position reached last by piece moves, among the
/// nearest `max_states` states; `None` if no block can move, or if the tray has too many cells or blocks
/// for one word. The search uses at most `memory` bytes, and ends when `stop` returns `true`.
pub(super) fn farthest(
    tray: &Tray,
    max_states: u64,
    memory: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Farthest>, GenerateError> {
    let Some(puzzle) = Packed::<u64, u128>::new(tray, Metric::Piece) else { return Ok(None) };
    let start = puzzle.start();
    let mut reached = start.anchors;
    let mut last = None;
    let fitting = StateList::fitting(memory);
    let mut seen = StateList::new(max_states.min(fitting) as usize)?;
    let full = |seen: &StateList| match (seen.len() as u64) < max_states {
        true => Err(GenerateError::Memory(OutOfBudget { cap: memory, needed: StateList::bytes(max_states) })),
        false => Ok(()),
    };
    seen.insert(puzzle.pack(&start))?;
    let mut next = 0;
    'search: while let Some(key) = seen.get(next) {
        if next % STOP_EVERY == 0 && stop() {
            return Err(GenerateError::Stopped);
        }
        next += 1;
        let state = puzzle.unpack(key);
        for step in puzzle.moves(&state, None) {
            let child = puzzle.apply(&state, step);
            let key = puzzle.pack(&child);
            match seen.insert(key)? {
                Insertion::Known => continue,
                Insertion::Full => {
                    full(&seen)?;
                    break 'search;
                }
                Insertion::New => {}
            }
            let new = (0..puzzle.classes()).find(|&class| child.anchors[class] & !reached[class] != 0);
            if let Some(class) = new {
                let places = child.anchors[class] & !reached[class];
                last = Some((key, class, places.lowest()));
                reached[class] |= places;
            }
        }
    }
    let Some((key, class, cell)) = last else { return Ok(None) };
    let blocks = blocks(tray, &puzzle.unpack(key));
    let block = Block { class: class as _, at: Place::of_cell(cell as usize, tray.cols()) };
    let last = blocks.iter().position(|&other| other == block);
    Ok(last.map(|last| Farthest { blocks, last }))
}

fn blocks(tray: &Tray, state: &PackedState<u64>) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(tray.blocks().len());
    for (class, &anchors) in state.anchors.iter().enumerate() {
        let mut cells = anchors;
        while !cells.is_none() {
            let at = Place::of_cell(cells.lowest() as usize, tray.cols());
            blocks.push(Block { class: class as _, at });
            cells = cells.without_lowest();
        }
    }
    blocks
}

/// Distinct keys in insertion order, at most `max_states`.
struct StateList {
    /// Stored in chunks that are never moved.
    keys: Vec<Vec<u128>>,
    len: usize,
    /// Positions of keys plus one; 0 is an empty slot. The length is a power of two, and at most
    /// three quarters are in use.
    slots: Vec<u32>,
    max_states: usize,
    hasher: ahash::RandomState,
}

/// Outcome of an insertion.
#[derive(PartialEq, Debug)]
enum Insertion {
    New,
    Known,
    /// The key is new, and the limit is reached.
    Full,
}

impl StateList {
    const FIRST_SLOTS: usize = 1 << 12;
    const CHUNK: usize = 1 << 14;

    /// Returns the maximum bytes of `count` keys: whole chunks, the slots, and all smaller slot
    /// tables before them.
    fn bytes(count: u64) -> u64 {
        let keys = count.min(1 << 40).next_multiple_of(Self::CHUNK as u64);
        let slots = (keys / 3 * 4 + 4).next_power_of_two().max(Self::FIRST_SLOTS as u64);
        keys * 16 + slots * 8
    }

    /// Returns the number of keys that fit into `bytes` bytes.
    fn fitting(bytes: u64) -> u64 {
        let (mut fits, mut does_not) = (0, 1u64 << 31);
        while fits + 1 < does_not {
            let middle = (fits + does_not) / 2;
            if Self::bytes(middle) <= bytes { fits = middle } else { does_not = middle }
        }
        fits
    }

    fn new(max_states: usize) -> Result<Self, GenerateError> {
        let slots = zeroed(Self::FIRST_SLOTS)?;
        Ok(Self {
            keys: Vec::new(),
            len: 0,
            slots,
            max_states,
            hasher: ahash::RandomState::with_seeds(1, 2, 3, 4),
        })
    }

    fn len(&self) -> usize {
        self.len
    }

    fn get(&self, position: usize) -> Option<u128> {
        self.keys.get(position / Self::CHUNK)?.get(position % Self::CHUNK).copied()
    }

    fn insert(&mut self, key: u128) -> Result<Insertion, GenerateError> {
        let slot = self.slot(key);
        if self.slots[slot] != 0 {
            return Ok(Insertion::Known);
        }
        if self.len == self.max_states {
            return Ok(Insertion::Full);
        }
        if self.len.is_multiple_of(Self::CHUNK) {
            let mut chunk = Vec::new();
            chunk.try_reserve_exact(Self::CHUNK).map_err(|_| GenerateError::Refused)?;
            self.keys.push(chunk);
        }
        self.keys[self.len / Self::CHUNK].push(key);
        self.len += 1;
        self.slots[slot] = self.len as u32;
        if self.len * 4 > self.slots.len() * 3 {
            self.slots = zeroed(2 * self.slots.len())?;
            for position in 0..self.len {
                let slot = self.slot(self.keys[position / Self::CHUNK][position % Self::CHUNK]);
                self.slots[slot] = position as u32 + 1;
            }
        }
        Ok(Insertion::New)
    }

    /// Returns the slot of a key, or the empty slot where it belongs.
    fn slot(&self, key: u128) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(key) as usize & mask;
        while self.slots[slot] != 0 && self.get(self.slots[slot] as usize - 1) != Some(key) {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// Allocates `length` zeros; an error if the system refuses.
fn zeroed(length: usize) -> Result<Vec<u32>, GenerateError> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(length).map_err(|_| GenerateError::Refused)?;
    zeros.resize(length, 0);
    Ok(zeros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_again_and_their_number_is_limited() {
        let mut seen = StateList::new(10_000).ok().unwrap();
        let key = |n: u128| n * n * 0x1_0000_0001_0000_0001;
        for n in 0..10_000 {
            assert_eq!(seen.insert(key(n)).ok(), Some(Insertion::New));
            assert_eq!(seen.insert(key(n / 2)).ok(), Some(Insertion::Known));
        }
        assert_eq!(seen.insert(key(77)).ok(), Some(Insertion::Known));
        assert_eq!(seen.insert(key(10_000)).ok(), Some(Insertion::Full));
        assert!((0..10_000).all(|n| seen.get(n) == Some(key(n as u128))));
        let bytes = seen.keys.iter().map(Vec::capacity).sum::<usize>() * 16 + seen.slots.len() * 8;
        assert!(bytes as u64 <= StateList::bytes(10_000), "{bytes}");
    }

    #[test]
    fn fitting_is_the_inverse_of_bytes() {
        for bytes in [0, 30_000, 1 << 20, 10 << 20, 100 << 20, (1 << 32) + 7] {
            let fitting = StateList::fitting(bytes);
            assert!(fitting == 0 || StateList::bytes(fitting) <= bytes);
            assert!(StateList::bytes(fitting + 1) > bytes);
        }
    }
}
