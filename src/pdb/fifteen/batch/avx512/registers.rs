//! Registers of avx512 words or 64 bytes: what is read into them, written from them,
//! and looked up in them.

use super::{MOST, ROOM};
use std::arch::x86_64::*;

/// Words in a register.
pub(in crate::pdb) const AVX512_LANES: usize = 16;

/// The first byte of each lane.
pub(in crate::pdb::fifteen::batch::avx512) const FIRST_BYTES: __mmask64 = 0x1111_1111_1111_1111;

/// The same word in each lane.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn each(word: i32) -> __m512i {
    _mm512_set1_epi32(word)
}

/// A part of an array that a register holds.
#[inline(always)]
pub(in crate::pdb::fifteen::batch::avx512) fn at<T, const LENGTH: usize>(
    array: &[T],
    start: usize,
) -> &[T; LENGTH] {
    array[start..].first_chunk().expect(WHOLE)
}

/// The same, to be written to.
#[inline(always)]
pub(in crate::pdb::fifteen::batch::avx512) fn at_mut<T, const LENGTH: usize>(
    array: &mut [T],
    start: usize,
) -> &mut [T; LENGTH] {
    array[start..].first_chunk_mut().expect(WHOLE)
}

/// Why there is such a part: a register that is written starts where another one may end.
const WHOLE: &str = "there is room for a register";
const _: () = assert!(MOST.is_multiple_of(AVX512_LANES) && ROOM == 3 * AVX512_LANES);

#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn load(words: &[u32; AVX512_LANES]) -> __m512i {
    // SAFETY: there are 64 bytes to be read.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_loadu_epi32(words.as_ptr().cast())
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn load_bytes(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: there are 64 bytes to be read.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_loadu_epi32(bytes.as_ptr().cast())
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn load_parents(bytes: &[u8; AVX512_LANES]) -> __m128i {
    // SAFETY: there are 16 bytes to be read.
    #[allow(unsafe_code)]
    unsafe {
        _mm_loadu_si128(bytes.as_ptr().cast())
    }
}

/// The halves of words of 64 bits.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn load_cells(cells: &[u64; AVX512_LANES]) -> (__m512i, __m512i) {
    // SAFETY: there are twice 64 bytes to be read.
    #[allow(unsafe_code)]
    let [first, second] = [0, 8].map(|at| unsafe { _mm512_loadu_epi64(cells.as_ptr().add(at).cast()) });
    let low = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let high = _mm512_add_epi32(low, each(1));
    (_mm512_permutex2var_epi32(first, low, second), _mm512_permutex2var_epi32(first, high, second))
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn store_parents(bytes: &mut [u8; AVX512_LANES], lanes: __m128i) {
    // SAFETY: there are 16 bytes to be written.
    #[allow(unsafe_code)]
    unsafe {
        _mm_storeu_si128(bytes.as_mut_ptr().cast(), lanes);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn store(words: &mut [u32; AVX512_LANES], lanes: __m512i) {
    // SAFETY: there are 64 bytes to be written.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_storeu_epi32(words.as_mut_ptr().cast(), lanes);
    }
}

/// Stores words of 64 bits by their halves.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn store_cells(
    cells: &mut [u64; AVX512_LANES],
    low: __m512i,
    high: __m512i,
) {
    let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    let second = _mm512_add_epi32(first, each(8));
    for (at, order) in [(0, first), (8, second)] {
        // SAFETY: there are twice 64 bytes to be written.
        #[allow(unsafe_code)]
        unsafe {
            let words = _mm512_permutex2var_epi32(low, order, high);
            _mm512_storeu_epi64(cells.as_mut_ptr().add(at).cast(), words);
        }
    }
}

/// For each lane the word of one of the boards before.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn of_boards(words: &[u32; ROOM], index: __m512i) -> __m512i {
    _mm512_permutex2var_epi32(load(at(words, 0)), index, load(at(words, AVX512_LANES)))
}

/// For each lane one of avx512 words of one of the tables; `is_third`: the lanes that
/// want the third table.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::pdb::fifteen::batch::avx512) fn of_words<const N: usize>(
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

/// The same with tables of 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,avx512bw")]
pub(in crate::pdb::fifteen::batch::avx512) fn of_bytes<const N: usize>(
    tables: &[[u8; 64]; N],
    index: __m512i,
    is_third: __mmask16,
) -> __m512i {
    let (first, second) = (load_bytes(&tables[0]), load_bytes(&tables[1 % N]));
    let found = _mm512_maskz_permutex2var_epi8(FIRST_BYTES, first, index, second);
    match N {
        3 => {
            let found_there = _mm512_maskz_permutexvar_epi8(FIRST_BYTES, index, load_bytes(&tables[2]));
            _mm512_mask_mov_epi32(found, is_third, found_there)
        }
        _ => found,
    }
}
