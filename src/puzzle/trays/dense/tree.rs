//! Code of a sequence of symbols as nested bit planes.
//!
//! The symbols of a sequence, each with its number of occurrences, are the leaves of a binary tree.
//! Each inner node stands for the subsequence of the symbols below it and has one bit per member:
//! whether the member is in the left subtree. The tree is a Huffman tree, so the number of bits is
//! minimal for such trees. A plane is encoded or decoded for all members at once by one `pext` or
//! `pdep`. (This is a Huffman-shaped wavelet tree.)

use super::bits::{gather, spread};
use super::word::Word;

/// Maximum number of symbols.
pub(super) const SYMBOLS: usize = 32;

/// A code for sequences with given numbers of each symbol.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    symbols: usize,
    /// Inner nodes, one fewer than symbols, each after its children; the root is last.
    nodes: [Node; SYMBOLS],
    /// Number of bits of a code.
    pub(super) bits: u32,
}

/// An inner node. Leaves are numbered like their symbols, inner nodes after them.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    left: u8,
    right: u8,
    /// Offset of its plane in the code.
    shift: u8,
}

/// One mask per leaf and inner node.
pub(super) type Masks = [u64; 2 * SYMBOLS];

impl Tree {
    /// Creates a code for sequences with `counts` occurrences of the symbols; `None` if there are
    /// fewer than two symbols, too many, or more than `max_bits` bits.
    pub(super) fn new(counts: &[usize], max_bits: u32) -> Option<Self> {
        let symbols = counts.len();
        if !(2..=SYMBOLS).contains(&symbols) {
            return None;
        }
        let mut open: Vec<(usize, usize)> = counts.iter().copied().zip(0..).collect();
        let mut nodes = [Node::default(); SYMBOLS];
        let mut bits = 0;
        for (number, node) in nodes[..symbols - 1].iter_mut().enumerate() {
            // Descending, so that the two rarest are last.
            open.sort_by(|a, b| b.cmp(a));
            let (Some((left_count, left)), Some((right_count, right))) = (open.pop(), open.pop()) else {
                break;
            };
            if bits + left_count + right_count > max_bits as usize {
                return None;
            }
            open.push((left_count + right_count, symbols + number));
            *node = Node { left: left as u8, right: right as u8, shift: bits as u8 };
            bits += left_count + right_count;
        }
        Some(Self { symbols, nodes, bits: bits as u32 })
    }

    /// Returns the code of a sequence. Its members are given by one mask per symbol, at any bit
    /// positions, in the order of the bits. All other masks are overwritten. `N` is the number of
    /// inner nodes, or 0 for any.
    #[inline(always)]
    pub(super) fn encode<W: Word, const N: usize>(&self, masks: &mut Masks) -> W {
        let mut code = W::NONE;
        let symbols = self.symbols::<N>();
        for index in 0..symbols - 1 {
            let node = self.nodes[index];
            let left = masks[node.left as usize % masks.len()];
            let both = left | masks[node.right as usize % masks.len()];
            masks[symbols + index] = both;
            code = code.with_plane(gather(left, both), node.shift);
        }
        code
    }

    /// Decodes a sequence: writes one mask per symbol and inner node, the first member lowest.
    /// `all` is the mask of the root. `N` is as in `encode`.
    #[inline(always)]
    pub(super) fn decode<W: Word, const N: usize>(&self, code: W, all: u64, masks: &mut Masks) {
        let symbols = self.symbols::<N>();
        masks[2 * symbols - 2] = all;
        for index in (0..symbols - 1).rev() {
            let node = self.nodes[index];
            let both = masks[symbols + index];
            let left = spread(code.plane(node.shift), both);
            masks[node.left as usize % masks.len()] = left;
            masks[node.right as usize % masks.len()] = both ^ left;
        }
    }

    /// Returns the number of symbols: `N + 1` unless `N` is 0.
    #[inline(always)]
    fn symbols<const N: usize>(&self) -> usize {
        if N == 0 { self.symbols.min(SYMBOLS) } else { N + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        let sequence = [0usize, 3, 1, 1, 2, 0, 3, 3, 3, 1, 4, 3];
        let counts: Vec<usize> = (0..5).map(|s| sequence.iter().filter(|&&t| t == s).count()).collect();
        let tree = Tree::new(&counts, 64).unwrap();
        assert_eq!(tree.bits, 2 + 4 + 7 + 12);
        // Members may be at any positions: here three bits apart.
        let mut masks: Masks = [0; 2 * SYMBOLS];
        for (place, &symbol) in sequence.iter().enumerate() {
            masks[symbol] |= 1 << (3 * place + 1);
        }
        let code = tree.encode::<u64, 4>(&mut masks);
        let mut decoded: Masks = [0; 2 * SYMBOLS];
        tree.decode::<u64, 4>(code, (1 << sequence.len()) - 1, &mut decoded);
        for (place, &symbol) in sequence.iter().enumerate() {
            assert!((0..5).all(|s| (decoded[s] >> place & 1 != 0) == (s == symbol)));
        }
        assert_eq!(tree.encode::<u128, 0>(&mut masks), u128::from(code));
        tree.decode::<u128, 0>(u128::from(code), (1 << sequence.len()) - 1, &mut masks);
        assert_eq!(masks, decoded);
    }

    #[test]
    fn sequences_that_do_not_fit_have_no_code() {
        assert!(Tree::new(&[3], 64).is_none());
        assert!(Tree::new(&[1; SYMBOLS + 1], 500).is_none());
        assert!(Tree::new(&[16; 4], 127).is_none());
        assert_eq!(Tree::new(&[16; 4], 128).map(|tree| tree.bits), Some(128));
    }
}
