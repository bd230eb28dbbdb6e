//! Successors of a batch of boards of up to 16 cells, as a structure of arrays.
//!
//! Successors are generated grouped by move direction, so each inner loop is uniform. Their
//! fields are stored as separate arrays: the sums of eight successors are computed per vector
//! instruction, and with AVX-512 the bit indices of sixteen (`avx512`). Payloads are assembled
//! only for successors that are pushed to the open list.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(not(target_arch = "x86_64"))]
#[path = "no_avx512.rs"]
pub(crate) mod avx512;

pub(in crate::pdb) use crate::pdb::fifteen::batch::avx512::{Avx512, bytes as avx512_bytes};

use super::lookup::{LABELS, PatternIndex, move_index};
use crate::heuristic::{EXPANSION_BATCH, Parent, SelectionMask, SuccessorBatch};
use crate::pdb::fifteen::batch::avx512::AVX512_LANES;
use crate::pdb::fifteen::payload::{BLANK, FifteenPayload};
use crate::pdb::{PatternDatabases, PayloadLayout, sums_delta};
use crate::puzzle::Move;
use crate::puzzle::tiles::{TileState, Tiles};

/// Maximum number of successors of a batch.
const MAX_SUCCESSORS: usize = 4 * EXPANSION_BATCH;

/// Successors of a batch of boards.
#[derive(Debug)]
pub struct FifteenBatch<const N: usize, const V: usize> {
    count: usize,
    cells: [u64; MAX_SUCCESSORS],
    /// As in [`FifteenPayload`]; until the batch is finished, the sums of the parent with the
    /// blank's new cell.
    sums: [u32; MAX_SUCCESSORS],
    estimates: [u32; MAX_SUCCESSORS],
    /// Index of each pattern in each view.
    indices: [[[PatternIndex; MAX_SUCCESSORS]; N]; V],
    /// In each view: the pattern that has changed, the index of its bit, and the bit.
    parts: [[u32; MAX_SUCCESSORS]; V],
    bit_indices: [[u32; MAX_SUCCESSORS]; V],
    bits: [[u32; MAX_SUCCESSORS]; V],
    /// Index of the parent, plus the move times [`EXPANSION_BATCH`].
    parents: [u8; MAX_SUCCESSORS],
    parent_arrays: ParentArrays<N, V>,
}

/// Parents of a batch: the fields of [`FifteenPayload`] as separate arrays, for the lanes.
#[derive(Debug)]
struct ParentArrays<const N: usize, const V: usize> {
    /// Lower halves and upper halves of the cells.
    cells: [[u32; PARENT_CAPACITY]; 2],
    sums: [u32; PARENT_CAPACITY],
    indices: [[[PatternIndex; PARENT_CAPACITY]; N]; V],
    /// [`move_index`] of the last move with blank 0; that of move 4 if there is none.
    last_moves: [u32; PARENT_CAPACITY],
}

/// Number of parents, plus one register: vector stores may write beyond the last parent.
const PARENT_CAPACITY: usize = EXPANSION_BATCH + AVX512_LANES;

/// Batches of up to this many parents are expanded by scalar code, which is then faster.
const SCALAR_PARENTS: usize = 2;

impl<const N: usize, const V: usize> Default for FifteenBatch<N, V> {
    fn default() -> Self {
        Self {
            count: 0,
            cells: [0; MAX_SUCCESSORS],
            sums: [0; MAX_SUCCESSORS],
            estimates: [0; MAX_SUCCESSORS],
            indices: [[[0; MAX_SUCCESSORS]; N]; V],
            parts: [[0; MAX_SUCCESSORS]; V],
            bit_indices: [[0; MAX_SUCCESSORS]; V],
            bits: [[0; MAX_SUCCESSORS]; V],
            parents: [0; MAX_SUCCESSORS],
            parent_arrays: ParentArrays {
                cells: [[0; PARENT_CAPACITY]; 2],
                sums: [0; PARENT_CAPACITY],
                indices: [[[0; PARENT_CAPACITY]; N]; V],
                last_moves: [0; PARENT_CAPACITY],
            },
        }
    }
}

impl<const N: usize, const V: usize> SuccessorBatch<Tiles<u64>, FifteenPayload<N, V>> for FifteenBatch<N, V> {
    #[inline(always)]
    fn estimates(&self) -> &[u32] {
        &self.estimates[..self.count]
    }

