//! Words that hold a code and its used-move bits.
//!
//! A state is its mixed code in the highest bits, and its used-move bits in the lowest. The mixing
//! is invertible: the high half of the code is folded into the low half, and one multiplication in
//! the highest bits of the word propagates all bits upward, so the highest bits depend on the whole
//! code.

use crate::memory::Packed;
use crate::memory::key::{INVERSE, MULTIPLY};

/// A word for codes: `u64` or `u128`.
pub trait Word: Packed {
    /// Returns the code with a plane added from bit `shift` on.
    fn with_plane(self, plane: u64, shift: u8) -> Self;

    /// Returns the low bits from bit `shift` on.
    fn plane(self, shift: u8) -> u64;

    /// Returns the state of a code of `bits` bits with its used-move bits.
    fn state(self, bits: u32, used_moves: Self) -> Self;

    /// Returns the code of a state.
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
    fn codes_round_trip() {
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
