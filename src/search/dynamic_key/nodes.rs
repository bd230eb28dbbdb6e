//! The nodes of a search and a hash table of them, in the first part of a region.
//!
//! ```text
//!  ┌──────────────┬───────────────────────────────────────┬─ ─ ─ ─ ─ ─
//!  │ hash table   │ nodes, in the order of insertion      │ not touched
//!  └──────────────┴───────────────────────────────────────┴─ ─ ─ ─ ─ ─
//! ```
//!
//! The table holds node numbers; a lookup compares the key itself. When the part is full it
//! grows fourfold: the nodes move up and the table is rebuilt.

use crate::memory::Region;
use crate::memory::region::Watermark;
use crate::puzzle::Move;

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// Words of a node before its key.
const HEADER: usize = 6;

/// Words that a search uses at first.
const FIRST_WORDS: usize = 8 << 10;

/// All nodes of a search.
pub(super) struct Nodes<'m> {
    memory: &'m mut [u32],
    watermark: &'m Watermark,
    width: usize,
    /// Words in use, and how many of them are the table.
    words_used: usize,
    table: usize,
    len: usize,
    capacity: usize,
}

/// A node without its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// Moves from the start (g).
    pub(super) cost: u32,
    /// The node before the last move.
    pub(super) parent: u32,
    /// The last move.
    pub(super) step: Move,
    /// Links of a list of open nodes. A node that is in no list is its own `next`.
    pub(super) next: u32,
    pub(super) previous: u32,
    /// The estimate (h).
    pub(super) estimate: u32,
}

/// The result of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Insertion {
    /// The key was stored before; its node.
    Existing(u32),
    /// The key is new; its node.
    New(u32),
    /// Memory is full.
    Full,
}

impl<'m> Nodes<'m> {
    /// Creates an empty set of nodes with keys of `width` words.
    pub(super) fn new(region: &'m mut Region<'_>, width: usize) -> Self {
        let ([_, _, all], watermark) = region.split(0, 0);
        let memory: &mut [u32] = bytemuck::cast_slice_mut(all.words);
        let mut nodes = Self { memory, watermark, width, words_used: 0, table: 0, len: 0, capacity: 0 };
        nodes.resize(FIRST_WORDS.max(8 * (HEADER + width)));
        nodes
    }

