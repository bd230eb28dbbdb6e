//! The computation in the lanes.
//!
//! 1. List the successors: for each move, the parents that have it (`list`).
//! 2. For sixteen successors at a time, compute board, pattern indices and bit indices
//!    (`prepare_lanes`).

use super::{
    Avx512, FifteenBatch, JumpTable, MOVE_INDICES, PARENT_CAPACITY, PATTERN_MASK, ParentArrays, SETS,
    TILE_BITS,
};
use crate::heuristic::{EXPANSION_BATCH, SelectionMask};
use crate::pdb::fifteen::batch::avx512::registers::{
    AVX512_LANES, FIRST_BYTES, at, at_mut, load, load_bytes, load_cells, load_parents, permute_bytes,
    permute_parents, permute_words, splat, store, store_cells, store_parents,
};
use crate::pdb::fifteen::lookup::LABELS;
use crate::pdb::fifteen::payload::BLANK;
use crate::pdb::geometry::classes::{COLUMN_SHIFT, REGION_BITS};
use std::arch::x86_64::*;

impl<const N: usize, const V: usize> Avx512<N, V> {
    /// Prepares all successors of the selected entries of a batch, up to [`EXPANSION_BATCH`].
    pub(in crate::pdb) fn prepare_selected(
        &self,
        batch: &FifteenBatch<N, V>,
        selected: SelectionMask,
        next: &mut FifteenBatch<N, V>,
    ) {
        // SAFETY: `Avx512` exists only if the processor supports the instructions.
        #[allow(unsafe_code)]
        unsafe {
            let count = select_parents(batch, selected, &mut next.parent_arrays);
            self.prepare_in_lanes(count, next);
        }
    }

    /// Prepares all successors of the first `count` parents in `batch.parent_arrays`.
    pub(in crate::pdb) fn prepare(&self, count: usize, batch: &mut FifteenBatch<N, V>) {
        // SAFETY: `Avx512` exists only if the processor supports the instructions.
        #[allow(unsafe_code)]
        unsafe {
            self.prepare_in_lanes(count, batch);
        }
    }

    /// See [`Avx512::prepare`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vpopcntdq")]
    fn prepare_in_lanes(&self, count: usize, batch: &mut FifteenBatch<N, V>) {
        self.list(count, batch);
        for start in (0..batch.count).step_by(AVX512_LANES) {
            self.prepare_lanes(start, batch);
        }
    }

    /// Lists the successors: for each move, the parents that have it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vpopcntdq")]
    fn list(&self, count: usize, batch: &mut FifteenBatch<N, V>) {
        let count = count.min(EXPANSION_BATCH);
        let ParentArrays { sums, last_moves, .. } = &batch.parent_arrays;
        let [first, second] = self.moves.each_ref().map(|moves| load_bytes(moves));
        let halves: [(__mmask16, __m512i); EXPANSION_BATCH / AVX512_LANES] = std::array::from_fn(|half| {
            let start = half * AVX512_LANES;
            let blanks = _mm512_srli_epi32(load(at(sums, start)), BLANK);
            let index = _mm512_or_si512(load(at(last_moves, start)), blanks);
            let exist = (((1u64 << count) - 1) >> start) as __mmask16;
            (exist, _mm512_permutex2var_epi8(first, index, second))
        });
        let mut boards = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        batch.count = 0;
        for step in 0..4 {
            for (half, &(exist, moves)) in halves[..count.div_ceil(AVX512_LANES)].iter().enumerate() {
                let mask = _mm512_mask_test_epi32_mask(exist, moves, splat(1 << step));
                let boards = _mm512_or_si512(boards, splat((half * AVX512_LANES) as i32));
                let listed = _mm512_cvtepi32_epi8(_mm512_maskz_compress_epi32(mask, boards));
                // At most seven registers of sixteen were stored before.
                store_parents(at_mut(&mut batch.parents, batch.count), listed);
                batch.count += mask.count_ones() as usize;
            }
            boards = _mm512_add_epi32(boards, splat(EXPANSION_BATCH as i32));
        }
    }

