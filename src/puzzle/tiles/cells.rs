//! Boards packed into words, in the form in which moves are cheap.
//!
//! Up to 16 cells are stored in a `u64`, four bits each; up to 25 in a `u128`, five bits each;
//! more, up to 256, in bytes. The number in a cell is a *label*: 0 for the blank, and for a tile
//! the number of its goal cell (see [`Tiles`](super::Tiles)). A key omits the last cell: its label
//! is the missing one, computed as the exclusive or of all other labels and of the constant for all
//! labels.

use crate::memory::{Key, Wide};

/// A packed board.
pub trait Cells: Copy + PartialEq + Send + Sync + std::fmt::Debug {
    /// Key of such a board.
    type Key: Key;

    /// Maximum number of cells.
    const CAPACITY: usize;

    /// Creates a board from the labels of its cells.
    fn from_labels(labels: &[u8]) -> Self;

    /// Returns the label in a cell.
    fn label(&self, cell: usize) -> usize;

    /// Returns the board after the tile in `from` has moved to the empty cell `to`.
    fn slide(self, from: usize, to: usize) -> Self;

    /// Returns the cell with label 0.
    fn blank(&self, cells: usize) -> usize;

    /// Returns the number of key bits of a board of `cells` cells.
    fn key_bits(cells: usize) -> u32;

    /// Returns the key of a board of `cells` cells.
    fn pack(&self, cells: usize) -> Self::Key;

    /// Returns the board of a key.
    fn unpack(key: Self::Key, cells: usize) -> Self;
}

/// Returns the exclusive or of all labels below `cells`.
const fn all_labels(cells: usize) -> usize {
    let (mut all, mut label) = (0, 0);
    while label < cells {
        all ^= label;
        label += 1;
    }
    all
}

macro_rules! packed_word {
    ($word:ty, $bits:literal, $capacity:literal) => {
        impl Cells for $word {
            type Key = $word;
            const CAPACITY: usize = $capacity;

            fn from_labels(labels: &[u8]) -> Self {
                labels.iter().rev().fold(0, |word, &label| (word << $bits) | label as $word)
            }

            #[inline(always)]
            fn label(&self, cell: usize) -> usize {
                (*self >> (cell as u32 * $bits)) as usize & ((1 << $bits) - 1)
            }

            #[inline(always)]
            fn slide(self, from: usize, to: usize) -> Self {
                let label = self.label(from) as $word;
                self ^ (label << (from as u32 * $bits)) ^ (label << (to as u32 * $bits))
            }

            #[inline(always)]
            fn blank(&self, cells: usize) -> usize {
                // Gather each label's bits into its lowest one; the blank's cell is the first
                // without a set bit.
                const LOWEST: $word = {
                    let (mut mask, mut cell) = (0, 0);
                    while cell < $capacity {
                        mask |= 1 << (cell * $bits);
                        cell += 1;
                    }
                    mask
                };
                let mut any = *self;
                let mut bit = 1;
                while bit < $bits {
                    any |= *self >> bit;
                    bit += 1;
                }
                let cell = (!any & LOWEST).trailing_zeros() as usize / $bits;
                debug_assert!(cell < cells);
                cell
            }

            #[inline(always)]
            fn key_bits(cells: usize) -> u32 {
                (cells as u32 - 1) * $bits
            }

            #[inline(always)]
            fn pack(&self, cells: usize) -> Self {
                *self & !(<$word>::MAX << ((cells as u32 - 1) * $bits))
            }

            #[inline(always)]
            fn unpack(key: Self, cells: usize) -> Self {
                // Fold halves of 32 fields onto each other.
                let mut fold = key ^ (key >> ($bits * 8));
                if $capacity > 16 {
                    fold = key
                        ^ (key >> ($bits * 8))
                        ^ (key >> ($bits * 16))
                        ^ (key >> (($bits * 24) % <$word>::BITS));
                }
                fold ^= fold >> ($bits * 4);
                fold ^= fold >> ($bits * 2);
                fold ^= fold >> $bits;
                let last = (fold as usize & ((1 << $bits) - 1)) ^ all_labels_below(cells);
                key | ((last as $word) << ((cells as u32 - 1) * $bits))
            }
        }
    };
}

/// Returns [`all_labels`] from a table.
#[inline(always)]
fn all_labels_below(cells: usize) -> usize {
    const TABLE: [u8; 32] = {
        let mut table = [0; 32];
        let mut cells = 0;
        while cells < 32 {
            table[cells] = all_labels(cells) as u8;
            cells += 1;
        }
        table
    };
    TABLE[cells & 31] as usize
}

packed_word!(u64, 4, 16);
packed_word!(u128, 5, 25);

/// A board of up to `8 * N` cells, one byte each, in `N` words.
impl<const N: usize> Cells for [u64; N] {
    type Key = Wide<N>;
    const CAPACITY: usize = 8 * N;

    fn from_labels(labels: &[u8]) -> Self {
        let mut words = [0; N];
        bytemuck::cast_slice_mut(&mut words)[..labels.len()].copy_from_slice(labels);
        words
    }

    #[inline(always)]
    fn label(&self, cell: usize) -> usize {
        let bytes: &[u8] = bytemuck::cast_slice(self);
        bytes[cell].into()
    }

    #[inline(always)]
    fn slide(mut self, from: usize, to: usize) -> Self {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self);
        bytes[to] = bytes[from];
        bytes[from] = 0;
        self
    }

    fn blank(&self, cells: usize) -> usize {
        let bytes: &[u8] = bytemuck::cast_slice(self);
        memchr::memchr(0, &bytes[..cells]).expect("every board has a blank")
    }

    fn key_bits(_cells: usize) -> u32 {
        64 * N as u32
    }

    fn pack(&self, _cells: usize) -> Wide<N> {
        Wide(*self)
    }

    fn unpack(key: Wide<N>, _cells: usize) -> Self {
        key.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trips<C: Cells>(cells: usize) {
        let mut labels: Vec<u8> = (0..cells).map(|c| c as u8).collect();
        for turn in 0..cells * 3 {
            labels.rotate_left(turn % 3);
            labels.swap(turn % cells, (turn * 7 + 1) % cells);
            let board = C::from_labels(&labels);
            let blank = labels.iter().position(|&l| l == 0).unwrap();
            assert_eq!(board.blank(cells), blank);
            assert!((0..cells).all(|cell| board.label(cell) == labels[cell] as usize));
            assert_eq!(C::unpack(board.pack(cells), cells), board);
            let from = (blank + 1) % cells;
            let mut slid = labels.clone();
            slid.swap(blank, from);
            assert_eq!(board.slide(from, blank), C::from_labels(&slid));
        }
    }

    #[test]
    fn keys_of_all_widths_round_trip() {
        (4..=16).for_each(round_trips::<u64>);
        (4..=25).for_each(round_trips::<u128>);
        (26..=40).for_each(round_trips::<[u64; 5]>);
        (129..=256).for_each(round_trips::<[u64; 32]>);
    }
}
