//! State in one word, for layered search.
//!
//! ```text
//!  most significant                                  least significant
//!  ┌──────────────────────────────────────────┬───────┬──────────────┐
//!  │ identity: the mixed key, never zero      │ zeros │ used moves   │
//!  └──────────────────────────────────────────┴───────┴──────────────┘
//! ```
//!
//! The identity is exact: two states are equal exactly when their identities are. The mixer
//! is invertible, so the highest bits can select a bucket and the next bits a slot of a
//! table. The low bits are used-operator bits (Korf 2004), the union over all paths by which
//! the state was generated.

use bytemuck::Pod;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Word that holds a state and its used-move bits: `u64` or `u128`.
pub trait Packed: Pod + Eq + Ord + Send + Sync + std::fmt::Debug + std::hash::Hash {
    /// Width of the word.
    const BITS: u32;

    /// Empty word. Its identity is zero.
    const NONE: Self;

    /// Mark of a removed state: differs from [`Packed::NONE`], and its identity is zero.
    const TOMBSTONE: Self;

    /// Number of 64-bit words.
    const WORDS: usize = Self::BITS as usize / 64;

    /// Returns the `bits` bits below the highest `skip` bits as a number. `bits` is at most
    /// 32, `skip` less than the width.
    fn slice(self, skip: u32, bits: u32) -> usize;

    /// Returns whether two words hold the same state, ignoring the low `used_bits` bits.
    fn same(self, other: Self, used_bits: u32) -> bool;

    /// Returns whether the word holds a state.
    fn is_state(self, used_bits: u32) -> bool;

    /// Returns the word with the used moves of both.
    fn union(self, other: Self) -> Self;

    /// Returns the word without its used moves.
    fn without_used_moves(self, used_bits: u32) -> Self;

    /// Reads a word from the first [`Packed::WORDS`] cells.
    fn read(cells: &[AtomicU64]) -> Self;
}

macro_rules! packed {
    ($word:ty, $($cell:literal),+) => {
        impl Packed for $word {
            const BITS: u32 = <$word>::BITS;
            const NONE: Self = 0;
            const TOMBSTONE: Self = 1;

            #[inline(always)]
            fn slice(self, skip: u32, bits: u32) -> usize {
                // Two shifts, because `bits == 0` would be a shift by the full width.
                (((self << skip) >> 1) >> (<$word>::BITS - 1 - bits)) as usize
            }

            #[inline(always)]
            fn same(self, other: Self, used_bits: u32) -> bool {
                (self ^ other) >> used_bits == 0
            }

            #[inline(always)]
            fn is_state(self, used_bits: u32) -> bool {
                self >> used_bits != 0
            }

            #[inline(always)]
            fn union(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn without_used_moves(self, used_bits: u32) -> Self {
                (self >> used_bits) << used_bits
            }

            #[inline(always)]
            fn read(cells: &[AtomicU64]) -> Self {
                bytemuck::cast([$(cells[$cell].load(Relaxed)),+])
            }
        }
    };
}

packed!(u64, 0);
packed!(u128, 0, 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_any_width() {
        let word = 0x1234_5678_9abc_def0_u64;
        assert_eq!(word.slice(0, 0), 0);
        assert_eq!(word.slice(0, 8), 0x12);
        assert_eq!(word.slice(8, 12), 0x345);
        assert_eq!((u128::from(word) << 64).slice(4, 16), 0x2345);
    }

    #[test]
    fn used_moves_do_not_distinguish_states() {
        let (a, b) = (0x50_u64, 0x5f_u64);
        assert!(a.same(b, 4) && !a.same(b, 3));
        assert_eq!(a.union(b).without_used_moves(4), 0x50);
        assert!(!u64::NONE.is_state(1) && !u64::TOMBSTONE.is_state(1) && a.is_state(4));
        assert!(!u128::NONE.is_state(1) && !u128::TOMBSTONE.is_state(1));
    }
}