    /// Prepares sixteen listed successors. Lanes beyond the last successor hold leftovers of
    /// earlier lists; their results are written, but never read.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vpopcntdq")]
    fn prepare_lanes(&self, start: usize, batch: &mut FifteenBatch<N, V>) {
        let ParentArrays { cells: [low, high], sums, indices, .. } = &batch.parent_arrays;
        let parents = _mm512_cvtepu8_epi32(load_parents(at(&batch.parents, start)));
        let (low, high, sums) =
            (permute_parents(low, parents), permute_parents(high, parents), permute_parents(sums, parents));
        let blank = _mm512_srli_epi32(sums, BLANK);
        let index = _mm512_or_si512(blank, move_offset(parents));
        let from = _mm512_maskz_permutexvar_epi8(FIRST_BYTES, index, load_bytes(&self.from));
        // Returns a label in the lowest bits; `cell` is four times its cell.
        let label_in = |cell: __m512i| {
            let half = _mm512_mask_mov_epi32(low, _mm512_test_epi32_mask(cell, splat(32)), high);
            _mm512_rorv_epi32(half, cell)
        };
        let label = _mm512_and_si512(label_in(from), splat(15));
        // The tile moves to the blank's cell. Shifts by 32 or more, or by a negative count,
        // yield zero, so each half receives only its own cells.
        let to = _mm512_slli_epi32(blank, 2);
        let moved = |half: __m512i, from: __m512i, to: __m512i| {
            let (from, to) = (_mm512_sllv_epi32(label, from), _mm512_sllv_epi32(label, to));
            _mm512_ternarylogic_epi32::<XOR>(half, from, to)
        };
        let above = |cell: __m512i| _mm512_sub_epi32(cell, splat(32));
        let (new_low, new_high) = (moved(low, from, to), moved(high, above(from), above(to)));
        let others = _mm512_and_si512(sums, splat((1 << BLANK) - 1));
        let new_sums = _mm512_or_si512(others, _mm512_slli_epi32(from, BLANK - 2));

        let codes = self.codes.each_ref().map(|codes| load(codes));
        let tiles: [__m512i; V] = std::array::from_fn(|view| _mm512_permutexvar_epi32(label, codes[view]));
        // The sets are updated before the ranks: the column depends on the set alone, and its
        // latency is long.
        let cells = [_mm512_srli_epi32(from, 2), blank];
        let updates: [ViewUpdate<N>; V] =
            std::array::from_fn(|view| self.update(view, tiles[view], &indices[view], parents, cells));
        store_cells(at_mut(&mut batch.cells, start), new_low, new_high);
        store(at_mut(&mut batch.sums, start), new_sums);

        let mut rank_deltas = [_mm512_setzero_si512(); V];
        let step = _mm512_srli_epi32(parents, EXPANSION_BATCH.ilog2());
        for JumpTable { views, jumped } in &self.jumps {
            let view = _mm512_permutexvar_epi32(step, load(views));
            let is_second = _mm512_test_epi32_mask(view, splat(LABELS as i32));
            let tile = _mm512_mask_mov_epi32(tiles[0], is_second, tiles[V - 1]);
            let pattern = _mm512_and_si512(tile, splat(PATTERN_MASK));
            let jump_index =
                _mm512_or_si512(index, _mm512_slli_epi32(pattern, MOVE_INDICES.ilog2() - TILE_BITS));
            let is_third = _mm512_cmpeq_epi32_mask(pattern, splat(2 << TILE_BITS));
            let mut sum = _mm512_setzero_si512();
            for cells in jumped {
                let label = label_in(permute_bytes(cells, jump_index, is_third));
                let label = _mm512_ternarylogic_epi32::<AND_OR>(label, splat(15), view);
                let other = _mm512_permutex2var_epi32(codes[0], label, codes[V - 1]);
                let delta = _mm512_permutexvar_epi32(_mm512_max_epu32(tile, other), load(&self.deltas));
                let same_pattern =
                    _mm512_cmplt_epu32_mask(_mm512_xor_si512(tile, other), splat(1 << TILE_BITS));
                let greater = _mm512_mask_cmpgt_epu32_mask(same_pattern, other, tile);
                let smaller = _mm512_mask_cmplt_epu32_mask(same_pattern, other, tile);
                sum = _mm512_mask_add_epi32(sum, greater, sum, delta);
                sum = _mm512_mask_sub_epi32(sum, smaller, sum, delta);
            }
            // In a view without jumps the sum is zero.
            rank_deltas[0] = _mm512_mask_add_epi32(rank_deltas[0], !is_second, rank_deltas[0], sum);
            rank_deltas[V - 1] =
                _mm512_mask_add_epi32(rank_deltas[V - 1], is_second, rank_deltas[V - 1], sum);
        }

        for (view, ViewUpdate { before, after, is_pattern, is_forward, column }) in
            updates.into_iter().enumerate()
        {
            let after = _mm512_mask_add_epi32(after, is_forward, after, rank_deltas[view]);
            let after = _mm512_mask_sub_epi32(after, !is_forward, after, rank_deltas[view]);
            for part in 0..N {
                let index = _mm512_mask_mov_epi32(before[part], is_pattern[part], after);
                store(at_mut(&mut batch.indices[view][part], start), index);
            }
            let part = _mm512_srli_epi32(_mm512_and_si512(tiles[view], splat(PATTERN_MASK)), TILE_BITS);
            let rows = _mm512_permutexvar_epi32(part, load(&self.rows));
            let row = _mm512_mullo_epi32(_mm512_srli_epi32(after, 16), rows);
            store(at_mut(&mut batch.bit_indices[view], start), _mm512_add_epi32(row, column));
            store(at_mut(&mut batch.parts[view], start), part);
        }
    }

