//! The history of a beam: a forest of moves in fixed memory.
//!
//! A node is one word: the number of its parent and a move. Parents are older than their children,
//! so their numbers are lower. The boards of a beam soon have few common ancestors. When the memory
//! is full, nodes without descendants in the beam are dropped.

use super::bump::BumpAllocator;
use crate::puzzle::tiles::Direction;

/// The number of a node.
pub(super) type Node = u32;

/// The number of the parent and the move.
pub(super) type PackedNode = u32;

/// Packs the number of the parent and the move.
#[inline(always)]
pub(super) fn pack(parent: Node, direction: Direction) -> PackedNode {
    parent << 2 | direction as u32
}

/// The first node, which has no move.
const ROOT: Node = 0;

pub(super) struct History<'m> {
    nodes: &'m mut [u32],
    /// One bit for each node in use, and the number of set bits before each word.
    used_bits: &'m mut [u64],
    rank: &'m mut [u32],
    len: usize,
}

impl<'m> History<'m> {
    /// Creates a history of at most `nodes` nodes.
    pub(super) fn new(allocator: &mut BumpAllocator<'m>, nodes: usize) -> Option<Self> {
        let words = nodes.div_ceil(64);
        Some(Self {
            nodes: allocator.alloc(nodes)?,
            used_bits: allocator.alloc(words)?,
            rank: allocator.alloc(words)?,
            len: 1,
        })
    }

    /// The approximate number of bytes per node.
    pub(super) const BYTES: usize = 5;

    /// Returns the number of nodes that still fit.
    pub(super) fn left(&self) -> usize {
        self.nodes.len() - self.len
    }

    /// Returns the total number of nodes that fit.
    pub(super) fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node; there must be space.
    #[inline(always)]
    pub(super) fn push(&mut self, parent: Node, direction: Direction) -> Node {
        let node = self.len as Node;
        self.nodes[self.len] = pack(parent, direction);
        self.len += 1;
        node
    }

    /// Reserves `count` nodes, so that several threads can create nodes at once. Returns the first.
    /// There must be space.
    pub(super) fn reserve(&mut self, count: usize) -> Node {
        let first = self.len as Node;
        self.len += count;
        first
    }

    /// Writes reserved nodes, starting at `first`.
    pub(super) fn write(&mut self, first: Node, nodes: &[PackedNode]) {
        self.nodes[first as usize..][..nodes.len()].copy_from_slice(nodes);
    }

    /// Releases the last reservation, which starts at `first`, except for its first `used` nodes.
    pub(super) fn release_reserved(&mut self, first: Node, used: usize) {
        self.len = first as usize + used;
    }

    /// Returns the moves from the root to `node`.
    pub(super) fn moves(&self, mut node: Node) -> Vec<Direction> {
        let mut moves = Vec::new();
        while node != ROOT {
            let word = self.nodes[node as usize];
            moves.push(Direction::from_index(word as usize));
            node = word >> 2;
        }
        moves.reverse();
        moves
    }

    /// Drops all nodes but the ancestors of nodes in use. `visit` calls its argument with each node
    /// in use. It is called twice; the second time the nodes are renumbered.
    pub(super) fn compact(&mut self, mut visit: impl FnMut(&mut dyn FnMut(&mut Node))) {
        let words = self.len.div_ceil(64);
        self.used_bits[..words].fill(0);
        self.used_bits[0] = 1;
        visit(&mut |node| self.used_bits[*node as usize / 64] |= 1 << (*node % 64));
        for node in (1..self.len).rev() {
            if self.used_bits[node / 64] >> (node % 64) & 1 == 1 {
                let parent = self.nodes[node] as usize >> 2;
                self.used_bits[parent / 64] |= 1 << (parent % 64);
            }
        }
        let mut count = 0;
        for (rank, used_bits) in self.rank[..words].iter_mut().zip(&self.used_bits[..words]) {
            *rank = count;
            count += used_bits.count_ones();
        }
        let used_bits = &self.used_bits;
        let rank = &self.rank;
        let renumbered = |node: Node| {
            let word = node as usize / 64;
            rank[word] + (used_bits[word] & !(u64::MAX << (node % 64))).count_ones()
        };
        let mut len = 1;
        for node in 1..self.len {
            if used_bits[node / 64] >> (node % 64) & 1 == 1 {
                let word = self.nodes[node];
                self.nodes[len] = renumbered(word >> 2) << 2 | word & 3;
                len += 1;
            }
        }
        self.len = len;
        visit(&mut |node| *node = renumbered(*node));
    }
}
