//! One pattern in one view of a board of up to 16 cells: what a move does to
//! its tiles, and where their bit is.
//!
//! Everything that a node needs lies together here, in the form in which it
//! takes the fewest steps: cells as shifts, terms of orders' numbers in the half
//! of a word where the number is, the ranks of occupied cells by bytes.

use crate::memory::prefetch;
use crate::pdb::database::Database;
use crate::pdb::geometry::canonical::{CELLS, Set, Symmetry};
use crate::pdb::geometry::classes::{REGION_BITS, Words, in_word};
use crate::pdb::geometry::permutation::{MOST_TILES, Order, passing};
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use std::sync::Arc;

/// Labels of tiles, and cells, of boards of up to 16 cells; a mask keeps a number
/// below it.
pub(in crate::pdb) const LABELS: usize = 16;

/// A pattern's occupied cells, and in the upper half the number of its order.
pub(in crate::pdb) type Placed = u32;

/// One pattern in one view.
#[derive(Debug)]
pub(in crate::pdb) struct Lookup {
    /// For each move from each cell of the blank, by [`turn`].
    steps: [Step; 4 * LABELS],
    /// The moves that lead past others.
    pub(in crate::pdb) passes: [bool; 4],
    /// For a tile that moves back or forth past another one, by twice its label or
    /// the number after it and by the other's label: what that adds to the number of
    /// the order, in the upper half.
    passing: [[Placed; LABELS]; 2 * LABELS],
    /// The rank of the occupied cells is the sum of those of their two bytes.
    low: [u16; 256],
    high: [u16; 256],
    /// By that rank: the regions of the other cells, and the first one's column.
    pub(in crate::pdb) words: Arc<Words>,
    /// The bits of the database, and how many are in a row.
    pub(in crate::pdb) bits: Bits,
    pub(in crate::pdb) row: u32,
    pub(in crate::pdb) database: Arc<Database>,
    /// The tile that each label stands for, or `u8::MAX`.
    pub(in crate::pdb) tiles: [u8; LABELS],
    /// The puzzle's cells in the order in which the frame is read.
    pub(in crate::pdb) reading: [u8; LABELS],
    /// From a puzzle's cells to those of the database.
    pub(in crate::pdb) laying: Symmetry,
}

/// All words of a database that is held beside it.
#[derive(Clone, Debug)]
pub(in crate::pdb) struct Bits(&'static [u64]);

impl Bits {
    fn of(database: &Arc<Database>) -> Self {
        let words: *const [u64] = database.words();
        #[allow(unsafe_code)]
        // SAFETY: the words lie in a mapping that stays where it is as long as the
        // database lives, and nobody writes to them; the database is held by the
        // lookup that this belongs to, and the slice is given only to who holds that
        // lookup.
        Self(unsafe { &*words })
    }

    /// Asks for the bit in a place.
    #[inline(always)]
    pub(in crate::pdb) fn prefetch(&self, place: u32) {
        prefetch(self.0.as_ptr().wrapping_add(place as usize >> 6));
    }

    /// The bit in a place.
    #[inline(always)]
    pub(in crate::pdb) fn at(&self, place: u32) -> u32 {
        (self.0[place as usize >> 6] >> (place & 63)) as u32 & 1
    }
}

/// What a move does to a pattern whose tile it moves.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    /// The cells that become free or occupied.
    change: u16,
    /// The frame's cell where the blank comes to, times [`REGION_BITS`].
    shift: u8,
    /// Whether the tile goes forth.
    forward: u8,
    /// Four times each of the puzzle's cells that it passes; in place of those
    /// that are missing, its own.
    passed: [u8; 3],
}

/// A number for a move from a cell of the blank.
#[inline(always)]
pub(in crate::pdb) fn turn(step: usize, blank: usize) -> usize {
    step * LABELS + blank
}

