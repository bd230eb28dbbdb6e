//! Classes of pattern states: the set of occupied cells, and the region of the blank.
//!
//! A *region* is a connected set of unoccupied cells. The blank moves inside its region
//! without moving a pattern tile, so its exact cell is irrelevant. A *class* is a set of
//! occupied cells together with a region.
//!
//! Classes are ordered by colour: those with an even number of tiles on odd cells of the
//! chessboard come first. A tile's move leads from one colour to the other.

use crate::memory::prefetch;
use crate::pdb::geometry::canonical::{CELLS, CellSet, Frame, cells_of};
use crate::pdb::geometry::permutation::Jump;
use std::sync::Arc;

/// All classes of `tiles` tiles on a frame.
#[derive(Debug)]
pub(in crate::pdb) struct Classes {
    frame: Frame,
    tiles: usize,
    /// Number of low cells that the first of the two rank tables covers: 8 on boards of up to
    /// 16 cells, else half of the cells.
    low_cells: u32,
    /// The rank of a set is the sum of the ranks of its two halves.
    low: Box<[u32; HALF]>,
    high: Box<[u32; HALF]>,
    /// Whether the board has more than 16 cells.
    is_wide: bool,
    /// For each set, by rank: the region number of each unoccupied cell (four bits each, or
    /// three on boards of more than 16 cells), and in the top half of the second word the
    /// class of region 0.
    sets: Vec<[u64; 2]>,
    /// Compact form of `sets` for boards of up to 16 cells, one word per set to save cache:
    /// three bits of region number per cell, and above [`COLUMN_SHIFT`] the column of
    /// region 0.
    words: Option<Arc<Words>>,
    /// On such boards, the table column of each class. Columns are sorted by the number of
    /// occupied cells in each row, then by rank: a horizontal move, which also keeps the
    /// permutation, then leads to a nearby column.
    columns: Vec<u32>,
    /// Occupied cells and region of each class.
    members: Vec<(CellSet, CellSet)>,
    /// Cells adjacent to each cell.
    adjacent: [CellSet; CELLS],
    /// Number of classes of even colour.
    even: usize,
}

/// Result of a move of a pattern tile.
#[derive(Clone, Copy, Debug)]
pub(in crate::pdb) struct TileMove {
    /// Occupied cells after the move.
    pub(in crate::pdb) set: CellSet,
    /// Cell of the blank after the move.
    pub(in crate::pdb) blank: usize,
    /// Jump of the tile over others in row-major order.
    pub(in crate::pdb) jump: Jump,
}

/// Cells in a byte.
const BYTE: usize = 8;

/// Number of subsets of half of the cells.
const HALF: usize = 1 << CELLS.div_ceil(2);

/// Maximum number of regions. A board of up to 16 cells has no more, because cells of
/// different regions are never adjacent.
const MAX_REGIONS: u64 = 8;

/// Position of the column of region 0 in a word.
pub(in crate::pdb) const COLUMN_SHIFT: u32 = 48;

/// Words by set rank. There are at most 12,870 sets; the size is rounded up to a power of two,
/// so that a mask replaces the bounds check.
pub(in crate::pdb) type Words = [u64; WORDS];
const WORDS: usize = 1 << 14;

/// Bits of a region number in a word.
pub(in crate::pdb) const REGION_BITS: u32 = 3;

/// Returns the column encoded in the word of a set; `shift` is the blank's cell times
/// [`REGION_BITS`].
#[inline(always)]
pub(in crate::pdb) fn column_in_word(word: u64, shift: u32) -> u32 {
    (word >> COLUMN_SHIFT) as u32 + (word >> (shift & 63)) as u32 % MAX_REGIONS as u32
}

/// Number of cells whose regions fit into the first of two words, at three bits each.
const FIRST_WORD: usize = 21;