    /// Returns the bytes of a state whose key has `width` words: its node and its share of the
    /// table.
    pub(super) fn bytes_per_state(width: usize) -> usize {
        4 * (HEADER + width) + 6
    }

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Removes all nodes.
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.memory[..self.table].fill(NONE);
    }

    fn stride(&self) -> usize {
        HEADER + self.width
    }

    /// Uses `words` words, or all that the region has, and rebuilds the table.
    fn resize(&mut self, words: usize) {
        let before = self.table;
        self.words_used = words.min(self.memory.len());
        // Three words of the table for two nodes.
        let capacity = self.words_used * 2 / (2 * self.stride() + 3);
        self.table = self.words_used.saturating_sub(capacity * self.stride());
        self.capacity = capacity.min(NONE as usize);
        self.watermark.raise(4 * self.words_used);
        self.memory.copy_within(before..before + self.len * self.stride(), self.table);
        self.memory[..self.table].fill(NONE);
        for node in 0..self.len {
            let at = self.table + node * self.stride() + HEADER;
            let slot = self.vacant(at);
            self.memory[slot] = node as u32;
        }
    }

    /// Returns the first empty slot for the key at word `at`.
    fn vacant(&self, at: usize) -> usize {
        let mut slot = self.home(&self.memory[at..at + self.width]);
        while self.memory[slot] != NONE {
            slot = if slot + 1 == self.table { 0 } else { slot + 1 };
        }
        slot
    }

    #[inline]
    fn home(&self, key: &[u32]) -> usize {
        const MULTIPLY: u64 = 0x9e37_79b9_7f4a_7c15;
        let fold = |hash: u64, word: &u32| {
            let product = u128::from(hash ^ u64::from(*word)) * u128::from(MULTIPLY);
            product as u64 ^ (product >> 64) as u64
        };
        let hash = key.iter().fold(0x243f_6a88_85a3_08d3, fold).wrapping_mul(MULTIPLY);
        ((u128::from(hash) * self.table as u128) >> 64) as usize
    }

    #[inline]
    fn at(&self, node: u32) -> usize {
        self.table + node as usize * self.stride()
    }

    /// Returns the key of a node.
    #[inline]
    pub(super) fn key(&self, node: u32) -> &[u32] {
        let at = self.at(node) + HEADER;
        &self.memory[at..at + self.width]
    }

    /// Returns a node without its key.
    #[inline]
    pub(super) fn get(&self, node: u32) -> Node {
        let at = self.at(node);
        let [cost, parent, step, next, previous, estimate] =
            self.memory[at..at + HEADER].try_into().expect("the header of a node");
        Node { cost, parent, step: Move(step), next, previous, estimate }
    }

    /// Overwrites a node except its key.
    #[inline]
    pub(super) fn set(&mut self, node: u32, data: Node) {
        let at = self.at(node);
        let Node { cost, parent, step, next, previous, estimate } = data;
        self.memory[at..at + HEADER].copy_from_slice(&[cost, parent, step.0, next, previous, estimate]);
    }

    /// Returns the node with `key`, or the empty slot for it.
    #[inline]
    fn probe(&self, key: &[u32]) -> Result<u32, usize> {
        let mut slot = self.home(key);
        loop {
            let node = self.memory[slot];
            if node == NONE {
                return Err(slot);
            }
            if self.key(node) == key {
                return Ok(node);
            }
            slot = if slot + 1 == self.table { 0 } else { slot + 1 };
        }
    }

    /// Returns the node with `key`, if there is one.
    pub(super) fn find(&self, key: &[u32]) -> Option<u32> {
        self.probe(key).ok()
    }

    /// Inserts a key, unless it is stored already. A new node is in no list.
    #[inline]
    pub(super) fn insert(&mut self, key: &[u32]) -> Insertion {
        let mut slot = match self.probe(key) {
            Ok(node) => return Insertion::Existing(node),
            Err(slot) => slot,
        };
        if self.len == self.capacity {
            if self.words_used == self.memory.len() {
                return Insertion::Full;
            }
            self.resize(4 * self.words_used);
            if self.len == self.capacity {
                return Insertion::Full;
            }
            slot = self.probe(key).err().unwrap_or(slot);
        }
        let node = self.len as u32;
        self.len += 1;
        self.memory[slot] = node;
        let at = self.at(node) + HEADER;
        self.memory[at..at + self.width].copy_from_slice(key);
        self.set(
            node,
            Node { cost: 0, parent: NONE, step: Move(0), next: node, previous: node, estimate: 0 },
        );
        Insertion::New(node)
    }

    /// Returns the moves to a node from the node without a parent.
    pub(super) fn path(&self, mut node: u32) -> Vec<Move> {
        let mut path = Vec::new();
        loop {
            let Node { parent, step, .. } = self.get(node);
            if parent == NONE {
                path.reverse();
                return path;
            }
            path.push(step);
            node = parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Line;

    #[test]
    fn keys_survive_growth() {
        let mut lines: Vec<Line> = vec![bytemuck::Zeroable::zeroed(); 1 << 14];
        let mut region = Region::zeroed(&mut lines);
        for round in 0..2 {
            let mut nodes = Nodes::new(&mut region, 3);
            let key = |i: u32| [i % 7, i / 7, i.wrapping_mul(round)];
            let mut stored = 0;
            while nodes.insert(&key(stored)) == Insertion::New(stored) {
                nodes.set(stored, Node { cost: stored, ..nodes.get(stored) });
                stored += 1;
            }
            assert_eq!(nodes.insert(&key(stored)), Insertion::Full);
            assert!(stored as usize > (1 << 20) / 44, "{stored}");
            for i in 0..stored {
                assert_eq!(nodes.insert(&key(i)), Insertion::Existing(i));
                assert_eq!((nodes.key(i), nodes.get(i).cost), (&key(i)[..], i));
            }
            assert_eq!(nodes.find(&key(stored)), None);
            nodes.clear();
            assert_eq!(nodes.find(&key(0)), None);
        }
    }
}
