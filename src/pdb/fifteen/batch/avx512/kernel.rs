//! What is done in the lanes.

use super::{Avx512, Before, Boards, PATTERN, Passing, ROOM, SETS, TILE, TURNS};
use crate::heuristic::{EXPANSION_BATCH, SelectionMask};
use crate::pdb::fifteen::batch::avx512::registers::{
    AVX512_LANES, FIRST_BYTES, at, at_mut, each, load, load_bytes, load_cells, load_parents, of_boards,
    of_bytes, of_words, store, store_cells, store_parents,
};
use crate::pdb::fifteen::lookup::LABELS;
use crate::pdb::fifteen::payload::BLANK;
use crate::pdb::geometry::classes::{COLUMN, REGION_BITS};
use std::arch::x86_64::*;

impl<const N: usize, const V: usize> Avx512<N, V> {
    /// Drafts all successors of those of a brood that are chosen, up to [`EXPANSION_BATCH`].
    pub(in crate::pdb) fn prepare_selected(
        &self,
        batch: &Boards<N, V>,
        selected: SelectionMask,
        next: &mut Boards<N, V>,
    ) {
        // SAFETY: there are no tables where the processor has no such lanes.
        #[allow(unsafe_code)]
        unsafe {
            let count = choose_boards(batch, selected, &mut next.before);
            self.prepare_in_lanes(count, next);
        }
    }

    /// Drafts all successors of the boards before a brood, which are so many.
    pub(in crate::pdb) fn prepare(&self, count: usize, batch: &mut Boards<N, V>) {
        // SAFETY: there are no tables where the processor has no such lanes.
        #[allow(unsafe_code)]
        unsafe {
            self.prepare_in_lanes(count, batch);
        }
    }

    /// See [`Avx512::pending`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vpopcntdq")]
    fn prepare_in_lanes(&self, count: usize, batch: &mut Boards<N, V>) {
        self.list(count, batch);
        for start in (0..batch.count).step_by(AVX512_LANES) {
            self.prepare_lanes(start, batch);
        }
    }

    /// Lists the successors of the boards before: for each move those that have it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vpopcntdq")]
    fn list(&self, count: usize, batch: &mut Boards<N, V>) {
        let count = count.min(EXPANSION_BATCH);
        let Before { sums, lasts, .. } = &batch.before;
        let [first, second] = self.moves.each_ref().map(|moves| load_bytes(moves));
        let halves: [(__mmask16, __m512i); EXPANSION_BATCH / AVX512_LANES] = std::array::from_fn(|half| {
            let start = half * AVX512_LANES;
            let blanks = _mm512_srli_epi32(load(at(sums, start)), BLANK);
            let index = _mm512_or_si512(load(at(lasts, start)), blanks);
            let exist = (((1u64 << count) - 1) >> start) as __mmask16;
            (exist, _mm512_permutex2var_epi8(first, index, second))
        });
        let mut boards = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        batch.count = 0;
        for step in 0..4 {
            for (half, &(exist, moves)) in halves[..count.div_ceil(AVX512_LANES)].iter().enumerate() {
                let mask = _mm512_mask_test_epi32_mask(exist, moves, each(1 << step));
                let boards = _mm512_or_si512(boards, each((half * AVX512_LANES) as i32));
                let listed = _mm512_cvtepi32_epi8(_mm512_maskz_compress_epi32(mask, boards));
                // Seven times avx512 are listed before, at most.
                store_parents(at_mut(&mut batch.parents, batch.count), listed);
                batch.count += mask.count_ones() as usize;
            }
            boards = _mm512_add_epi32(boards, each(EXPANSION_BATCH as i32));
        }
    }