    /// Computes the effect of a move from one cell to another in a view, except for the rank of
    /// the permutation.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vpopcntdq")]
    fn update(
        &self,
        view: usize,
        tile: __m512i,
        indices: &[[u32; PARENT_CAPACITY]; N],
        parents: __m512i,
        [from, to]: [__m512i; 2],
    ) -> ViewUpdate<N> {
        let pattern = _mm512_and_si512(tile, splat(PATTERN_MASK));
        let is_pattern: [__mmask16; N] =
            std::array::from_fn(|part| _mm512_cmpeq_epi32_mask(pattern, splat((part << TILE_BITS) as i32)));
        let table = _mm512_slli_epi32(pattern, AVX512_LANES.ilog2() - TILE_BITS);
        // `is_third` is used only if there are three patterns; the last one is then the third.
        let of_pattern = |tables: &[[u32; LABELS]; N], index: __m512i| {
            permute_words(tables, _mm512_or_si512(index, table), is_pattern[N - 1])
        };
        let here = of_pattern(&self.orientations[view], from);
        let there = of_pattern(&self.orientations[view], to);
        let before: [__m512i; N] = std::array::from_fn(|part| permute_parents(&indices[part], parents));
        let mut after = before[0];
        for part in 1..N {
            after = _mm512_mask_mov_epi32(after, is_pattern[part], before[part]);
        }
        let bit = |cell: __m512i| _mm512_sllv_epi32(splat(1), cell);
        after = _mm512_ternarylogic_epi32::<XOR>(after, bit(here), bit(there));

        // Ranks of both bytes of the set, one byte each.
        let [a, b, c, d] = self.byte_ranks.each_ref().map(|ranks| load_bytes(ranks));
        let ranks = _mm512_mask_blend_epi8(
            _mm512_movepi8_mask(after),
            _mm512_permutex2var_epi8(a, after, b),
            _mm512_permutex2var_epi8(c, after, d),
        );
        let upper = _mm512_and_si512(_mm512_srli_epi32(after, 8), splat(0xff));
        let base = of_pattern(&self.set_bases, _mm512_popcnt_epi32(upper));
        let rank = _mm512_and_si512(_mm512_maddubs_epi16(ranks, base), splat(0xffff));
        let column = self.columns(_mm512_add_epi32(rank, _mm512_srli_epi32(base, 16)), here);
        let is_forward = _mm512_cmpgt_epu32_mask(there, here);
        ViewUpdate { before, after, is_pattern, is_forward, column }
    }

