//! Payloads: the part of a memo that is stored beside a node in the open list.
//!
//! [`FullPayload`] stores the whole memo and the board; [`CompactPayload`] stores 4 bytes and
//! recomputes the rest from the board. The choice is a trade of memory against time.

use super::lookup::PatternIndex;
use crate::heuristic::{NoBatch, Parent, SelectionMask, SuccessorBatch};
use crate::pdb::fifteen::batch::FifteenBatch;
use crate::pdb::geometry::permutation::FACTORIALS;
use crate::pdb::{PatternDatabases, Sums};
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use bytemuck::{Pod, Zeroable};

/// Encoding of [`Sums`] in the open list.
pub trait PayloadLayout: Sized + Send + Sync + 'static {
    /// The stored data.
    type Payload<const N: usize, const V: usize>: Pod + Send;

    /// Whether the payload contains the board.
    const STORES_STATES: bool;

    /// Returns the payload of `memo`.
    fn from_memo<const N: usize, const V: usize>(memo: &Sums<N, V>) -> Self::Payload<N, V>;

    /// Returns the full payload, if that is what is stored.
    fn full<const N: usize, const V: usize>(payload: &Self::Payload<N, V>) -> Option<&FifteenPayload<N, V>>;

    /// Batch of successors.
    type SuccessorBatch<const N: usize, const V: usize>: SuccessorBatch<Tiles<u64>, Self::Payload<N, V>>;

    /// Prepares all successors of `parents`. For payloads that contain the board.
    #[inline(always)]
    fn successors<'k, const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _: &Tiles<u64>,
        _parents: &[Parent],
        _payload: impl Fn(u32) -> &'k Self::Payload<N, V>,
        _batch: &mut Self::SuccessorBatch<N, V>,
    ) {
    }

    /// Prepares all successors of the selected entries of a finished batch. Returns `false` if
    /// unsupported.
    #[inline(always)]
    fn successors_of<const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _batch: &Self::SuccessorBatch<N, V>,
        _selected: SelectionMask,
        _next: &mut Self::SuccessorBatch<N, V>,
    ) -> bool {
        false
    }

    /// Finishes the estimates of a prepared batch.
    #[inline(always)]
    fn finish_batch<const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _batch: &mut Self::SuccessorBatch<N, V>,
    ) {
    }

    /// Restores the memo of a state from its payload.
    fn restore<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        puzzle: &Tiles<u64>,
        state: &TileState<u64>,
        payload: Self::Payload<N, V>,
    ) -> Sums<N, V>;
}

/// Layout with the whole memo and the board: 4 bytes per pattern and view, and 12 more.
#[derive(Clone, Copy, Debug)]
pub struct FullPayload;

/// Position of the blank's cell in `sums`: the four bits above sums and residues.
pub(in crate::pdb) const BLANK: u32 = 28;

/// Payload of [`FullPayload`]: board, pattern indices and sums.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct FifteenPayload<const N: usize, const V: usize> {
    /// Index of each pattern in each view.
    pub(in crate::pdb) indices: [[PatternIndex; N]; V],
    /// Sums of the distances, one byte per view; above them the distances modulo 4, two bits
    /// each; in the four top bits the blank's cell.
    pub(in crate::pdb) sums: u32,
    /// Cells of the board, lower half first.
    cells: [u32; 2],
}

impl<const N: usize, const V: usize> FifteenPayload<N, V> {
    #[inline(always)]
    pub(in crate::pdb) fn new(indices: [[PatternIndex; N]; V], sums: u32, state: &TileState<u64>) -> Self {
        const { assert!(V <= 2 && N * V <= 6) };
        Self::from_parts(indices, sums | u32::from(state.blank) << BLANK, state.cells)
    }

    /// Creates a payload from sums that already contain the blank's cell.
    #[inline(always)]
    pub(in crate::pdb) fn from_parts(indices: [[PatternIndex; N]; V], sums: u32, cells: u64) -> Self {
        Self { indices, sums, cells: [cells as u32, (cells >> 32) as u32] }
    }

    /// Returns the cells of the board.
    #[inline(always)]
    pub(in crate::pdb) fn cells(&self) -> u64 {
        u64::from(self.cells[0]) | u64::from(self.cells[1]) << 32
    }

    /// Returns the board.
    #[inline(always)]
    pub(in crate::pdb) fn state(&self) -> TileState<u64> {
        TileState { cells: self.cells(), blank: (self.sums >> BLANK) as u8 }
    }