    /// Drafts avx512 successors that are listed. Lanes beyond the last one hold what was
    /// listed before; what they tell is written, but never read.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vpopcntdq")]
    fn prepare_lanes(&self, start: usize, batch: &mut Boards<N, V>) {
        let Before { cells: [low, high], sums, placed, .. } = &batch.before;
        let parents = _mm512_cvtepu8_epi32(load_parents(at(&batch.parents, start)));
        let (low, high, sums) = (of_boards(low, parents), of_boards(high, parents), of_boards(sums, parents));
        let blank = _mm512_srli_epi32(sums, BLANK);
        let turn = _mm512_or_si512(blank, last_turn(parents));
        let from = _mm512_maskz_permutexvar_epi8(FIRST_BYTES, turn, load_bytes(&self.from));
        // A label in the lowest bits; `cell`: four times its cell.
        let label_in = |cell: __m512i| {
            let half = _mm512_mask_mov_epi32(low, _mm512_test_epi32_mask(cell, each(32)), high);
            _mm512_rorv_epi32(half, cell)
        };
        let label = _mm512_and_si512(label_in(from), each(15));
        // It goes where the blank was. What is shifted too far, or by less than
        // nothing, is gone.
        let to = _mm512_slli_epi32(blank, 2);
        let moved = |half: __m512i, from: __m512i, to: __m512i| {
            let (from, to) = (_mm512_sllv_epi32(label, from), _mm512_sllv_epi32(label, to));
            _mm512_ternarylogic_epi32::<XOR>(half, from, to)
        };
        let above = |cell: __m512i| _mm512_sub_epi32(cell, each(32));
        let (new_low, new_high) = (moved(low, from, to), moved(high, above(from), above(to)));
        let others = _mm512_and_si512(sums, each((1 << BLANK) - 1));
        let new_sums = _mm512_or_si512(others, _mm512_slli_epi32(from, BLANK - 2));

        let codes = self.codes.each_ref().map(|codes| load(codes));
        let tiles: [__m512i; V] = std::array::from_fn(|view| _mm512_permutexvar_epi32(label, codes[view]));
        // The occupied cells are known before the order is, and the way from there to
        // the column is long.
        let cells = [_mm512_srli_epi32(from, 2), blank];
        let changes: [Change<N>; V] =
            std::array::from_fn(|view| self.change(view, tiles[view], &placed[view], parents, cells));
        store_cells(at_mut(&mut batch.cells, start), new_low, new_high);
        store(at_mut(&mut batch.sums, start), new_sums);

        let mut terms = [_mm512_setzero_si512(); V];
        let step = _mm512_srli_epi32(parents, EXPANSION_BATCH.ilog2());
        for Passing { views, passed } in &self.passings {
            let view = _mm512_permutexvar_epi32(step, load(views));
            let is_second = _mm512_test_epi32_mask(view, each(LABELS as i32));
            let tile = _mm512_mask_mov_epi32(tiles[0], is_second, tiles[V - 1]);
            let pattern = _mm512_and_si512(tile, each(PATTERN));
            let way = _mm512_or_si512(turn, _mm512_slli_epi32(pattern, TURNS.ilog2() - TILE));
            let is_third = _mm512_cmpeq_epi32_mask(pattern, each(2 << TILE));
            let mut sum = _mm512_setzero_si512();
            for cells in passed {
                let label = label_in(of_bytes(cells, way, is_third));
                let label = _mm512_ternarylogic_epi32::<AND_OR>(label, each(15), view);
                let other = _mm512_permutex2var_epi32(codes[0], label, codes[V - 1]);
                let term = _mm512_permutexvar_epi32(_mm512_max_epu32(tile, other), load(&self.terms));
                let counts = _mm512_cmplt_epu32_mask(_mm512_xor_si512(tile, other), each(1 << TILE));
                let greater = _mm512_mask_cmpgt_epu32_mask(counts, other, tile);
                let smaller = _mm512_mask_cmplt_epu32_mask(counts, other, tile);
                sum = _mm512_mask_add_epi32(sum, greater, sum, term);
                sum = _mm512_mask_sub_epi32(sum, smaller, sum, term);
            }
            // A view in which nobody is passed has nothing to add.
            terms[0] = _mm512_mask_add_epi32(terms[0], !is_second, terms[0], sum);
            terms[V - 1] = _mm512_mask_add_epi32(terms[V - 1], is_second, terms[V - 1], sum);
        }

        for (view, Change { before, after, is_pattern, is_forth, column }) in changes.into_iter().enumerate()
        {
            let after = _mm512_mask_add_epi32(after, is_forth, after, terms[view]);
            let after = _mm512_mask_sub_epi32(after, !is_forth, after, terms[view]);
            for part in 0..N {
                let placed = _mm512_mask_mov_epi32(before[part], is_pattern[part], after);
                store(at_mut(&mut batch.placed[view][part], start), placed);
            }
            let part = _mm512_srli_epi32(_mm512_and_si512(tiles[view], each(PATTERN)), TILE);
            let rows = _mm512_permutexvar_epi32(part, load(&self.rows));
            let row = _mm512_mullo_epi32(_mm512_srli_epi32(after, 16), rows);
            store(at_mut(&mut batch.places[view], start), _mm512_add_epi32(row, column));
            store(at_mut(&mut batch.parts[view], start), part);
        }
    }