    #[inline(always)]
    fn step(&self, at: usize) -> Move {
        Move(u32::from(self.parents[at]) / EXPANSION_BATCH as u32)
    }

    #[inline(always)]
    fn state(&self, at: usize) -> TileState<u64> {
        TileState { cells: self.cells[at], blank: (self.sums[at] >> BLANK) as u8 }
    }

    #[inline(always)]
    fn parent(&self, at: usize) -> usize {
        self.parents[at] as usize % EXPANSION_BATCH
    }

    #[inline(always)]
    fn payload(&self, at: usize) -> FifteenPayload<N, V> {
        let indices = std::array::from_fn(|view| std::array::from_fn(|part| self.indices[view][part][at]));
        FifteenPayload::from_parts(indices, self.sums[at], self.cells[at])
    }
}

impl<const N: usize, const V: usize> ParentArrays<N, V> {
    /// Copies the payloads of `parents` into the arrays.
    #[inline(always)]
    fn gather<'k>(&mut self, parents: &[Parent], payload: impl Fn(u32) -> &'k FifteenPayload<N, V>) {
        for (at, parent) in parents.iter().enumerate().take(EXPANSION_BATCH) {
            let board = payload(parent.index);
            let cells = board.cells();
            (self.cells[0][at], self.cells[1][at]) = (cells as u32, (cells >> 32) as u32);
            self.sums[at] = board.sums;
            for (arrays, indices) in self.indices.iter_mut().zip(&board.indices) {
                for (array, &index) in arrays.iter_mut().zip(indices) {
                    array[at] = index;
                }
            }
            self.last_moves[at] = move_index(parent.last.map_or(4, |step| step.0 as usize), 0) as u32;
        }
    }
}

