//! The place to which a block of a tray comes last: a goal that takes as many
//! moves as a goal for one block can.
//!
//! Breadth-first search over the arrangements of a tray. All arrangements stand in
//! one list in the order in which they are found, which is also the queue; a hash
//! table of positions in this list tells whether an arrangement is new. Both grow
//! by doubling and never hold more arrangements than the memory allows.

use super::trays::GenerateError;
use crate::memory::budget::OutOfBudget;
use crate::puzzle::Puzzle;
use crate::puzzle::trays::{Block, Mask, Metric, Packed, PackedState, Place, Tray};

/// An arrangement in which a block is where none of its kind was before.
pub(super) struct Farthest {
    /// The arrangement.
    pub(super) blocks: Vec<Block>,
    /// The block, as its number in it.
    pub(super) last: usize,
}

/// Expansions between two looks at `stop`.
const STOP_EVERY: usize = 1024;

/// Returns the first arrangement with a block in the place that is reached last by
/// piece moves, among the nearest `most` arrangements; none if nothing can move, or
/// if the tray has too many cells or blocks for one word. The search takes at most
/// `memory` bytes, and ends when `stop` says so.
pub(super) fn farthest(
    tray: &Tray,
    most: u64,
    memory: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Farthest>, GenerateError> {
    let Some(puzzle) = Packed::<u64, u128>::new(tray, Metric::Piece) else { return Ok(None) };
    let start = puzzle.start();
    let mut reached = start.anchors;
    let mut last = None;
    let fitting = Arrangements::fitting(memory);
    let mut seen = Arrangements::new(most.min(fitting) as usize)?;
    let full = |seen: &Arrangements| match (seen.len() as u64) < most {
        true => Err(GenerateError::Memory(OutOfBudget { cap: memory, needed: Arrangements::bytes(most) })),
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

/// Distinct keys in the order of their insertion, `most` of them at most.
struct Arrangements {
    /// In chunks that are never moved.
    keys: Vec<Vec<u128>>,
    len: usize,
    /// Positions of keys, and one more; 0 is an empty slot. A power of two, at
    /// most three quarters of them in use.
    slots: Vec<u32>,
    most: usize,
    hasher: ahash::RandomState,
}

/// What came of an insertion.
#[derive(PartialEq, Debug)]
enum Insertion {
    New,
    Known,
    /// The key is new, and there is no room for it.
    Full,
}

impl Arrangements {
    const FIRST_SLOTS: usize = 1 << 12;
    const CHUNK: usize = 1 << 14;

    /// The bytes that `count` keys take at most: a whole number of chunks, the
    /// slots, and all smaller tables of slots that there were before.
    fn bytes(count: u64) -> u64 {
        let keys = count.min(1 << 40).next_multiple_of(Self::CHUNK as u64);
        let slots = (keys / 3 * 4 + 4).next_power_of_two().max(Self::FIRST_SLOTS as u64);
        keys * 16 + slots * 8
    }

    /// The number of keys that fit into so many bytes.
    fn fitting(bytes: u64) -> u64 {
        let (mut fits, mut does_not) = (0, 1u64 << 31);
        while fits + 1 < does_not {
            let middle = (fits + does_not) / 2;
            if Self::bytes(middle) <= bytes { fits = middle } else { does_not = middle }
        }
        fits
    }

    fn new(most: usize) -> Result<Self, GenerateError> {
        let slots = zeroed(Self::FIRST_SLOTS)?;
        Ok(Self { keys: Vec::new(), len: 0, slots, most, hasher: ahash::RandomState::with_seeds(1, 2, 3, 4) })
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
        if self.len == self.most {
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

    /// The slot of a key, or the empty one where it belongs.
    fn slot(&self, key: u128) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(key) as usize & mask;
        while self.slots[slot] != 0 && self.get(self.slots[slot] as usize - 1) != Some(key) {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// So many zeros, if the system has the memory.
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
        let mut seen = Arrangements::new(10_000).ok().unwrap();
        let key = |n: u128| n * n * 0x1_0000_0001_0000_0001;
        for n in 0..10_000 {
            assert_eq!(seen.insert(key(n)).ok(), Some(Insertion::New));
            assert_eq!(seen.insert(key(n / 2)).ok(), Some(Insertion::Known));
        }
        assert_eq!(seen.insert(key(77)).ok(), Some(Insertion::Known));
        assert_eq!(seen.insert(key(10_000)).ok(), Some(Insertion::Full));
        assert!((0..10_000).all(|n| seen.get(n) == Some(key(n as u128))));
        let bytes = seen.keys.iter().map(Vec::capacity).sum::<usize>() * 16 + seen.slots.len() * 8;
        assert!(bytes as u64 <= Arrangements::bytes(10_000), "{bytes}");
    }

    #[test]
    fn what_fits_is_what_takes_no_more() {
        for bytes in [0, 30_000, 1 << 20, 10 << 20, 100 << 20, (1 << 32) + 7] {
            let fitting = Arrangements::fitting(bytes);
            assert!(fitting == 0 || Arrangements::bytes(fitting) <= bytes);
            assert!(Arrangements::bytes(fitting + 1) > bytes);
        }
    }
}