impl Lookup {
    pub(in crate::pdb) fn new<C: Cells>(
        puzzle: &Tiles<C>,
        database: Arc<Database>,
        laying: Symmetry,
    ) -> Self {
        let cells = puzzle.size().cells();
        debug_assert!(cells <= LABELS);
        let homes = database.pattern().homes;
        let mut tiles = [u8::MAX; LABELS];
        for (label, tile) in tiles.iter_mut().enumerate().take(cells).skip(1) {
            let home = laying.0[puzzle.home(label)];
            if homes >> home & 1 == 1 {
                *tile = (homes & ((1 << home) - 1)).count_ones() as u8;
            }
        }
        let is_tile = |label: usize| tiles[label] != u8::MAX;
        let mut terms = [[0; LABELS]; 2 * LABELS];
        for label in (1..cells).filter(|&label| is_tile(label)) {
            for other in (1..cells).filter(|&label| is_tile(label)) {
                let term = passing(tiles[label].into(), tiles[other].into());
                terms[2 * label + 1][other] = Placed::from(term) << 16;
                terms[2 * label][other] = Placed::from(term.wrapping_neg()) << 16;
            }
        }
        let (mut steps, mut passes) = ([Step::default(); 4 * LABELS], [false; 4]);
        let moves = |blank| puzzle.moves_from(blank).map(move |step| (blank, step));
        for (blank, step) in (0..cells).flat_map(moves) {
            let from = puzzle.beside(blank as u8, step);
            let (there, here) = (laying.0[blank], laying.0[from as usize]);
            passes[step.0 as usize] |= here.abs_diff(there) > 1;
            let mut passed = [4 * from; 3];
            let between =
                |cell: &u8| (here.min(there) + 1..here.max(there)).contains(&laying.0[*cell as usize]);
            for (place, cell) in passed.iter_mut().zip((0..cells as u8).filter(between)) {
                *place = 4 * cell;
            }
            steps[turn(step.0 as usize, blank)] = Step {
                change: 1 << here ^ 1 << there,
                shift: REGION_BITS as u8 * here,
                forward: u8::from(there > here),
                passed,
            };
        }
        let mut reading = [0; LABELS];
        (0..cells).for_each(|cell| reading[laying.0[cell] as usize] = cell as u8);
        let (low, high, words) = database.ranks();
        let (row, bits) = (database.row(), Bits::of(&database));
        Self { steps, passes, passing: terms, low, high, words, bits, row, database, tiles, reading, laying }
    }

    /// Where the pattern's tiles are after a [`turn`] that moves a tile of its own, by
    /// its label, and the place of their bit, which is asked for. `passes`: whether
    /// such a move leads past others, or it is not known.
    #[inline(always)]
    pub(in crate::pdb) fn follow(
        &self,
        placed: Placed,
        cells: u64,
        turn: usize,
        label: usize,
        passes: bool,
    ) -> (Placed, u32) {
        let step = &self.steps[turn % (4 * LABELS)];
        // The occupied cells are known before the order is.
        let mut placed = placed ^ Placed::from(step.change);
        let rank = self.low[placed as usize & 0xff] + self.high[placed as usize >> 8 & 0xff];
        let word = self.words[rank as usize % self.words.len()];
        let column = in_word(word, step.shift.into());
        if passes {
            let terms = &self.passing[(2 * label + step.forward as usize) % (2 * LABELS)];
            let term = |at: usize| terms[(cells >> (step.passed[at] & 63)) as usize % LABELS];
            placed = placed.wrapping_add(term(0)).wrapping_add(term(1)).wrapping_add(term(2));
        }
        let place = (placed >> 16) * self.row + column;
        self.bits.prefetch(place);
        (placed, place)
    }

    /// What is known of some occupied cells, see [`in_word`].
    #[cfg(target_arch = "x86_64")]
    pub(in crate::pdb) fn word(&self, set: Set) -> u64 {
        let rank = self.low[set as usize & 0xff] + self.high[set as usize >> 8 & 0xff];
        self.words[rank as usize % self.words.len()]
    }

    /// Four times each of the puzzle's cells that a tile passes, or its own.
    #[cfg(target_arch = "x86_64")]
    pub(in crate::pdb) fn passed(&self, turn: usize) -> [u8; 3] {
        self.steps[turn].passed
    }

    /// The occupied cells and the tiles on them, in their order.
    pub(in crate::pdb) fn place<C: Cells>(&self, puzzle: &Tiles<C>, state: &TileState<C>) -> (Set, Order) {
        let mut on = [u8::MAX; CELLS];
        for cell in 0..puzzle.size().cells() {
            on[self.laying.0[cell] as usize] = self.tiles[state.cells.label(cell)];
        }
        let mut order = [0; MOST_TILES];
        let (mut set, mut met) = (0, 0);
        for (cell, &tile) in on.iter().enumerate().filter(|&(_, &tile)| tile != u8::MAX) {
            order[met] = tile;
            met += 1;
            set |= 1 << cell;
        }
        (set, order)
    }
}
