//! Lookup of one pattern in one view of a board of up to 16 cells: the effect of a move on
//! its tiles, and the bit index of the resulting state.
//!
//! All data that a node needs is precomputed in the form that takes the fewest instructions:
//! cells as shift counts, inversion deltas in the half of the word that holds the rank, set
//! ranks by bytes.

use crate::memory::prefetch;
use crate::pdb::database::Database;
use crate::pdb::geometry::canonical::{CELLS, CellSet, Symmetry};
use crate::pdb::geometry::classes::{REGION_BITS, Words, column_in_word};
use crate::pdb::geometry::permutation::{MAX_TILES, Permutation, inversion_delta};
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use std::sync::Arc;

/// Number of labels, and of cells, of boards of up to 16 cells. A power of two, so that a mask
/// replaces bounds checks.
pub(in crate::pdb) const LABELS: usize = 16;

/// State of a pattern: occupied cells in the lower half, rank of the permutation in the upper.
pub(in crate::pdb) type PatternIndex = u32;

/// One pattern in one view.
#[derive(Debug)]
pub(in crate::pdb) struct Lookup {
    /// Effect of each move from each cell of the blank, by [`move_index`].
    effects: [MoveEffect; 4 * LABELS],
    /// For each move: whether a tile may jump over others.
    pub(in crate::pdb) jumps: [bool; 4],
    /// Change of the rank, in the upper half, when a tile jumps over another one: by
    /// `2 * label + forward` of the moving tile and the label of the other one.
    inversion_deltas: [[PatternIndex; LABELS]; 2 * LABELS],
    /// The rank of a set is the sum of the ranks of its two bytes.
    low: [u16; 256],
    high: [u16; 256],
    /// By set rank: the region of each unoccupied cell, and the column of the first region.
    pub(in crate::pdb) words: Arc<Words>,
    /// Bits of the database.
    bits: Bits,
    /// Bits in a row.
    pub(in crate::pdb) row: u32,
    pub(in crate::pdb) database: Arc<Database>,
    /// Tile of each label, or `u8::MAX`.
    pub(in crate::pdb) tiles: [u8; LABELS],
    /// Cells of the puzzle in the row-major order of the frame.
    pub(in crate::pdb) row_major: [u8; LABELS],
    /// Map from the cells of the puzzle to those of the database.
    pub(in crate::pdb) orientation: Symmetry,
}

