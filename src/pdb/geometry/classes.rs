//! Where a pattern's tiles are, whichever is which: the occupied cells, and the
//! region of the other cells in which the blank is.
//!
//! A *class* is one such pair. The blank goes about in its region without
//! touching the pattern, so a class is all that there is to know about it. The
//! classes whose tiles occupy the even cells an even number of times (as the
//! goal does, or not) come first: a move of a tile leads from one half of the
//! classes into the other.

use crate::memory::prefetch;
use crate::pdb::geometry::canonical::{CELLS, Frame, Set, cells_of};
use crate::pdb::geometry::permutation::Passage;
use std::sync::Arc;

/// The classes of so many tiles on a frame.
#[derive(Debug)]
pub(in crate::pdb) struct Classes {
    frame: Frame,
    tiles: usize,
    /// How many low cells the first of the two rank tables covers: a byte, where
    /// there is no more than another one.
    low_cells: u32,
    low: Box<[u32; HALF]>,
    high: Box<[u32; HALF]>,
    /// Whether the board has over 16 cells.
    is_wide: bool,
    /// By the rank of the occupied cells: the number of the region of each
    /// other cell (four bits each, or three on boards over 16 cells), and in the
    /// top half of the second word the class of region 0.
    sets: Vec<[u64; 2]>,
    /// The same on boards of up to 16 cells, in one word, so that more of it stays
    /// in the cache: three bits for each free cell in its place, and the column of
    /// region 0 above [`COLUMN`].
    words: Option<Arc<Words>>,
    /// On such boards, the number of each class in the order of how many cells of each
    /// row are occupied, and then of the ranks: a tile's move along a row, which keeps
    /// the order of the tiles too, leads to one that is not far away.
    columns: Vec<u32>,
    /// The occupied cells and the blank's region, for each class.
    members: Vec<(Set, Set)>,
    /// The cells beside each cell.
    beside: [Set; CELLS],
    /// Classes of even colour.
    even: usize,
}

/// What is after a tile has moved.
#[derive(Clone, Copy, Debug)]
pub(in crate::pdb) struct Moved {
    /// The occupied cells.
    pub(in crate::pdb) set: Set,
    /// Where the blank is.
    pub(in crate::pdb) blank: usize,
    /// The tile's way past others.
    pub(in crate::pdb) passage: Passage,
}

/// Cells in a byte.
const BYTE: usize = 8;

/// The sets of half of the cells.
const HALF: usize = 1 << CELLS.div_ceil(2);

/// The most regions that are told apart. On a board of up to 16 cells there are
/// no more: no two regions have cells side by side.
const MOST_REGIONS: u64 = 8;

/// Where the column of region 0 begins in a word.
pub(in crate::pdb) const COLUMN: u32 = 48;

/// Words by the rank of occupied cells. There are at most 12,870 sets of eight
/// cells; so many more that a mask keeps a rank below it.
pub(in crate::pdb) type Words = [u64; WORDS];
const WORDS: usize = 1 << 14;

/// Bits for the number of a region in a word.
pub(in crate::pdb) const REGION_BITS: u32 = 3;

/// The column of some occupied cells in the word that is known by their rank;
/// `shift`: the blank's cell times [`REGION_BITS`].
#[inline(always)]
pub(in crate::pdb) fn in_word(word: u64, shift: u32) -> u32 {
    (word >> COLUMN) as u32 + (word >> (shift & 63)) as u32 % MOST_REGIONS as u32
}

/// Cells whose regions lie in the first of two words, at three bits each.
const FIRST_WORD: usize = 21;