    /// Returns the columns of `sets` with the blank in `cells`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn columns(&self, sets: __m512i, cells: __m512i) -> __m512i {
        let sets = _mm512_min_epu32(sets, splat((N * SETS - 1) as i32));
        const { assert!(REGION_BITS == 3) };
        let shifts = _mm512_add_epi32(cells, _mm512_slli_epi32(cells, 1));
        let half = |sets: __m256i, shifts: __m256i| {
            // SAFETY: `sets` is limited to the last word above.
            #[allow(unsafe_code)]
            let words = unsafe { _mm512_i32gather_epi64::<8>(sets, self.words.as_ptr().cast()) };
            let region = _mm512_srlv_epi64(words, _mm512_cvtepu32_epi64(shifts));
            let region = _mm512_and_si512(region, _mm512_set1_epi64((1 << REGION_BITS) - 1));
            _mm512_cvtepi64_epi32(_mm512_add_epi64(_mm512_srli_epi64(words, COLUMN_SHIFT), region))
        };
        let lower = half(_mm512_castsi512_si256(sets), _mm512_castsi512_si256(shifts));
        let upper = half(_mm512_extracti64x4_epi64::<1>(sets), _mm512_extracti64x4_epi64::<1>(shifts));
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(lower), upper)
    }
}

/// Effect of a move in a view.
struct ViewUpdate<const N: usize> {
    /// Index of each pattern before the move.
    before: [__m512i; N],
    /// Index of the moved tile's pattern, with the new set and the old rank.
    after: __m512i,
    /// For each pattern: the lanes in which it has the moved tile.
    is_pattern: [__mmask16; N],
    /// Lanes in which the tile moves forward in row-major order.
    is_forward: __mmask16,
    /// Column of the bit.
    column: __m512i,
}

/// Copies the selected entries of a batch to `before` and returns their number.
#[target_feature(enable = "avx512f")]
fn select_parents<const N: usize, const V: usize>(
    batch: &FifteenBatch<N, V>,
    selected: SelectionMask,
    before: &mut ParentArrays<N, V>,
) -> usize {
    let mut count = 0;
    for start in (0..batch.count).step_by(AVX512_LANES) {
        let mask = (selected[start / 64] >> (start % 64)) as __mmask16;
        // `ParentArrays` has space for one register after the last parent.
        let append = |words: &mut [u32; PARENT_CAPACITY], lanes: __m512i| {
            store(at_mut(words, count), _mm512_maskz_compress_epi32(mask, lanes));
        };
        let (low, high) = load_cells(at(&batch.cells, start));
        append(&mut before.cells[0], low);
        append(&mut before.cells[1], high);
        append(&mut before.sums, load(at(&batch.sums, start)));
        append(
            &mut before.last_moves,
            move_offset(_mm512_cvtepu8_epi32(load_parents(at(&batch.parents, start)))),
        );
        for (before, indices) in before.indices.iter_mut().zip(&batch.indices) {
            for (before, index) in before.iter_mut().zip(indices) {
                append(before, load(at(index, start)));
            }
        }
        count += mask.count_ones() as usize;
    }
    count
}

/// Returns the `move_index` with blank 0 of the move in each entry of `parents`.
#[inline]
#[target_feature(enable = "avx512f")]
fn move_offset(parents: __m512i) -> __m512i {
    const { assert!(EXPANSION_BATCH == 2 * LABELS) };
    _mm512_and_si512(_mm512_srli_epi32(parents, 1), splat((MOVE_INDICES - LABELS) as i32))
}

/// Ternary logic: `a ^ b ^ c`.
const XOR: i32 = 0x96;

/// Ternary logic: `a & b | c`.
const AND_OR: i32 = 0xea;
