//! Exact keys, and their encoding in slots of the visited table.
//!
//! A key is an integer of known width that identifies exactly one state. It is first *mixed*
//! by an invertible function, so that any of its bits can select a line of the table. The
//! bits that follow from the line are not stored (quotienting). A slot of a narrow key
//! (`u64`, `u128`) is a word of the key's own width:
//!
//! ```text
//!  most significant                                     least significant
//!  ┌────────────────────────────────────┬──────────────┬───────┬─────────┐
//!  │ mixed key without its `low` bits   │ distance + 1 │ cost  │ move    │
//!  └────────────────────────────────────┴──────────────┴───────┴─────────┘
//! ```
//!
//! *distance* is the position of the slot's line in the probe sequence. It determines the
//! home line, and with it the `low` bits. The field is never zero in an occupied slot, so an
//! all-zero slot is empty. Cost and move are the *meta* bits. Wider keys ([`Wide`]) store all
//! of their bits and one word of meta bits.

use super::geometry::Geometry;
use bytemuck::{Pod, Zeroable};

/// Exact encoding of a state in a fixed number of bits.
///
/// Two states are equal exactly when their keys are; a key is never replaced by a hash.
///
/// # Safety
/// The visited table indexes slots without bounds checks. For every geometry that
/// [`Geometry::fitting`] returns for the type, and every mixed key within its key bits:
/// [`Key::home`] is less than the number of lines, [`Key::start`] is less than the number of
/// slots in a line, and [`Key::load`] returns the key that was stored.
#[allow(unsafe_code)]
pub unsafe trait Key: Zeroable + Copy + Eq + Send + Sync + std::fmt::Debug + 'static {
    /// Encoding of a key, its cost and its move in the table. All zero means empty.
    type Slot: Pod + Eq + Send + Sync + std::fmt::Debug;

    /// Width of the type.
    const BITS: u32;

    /// Whether the slot omits the key bits that its line determines.
    const QUOTIENT: bool;

    /// Whether a slot is one machine word, so that threads can read and replace it
    /// atomically.
    const IS_WORD: bool = false;

    /// Permutes the values of the low `bits` bits.
    fn mix(self, bits: u32) -> Self;

    /// Inverts [`Key::mix`].
    fn unmix(self, bits: u32) -> Self;

    /// Returns the home line of a mixed key.
    fn home(self, geometry: &Geometry) -> usize;

    /// Returns the slot of a line at which probing starts. It depends on the key, so that
    /// the first probe succeeds in most cases.
    #[inline(always)]
    fn start(self, _geometry: &Geometry) -> usize {
        0
    }

    /// Returns whether `slot`, at position `distance` of the probe sequence, holds this
    /// mixed key.
    fn is_in(self, slot: &Self::Slot, distance: u32, geometry: &Geometry) -> bool;

    /// Encodes a mixed key for position `distance` of its probe sequence.
    fn store(self, distance: u32, meta: u64, geometry: &Geometry) -> Self::Slot;

    /// Decodes the mixed key in an occupied slot of line `line`.
    fn load(slot: &Self::Slot, line: usize, geometry: &Geometry) -> Self;

    /// Returns whether a slot is empty.
    fn is_empty(slot: &Self::Slot) -> bool;

    /// Returns the meta bits (cost and move) of an occupied slot.
    fn meta(slot: &Self::Slot, geometry: &Geometry) -> u64;

    /// Returns `slot` with other meta bits.
    fn with_meta(slot: &Self::Slot, meta: u64, geometry: &Geometry) -> Self::Slot;
}

/// Odd multipliers with well-distributed bits. An inverse modulo 2^128 is also the inverse
/// modulo every smaller power of two.
pub(crate) const MULTIPLY: [u128; 2] =
    [0xd6e8_feb8_6659_fd93_a076_1d64_78bd_642f, 0xa24b_aed4_963e_e407_9fb2_1c65_1e98_df25];

/// Returns the inverse of `odd` modulo 2^128, by Newton's iteration.
const fn inverse(odd: u128) -> u128 {
    let mut x = odd;
    let mut step = 0;
    while step < 7 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
        step += 1;
    }
    x
}

/// Inverses of [`MULTIPLY`].
pub(crate) const INVERSE: [u128; 2] = [inverse(MULTIPLY[0]), inverse(MULTIPLY[1])];