impl Classes {
    /// The classes of `tiles` tiles; none if some set has more regions than can
    /// be told apart.
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
            beside: std::array::from_fn(|cell| frame.around(1 << cell)),
            even: 0,
        };
        for odd in [false, true] {
            for set in (0..=frame.all()).filter(|set| set.count_ones() as usize == tiles) {
                if (set & frame.white()).count_ones() % 2 == u32::from(odd) {
                    new.add(set)?;
                }
            }
            if !odd {
                new.even = new.members.len();
            }
        }
        if !new.is_wide {
            new.columns = new.in_order();
            new.words = Some(new.in_words());
        }
        Some(new)
    }

    fn add(&mut self, set: Set) -> Option<()> {
        let rank = self.rank(set);
        let first = self.members.len() as u64;
        let bits = if self.is_wide { 3 } else { 4 };
        let mut words = [0, first << 32];
        let mut rest = self.frame.all() & !set;
        let mut number = 0;
        while rest != 0 {
            let cell = rest.trailing_zeros() as usize;
            let region = self.frame.region(set, cell);
            rest &= !region;
            if number == MOST_REGIONS {
                return None;
            }
            for cell in cells_of(region) {
                let (word, at) =
                    if self.is_wide && cell >= FIRST_WORD { (1, cell - FIRST_WORD) } else { (0, cell) };
                words[word] |= number << (at * bits);
            }
            self.members.push((set, region));
            number += 1;
        }
        self.sets[rank] = words;
        Some(())
    }

    /// [`Classes::columns`].
    fn in_order(&self) -> Vec<u32> {
        let in_rows = |set: Set| -> u64 {
            let row = |row: usize| set >> (row * self.frame.cols) & ((1 << self.frame.cols) - 1);
            (0..self.frame.rows).fold(0, |counts, at| counts << 4 | u64::from(row(at).count_ones()))
        };
        let mut classes: Vec<usize> = (0..self.members.len()).collect();
        classes.sort_by_cached_key(|&class| {
            let (set, _) = self.members[class];
            (in_rows(set), self.rank(set), class)
        });
        let mut columns = vec![0; classes.len()];
        (0..).zip(classes).for_each(|(column, class)| columns[class] = column);
        columns
    }

    /// [`Classes::words`].
    fn in_words(&self) -> Arc<Words> {
        let mut words = vec![0; WORDS];
        for &(set, region) in self.members.iter().rev() {
            let class = self.class(set, region.trailing_zeros() as usize);
            let first = self.sets[self.rank(set)][1] >> 32;
            let word = &mut words[self.rank(set)];
            *word |= u64::from(self.columns[first as usize]) << COLUMN;
            for cell in cells_of(region) {
                *word |= (u64::from(class) - first) << (REGION_BITS * cell as u32);
            }
        }
        Arc::<[u64]>::from(words).try_into().expect("there are so many")
    }

    /// On boards of up to 16 cells, the number of each class in the order of
    /// their occupied cells; none on wider ones.
    pub(in crate::pdb) fn columns(&self) -> Option<&[u32]> {
        (!self.is_wide).then_some(&self.columns)
    }

    /// The rank of some occupied cells.
    #[inline(always)]
    pub(in crate::pdb) fn rank(&self, set: Set) -> usize {
        let low = self.low[set as usize & ((1 << self.low_cells) - 1) & (HALF - 1)];
        (self.high[(set as usize >> self.low_cells) & (HALF - 1)] + low) as usize
    }

    /// The class of some occupied cells and of the blank's cell.
    #[inline(always)]
    pub(in crate::pdb) fn class(&self, set: Set, blank: usize) -> u32 {
        self.class_by_rank(self.rank(set), blank)
    }

    /// The column of some occupied cells and of the blank's cell, on boards of up to
    /// 16 cells.
    #[inline(always)]
    pub(in crate::pdb) fn column(&self, set: Set, blank: usize) -> Option<u32> {
        let words = self.words.as_ref()?;
        Some(in_word(words[self.rank(set) % WORDS], REGION_BITS * blank as u32))
    }

    /// Asks for what is known by a rank.
    #[inline(always)]
    pub(in crate::pdb) fn prefetch(&self, rank: usize) {
        prefetch(&raw const self.sets[rank]);
    }

    /// The class of the occupied cells of a rank and of the blank's cell.
    #[inline(always)]
    pub(in crate::pdb) fn class_by_rank(&self, rank: usize, blank: usize) -> u32 {
        let [first, second] = self.sets[rank];
        let region = if !self.is_wide {
            first >> (4 * blank) & 15
        } else if blank < FIRST_WORD {
            first >> (3 * blank) & 7
        } else {
            second >> (3 * (blank - FIRST_WORD)) & 7
        };
        (second >> 32) as u32 + region as u32
    }

    /// The two tables whose sum is the rank of occupied cells, by their bytes, and
    /// what is known by that rank ([`in_word`]); for boards of up to 16 cells.
    pub(in crate::pdb) fn ranks(&self) -> ([u16; 256], [u16; 256], Arc<Words>) {
        let bytes = |ranks: &[u32; HALF]| std::array::from_fn(|byte| ranks[byte] as u16);
        (bytes(&self.low), bytes(&self.high), self.words.clone().expect("the board has up to 16 cells"))
    }

    /// Whether these are the classes of so many tiles on a frame.
    pub(in crate::pdb) fn are_of(&self, frame: Frame, tiles: usize) -> bool {
        (self.frame, self.tiles) == (frame, tiles)
    }

    /// How many classes there are.
    pub(in crate::pdb) fn len(&self) -> usize {
        self.members.len()
    }

    /// How many of them, the first ones, are of even colour.
    pub(in crate::pdb) fn even(&self) -> usize {
        self.even
    }

    /// The occupied cells of a class, and the blank's region.
    #[inline(always)]
    pub(in crate::pdb) fn member(&self, class: usize) -> (Set, Set) {
        self.members[class]
    }

    /// All moves of the tiles of a class.
    #[inline(always)]
    pub(in crate::pdb) fn moves(&self, class: usize) -> impl Iterator<Item = Moved> {
        let (set, region) = self.members[class];
        cells_of(set).flat_map(move |from| self.moves_of((set, region), from, Set::MAX))
    }

    /// The moves of the tile in one of the occupied cells, where the blank is in a
    /// region.
    #[inline(always)]
    pub(in crate::pdb) fn moves_of(
        &self,
        (set, region): (Set, Set),
        from: usize,
        onto: Set,
    ) -> impl Iterator<Item = Moved> {
        let at = (set & ((1 << from) - 1)).count_ones() as usize;
        cells_of(self.beside[from] & region & onto).map(move |to| {
            let between: Set = (1 << from.max(to)) - (2 << from.min(to));
            let others = (set & between).count_ones() as usize;
            let passage = Passage { at, others, forward: to > from };
            Moved { set: set ^ 1 << from ^ 1 << to, blank: from, passage }
        })
    }

    /// The bytes of the tables.
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
    fn every_set_and_region_has_a_class_of_its_own() {
        for (rows, cols, tiles) in [(4, 4, 8), (4, 4, 1), (3, 3, 8), (5, 2, 4), (5, 5, 6), (6, 4, 3)] {
            let frame = Frame { rows, cols };
            let classes = Classes::new(frame, tiles).unwrap();
            for class in 0..classes.len() {
                let (set, region) = classes.member(class);
                assert_eq!(set.count_ones() as usize, tiles);
                assert_eq!((set & frame.white()).count_ones() & 1 == 0, class < classes.even());
                assert_eq!(region, frame.region(set, region.trailing_zeros() as usize));
                for cell in cells_of(region) {
                    assert_eq!(classes.class(set, cell) as usize, class);
                    if let Some(words) = &classes.words {
                        let word = words[classes.rank(set)];
                        let column = in_word(word, REGION_BITS * cell as u32);
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
    fn there_are_as_many_as_expected() {
        // One region each, where a single tile cannot divide the board.
        assert_eq!(Classes::new(Frame { rows: 4, cols: 4 }, 1).unwrap().len(), 16);
        assert_eq!(Classes::new(Frame { rows: 3, cols: 3 }, 8).unwrap().len(), 9);
        assert_eq!(Classes::new(Frame { rows: 5, cols: 5 }, 6).unwrap().len(), 251_400);
    }
}