    /// Replaces the board.
    #[inline(always)]
    pub(in crate::pdb) fn set_state(&mut self, state: &TileState<u64>) {
        self.sums = self.sums & !(u32::MAX << BLANK) | u32::from(state.blank) << BLANK;
        self.cells = [state.cells as u32, (state.cells >> 32) as u32];
    }
}

#[allow(unsafe_code)]
// SAFETY: all fields are integers, so zero is valid.
unsafe impl<const N: usize, const V: usize> Zeroable for FifteenPayload<N, V> {}
#[allow(unsafe_code)]
// SAFETY: `repr(C)` with fields of 4-byte words only, so there is no padding, and every bit
// pattern is valid.
unsafe impl<const N: usize, const V: usize> Pod for FifteenPayload<N, V> {}

impl PayloadLayout for FullPayload {
    type Payload<const N: usize, const V: usize> = FifteenPayload<N, V>;
    type SuccessorBatch<const N: usize, const V: usize> = FifteenBatch<N, V>;
    const STORES_STATES: bool = true;

    #[inline(always)]
    fn from_memo<const N: usize, const V: usize>(memo: &Sums<N, V>) -> FifteenPayload<N, V> {
        memo.payload
    }

    #[inline(always)]
    fn full<const N: usize, const V: usize>(payload: &FifteenPayload<N, V>) -> Option<&FifteenPayload<N, V>> {
        Some(payload)
    }

    #[inline(always)]
    fn successors<'k, const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        puzzle: &Tiles<u64>,
        parents: &[Parent],
        payload: impl Fn(u32) -> &'k FifteenPayload<N, V>,
        batch: &mut FifteenBatch<N, V>,
    ) {
        databases.prepare_all(puzzle, parents, payload, batch);
    }

    #[inline(always)]
    fn successors_of<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        batch: &FifteenBatch<N, V>,
        selected: SelectionMask,
        next: &mut FifteenBatch<N, V>,
    ) -> bool {
        databases.prepare_selected(batch, selected, next)
    }

    #[inline(always)]
    fn finish_batch<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        batch: &mut FifteenBatch<N, V>,
    ) {
        databases.finish_all(batch);
    }

    #[inline(always)]
    fn restore<const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _: &Tiles<u64>,
        _: &TileState<u64>,
        payload: FifteenPayload<N, V>,
    ) -> Sums<N, V> {
        Sums::new(payload)
    }
}

/// Layout with the distances only, in 4 bytes. Pattern indices are recomputed from the board.
#[derive(Clone, Copy, Debug)]
pub struct CompactPayload;

/// Sum of the factorials of the tiles of each set.
const FACTORIAL_SUMS: [u16; 256] = {
    let mut sums = [0; 256];
    let mut set = 1usize;
    while set < 256 {
        let largest = set.ilog2() as usize;
        sums[set] = sums[set & !(1 << largest)] + FACTORIALS[largest] as u16;
        set += 1;
    }
    sums
};

impl PayloadLayout for CompactPayload {
    type Payload<const N: usize, const V: usize> = u32;
    type SuccessorBatch<const N: usize, const V: usize> = NoBatch;
    const STORES_STATES: bool = false;

    #[inline(always)]
    fn from_memo<const N: usize, const V: usize>(memo: &Sums<N, V>) -> u32 {
        memo.payload.sums & !(u32::MAX << BLANK)
    }

    #[inline(always)]
    fn full<const N: usize, const V: usize>(_: &u32) -> Option<&FifteenPayload<N, V>> {
        None
    }

    #[inline(always)]
    fn restore<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        puzzle: &Tiles<u64>,
        state: &TileState<u64>,
        payload: u32,
    ) -> Sums<N, V> {
        let mut indices = [[0; N]; V];
        let cells = puzzle.size().cells();
        for (lookups, indices) in databases.lookups.iter().zip(&mut indices) {
            // The cells are read in the row-major order of each pattern's own frame, which may
            // differ between the patterns of a view.
            for (lookup, index) in lookups.iter().zip(indices) {
                let (mut set, mut rank, mut found): (u16, u16, usize) = (0, 0, 0);
                for (cell, &at) in lookup.row_major[..cells].iter().enumerate() {
                    let tile = usize::from(lookup.tiles[state.cells.label(at.into())]);
                    if tile < 8 {
                        set |= 1 << cell;
                        // Larger tiles that come before this one.
                        rank = rank.wrapping_add(FACTORIAL_SUMS[found & (0xfe << tile) & 0xff]);
                        found |= 1 << tile;
                    }
                }
                *index = PatternIndex::from(set) | PatternIndex::from(rank) << 16;
            }
        }
        Sums::new(FifteenPayload::new(indices, payload, state))
    }
}