impl<const N: usize, const V: usize, K: PayloadLayout> PatternDatabases<N, V, K> {
    /// Prepares all successors of up to [`EXPANSION_BATCH`] boards.
    #[inline(always)]
    pub(in crate::pdb) fn prepare_all<'k>(
        &self,
        puzzle: &Tiles<u64>,
        parents: &[Parent],
        payload: impl Fn(u32) -> &'k FifteenPayload<N, V>,
        batch: &mut FifteenBatch<N, V>,
    ) {
        match &self.avx512 {
            Some(avx512) if parents.len() > SCALAR_PARENTS => {
                batch.parent_arrays.gather(parents, payload);
                avx512.prepare(parents.len(), batch);
                self.prefetch_bits(batch);
            }
            _ => self.prepare_scalar(puzzle, parents, payload, batch),
        }
    }

    /// Prepares all successors of the selected entries of a finished batch with AVX-512. Returns
    /// `false` if it is not available or not worthwhile.
    #[inline(always)]
    pub(in crate::pdb) fn prepare_selected(
        &self,
        batch: &FifteenBatch<N, V>,
        selected: SelectionMask,
        next: &mut FifteenBatch<N, V>,
    ) -> bool {
        let count = selected.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        debug_assert!(count <= EXPANSION_BATCH);
        match &self.avx512 {
            Some(avx512) if count > SCALAR_PARENTS => {
                avx512.prepare_selected(batch, selected, next);
                self.prefetch_bits(next);
                true
            }
            _ => false,
        }
    }

    /// Prefetches the bits of all pending updates.
    #[inline(always)]
    fn prefetch_bits(&self, batch: &FifteenBatch<N, V>) {
        for (bits, (bit_indices, parts)) in
            self.bits.views().iter().zip(batch.bit_indices.iter().zip(&batch.parts))
        {
            for (&bit_index, &part) in bit_indices.iter().zip(parts).take(batch.count) {
                bits[part as usize % N].prefetch(bit_index);
            }
        }
    }

    /// Prepares all successors of up to [`EXPANSION_BATCH`] boards, one at a time.
    #[inline(always)]
    fn prepare_scalar<'k>(
        &self,
        puzzle: &Tiles<u64>,
        parents: &[Parent],
        payload: impl Fn(u32) -> &'k FifteenPayload<N, V>,
        batch: &mut FifteenBatch<N, V>,
    ) {
        batch.count = 0;
        // For each move, the list of boards that have it; `counts` holds the four lengths, one
        // byte each. Every board is written to the end of each list, but the length grows only
        // if the board has the move: branch-free.
        let Some(first) = parents.first() else { return };
        let mut boards = [payload(first.index); EXPANSION_BATCH];
        let mut lists = [[0u8; 2 * EXPANSION_BATCH]; 4];
        let mut counts = 0u32;
        let count = |counts: u32, step: usize| (counts >> (8 * step)) as usize % (2 * EXPANSION_BATCH);
        for (at, (parent, board)) in parents.iter().zip(&mut boards).enumerate() {
            *board = payload(parent.index);
            let last = parent.last.map_or(4, |step| step.0 as usize % 4);
            for (step, list) in lists.iter_mut().enumerate() {
                list[count(counts, step)] = at as u8;
            }
            counts += self.moves[last][(board.sums >> BLANK) as usize % LABELS];
        }
        let mut next = 0;
        for (step, list) in lists.iter().enumerate() {
            let jumps = self.jumps[step];
            let offset = u32::from(puzzle.offset(Move(step as u32)));
            let (first_index, parents) = (move_index(step, 0), (step * EXPANSION_BATCH) as u8);
            for &at in &list[..count(counts, step)] {
                let board = boards[at as usize % EXPANSION_BATCH];
                let (cells, sums) = (board.cells(), board.sums);
                let blank = sums >> BLANK;
                let from = blank.wrapping_add(offset) % LABELS as u32;
                let label = (cells >> (4 * from)) as usize % LABELS;
                let slot = next % MAX_SUCCESSORS;
                next += 1;
                let moved = label as u64;
                batch.cells[slot] = cells ^ moved << (4 * from) ^ moved << (4 * blank);
                batch.sums[slot] = sums.wrapping_add(offset << BLANK);
                batch.parents[slot] = at | parents;
                let index = first_index + blank as usize;
                let parts: [usize; V] = std::array::from_fn(|view| usize::from(self.parts[view][label]) % N);
                let advanced: [(PatternIndex, u32); V] = std::array::from_fn(|view| {
                    let before = board.indices[view][parts[view]];
                    self.of_label[view][label].advance(before, cells, index, label, jumps[view])
                });
                for view in 0..V {
                    let (after, bit_index) = advanced[view];
                    for part in 0..N {
                        batch.indices[view][part][slot] = board.indices[view][part];
                    }
                    batch.indices[view][parts[view]][slot] = after;
                    batch.bit_indices[view][slot] = bit_index;
                    batch.parts[view][slot] = parts[view] as u32;
                }
            }
        }
        batch.count = next;
    }

    /// Reads the bits of all pending updates and computes sums and estimates.
    #[inline(always)]
    pub(in crate::pdb) fn finish_all(&self, batch: &mut FifteenBatch<N, V>) {
        let count = batch.count.min(MAX_SUCCESSORS);
        for (view, bits) in batch.bits.iter_mut().enumerate() {
            let bit_indices = batch.bit_indices[view].iter().zip(&batch.parts[view]);
            for (bit, (&bit_index, &part)) in bits.iter_mut().zip(bit_indices).take(count) {
                *bit = self.bits.views()[view][part as usize % N].at(bit_index);
            }
        }
        for start in (0..count).step_by(SUM_LANES) {
            for at in start..start + SUM_LANES {
                let sums = batch.sums[at % MAX_SUCCESSORS];
                let (mut flips, mut added) = (0, 0u32);
                for view in 0..V {
                    let (part, bit) =
                        (batch.parts[view][at % MAX_SUCCESSORS], batch.bits[view][at % MAX_SUCCESSORS]);
                    let (flip, add) = sums_delta::<N>(sums, view, part, bit);
                    flips ^= flip;
                    added = added.wrapping_add(add);
                }
                let sums = (sums ^ flips).wrapping_add(added);
                batch.sums[at % MAX_SUCCESSORS] = sums;
                let estimate = (0..V).map(|view| sums >> (8 * view) & 0xff).fold(0, u32::max);
                batch.estimates[at % MAX_SUCCESSORS] = estimate;
            }
        }
    }
}

/// Number of successors whose sums are computed together.
const SUM_LANES: usize = 8;
