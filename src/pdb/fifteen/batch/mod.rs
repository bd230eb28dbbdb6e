//! The successors of a handful of boards of up to 16 cells, made together.
//!
//! They are prepared one move after the other: for many boards the same is to be
//! done then. What there is to know of them lies field by field, so that it is told
//! for many at once: always for the sums, and where the processor has lanes for it,
//! for all else too (`avx512`). FullPayload boards are put together only where they are
//! kept.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(not(target_arch = "x86_64"))]
#[path = "no_avx512.rs"]
pub(crate) mod avx512;

pub(in crate::pdb) use crate::pdb::fifteen::batch::avx512::{Avx512, bytes as avx512_bytes};

use super::lookup::{LABELS, Placed, turn};
use crate::heuristic::{EXPANSION_BATCH, Parent, SelectionMask, SuccessorBatch};
use crate::pdb::fifteen::batch::avx512::AVX512_LANES;
use crate::pdb::fifteen::payload::{BLANK, Kept};
use crate::pdb::{PatternDatabases, PayloadLayout, change};
use crate::puzzle::Move;
use crate::puzzle::tiles::{TileState, Tiles};

/// Successors of a handful at most.
const MOST: usize = 4 * EXPANSION_BATCH;

/// The successors of a handful of boards.
#[derive(Debug)]
pub struct Boards<const N: usize, const V: usize> {
    count: usize,
    cells: [u64; MOST],
    /// As in [`Kept`]; those of the board before, until they are finished.
    sums: [u32; MOST],
    estimates: [u32; MOST],
    /// Where each pattern's tiles are.
    placed: [[[Placed; MOST]; N]; V],
    /// In each view: the pattern that has changed, where its bit is, and what that is.
    parts: [[u32; MOST]; V],
    places: [[u32; MOST]; V],
    bits: [[u32; MOST]; V],
    /// The board before, and together with it the move.
    parents: [u8; MOST],
    before: Before<N, V>,
}

/// The boards before, as in [`Kept`], but field by field, for lanes.
#[derive(Debug)]
struct Before<const N: usize, const V: usize> {
    /// The lower halves, and the upper ones.
    cells: [[u32; ROOM]; 2],
    sums: [u32; ROOM],
    placed: [[[Placed; ROOM]; N]; V],
    /// The first [`turn`] of the move that led to each, or of the one after all moves.
    lasts: [u32; ROOM],
}

/// Boards of a handful, and as many more as are written together at most.
const ROOM: usize = EXPANSION_BATCH + AVX512_LANES;

/// Boards that are not worth the lanes.
const FEW: usize = 2;

impl<const N: usize, const V: usize> Default for Boards<N, V> {
    fn default() -> Self {
        Self {
            count: 0,
            cells: [0; MOST],
            sums: [0; MOST],
            estimates: [0; MOST],
            placed: [[[0; MOST]; N]; V],
            parts: [[0; MOST]; V],
            places: [[0; MOST]; V],
            bits: [[0; MOST]; V],
            parents: [0; MOST],
            before: Before {
                cells: [[0; ROOM]; 2],
                sums: [0; ROOM],
                placed: [[[0; ROOM]; N]; V],
                lasts: [0; ROOM],
            },
        }
    }
}

impl<const N: usize, const V: usize> SuccessorBatch<Tiles<u64>, Kept<N, V>> for Boards<N, V> {
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
    fn payload(&self, at: usize) -> Kept<N, V> {
        let placed = std::array::from_fn(|view| std::array::from_fn(|part| self.placed[view][part][at]));
        Kept::whole(placed, self.sums[at], self.cells[at])
    }
}

impl<const N: usize, const V: usize> Before<N, V> {
    #[inline(always)]
    fn collect<'k>(&mut self, parents: &[Parent], kept: impl Fn(u32) -> &'k Kept<N, V>) {
        for (at, parent) in parents.iter().enumerate().take(EXPANSION_BATCH) {
            let board = kept(parent.index);
            let cells = board.cells();
            (self.cells[0][at], self.cells[1][at]) = (cells as u32, (cells >> 32) as u32);
            self.sums[at] = board.sums;
            for (fields, placed) in self.placed.iter_mut().zip(&board.placed) {
                for (field, &placed) in fields.iter_mut().zip(placed) {
                    field[at] = placed;
                }
            }
            self.lasts[at] = turn(parent.last.map_or(4, |step| step.0 as usize), 0) as u32;
        }
    }
}

