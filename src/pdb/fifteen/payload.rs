//! What of the sums is kept beside a state in the open list.
//!
//! All of it, where memory is plentiful; or only what cannot be found by looking
//! at the board, where it is not.

use super::lookup::Placed;
use crate::heuristic::{NoBatch, Parent, SelectionMask, SuccessorBatch};
use crate::pdb::fifteen::batch::Boards;
use crate::pdb::geometry::permutation::FACTORIALS;
use crate::pdb::{PatternDatabases, Sums};
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use bytemuck::{Pod, Zeroable};

/// A way to keep [`Sums`], for boards of up to 16 cells.
pub trait PayloadLayout: Sized + Send + Sync + 'static {
    /// What is kept.
    type Kept<const N: usize, const V: usize>: Pod + Send;

    /// Whether the board is kept, too.
    const STORES_STATES: bool;

    /// Keeps it.
    fn keep<const N: usize, const V: usize>(memo: &Sums<N, V>) -> Self::Kept<N, V>;

    /// All of it, if that is kept.
    fn whole<const N: usize, const V: usize>(kept: &Self::Kept<N, V>) -> Option<&Kept<N, V>>;

    /// Successors that are made together.
    type SuccessorBatch<const N: usize, const V: usize>: SuccessorBatch<Tiles<u64>, Self::Kept<N, V>>;

    /// Drafts of all successors of some states, where boards are kept.
    #[inline(always)]
    fn successors<'k, const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _: &Tiles<u64>,
        _origins: &[Parent],
        _kept: impl Fn(u32) -> &'k Self::Kept<N, V>,
        _brood: &mut Self::SuccessorBatch<N, V>,
    ) {
    }

    /// Drafts of all successors of some of a brood; whether they are made.
    #[inline(always)]
    fn successors_of<const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _brood: &Self::SuccessorBatch<N, V>,
        _chosen: SelectionMask,
        _next: &mut Self::SuccessorBatch<N, V>,
    ) -> bool {
        false
    }

    /// The estimates of these.
    #[inline(always)]
    fn finish_batch<const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _brood: &mut Self::SuccessorBatch<N, V>,
    ) {
    }

    /// The sums again.
    fn again<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        puzzle: &Tiles<u64>,
        state: &TileState<u64>,
        kept: Self::Kept<N, V>,
    ) -> Sums<N, V>;
}

/// Everything is kept, the board too: 4 bytes for each pattern in each view, and
/// 12 more.
#[derive(Clone, Copy, Debug)]
pub struct FullPayload;

/// Where the sums and residues leave four bits.
pub(in crate::pdb) const BLANK: u32 = 28;

/// What [`FullPayload`] keeps: a board as pattern databases see it.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Kept<const N: usize, const V: usize> {
    /// Where each pattern's tiles are.
    pub(in crate::pdb) placed: [[Placed; N]; V],
    /// The sums of the distances, a byte for each view; above them the distances
    /// modulo 4, two bits each; and in the four bits that these leave, the blank's
    /// cell.
    pub(in crate::pdb) sums: u32,
    /// The board's cells, the lower half first.
    cells: [u32; 2],
}

impl<const N: usize, const V: usize> Kept<N, V> {
    #[inline(always)]
    pub(in crate::pdb) fn new(placed: [[Placed; N]; V], sums: u32, state: &TileState<u64>) -> Self {
        const { assert!(V <= 2 && N * V <= 6) };
        Self::whole(placed, sums | u32::from(state.blank) << BLANK, state.cells)
    }

    /// The same with sums that tell the blank's cell already.
    #[inline(always)]
    pub(in crate::pdb) fn whole(placed: [[Placed; N]; V], sums: u32, cells: u64) -> Self {
        Self { placed, sums, cells: [cells as u32, (cells >> 32) as u32] }
    }

    /// The board's cells.
    #[inline(always)]
    pub(in crate::pdb) fn cells(&self) -> u64 {
        u64::from(self.cells[0]) | u64::from(self.cells[1]) << 32
    }