impl Classes {
    /// Enumerates the classes of `tiles` tiles; `None` if a set has more than
    /// [`MAX_REGIONS`] regions.
    pub(in crate::pdb) fn new(frame: Frame, tiles: usize) -> Option<Self> {
        let cells = frame.cells();
        let low_cells = if cells <= 2 * BYTE { BYTE as u32 } else { cells.div_ceil(2) as u32 };
        let mut low = Box::new([0; HALF]);
        let mut of_size = vec![0u32; low_cells as usize + 1];
        for (set, rank) in low.iter_mut().enumerate().take(1 << low_cells) {
            let size = set.count_ones() as usize;
            *rank = of_size[size];
            of_size[size] += 1;
        }
        let mut high = Box::new([0; HALF]);
        let mut all = 0;
        for (set, rank) in high.iter_mut().enumerate().take(1 << cells.saturating_sub(low_cells as usize)) {
            *rank = all;
            let missing = tiles.checked_sub(set.count_ones() as usize);
            all += missing.and_then(|missing| of_size.get(missing)).copied().unwrap_or(0);
        }
        let mut new = Self {
            frame,
            tiles,
            low_cells,
            low,
            high,
            is_wide: cells > 16,
            sets: vec![[0; 2]; all as usize],
            words: None,
            columns: Vec::new(),
            members: Vec::new(),
            adjacent: std::array::from_fn(|cell| frame.adjacent(1 << cell)),
            even: 0,
        };
        for odd in [false, true] {
            for set in (0..=frame.all()).filter(|set| set.count_ones() as usize == tiles) {
                if (set & frame.odd_cells()).count_ones() % 2 == u32::from(odd) {
                    new.add(set)?;
                }
            }
            if !odd {
                new.even = new.members.len();
            }
        }
        if !new.is_wide {
            new.columns = new.ordered_columns();
            new.words = Some(new.pack_words());
        }
        Some(new)
    }

    /// Adds the classes of `set`.
    fn add(&mut self, set: CellSet) -> Option<()> {
        let rank = self.set_rank(set);
        let first = self.members.len() as u64;
        let bits = if self.is_wide { 3 } else { 4 };
        let mut words = [0, first << 32];
        let mut rest = self.frame.all() & !set;
        let mut region_number = 0;
        while rest != 0 {
            let cell = rest.trailing_zeros() as usize;
            let region = self.frame.region(set, cell);
            rest &= !region;
            if region_number == MAX_REGIONS {
                return None;
            }
            for cell in cells_of(region) {
                let (word, at) =
                    if self.is_wide && cell >= FIRST_WORD { (1, cell - FIRST_WORD) } else { (0, cell) };
                words[word] |= region_number << (at * bits);
            }
            self.members.push((set, region));
            region_number += 1;
        }
        self.sets[rank] = words;
        Some(())
    }

    /// Computes the columns of all classes.
    fn ordered_columns(&self) -> Vec<u32> {
        let in_rows = |set: CellSet| -> u64 {
            let row = |row: usize| set >> (row * self.frame.cols) & ((1 << self.frame.cols) - 1);
            (0..self.frame.rows).fold(0, |counts, at| counts << 4 | u64::from(row(at).count_ones()))
        };
        let mut classes: Vec<usize> = (0..self.members.len()).collect();
        classes.sort_by_cached_key(|&class| {
            let (set, _) = self.members[class];
            (in_rows(set), self.set_rank(set), class)
        });
        let mut columns = vec![0; classes.len()];
        (0..).zip(classes).for_each(|(column, class)| columns[class] = column);
        columns
    }

    /// Computes the compact words of all sets.
    fn pack_words(&self) -> Arc<Words> {
        let mut words = vec![0; WORDS];
        for &(set, region) in self.members.iter().rev() {
            let class = self.class(set, region.trailing_zeros() as usize);
            let first = self.sets[self.set_rank(set)][1] >> 32;
            let word = &mut words[self.set_rank(set)];
            *word |= u64::from(self.columns[first as usize]) << COLUMN_SHIFT;
            for cell in cells_of(region) {
                *word |= (u64::from(class) - first) << (REGION_BITS * cell as u32);
            }
        }
        Arc::<[u64]>::from(words).try_into().expect("the vector has this length")
    }

    /// Returns the column of each class on boards of up to 16 cells; `None` on wider ones.
    pub(in crate::pdb) fn columns(&self) -> Option<&[u32]> {
        (!self.is_wide).then_some(&self.columns)
    }

    /// Returns the rank of `set` among the sets of its size.
    #[inline(always)]
    pub(in crate::pdb) fn set_rank(&self, set: CellSet) -> usize {
        let low = self.low[set as usize & ((1 << self.low_cells) - 1) & (HALF - 1)];
        (self.high[(set as usize >> self.low_cells) & (HALF - 1)] + low) as usize
    }

    /// Returns the class of `set` and the region of `blank`.
    #[inline(always)]
    pub(in crate::pdb) fn class(&self, set: CellSet, blank: usize) -> u32 {
        self.class_by_set_rank(self.set_rank(set), blank)
    }

    /// Returns the column of `set` and the region of `blank` on boards of up to 16 cells.
    #[inline(always)]
    pub(in crate::pdb) fn column(&self, set: CellSet, blank: usize) -> Option<u32> {
        let words = self.words.as_ref()?;
        Some(column_in_word(words[self.set_rank(set) % WORDS], REGION_BITS * blank as u32))
    }

    /// Prefetches the region numbers of a set.
    #[inline(always)]
    pub(in crate::pdb) fn prefetch(&self, set_rank: usize) {
        prefetch(&raw const self.sets[set_rank]);
    }

