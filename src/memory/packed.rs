//! A state in one word, as layered search stores and compares it.
//!
//! ```text
//!  most significant                                  least significant
//!  ┌──────────────────────────────────────────┬───────┬──────────────┐
//!  │ identity: the key, mixed, never zero     │ zeros │ note         │
//!  └──────────────────────────────────────────┴───────┴──────────────┘
//! ```
//!
//! The identity is exact: two states are equal exactly when their identities
//! are. It is mixed reversibly, so its highest bits can choose a bucket and the
//! next ones a place in a table. The note is what all ways to the state have
//! said of it, joined by *or*.

use bytemuck::Pod;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A word that holds a state: `u64` or `u128`.
pub trait Packed: Pod + Eq + Ord + Send + Sync + std::fmt::Debug + std::hash::Hash {
    /// Its width.
    const BITS: u32;

    /// No state: its identity is zero.
    const NONE: Self;

    /// No state either, but not [`Packed::NONE`]: what a removed state leaves
    /// behind.
    const TOMBSTONE: Self;

    /// Words of 64 bits in it.
    const WORDS: usize = Self::BITS as usize / 64;

    /// The number in the `bits` bits below the highest `skip`, at most 32 of
    /// them; `skip` is less than the width.
    fn slice(self, skip: u32, bits: u32) -> usize;

    /// Whether two words hold the same state, up to notes of so many bits.
    fn same(self, other: Self, note_bits: u32) -> bool;

    /// Whether there is a state in it.
    fn is_state(self, note_bits: u32) -> bool;

    /// The word with the notes of both.
    fn joined(self, other: Self) -> Self;

    /// The word without its note.
    fn without_used_moves(self, note_bits: u32) -> Self;

    /// The word that was written into [`Packed::WORDS`] cells.
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
                // In two steps, because no bits at all are a shift by the width.
                (((self << skip) >> 1) >> (<$word>::BITS - 1 - bits)) as usize
            }

            #[inline(always)]
            fn same(self, other: Self, note_bits: u32) -> bool {
                (self ^ other) >> note_bits == 0
            }

            #[inline(always)]
            fn is_state(self, note_bits: u32) -> bool {
                self >> note_bits != 0
            }

            #[inline(always)]
            fn joined(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn without_used_moves(self, note_bits: u32) -> Self {
                (self >> note_bits) << note_bits
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
    fn notes_do_not_tell_states_apart() {
        let (a, b) = (0x50_u64, 0x5f_u64);
        assert!(a.same(b, 4) && !a.same(b, 3));
        assert_eq!(a.joined(b).without_used_moves(4), 0x50);
        assert!(!u64::NONE.is_state(1) && !u64::TOMBSTONE.is_state(1) && a.is_state(4));
        assert!(!u128::NONE.is_state(1) && !u128::TOMBSTONE.is_state(1));
    }
}
