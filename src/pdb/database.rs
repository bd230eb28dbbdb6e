//! Database of one pattern: one bit per pattern state.
//!
//! A tile's move changes the distance by exactly one, and the colour of the class determines
//! its parity. The second bit of the distance therefore suffices to tell from a known
//! distance whether a neighbour is nearer or farther. The absolute distance of a start state
//! is found by a [`Descent`]: greedy moves to nearer states until the goal is reached, and
//! their number is the distance.
//!
//! On boards of up to 16 cells the table has one row per permutation and one column per
//! class: many moves keep the permutation, so they stay in the same page of memory. Wider
//! boards have small patterns with few permutations, and one row per class.

use crate::memory::arena::Arena;
use crate::memory::prefetch;
use crate::pdb::geometry::canonical::{CELLS, CellSet};
use crate::pdb::geometry::classes::{Classes, TileMove, Words};
use crate::pdb::geometry::pattern::Pattern;
use crate::pdb::geometry::permutation::{self, FACTORIALS, Jump, MAX_TILES, Permutation};
use std::sync::Arc;

/// Distances of all states of a pattern, as one bit each.
#[derive(Debug)]
pub struct Database {
    pattern: Pattern,
    classes: Arc<Classes>,
    table: Arena,
    /// Bits in a row.
    row: u32,
    /// Cells of odd colour.
    odd_cells: CellSet,
    /// For each tile and cell: the cells that are nearer to the tile's goal cell.
    nearer: Vec<[CellSet; CELLS]>,
    /// Number of states at each distance.
    counts: Vec<u64>,
}

/// Returns the words of a row with one bit per permutation of `tiles` tiles.
pub(in crate::pdb) fn stride(tiles: usize) -> usize {
    FACTORIALS[tiles].div_ceil(64) as usize
}

/// Returns the words of a table with one row per class, the layout during construction.
pub(in crate::pdb) fn words_by_class(classes: &Classes, tiles: usize) -> usize {
    classes.len() * stride(tiles)
}

/// Returns the size of the finished table in bytes.
pub(in crate::pdb) fn table_bytes(classes: &Classes, tiles: usize) -> u64 {
    let words = match classes.columns() {
        Some(columns) => columns.len().div_ceil(64) * FACTORIALS[tiles] as usize,
        None => words_by_class(classes, tiles),
    };
    words as u64 * 8
}

impl Database {
    pub(in crate::pdb) fn new(
        pattern: Pattern,
        classes: Arc<Classes>,
        table: Arena,
        counts: Vec<u64>,
    ) -> Self {
        let row = match classes.columns() {
            Some(columns) => columns.len().next_multiple_of(64),
            None => stride(pattern.tiles()) * 64,
        };
        let nearer = nearer_cells(pattern);
        Self {
            pattern,
            odd_cells: pattern.frame.odd_cells(),
            nearer,
            classes,
            table,
            row: row as u32,
            counts,
        }
    }

    /// Returns the pattern.
    pub fn pattern(&self) -> Pattern {
        self.pattern
    }

    /// Returns the number of states at each distance.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Checks that the number of set bits agrees with the counts, and that descents reach the
    /// goal within the maximum distance.
    ///
    /// Descents start from a sample of the states. A few patterns have states that cannot be
    /// reached from the goal (two tiles of a 2x2 board, all tiles of any board), from which no
    /// descent ends: there, descents start from all states, and the number of them that end
    /// after each distance must be the count of that distance.
    pub(in crate::pdb) fn is_consistent(&self) -> bool {
        let set: u64 = self.words().iter().map(|word| u64::from(word.count_ones())).sum();
        let expected: u64 =
            self.counts.iter().enumerate().filter(|(depth, _)| depth & 2 != 0).map(|(_, n)| n).sum();
        if set != expected {
            return false;
        }
        let permutations = FACTORIALS[self.pattern.tiles()] as usize;
        let classes = 0..self.classes.len();
        if self.counts.iter().sum::<u64>() == (classes.len() * permutations) as u64 {
            let step = classes.len().div_ceil(500);
            return classes
                .step_by(step)
                .all(|class| self.descend(class, class * 7919 % permutations).is_some());
        }
        let mut counts = vec![0; self.counts.len()];
        for distance in
            classes.flat_map(|class| (0..permutations).filter_map(move |n| self.descend(class, n)))
        {
            counts[distance] += 1;
        }
        counts == self.counts
    }

