//! The words that hold a code and its used_moves.
//!
//! A state is its code, mixed, in the highest bits, and its used_moves in the lowest.
//! The mixing is reversible: the low half of the code takes in the high half,
//! and one multiplication, done in the highest bits of the word, carries all of
//! them upward, so the highest bits depend on all of the code.

use crate::memory::Packed;
use crate::memory::key::{INVERSE, MULTIPLY};

/// A word for codes: `u64` or `u128`.
pub trait Word: Packed {
    /// The code with one more plane, from this bit on.
    fn with_plane(self, plane: u64, shift: u8) -> Self;

    /// The low bits of what starts at this bit.
    fn plane(self, shift: u8) -> u64;

    /// The state of a code of so many bits, with its used_moves.
    fn state(self, bits: u32, used_moves: Self) -> Self;

    /// The code of a state.
    fn code(self, bits: u32) -> Self;
}

macro_rules! word {
    ($word:ty) => {
        impl Word for $word {
            #[inline(always)]
            fn with_plane(self, plane: u64, shift: u8) -> Self {
                self | <$word>::from(plane) << shift
            }

            #[inline(always)]
            fn plane(self, shift: u8) -> u64 {
                (self >> shift) as u64
            }

            #[inline(always)]
            fn state(self, bits: u32, used_moves: Self) -> Self {
                let folded = self ^ self >> bits.div_ceil(2);
                (folded << (<$word>::BITS - bits)).wrapping_mul(MULTIPLY[0] as $word) | used_moves
            }

            #[inline(always)]
            fn code(self, bits: u32) -> Self {
                let high = self >> (<$word>::BITS - bits);
                let folded = high.wrapping_mul(INVERSE[0] as $word) & <$word>::MAX >> (<$word>::BITS - bits);
                // A shift by at least half of the width is its own inverse.
                folded ^ folded >> bits.div_ceil(2)
            }
        }
    };
}

word!(u64);
word!(u128);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back() {
        for bits in 4..60 {
            for i in 1..200u64 {
                let code = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
                let used_moves = i % 16;
                assert_eq!(code.state(bits, used_moves).code(bits), code);
                assert_eq!(code.state(bits, used_moves) & 15, used_moves);
                let wide = u128::from(code) << 50 | u128::from(i);
                assert_eq!(wide.state(bits + 50, u128::from(used_moves)).code(bits + 50), wide);
            }
        }
    }
}
