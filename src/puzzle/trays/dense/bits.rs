//! Gathers bits under a mask, and scatters them: the instructions `pext` and `pdep`, or loops on
//! processors without them.

/// Returns the bits of `word` under `mask`, compacted at the low end.
#[inline(always)]
pub(super) fn gather(word: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the program is compiled for processors that have the instruction.
    unsafe {
        std::arch::x86_64::_pext_u64(word, mask)
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    portable::gather(word, mask)
}

/// Returns the low bits of `word`, scattered to the positions under `mask`.
#[inline(always)]
pub(super) fn spread(word: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the program is compiled for processors that have the instruction.
    unsafe {
        std::arch::x86_64::_pdep_u64(word, mask)
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    portable::spread(word, mask)
}

/// Returns the single bits of a word, lowest first.
#[inline(always)]
pub(super) fn singles(mut word: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = word & word.wrapping_neg();
        word ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
mod portable {
    pub(super) fn gather(word: u64, mask: u64) -> u64 {
        (0..).zip(super::singles(mask)).fold(0, |out, (i, bit)| out | u64::from(word & bit != 0) << i)
    }

    pub(super) fn spread(word: u64, mask: u64) -> u64 {
        (0..)
            .zip(super::singles(mask))
            .fold(0, |out, (i, bit)| if word >> i & 1 != 0 { out | bit } else { out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_and_slow_agree() {
        let mut word = 0x9e37_79b9_7f4a_7c15_u64;
        for round in 0..1000 {
            let mask = word.rotate_left(round) & word.rotate_left(7);
            word = word.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ word >> 32;
            assert_eq!(gather(word, mask), portable::gather(word, mask));
            assert_eq!(spread(word, mask), portable::spread(word, mask));
            assert_eq!(spread(gather(word, mask), mask), word & mask);
        }
    }
}