    /// Returns the length of the descent from the state with this class and rank of the
    /// permutation; none if it does not end within the maximum distance.
    fn descend(&self, class: usize, rank: usize) -> Option<usize> {
        let (set, region) = self.classes.member(class);
        let permutation = permutation::unrank(rank as u16, self.pattern.tiles());
        let mut descent = Descent::new(self, set, region.trailing_zeros() as usize, permutation);
        while descent.prefetch_moves() {
            if !descent.step() || descent.moves as usize >= self.counts.len() {
                return None;
            }
        }
        Some(descent.moves as usize)
    }

    /// Returns the bits in a row.
    pub(in crate::pdb) fn row(&self) -> u32 {
        self.row
    }

    /// Returns the tables that map sets to columns, see [`Classes::ranks`].
    pub(in crate::pdb) fn ranks(&self) -> ([u16; 256], [u16; 256], Arc<Words>) {
        self.classes.ranks()
    }

    /// Returns all rows of the table.
    #[inline(always)]
    pub(in crate::pdb) fn words(&self) -> &[u64] {
        &self.table.words()[..table_bytes(&self.classes, self.pattern.tiles()) as usize / 8]
    }

    /// Returns the bit index of a state: occupied cells, cell of the blank, and rank of the
    /// permutation.
    #[inline(always)]
    pub(in crate::pdb) fn bit_index(&self, set: CellSet, blank: usize, rank: u16) -> u32 {
        match self.classes.column(set, blank) {
            Some(column) => column + u32::from(rank) * self.row,
            None => self.bit_index_by_set_rank(self.classes.set_rank(set) as u32, blank, rank),
        }
    }

    /// Returns the rank of `set` and prefetches the region numbers of the set.
    #[inline(always)]
    pub(in crate::pdb) fn set_rank(&self, set: CellSet) -> u32 {
        let set_rank = self.classes.set_rank(set);
        self.classes.prefetch(set_rank);
        set_rank as u32
    }

    /// Returns the bit index like [`Database::bit_index`], with the set given by its rank.
    /// For boards of more than 16 cells.
    #[inline(always)]
    pub(in crate::pdb) fn bit_index_by_set_rank(&self, set_rank: u32, blank: usize, rank: u16) -> u32 {
        debug_assert!(self.classes.columns().is_none());
        self.classes.class_by_set_rank(set_rank as usize, blank) * self.row + u32::from(rank)
    }

    /// Returns the address of the word with bit `bit_index`, for prefetching.
    #[inline(always)]
    pub(in crate::pdb) fn word_address(&self, bit_index: u32) -> *const u64 {
        self.table.words().as_ptr().wrapping_add(bit_index as usize >> 6)
    }

    /// Returns bit `bit_index`.
    #[inline(always)]
    pub(in crate::pdb) fn bit(&self, bit_index: u32) -> u32 {
        (self.table.words()[bit_index as usize >> 6] >> (bit_index & 63)) as u32 & 1
    }
}

/// Returns for each tile of a pattern and each cell the cells that are nearer to the tile's
/// goal cell.
fn nearer_cells(pattern: Pattern) -> Vec<[CellSet; CELLS]> {
    let cols = pattern.frame.cols;
    let distance = |a: usize, b: usize| (a / cols).abs_diff(b / cols) + (a % cols).abs_diff(b % cols);
    let cells = 0..pattern.frame.cells();
    let homes = cells.clone().filter(|cell| pattern.homes >> cell & 1 == 1);
    let nearer = |home: usize, from: usize| {
        cells.clone().filter(|&to| distance(to, home) < distance(from, home)).fold(0, |set, to| set | 1 << to)
    };
    homes.map(|home| std::array::from_fn(|from| nearer(home, from))).collect()
}

/// Greedy descent from a pattern state to the goal, which yields its absolute distance.
///
/// Each round has two phases: [`Descent::prefetch_moves`] generates a few moves and
/// prefetches their bits, [`Descent::step`] reads the bits and makes a move to a nearer state
/// if there is one. Several descents are interleaved, so that their cache misses overlap.
pub(in crate::pdb) struct Descent<'d> {
    database: &'d Database,
    set: CellSet,
    /// Region of the blank.
    region: CellSet,
    permutation: Permutation,
    rank: u16,
    /// Bit index of the current state.
    bit_index: u32,
    /// Number of moves made so far; at the goal, the distance of the start state.
    pub(in crate::pdb) moves: u32,
    /// Cells of the tiles whose moves have not been generated yet.
    untried: CellSet,
    /// Whether moves are generated that do not bring a tile nearer to its goal cell. Moves
    /// that do are tried first.
    second_pass: bool,
    /// Generated moves, each with the rank and the bit index of the state after it.
    candidates: [(TileMove, u16, u32); MAX_MOVES],
    candidate_count: usize,
}