macro_rules! narrow_key {
    ($word:ty) => {
        #[allow(unsafe_code)]
        // SAFETY: `home` scales the top bits to `0..groups` and takes the low bits modulo
        // the group length; `start` is reduced by a mask; `load` inverts `store`.
        unsafe impl Key for $word {
            type Slot = $word;
            const BITS: u32 = <$word>::BITS;
            const QUOTIENT: bool = true;
            const IS_WORD: bool = size_of::<$word>() == size_of::<u64>();

            #[inline(always)]
            fn mix(self, bits: u32) -> Self {
                let (mask, half) = (<$word>::MAX >> (Self::BITS - bits), bits.div_ceil(2));
                let x = self ^ (self >> half);
                let x = x.wrapping_mul(MULTIPLY[0] as $word) & mask;
                let x = x ^ (x >> half);
                let x = x.wrapping_mul(MULTIPLY[1] as $word) & mask;
                x ^ (x >> half)
            }

            #[inline(always)]
            fn unmix(self, bits: u32) -> Self {
                // An xor-shift by at least half of the width is its own inverse.
                let (mask, half) = (<$word>::MAX >> (Self::BITS - bits), bits.div_ceil(2));
                let x = self ^ (self >> half);
                let x = x.wrapping_mul(INVERSE[1] as $word) & mask;
                let x = x ^ (x >> half);
                let x = x.wrapping_mul(INVERSE[0] as $word) & mask;
                x ^ (x >> half)
            }

            #[inline(always)]
            fn home(self, g: &Geometry) -> usize {
                let group = ((self >> g.top_shift) as usize * g.groups) >> g.top_bits;
                (group << g.low) | (self as usize & g.low_mask)
            }

            #[inline(always)]
            fn start(self, g: &Geometry) -> usize {
                (self >> g.low) as usize & (g.width - 1)
            }

            #[inline(always)]
            fn is_in(self, slot: &$word, distance: u32, g: &Geometry) -> bool {
                (*slot >> g.meta_bits) == ((self >> g.low) << g.distance_bits) + (distance + 1) as $word
            }

            #[inline(always)]
            fn store(self, distance: u32, meta: u64, g: &Geometry) -> $word {
                let identity = ((self >> g.low) << g.distance_bits) + (distance + 1) as $word;
                (identity << g.meta_bits) | meta as $word
            }

            #[inline(always)]
            fn load(slot: &$word, line: usize, g: &Geometry) -> Self {
                let identity = *slot >> g.meta_bits;
                let distance = (identity as usize & g.distance_mask) - 1;
                let home = g.home_of(line, distance);
                ((identity >> g.distance_bits) << g.low) | (home & g.low_mask) as $word
            }

            #[inline(always)]
            fn is_empty(slot: &$word) -> bool {
                *slot == 0
            }

            #[inline(always)]
            fn meta(slot: &$word, g: &Geometry) -> u64 {
                *slot as u64 & g.meta_mask
            }

            #[inline(always)]
            fn with_meta(slot: &$word, meta: u64, g: &Geometry) -> $word {
                (*slot & !(g.meta_mask as $word)) | meta as $word
            }
        }
    };
}

narrow_key!(u64);
narrow_key!(u128);

/// Key of `N` words, for states that need more than 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Zeroable)]
#[repr(transparent)]
pub struct Wide<const N: usize>(pub [u64; N]);

/// Slot of a [`Wide`] key. `meta` is never zero in an occupied slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct WideSlot<const N: usize> {
    key: [u64; N],
    meta: u64,
}

#[allow(unsafe_code)]
// SAFETY: every bit pattern of the array and the word is valid, zero included.
unsafe impl<const N: usize> Zeroable for WideSlot<N> {}
#[allow(unsafe_code)]
// SAFETY: `repr(C)`, words only, so no padding; every bit pattern is valid.
unsafe impl<const N: usize> Pod for WideSlot<N> {}

/// The bit of `meta` that marks a wide slot as occupied.
const OCCUPIED: u64 = 1 << 63;

#[allow(unsafe_code)]
// SAFETY: `home` scales a 64-bit hash to `0..lines`; `start` is 0; slots contain the key.
unsafe impl<const N: usize> Key for Wide<N> {
    type Slot = WideSlot<N>;
    const BITS: u32 = 64 * N as u32;
    const QUOTIENT: bool = false;

    #[inline]
    fn mix(self, _bits: u32) -> Self {
        self
    }

    #[inline]
    fn unmix(self, _bits: u32) -> Self {
        self
    }

    #[inline]
    fn home(self, g: &Geometry) -> usize {
        let fold = self.0.iter().fold(0x243f_6a88_85a3_08d3_u64, |hash, &word| {
            let product = u128::from(hash ^ word) * u128::from(MULTIPLY[0] as u64);
            product as u64 ^ (product >> 64) as u64
        });
        let hash = fold.mix(64);
        ((u128::from(hash) * g.lines as u128) >> 64) as usize
    }

    #[inline]
    fn is_in(self, slot: &WideSlot<N>, _distance: u32, _g: &Geometry) -> bool {
        slot.meta & OCCUPIED != 0 && slot.key == self.0
    }

    #[inline]
    fn store(self, _distance: u32, meta: u64, _g: &Geometry) -> WideSlot<N> {
        WideSlot { key: self.0, meta: OCCUPIED | meta }
    }

    #[inline]
    fn load(slot: &WideSlot<N>, _line: usize, _g: &Geometry) -> Self {
        Self(slot.key)
    }

    #[inline]
    fn is_empty(slot: &WideSlot<N>) -> bool {
        slot.meta == 0
    }

    #[inline]
    fn meta(slot: &WideSlot<N>, _g: &Geometry) -> u64 {
        slot.meta & !OCCUPIED
    }

    #[inline]
    fn with_meta(slot: &WideSlot<N>, meta: u64, _g: &Geometry) -> WideSlot<N> {
        WideSlot { key: slot.key, meta: OCCUPIED | meta }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_is_reversible_at_every_width() {
        for bits in 2..=64 {
            for i in 0..200u64 {
                let key = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
                let mixed = key.mix(bits);
                assert!(bits == 64 || mixed >> bits == 0);
                assert_eq!(mixed.unmix(bits), key);
            }
        }
        for bits in 65..=128 {
            for i in 0..200u128 {
                let key = i.wrapping_mul(MULTIPLY[1]) >> (128 - bits);
                assert_eq!(key.mix(bits).unmix(bits), key);
            }
        }
    }

    #[test]
    fn mixing_permutes_small_spaces() {
        let mut seen = [false; 1 << 10];
        for key in 0..1u64 << 10 {
            seen[key.mix(10) as usize] = true;
        }
        assert!(seen.iter().all(|&s| s));
    }
}