/// Words of a database. Not `Clone`, and only reachable through the [`Lookup`] or the
/// [`BitTables`] that own the database.
#[derive(Debug)]
pub(in crate::pdb) struct Bits(&'static [u64]);

impl Bits {
    /// Borrows the words of `database`. The caller must store the result beside an owner of
    /// `database`, and must not let it outlive that owner.
    fn of(database: &Arc<Database>) -> Self {
        let words: *const [u64] = database.words();
        #[allow(unsafe_code)]
        // SAFETY: the words are in a mapping that neither moves nor changes while the database
        // lives. `Bits` is constructed in this file only, for `Lookup` and `BitTables`: both
        // own the database, and both hand out `Bits` by reference only.
        Self(unsafe { &*words })
    }

    /// Prefetches bit `bit_index`.
    #[inline(always)]
    pub(in crate::pdb) fn prefetch(&self, bit_index: u32) {
        prefetch(self.0.as_ptr().wrapping_add(bit_index as usize >> 6));
    }

    /// Returns bit `bit_index`.
    #[inline(always)]
    pub(in crate::pdb) fn at(&self, bit_index: u32) -> u32 {
        (self.0[bit_index as usize >> 6] >> (bit_index & 63)) as u32 & 1
    }
}

/// Bits of all patterns of all views side by side, which saves a load per lookup.
#[derive(Debug)]
pub(in crate::pdb) struct BitTables<const N: usize, const V: usize> {
    bits: [[Bits; N]; V],
    /// Keeps the memory of `bits` alive.
    _owners: [[Arc<Database>; N]; V],
}

impl<const N: usize, const V: usize> BitTables<N, V> {
    pub(in crate::pdb) fn new(lookups: &[[Arc<Lookup>; N]; V]) -> Self {
        let owners = lookups.each_ref().map(|view| view.each_ref().map(|lookup| lookup.database.clone()));
        let bits = owners.each_ref().map(|view| view.each_ref().map(Bits::of));
        Self { bits, _owners: owners }
    }

    /// Returns the bits of the patterns of each view.
    #[inline(always)]
    pub(in crate::pdb) fn views(&self) -> &[[Bits; N]; V] {
        &self.bits
    }
}

/// Effect of a move on a pattern whose tile it moves.
#[derive(Clone, Copy, Debug, Default)]
struct MoveEffect {
    /// Cells that become free or occupied.
    toggled: u16,
    /// Cell of the frame to which the blank moves, times [`REGION_BITS`].
    shift: u8,
    /// 1 if the tile moves forward in row-major order, else 0.
    forward: u8,
    /// Four times each cell of the puzzle that the tile jumps over; padded with its own cell,
    /// whose delta is 0.
    jumped: [u8; 3],
}

/// Returns the index of a move and a cell of the blank in tables.
#[inline(always)]
pub(in crate::pdb) fn move_index(step: usize, blank: usize) -> usize {
    step * LABELS + blank
}

impl Lookup {
    pub(in crate::pdb) fn new<C: Cells>(
        puzzle: &Tiles<C>,
        database: Arc<Database>,
        orientation: Symmetry,
    ) -> Self {
        let cells = puzzle.size().cells();
        debug_assert!(cells <= LABELS);
        let homes = database.pattern().homes;
        let mut tiles = [u8::MAX; LABELS];
        for (label, tile) in tiles.iter_mut().enumerate().take(cells).skip(1) {
            let home = orientation.0[puzzle.home(label)];
            if homes >> home & 1 == 1 {
                *tile = (homes & ((1 << home) - 1)).count_ones() as u8;
            }
        }
        let is_tile = |label: usize| tiles[label] != u8::MAX;
        let mut inversion_deltas = [[0; LABELS]; 2 * LABELS];
        for label in (1..cells).filter(|&label| is_tile(label)) {
            for other in (1..cells).filter(|&label| is_tile(label)) {
                let delta = inversion_delta(tiles[label].into(), tiles[other].into());
                inversion_deltas[2 * label + 1][other] = PatternIndex::from(delta) << 16;
                inversion_deltas[2 * label][other] = PatternIndex::from(delta.wrapping_neg()) << 16;
            }
        }
        let (mut effects, mut jumps) = ([MoveEffect::default(); 4 * LABELS], [false; 4]);
        let moves = |blank| puzzle.moves_from(blank).map(move |step| (blank, step));
        for (blank, step) in (0..cells).flat_map(moves) {
            let from = puzzle.beside(blank as u8, step);
            let (there, here) = (orientation.0[blank], orientation.0[from as usize]);
            jumps[step.0 as usize] |= here.abs_diff(there) > 1;
            let mut jumped = [4 * from; 3];
            let between =
                |cell: &u8| (here.min(there) + 1..here.max(there)).contains(&orientation.0[*cell as usize]);
            for (slot, cell) in jumped.iter_mut().zip((0..cells as u8).filter(between)) {
                *slot = 4 * cell;
            }
            effects[move_index(step.0 as usize, blank)] = MoveEffect {
                toggled: 1 << here ^ 1 << there,
                shift: REGION_BITS as u8 * here,
                forward: u8::from(there > here),
                jumped,
            };
        }
        let mut row_major = [0; LABELS];
        (0..cells).for_each(|cell| row_major[orientation.0[cell] as usize] = cell as u8);
        let (low, high, words) = database.ranks();
        let (row, bits) = (database.row(), Bits::of(&database));
        Self {
            effects,
            jumps,
            inversion_deltas,
            low,
            high,
            words,
            bits,
            row,
            database,
            tiles,
            row_major,
            orientation,
        }
    }

    /// Returns the pattern index and the bit index after a move of the pattern's own tile
    /// `label`, and prefetches the bit. `cells` is the board before the move, `index` the
    /// [`move_index`]. `jumps` may be `false` only if the tile jumps over no other tile.
    #[inline(always)]
    pub(in crate::pdb) fn advance(
        &self,
        before: PatternIndex,
        cells: u64,
        index: usize,
        label: usize,
        jumps: bool,
    ) -> (PatternIndex, u32) {
        let effect = &self.effects[index % (4 * LABELS)];
        // The set is updated first: the column depends on it alone, and is slow to compute.
        let mut after = before ^ PatternIndex::from(effect.toggled);
        let rank = self.low[after as usize & 0xff] + self.high[after as usize >> 8 & 0xff];
        let word = self.words[rank as usize % self.words.len()];
        let column = column_in_word(word, effect.shift.into());
        if jumps {
            let deltas = &self.inversion_deltas[(2 * label + effect.forward as usize) % (2 * LABELS)];
            let delta = |at: usize| deltas[(cells >> (effect.jumped[at] & 63)) as usize % LABELS];
            after = after.wrapping_add(delta(0)).wrapping_add(delta(1)).wrapping_add(delta(2));
        }
        let bit_index = (after >> 16) * self.row + column;
        self.bits.prefetch(bit_index);
        (after, bit_index)
    }

    /// Returns the word of `set`, see [`column_in_word`].
    #[cfg(target_arch = "x86_64")]
    pub(in crate::pdb) fn word(&self, set: CellSet) -> u64 {
        let rank = self.low[set as usize & 0xff] + self.high[set as usize >> 8 & 0xff];
        self.words[rank as usize % self.words.len()]
    }

    /// Returns four times each cell of the puzzle that a tile jumps over, padded with its own.
    #[cfg(target_arch = "x86_64")]
    pub(in crate::pdb) fn jumped(&self, index: usize) -> [u8; 3] {
        self.effects[index].jumped
    }

    /// Returns the occupied cells, and the permutation of the tiles on them.
    pub(in crate::pdb) fn placement<C: Cells>(
        &self,
        puzzle: &Tiles<C>,
        state: &TileState<C>,
    ) -> (CellSet, Permutation) {
        let mut tile_on = [u8::MAX; CELLS];
        for cell in 0..puzzle.size().cells() {
            tile_on[self.orientation.0[cell] as usize] = self.tiles[state.cells.label(cell)];
        }
        let mut permutation = [0; MAX_TILES];
        let (mut set, mut found) = (0, 0);
        for (cell, &tile) in tile_on.iter().enumerate().filter(|&(_, &tile)| tile != u8::MAX) {
            permutation[found] = tile;
            found += 1;
            set |= 1 << cell;
        }
        (set, permutation)
    }
}
