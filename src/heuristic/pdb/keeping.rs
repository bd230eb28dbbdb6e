//! What of the sums is kept beside a state in the open list.
//!
//! All of it, where memory is plentiful; or only what cannot be found by looking
//! at the board, where it is not.

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

    /// The sums again.
    fn again<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        puzzle: &Tiles<u64>,
        state: &TileState<u64>,
        kept: Self::Kept<N, V>,
    ) -> Sums<N, V>;
}

/// The sums, a byte each, and above them the residues.
#[inline(always)]
fn pack<const N: usize, const V: usize>(memo: &Sums<N, V>) -> u32 {
    let sums = memo.sums.iter().rev().fold(0, |packed, &sum| packed << 8 | u32::from(sum));
    sums | u32::from(memo.residues) << 16
}

/// A memo with these sums and residues, and nothing else in it.
#[inline(always)]
fn unpack<const N: usize, const V: usize>(packed: u32) -> Sums<N, V> {
    let mut memo = Sums { residues: (packed >> 16) as u16, ..Sums::default() };
    for (view, sum) in memo.sums.iter_mut().enumerate() {
        *sum = (packed >> (8 * view)) as u8;
    }
    memo
}

/// Everything is kept: 4 bytes for each pattern in each view, and 4 more.
#[derive(Clone, Copy, Debug)]
pub struct Whole;

/// What [`Whole`] keeps.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Kept<const N: usize, const V: usize> {
    /// The occupied cells, and above them the number of the order.
    patterns: [[u32; N]; V],
    rest: u32,
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
        let mut kept = Kept { patterns: [[0; N]; V], rest: pack(memo) };
        for view in 0..V {
            for part in 0..N {
                kept.patterns[view][part] =
                    u32::from(memo.sets[view][part]) | u32::from(memo.numbers[view][part]) << 16;
            }
        }
        kept
    }

    #[inline(always)]
    fn again<const N: usize, const V: usize>(
        _: &PatternDatabases<N, V, Self>,
        _: &Tiles<u64>,
        _: &TileState<u64>,
        kept: Kept<N, V>,
    ) -> Sums<N, V> {
        let mut memo = unpack(kept.rest);
        for view in 0..V {
            for part in 0..N {
                memo.sets[view][part] = kept.patterns[view][part] as u16;
                memo.numbers[view][part] = (kept.patterns[view][part] >> 16) as u16;
            }
        }
        memo
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
        pack(memo)
    }

    #[inline(always)]
    fn again<const N: usize, const V: usize>(
        databases: &PatternDatabases<N, V, Self>,
        puzzle: &Tiles<u64>,
        state: &TileState<u64>,
        kept: u32,
    ) -> Sums<N, V> {
        let mut memo = unpack(kept);
        let cells = puzzle.size().cells();
        for view in 0..V {
            // Boards are read in the order of each pattern's own frame, so all
            // patterns of a view are met together only if they share it.
            for (part, lookup) in databases.lookups[view].iter().enumerate() {
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
                memo.sets[view][part] = set;
                memo.numbers[view][part] = number;
            }
        }
        memo
    }
}
