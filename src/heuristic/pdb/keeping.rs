//! What of the sums is kept beside a state in the open list.
//!
//! All of it, where memory is plentiful; or only what cannot be found by looking
//! at the board, where it is not.

use super::lookup::Placed;
use super::order::FACTORIALS;
use super::{PatternDatabases, Sums};
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use bytemuck::{Pod, Zeroable};

/// A way to keep [`Sums`], for boards of up to 16 cells.
pub trait Keeping: Sized + Send + Sync {
    /// What is kept.
    type Kept<const N: usize, const V: usize>: Pod + Send;

    /// Keeps it.
    fn keep<const N: usize, const V: usize>(memo: &Sums<N, V>) -> Self::Kept<N, V>;

    /// The board, if it is kept.
    fn state<const N: usize, const V: usize>(kept: &Self::Kept<N, V>) -> Option<TileState<u64>>;

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
const BLANK: u32 = 28;

/// What [`Whole`] keeps.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Kept<const N: usize, const V: usize> {
    placed: [[Placed; N]; V],
    /// The sums and residues; in the four bits that these leave, the blank's cell.
    sums: u32,
    cells: [u32; 2],
}

#[allow(unsafe_code)]
// SAFETY: all fields can be zero.
unsafe impl<const N: usize, const V: usize> Zeroable for Kept<N, V> {}
#[allow(unsafe_code)]
// SAFETY: `repr(C)` and words of four bytes only, so there is no padding; all
// fields are `Pod`.
unsafe impl<const N: usize, const V: usize> Pod for Kept<N, V> {}

impl Keeping for Whole {
    type Kept<const N: usize, const V: usize> = Kept<N, V>;

    #[inline(always)]
    fn keep<const N: usize, const V: usize>(memo: &Sums<N, V>) -> Kept<N, V> {
        let TileState { cells, blank } = memo.state;
        let sums = memo.sums | u32::from(blank) << BLANK;
        Kept { placed: memo.placed, sums, cells: [cells as u32, (cells >> 32) as u32] }
    }

    #[inline(always)]
    fn state<const N: usize, const V: usize>(kept: &Kept<N, V>) -> Option<TileState<u64>> {
        let cells = u64::from(kept.cells[0]) | u64::from(kept.cells[1]) << 32;
        Some(TileState { cells, blank: (kept.sums >> BLANK) as u8 })
    }

    #[inline(always)]
    fn again<const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _: &Tiles<u64>,
        state: &TileState<u64>,
        kept: Kept<N, V>,
    ) -> Sums<N, V> {
        Sums::new(kept.placed, kept.sums & ((1 << BLANK) - 1), *state)
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

    #[inline(always)]
    fn keep<const N: usize, const V: usize>(memo: &Sums<N, V>) -> u32 {
        memo.sums
    }

    #[inline(always)]
    fn state<const N: usize, const V: usize>(_: &u32) -> Option<TileState<u64>> {
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
        Sums::new(placed, kept, *state)
    }
}