    /// What the move of a tile from one cell to another changes in a view, but for the
    /// order.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vpopcntdq")]
    fn change(
        &self,
        view: usize,
        tile: __m512i,
        placed: &[[u32; ROOM]; N],
        parents: __m512i,
        [from, to]: [__m512i; 2],
    ) -> Change<N> {
        let pattern = _mm512_and_si512(tile, each(PATTERN));
        let is_pattern: [__mmask16; N] =
            std::array::from_fn(|part| _mm512_cmpeq_epi32_mask(pattern, each((part << TILE) as i32)));
        let table = _mm512_slli_epi32(pattern, AVX512_LANES.ilog2() - TILE);
        // The last pattern is the third one, if there are three; else nobody asks.
        let of_pattern = |tables: &[[u32; LABELS]; N], index: __m512i| {
            of_words(tables, _mm512_or_si512(index, table), is_pattern[N - 1])
        };
        let here = of_pattern(&self.layings[view], from);
        let there = of_pattern(&self.layings[view], to);
        let before: [__m512i; N] = std::array::from_fn(|part| of_boards(&placed[part], parents));
        let mut after = before[0];
        for part in 1..N {
            after = _mm512_mask_mov_epi32(after, is_pattern[part], before[part]);
        }
        let bit = |cell: __m512i| _mm512_sllv_epi32(each(1), cell);
        after = _mm512_ternarylogic_epi32::<XOR>(after, bit(here), bit(there));

        // The ranks of both bytes of occupied cells, in a byte each.
        let [a, b, c, d] = self.ranks.each_ref().map(|ranks| load_bytes(ranks));
        let ranks = _mm512_mask_blend_epi8(
            _mm512_movepi8_mask(after),
            _mm512_permutex2var_epi8(a, after, b),
            _mm512_permutex2var_epi8(c, after, d),
        );
        let upper = _mm512_and_si512(_mm512_srli_epi32(after, 8), each(0xff));
        let begin = of_pattern(&self.begins, _mm512_popcnt_epi32(upper));
        let rank = _mm512_and_si512(_mm512_maddubs_epi16(ranks, begin), each(0xffff));
        let column = self.columns(_mm512_add_epi32(rank, _mm512_srli_epi32(begin, 16)), here);
        let is_forth = _mm512_cmpgt_epu32_mask(there, here);
        Change { before, after, is_pattern, is_forth, column }
    }

    /// The columns of sets of occupied cells, where the blank is in a cell.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn columns(&self, sets: __m512i, cells: __m512i) -> __m512i {
        let sets = _mm512_min_epu32(sets, each((N * SETS - 1) as i32));
        const { assert!(REGION_BITS == 3) };
        let shifts = _mm512_add_epi32(cells, _mm512_slli_epi32(cells, 1));
        let half = |sets: __m256i, shifts: __m256i| {
            // SAFETY: no set is beyond the last word.
            #[allow(unsafe_code)]
            let words = unsafe { _mm512_i32gather_epi64::<8>(sets, self.words.as_ptr().cast()) };
            let region = _mm512_srlv_epi64(words, _mm512_cvtepu32_epi64(shifts));
            let region = _mm512_and_si512(region, _mm512_set1_epi64((1 << REGION_BITS) - 1));
            _mm512_cvtepi64_epi32(_mm512_add_epi64(_mm512_srli_epi64(words, COLUMN), region))
        };
        let lower = half(_mm512_castsi512_si256(sets), _mm512_castsi512_si256(shifts));
        let upper = half(_mm512_extracti64x4_epi64::<1>(sets), _mm512_extracti64x4_epi64::<1>(shifts));
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(lower), upper)
    }
}

/// What a move changes in a view.
struct Change<const N: usize> {
    /// Where each pattern's tiles were.
    before: [__m512i; N],
    /// Where those of the pattern are whose tile has moved, in the order from before.
    after: __m512i,
    /// Which pattern that is.
    is_pattern: [__mmask16; N],
    /// Whether the tile goes forth.
    is_forth: __mmask16,
    /// The column of the bit.
    column: __m512i,
}

/// Takes those of a brood that are chosen; how many they are.
#[target_feature(enable = "avx512f")]
fn choose_boards<const N: usize, const V: usize>(
    batch: &Boards<N, V>,
    selected: SelectionMask,
    before: &mut Before<N, V>,
) -> usize {
    let mut count = 0;
    for start in (0..batch.count).step_by(AVX512_LANES) {
        let mask = (selected[start / 64] >> (start % 64)) as __mmask16;
        // There is room for avx512 after all boards of a handful.
        let put = |words: &mut [u32; ROOM], lanes: __m512i| {
            store(at_mut(words, count), _mm512_maskz_compress_epi32(mask, lanes));
        };
        let (low, high) = load_cells(at(&batch.cells, start));
        put(&mut before.cells[0], low);
        put(&mut before.cells[1], high);
        put(&mut before.sums, load(at(&batch.sums, start)));
        put(&mut before.lasts, last_turn(_mm512_cvtepu8_epi32(load_parents(at(&batch.parents, start)))));
        for (before, placed) in before.placed.iter_mut().zip(&batch.placed) {
            for (before, placed) in before.iter_mut().zip(placed) {
                put(before, load(at(placed, start)));
            }
        }
        count += mask.count_ones() as usize;
    }
    count
}

/// The first turn of the move that an parent tells.
#[inline]
#[target_feature(enable = "avx512f")]
fn last_turn(parents: __m512i) -> __m512i {
    const { assert!(EXPANSION_BATCH == 2 * LABELS) };
    _mm512_and_si512(_mm512_srli_epi32(parents, 1), each((TURNS - LABELS) as i32))
}

/// Of three bits: whether an odd number is set.
const XOR: i32 = 0x96;

/// Of three bits: the first two, or the last.
const AND_OR: i32 = 0xea;