    /// Returns the class of a set, given by rank, and the region of `blank`.
    #[inline(always)]
    pub(in crate::pdb) fn class_by_set_rank(&self, set_rank: usize, blank: usize) -> u32 {
        let [first, second] = self.sets[set_rank];
        let region = if !self.is_wide {
            first >> (4 * blank) & 15
        } else if blank < FIRST_WORD {
            first >> (3 * blank) & 7
        } else {
            second >> (3 * (blank - FIRST_WORD)) & 7
        };
        (second >> 32) as u32 + region as u32
    }

    /// Returns the rank tables of the two bytes of a set, whose sum is its rank, and the words
    /// by rank (see [`column_in_word`]). For boards of up to 16 cells.
    pub(in crate::pdb) fn ranks(&self) -> ([u16; 256], [u16; 256], Arc<Words>) {
        let bytes = |ranks: &[u32; HALF]| std::array::from_fn(|byte| ranks[byte] as u16);
        (bytes(&self.low), bytes(&self.high), self.words.clone().expect("the board has up to 16 cells"))
    }

    /// Returns whether these are the classes of `tiles` tiles on `frame`.
    pub(in crate::pdb) fn matches(&self, frame: Frame, tiles: usize) -> bool {
        (self.frame, self.tiles) == (frame, tiles)
    }

    /// Returns the number of classes.
    pub(in crate::pdb) fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns the number of classes of even colour, which come first.
    pub(in crate::pdb) fn even(&self) -> usize {
        self.even
    }

    /// Returns the occupied cells and the region of `class`.
    #[inline(always)]
    pub(in crate::pdb) fn member(&self, class: usize) -> (CellSet, CellSet) {
        self.members[class]
    }

    /// Returns all tile moves from `class`.
    #[inline(always)]
    pub(in crate::pdb) fn moves(&self, class: usize) -> impl Iterator<Item = TileMove> {
        let (set, region) = self.members[class];
        cells_of(set).flat_map(move |from| self.moves_of((set, region), from, CellSet::MAX))
    }

    /// Returns the moves of the tile in cell `from` to cells of `onto`, with the blank in
    /// `region`.
    #[inline(always)]
    pub(in crate::pdb) fn moves_of(
        &self,
        (set, region): (CellSet, CellSet),
        from: usize,
        onto: CellSet,
    ) -> impl Iterator<Item = TileMove> {
        let at = (set & ((1 << from) - 1)).count_ones() as usize;
        cells_of(self.adjacent[from] & region & onto).map(move |to| {
            let between: CellSet = (1 << from.max(to)) - (2 << from.min(to));
            let others = (set & between).count_ones() as usize;
            let jump = Jump { at, others, forward: to > from };
            TileMove { set: set ^ 1 << from ^ 1 << to, blank: from, jump }
        })
    }

    /// Returns the size of the tables in bytes.
    pub(in crate::pdb) fn bytes(&self) -> usize {
        4 * (self.low.len() + self.high.len())
            + 16 * self.sets.len()
            + self.words.as_ref().map_or(0, |words| size_of_val(&**words))
            + 8 * self.members.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_and_region_determine_the_class() {
        for (rows, cols, tiles) in [(4, 4, 8), (4, 4, 1), (3, 3, 8), (5, 2, 4), (5, 5, 6), (6, 4, 3)] {
            let frame = Frame { rows, cols };
            let classes = Classes::new(frame, tiles).unwrap();
            for class in 0..classes.len() {
                let (set, region) = classes.member(class);
                assert_eq!(set.count_ones() as usize, tiles);
                assert_eq!((set & frame.odd_cells()).count_ones() & 1 == 0, class < classes.even());
                assert_eq!(region, frame.region(set, region.trailing_zeros() as usize));
                for cell in cells_of(region) {
                    assert_eq!(classes.class(set, cell) as usize, class);
                    if let Some(words) = &classes.words {
                        let word = words[classes.set_rank(set)];
                        let column = column_in_word(word, REGION_BITS * cell as u32);
                        assert_eq!(column, classes.columns[class]);
                    }
                }
            }
            let mut columns = classes.columns.clone();
            columns.sort_unstable();
            assert!(columns.into_iter().eq(0..if classes.is_wide { 0 } else { classes.len() as u32 }));
        }
    }

    #[test]
    fn class_counts() {
        // A single tile cannot divide these boards: one region per set.
        assert_eq!(Classes::new(Frame { rows: 4, cols: 4 }, 1).unwrap().len(), 16);
        assert_eq!(Classes::new(Frame { rows: 3, cols: 3 }, 8).unwrap().len(), 9);
        assert_eq!(Classes::new(Frame { rows: 5, cols: 5 }, 6).unwrap().len(), 251_400);
    }
}
