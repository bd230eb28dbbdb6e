//! What of the sums is kept beside a state in the open list.
//!
//! All of it, where memory is plentiful; or only what cannot be found by looking
//! at the board, where it is not.

use super::brood::Boards;
use super::lookup::Placed;
use super::order::FACTORIALS;
use super::{PatternDatabases, Sums};
use crate::heuristic::{Brood, Chosen, OneByOne, Origin};
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use bytemuck::{Pod, Zeroable};

/// A way to keep [`Sums`], for boards of up to 16 cells.
pub trait Keeping: Sized + Send + Sync + 'static {
    /// What is kept.
    type Kept<const N: usize, const V: usize>: Pod + Send;

    /// Whether the board is kept, too.
    const KEEPS_STATES: bool;

    /// Keeps it.
    fn keep<const N: usize, const V: usize>(memo: &Sums<N, V>) -> Self::Kept<N, V>;

    /// All of it, if that is kept.
    fn whole<const N: usize, const V: usize>(kept: &Self::Kept<N, V>) -> Option<&Kept<N, V>>;

    /// Successors that are made together.
    type Brood<const N: usize, const V: usize>: Brood<Tiles<u64>, Self::Kept<N, V>>;

    /// Drafts of all successors of some states, where boards are kept.
    #[inline(always)]
    fn successors<'k, const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _: &Tiles<u64>,
        _origins: &[Origin],
        _kept: impl Fn(u32) -> &'k Self::Kept<N, V>,
        _brood: &mut Self::Brood<N, V>,
    ) {
    }

    /// Drafts of all successors of some of a brood; whether they are made.
    #[inline(always)]
    fn successors_of<const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _brood: &Self::Brood<N, V>,
        _chosen: Chosen,
        _next: &mut Self::Brood<N, V>,
    ) -> bool {
        false
    }

    /// The estimates of these.
    #[inline(always)]
    fn settle_all<const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _brood: &mut Self::Brood<N, V>,
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
pub struct Whole;

/// Where the sums and residues leave four bits.
pub(super) const BLANK: u32 = 28;

/// What [`Whole`] keeps: a board as pattern databases see it.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Kept<const N: usize, const V: usize> {
    /// Where each pattern's tiles are.
    pub(super) placed: [[Placed; N]; V],
    /// The sums of the distances, a byte for each view; above them the distances
    /// modulo 4, two bits each; and in the four bits that these leave, the blank's
    /// cell.
    pub(super) sums: u32,
    /// The board's cells, the lower half first.
    cells: [u32; 2],
}

impl<const N: usize, const V: usize> Kept<N, V> {
    #[inline(always)]
    pub(super) fn new(placed: [[Placed; N]; V], sums: u32, state: &TileState<u64>) -> Self {
        const { assert!(V <= 2 && N * V <= 6) };
        Self::whole(placed, sums | u32::from(state.blank) << BLANK, state.cells)
    }

    /// The same with sums that tell the blank's cell already.
    #[inline(always)]
    pub(super) fn whole(placed: [[Placed; N]; V], sums: u32, cells: u64) -> Self {
        Self { placed, sums, cells: [cells as u32, (cells >> 32) as u32] }
    }

    /// The board's cells.
    #[inline(always)]
    pub(super) fn cells(&self) -> u64 {
        u64::from(self.cells[0]) | u64::from(self.cells[1]) << 32
    }

    /// The board.
    #[inline(always)]
    pub(super) fn state(&self) -> TileState<u64> {
        TileState { cells: self.cells(), blank: (self.sums >> BLANK) as u8 }
    }

    /// Replaces the board.
    #[inline(always)]
    pub(super) fn set_state(&mut self, state: &TileState<u64>) {
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

impl Keeping for Whole {
    type Kept<const N: usize, const V: usize> = Kept<N, V>;
    type Brood<const N: usize, const V: usize> = Boards<N, V>;
    const KEEPS_STATES: bool = true;

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
        origins: &[Origin],
        kept: impl Fn(u32) -> &'k Kept<N, V>,
        brood: &mut Boards<N, V>,
    ) {
        databases.draft_all(puzzle, origins, kept, brood);
    }

    #[inline(always)]
    fn successors_of<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        brood: &Boards<N, V>,
        chosen: Chosen,
        next: &mut Boards<N, V>,
    ) -> bool {
        databases.draft_chosen(brood, chosen, next)
    }

    #[inline(always)]
    fn settle_all<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        brood: &mut Boards<N, V>,
    ) {
        databases.look_up_all(brood);
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
pub struct Recounted;

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

impl Keeping for Recounted {
    type Kept<const N: usize, const V: usize> = u32;
    type Brood<const N: usize, const V: usize> = OneByOne;
    const KEEPS_STATES: bool = false;

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