    /// The board.
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
// SAFETY: all fields can be zero.
unsafe impl<const N: usize, const V: usize> Zeroable for Kept<N, V> {}
#[allow(unsafe_code)]
// SAFETY: `repr(C)`, and all fields are words of four bytes, so there is no padding;
// all are `Pod`.
unsafe impl<const N: usize, const V: usize> Pod for Kept<N, V> {}

impl PayloadLayout for FullPayload {
    type Kept<const N: usize, const V: usize> = Kept<N, V>;
    type SuccessorBatch<const N: usize, const V: usize> = Boards<N, V>;
    const STORES_STATES: bool = true;

    #[inline(always)]
    fn keep<const N: usize, const V: usize>(memo: &Sums<N, V>) -> Kept<N, V> {
        memo.kept
    }

    #[inline(always)]
    fn whole<const N: usize, const V: usize>(kept: &Kept<N, V>) -> Option<&Kept<N, V>> {
        Some(kept)
    }

    #[inline(always)]
    fn successors<'k, const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        puzzle: &Tiles<u64>,
        parents: &[Parent],
        kept: impl Fn(u32) -> &'k Kept<N, V>,
        batch: &mut Boards<N, V>,
    ) {
        databases.draft_all(puzzle, parents, kept, batch);
    }

    #[inline(always)]
    fn successors_of<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        batch: &Boards<N, V>,
        selected: SelectionMask,
        next: &mut Boards<N, V>,
    ) -> bool {
        databases.prepare_selected(batch, selected, next)
    }

    #[inline(always)]
    fn finish_batch<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        batch: &mut Boards<N, V>,
    ) {
        databases.look_up_all(batch);
    }

    #[inline(always)]
    fn again<const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _: &Tiles<u64>,
        _: &TileState<u64>,
        kept: Kept<N, V>,
    ) -> Sums<N, V> {
        Sums::new(kept)
    }
}

/// The distances alone are kept, in 4 bytes; where the tiles are is counted
/// again from the board.
#[derive(Clone, Copy, Debug)]
pub struct CompactPayload;

/// For each set of tiles: the sum of their factorials.
const FACTORIAL_SUMS: [u16; 256] = {
    let mut sums = [0; 256];
    let mut set = 1usize;
    while set < 256 {
        let greatest = set.ilog2() as usize;
        sums[set] = sums[set & !(1 << greatest)] + FACTORIALS[greatest] as u16;
        set += 1;
    }
    sums
};

impl PayloadLayout for CompactPayload {
    type Kept<const N: usize, const V: usize> = u32;
    type SuccessorBatch<const N: usize, const V: usize> = NoBatch;
    const STORES_STATES: bool = false;

    #[inline(always)]
    fn keep<const N: usize, const V: usize>(memo: &Sums<N, V>) -> u32 {
        memo.kept.sums & !(u32::MAX << BLANK)
    }

    #[inline(always)]
    fn whole<const N: usize, const V: usize>(_: &u32) -> Option<&Kept<N, V>> {
        None
    }

    #[inline(always)]
    fn again<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        puzzle: &Tiles<u64>,
        state: &TileState<u64>,
        kept: u32,
    ) -> Sums<N, V> {
        let mut placed = [[0; N]; V];
        let cells = puzzle.size().cells();
        for (lookups, placed) in databases.lookups.iter().zip(&mut placed) {
            // Boards are read in the order of each pattern's own frame, so all
            // patterns of a view are met together only if they share it.
            for (lookup, placed) in lookups.iter().zip(placed) {
                let (mut set, mut number, mut met): (u16, u16, usize) = (0, 0, 0);
                for (cell, &at) in lookup.reading[..cells].iter().enumerate() {
                    let tile = usize::from(lookup.tiles[state.cells.label(at.into())]);
                    if tile < 8 {
                        set |= 1 << cell;
                        // Greater tiles that were met before this one.
                        number = number.wrapping_add(FACTORIAL_SUMS[met & (0xfe << tile) & 0xff]);
                        met |= 1 << tile;
                    }
                }
                *placed = Placed::from(set) | Placed::from(number) << 16;
            }
        }
        Sums::new(Kept::new(placed, kept, state))
    }
}