impl<const N: usize, const V: usize, K: PayloadLayout> PatternDatabases<N, V, K> {
    /// Drafts all successors of up to [`EXPANSION_BATCH`] boards.
    #[inline(always)]
    pub(in crate::pdb) fn draft_all<'k>(
        &self,
        puzzle: &Tiles<u64>,
        parents: &[Parent],
        kept: impl Fn(u32) -> &'k Kept<N, V>,
        batch: &mut Boards<N, V>,
    ) {
        match &self.avx512 {
            Some(avx512) if parents.len() > FEW => {
                batch.before.collect(parents, kept);
                avx512.prepare(parents.len(), batch);
                self.ask_for_bits(batch);
            }
            _ => self.draft_each(puzzle, parents, kept, batch),
        }
    }

    /// Drafts all successors of those of a brood that are chosen, if there are lanes
    /// for them; whether that is done.
    #[inline(always)]
    pub(in crate::pdb) fn prepare_selected(
        &self,
        batch: &Boards<N, V>,
        selected: SelectionMask,
        next: &mut Boards<N, V>,
    ) -> bool {
        let count = selected.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        debug_assert!(count <= EXPANSION_BATCH);
        match &self.avx512 {
            Some(avx512) if count > FEW => {
                avx512.prepare_selected(batch, selected, next);
                self.ask_for_bits(next);
                true
            }
            _ => false,
        }
    }

    /// Asks for all bits that pending_updates wait for.
    #[inline(always)]
    fn ask_for_bits(&self, batch: &Boards<N, V>) {
        for (bits, (places, parts)) in self.bits.iter().zip(batch.places.iter().zip(&batch.parts)) {
            for (&place, &part) in places.iter().zip(parts).take(batch.count) {
                bits[part as usize % N].prefetch(place);
            }
        }
    }

    /// Drafts all successors of up to [`EXPANSION_BATCH`] boards, one by one.
    #[inline(always)]
    fn draft_each<'k>(
        &self,
        puzzle: &Tiles<u64>,
        parents: &[Parent],
        kept: impl Fn(u32) -> &'k Kept<N, V>,
        batch: &mut Boards<N, V>,
    ) {
        batch.count = 0;
        // For each move the states that have it, and how many they are, a byte
        // each. A state stays in a list by being counted: there is nothing to guess
        // for the processor.
        let Some(first) = parents.first() else { return };
        let mut boards = [kept(first.index); EXPANSION_BATCH];
        let mut lists = [[0u8; 2 * EXPANSION_BATCH]; 4];
        let mut counts = 0u32;
        let count = |counts: u32, step: usize| (counts >> (8 * step)) as usize % (2 * EXPANSION_BATCH);
        for (at, (parent, board)) in parents.iter().zip(&mut boards).enumerate() {
            *board = kept(parent.index);
            let last = parent.last.map_or(4, |step| step.0 as usize % 4);
            for (step, list) in lists.iter_mut().enumerate() {
                list[count(counts, step)] = at as u8;
            }
            counts += self.moves[last][(board.sums >> BLANK) as usize % LABELS];
        }
        let mut next = 0;
        for (step, list) in lists.iter().enumerate() {
            let passes = self.passes[step];
            let offset = u32::from(puzzle.offset(Move(step as u32)));
            let (turns, parents) = (turn(step, 0), (step * EXPANSION_BATCH) as u8);
            for &at in &list[..count(counts, step)] {
                let board = boards[at as usize % EXPANSION_BATCH];
                let (cells, sums) = (board.cells(), board.sums);
                let blank = sums >> BLANK;
                let from = blank.wrapping_add(offset) % LABELS as u32;
                let label = (cells >> (4 * from)) as usize % LABELS;
                let slot = next % MOST;
                next += 1;
                let moved = label as u64;
                batch.cells[slot] = cells ^ moved << (4 * from) ^ moved << (4 * blank);
                batch.sums[slot] = sums.wrapping_add(offset << BLANK);
                batch.parents[slot] = at | parents;
                let turn = turns + blank as usize;
                let parts: [usize; V] = std::array::from_fn(|view| usize::from(self.parts[view][label]) % N);
                let followed: [(Placed, u32); V] = std::array::from_fn(|view| {
                    let placed = board.placed[view][parts[view]];
                    self.of_label[view][label].follow(placed, cells, turn, label, passes[view])
                });
                for view in 0..V {
                    let (placed, place) = followed[view];
                    for part in 0..N {
                        batch.placed[view][part][slot] = board.placed[view][part];
                    }
                    batch.placed[view][parts[view]][slot] = placed;
                    batch.places[view][slot] = place;
                    batch.parts[view][slot] = parts[view] as u32;
                }
            }
        }
        batch.count = next;
    }

    /// Looks up what pending_updates wait for, and tells all sums.
    #[inline(always)]
    pub(in crate::pdb) fn look_up_all(&self, batch: &mut Boards<N, V>) {
        let count = batch.count.min(MOST);
        for (view, bits) in batch.bits.iter_mut().enumerate() {
            let places = batch.places[view].iter().zip(&batch.parts[view]);
            for (bit, (&place, &part)) in bits.iter_mut().zip(places).take(count) {
                *bit = self.bits[view][part as usize % N].at(place);
            }
        }
        for start in (0..count).step_by(LANES) {
            for at in start..start + LANES {
                let sums = batch.sums[at % MOST];
                let (mut flips, mut added) = (0, 0u32);
                for view in 0..V {
                    let (part, bit) = (batch.parts[view][at % MOST], batch.bits[view][at % MOST]);
                    let (flip, add) = change::<N>(sums, view, part, bit);
                    flips ^= flip;
                    added = added.wrapping_add(add);
                }
                let sums = (sums ^ flips).wrapping_add(added);
                batch.sums[at % MOST] = sums;
                let estimate = (0..V).map(|view| sums >> (8 * view) & 0xff).fold(0, u32::max);
                batch.estimates[at % MOST] = estimate;
            }
        }
    }
}

/// Successors whose sums are told at once.
const LANES: usize = 8;