/// Minimum number of moves that are generated per round, if there are that many. About two
/// in three of the first moves lead nearer.
const MIN_MOVES: usize = 2;

/// Maximum number of moves per round: the last tile has up to four.
const MAX_MOVES: usize = MIN_MOVES + 3;

impl<'d> Descent<'d> {
    /// Starts a descent; `permutation` lists the tiles on the cells of `set`.
    pub(in crate::pdb) fn new(
        database: &'d Database,
        set: CellSet,
        blank: usize,
        permutation: Permutation,
    ) -> Self {
        let rank = permutation::rank(&permutation[..database.pattern.tiles()]);
        let null_move = TileMove { set, blank, jump: Jump { at: 0, others: 0, forward: true } };
        let mut descent = Self {
            database,
            set,
            region: 0,
            permutation,
            rank,
            bit_index: 0,
            moves: 0,
            untried: 0,
            second_pass: false,
            candidates: [(null_move, 0, 0); MAX_MOVES],
            candidate_count: 0,
        };
        descent.enter(null_move, rank, database.bit_index(set, blank, rank));
        descent
    }

    /// Makes the state after `tile_move` the current one.
    fn enter(&mut self, tile_move: TileMove, rank: u16, bit_index: u32) {
        (self.set, self.rank, self.bit_index) = (tile_move.set, rank, bit_index);
        self.region = self.database.pattern.frame.region(tile_move.set, tile_move.blank);
        (self.untried, self.second_pass) = (self.movable(), false);
    }

    /// Returns the cells of the tiles adjacent to the blank's region.
    fn movable(&self) -> CellSet {
        self.set & self.database.pattern.frame.adjacent(self.region)
    }

    /// Generates some moves and prefetches their bits. Returns `false` at the goal.
    pub(in crate::pdb) fn prefetch_moves(&mut self) -> bool {
        let database = self.database;
        self.candidate_count = 0;
        let Pattern { homes, blank, .. } = database.pattern;
        if self.rank == 0 && self.set == homes && self.region >> blank & 1 == 1 {
            return false;
        }
        prefetch(database.word_address(self.bit_index));
        while self.candidate_count < MIN_MOVES {
            if self.untried == 0 {
                if self.second_pass {
                    break;
                }
                (self.untried, self.second_pass) = (self.movable(), true);
            }
            let from = self.untried.trailing_zeros() as usize;
            self.untried &= self.untried - 1;
            let tile = self.permutation[(self.set & ((1 << from) - 1)).count_ones() as usize % MAX_TILES];
            let nearer = database.nearer[tile as usize][from];
            let onto = if self.second_pass { !nearer } else { nearer };
            for tile_move in database.classes.moves_of((self.set, self.region), from, onto) {
                let rank = self.rank.wrapping_add(tile_move.jump.rank_delta(&self.permutation));
                let bit_index = database.bit_index(tile_move.set, tile_move.blank, rank);
                prefetch(database.word_address(bit_index));
                self.candidates[self.candidate_count] = (tile_move, rank, bit_index);
                self.candidate_count += 1;
            }
        }
        true
    }

    /// Moves to a nearer state, if one is among the generated moves. Returns `false` if no
    /// move leads nearer and none is left to generate, which a sound table excludes.
    pub(in crate::pdb) fn step(&mut self) -> bool {
        let database = self.database;
        let odd = ((self.set ^ database.pattern.homes) & database.odd_cells).count_ones() & 1;
        let here = database.bit(self.bit_index) << 1 | odd;
        let nearer = (here.wrapping_sub(1) & 3) >> 1;
        let candidates = &self.candidates[..self.candidate_count];
        let found = candidates.iter().find(|&&(_, _, bit_index)| database.bit(bit_index) == nearer);
        let Some(&(tile_move, rank, bit_index)) = found else {
            return self.untried != 0 || !self.second_pass;
        };
        tile_move.jump.apply(&mut self.permutation);
        self.enter(tile_move, rank, bit_index);
        self.moves += 1;
        true
    }
}
