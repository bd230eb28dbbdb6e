//! Loads, stores and table lookups of 512-bit registers: sixteen words or 64 bytes.

use super::{MAX_SUCCESSORS, PARENT_CAPACITY};
use std::arch::x86_64::*;

/// Number of 32-bit words in a register.
pub(in crate::pdb) const AVX512_LANES: usize = 16;

/// Mask of the first byte of each lane.
pub(in crate::pdb::fifteen::batch::avx512) const FIRST_BYTES: __mmask64 = 0x1111_1111_1111_1111;

/// Returns `word` in each lane.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn splat(word: i32) -> __m512i {
    _mm512_set1_epi32(word)
}

/// Returns the elements of `array` from `start` that fill a register.
#[inline(always)]
pub(in crate::pdb::fifteen::batch::avx512) fn at<T, const LENGTH: usize>(
    array: &[T],
    start: usize,
) -> &[T; LENGTH] {
    array[start..].first_chunk().expect(IN_BOUNDS)
}

/// Returns the elements of `array` from `start` that fill a register, for writing.
#[inline(always)]
pub(in crate::pdb::fifteen::batch::avx512) fn at_mut<T, const LENGTH: usize>(
    array: &mut [T],
    start: usize,
) -> &mut [T; LENGTH] {
    array[start..].first_chunk_mut().expect(IN_BOUNDS)
}

/// Panic message for a register beyond the end of an array. Arrays have space for a whole
/// register after the last element that is used.
const IN_BOUNDS: &str = "arrays have space for a whole register";
const _: () = assert!(MAX_SUCCESSORS.is_multiple_of(AVX512_LANES) && PARENT_CAPACITY == 3 * AVX512_LANES);

#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn load(words: &[u32; AVX512_LANES]) -> __m512i {
    // SAFETY: reads 64 bytes, the size of the array.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_loadu_epi32(words.as_ptr().cast())
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn load_bytes(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: reads 64 bytes, the size of the array.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_loadu_epi32(bytes.as_ptr().cast())
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn load_parents(bytes: &[u8; AVX512_LANES]) -> __m128i {
    // SAFETY: reads 16 bytes, the size of the array.
    #[allow(unsafe_code)]
    unsafe {
        _mm_loadu_si128(bytes.as_ptr().cast())
    }
}

/// Loads sixteen 64-bit words and returns their lower and upper halves.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn load_cells(cells: &[u64; AVX512_LANES]) -> (__m512i, __m512i) {
    // SAFETY: reads twice 64 bytes, the size of the array.
    #[allow(unsafe_code)]
    let [first, second] = [0, 8].map(|at| unsafe { _mm512_loadu_epi64(cells.as_ptr().add(at).cast()) });
    let low = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let high = _mm512_add_epi32(low, splat(1));
    (_mm512_permutex2var_epi32(first, low, second), _mm512_permutex2var_epi32(first, high, second))
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn store_parents(bytes: &mut [u8; AVX512_LANES], lanes: __m128i) {
    // SAFETY: writes 16 bytes, the size of the array.
    #[allow(unsafe_code)]
    unsafe {
        _mm_storeu_si128(bytes.as_mut_ptr().cast(), lanes);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn store(words: &mut [u32; AVX512_LANES], lanes: __m512i) {
    // SAFETY: writes 64 bytes, the size of the array.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_storeu_epi32(words.as_mut_ptr().cast(), lanes);
    }
}

/// Stores sixteen 64-bit words, given as lower and upper halves.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn store_cells(
    cells: &mut [u64; AVX512_LANES],
    low: __m512i,
    high: __m512i,
) {
    let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    let second = _mm512_add_epi32(first, splat(8));
    for (at, index) in [(0, first), (8, second)] {
        // SAFETY: writes twice 64 bytes, the size of the array.
        #[allow(unsafe_code)]
        unsafe {
            let words = _mm512_permutex2var_epi32(low, index, high);
            _mm512_storeu_epi64(cells.as_mut_ptr().add(at).cast(), words);
        }
    }
}

/// Returns for each lane the word of the parent with index `index`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn permute_parents(
    words: &[u32; PARENT_CAPACITY],
    index: __m512i,
) -> __m512i {
    _mm512_permutex2var_epi32(load(at(words, 0)), index, load(at(words, AVX512_LANES)))
}

/// Returns for each lane a word from one of up to three tables of sixteen words. Bit 4 of
/// `index` selects the first or second table; `is_third` marks the lanes of the third.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn permute_words<const N: usize>(
    tables: &[[u32; AVX512_LANES]; N],
    index: __m512i,
    is_third: __mmask16,
) -> __m512i {
    let found = _mm512_permutex2var_epi32(load(&tables[0]), index, load(&tables[1 % N]));
    match N {
        3 => _mm512_mask_permutexvar_epi32(found, is_third, index, load(&tables[2])),
        _ => found,
    }
}

/// Returns for each lane a byte from one of up to three tables of 64 bytes. Bit 6 of `index`
/// selects the first or second table; `is_third` marks the lanes of the third.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,avx512bw")]
pub(in crate::pdb::fifteen::batch::avx512) fn permute_bytes<const N: usize>(
    tables: &[[u8; 64]; N],
    index: __m512i,
    is_third: __mmask16,
) -> __m512i {
    let (first, second) = (load_bytes(&tables[0]), load_bytes(&tables[1 % N]));
    let found = _mm512_maskz_permutex2var_epi8(FIRST_BYTES, first, index, second);
    match N {
        3 => {
            let third = _mm512_maskz_permutexvar_epi8(FIRST_BYTES, index, load_bytes(&tables[2]));
            _mm512_mask_mov_epi32(found, is_third, third)
        }
        _ => found,
    }
}
