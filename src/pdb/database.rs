//! One pattern's database: a bit for each place of its tiles.
//!
//! A tile's move changes the distance by one, up or down, and where the tiles
//! are tells whether it is even or odd. So one bit, the second of the distance,
//! tells the distance of a neighbour; the first distance of all is found by
//! walking home.
//!
//! On boards of up to 16 cells there is a row for each order, and in it a bit
//! for each class: many moves keep the order, and then lead to a bit in the same
//! page of memory. On wider boards orders are few, and there is a row for each
//! class.

use crate::memory::arena::Arena;
use crate::memory::prefetch;
use crate::pdb::geometry::canonical::{CELLS, Set};
use crate::pdb::geometry::classes::{Classes, Moved, Words};
use crate::pdb::geometry::pattern::Pattern;
use crate::pdb::geometry::permutation::{FACTORIALS, MOST_TILES, Order, Passage};
use std::sync::Arc;

/// The distances of all places of a pattern's tiles.
#[derive(Debug)]
pub struct Database {
    pattern: Pattern,
    classes: Arc<Classes>,
    table: Arena,
    /// The bits in a row.
    row: u32,
    /// The cells of one colour.
    white: Set,
    /// For each tile and cell: the cells that are nearer to where the tile belongs.
    nearer: Vec<[Set; CELLS]>,
    /// How many states there are at each distance.
    counts: Vec<u64>,
}

/// The words of a row of bits, one for each order of so many tiles.
pub(in crate::pdb) fn stride(tiles: usize) -> usize {
    FACTORIALS[tiles].div_ceil(64) as usize
}

/// The words of all rows, one for each class, as they are while they are made.
pub(in crate::pdb) fn words_by_class(classes: &Classes, tiles: usize) -> usize {
    classes.len() * stride(tiles)
}

/// The bytes of all rows.
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
        Self { pattern, white: pattern.frame.white(), nearer, classes, table, row: row as u32, counts }
    }

    /// The pattern.
    pub fn pattern(&self) -> Pattern {
        self.pattern
    }

    /// How many states there are at each distance.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Whether the number of set bits agrees with the counts, and walks home
    /// are as long as the counts allow.
    ///
    /// Walks start from a sample of the states. A few patterns have states that
    /// cannot be reached from the goal (two tiles of a 2x2 board, all tiles of
    /// any board), from which no walk ends: there, walks start from all states,
    /// and the number of them that end after each distance is the count of it.
    pub(in crate::pdb) fn is_sound(&self) -> bool {
        let set: u64 = self.words().iter().map(|word| u64::from(word.count_ones())).sum();
        let expected: u64 =
            self.counts.iter().enumerate().filter(|(depth, _)| depth & 2 != 0).map(|(_, n)| n).sum();
        if set != expected {
            return false;
        }
        let orders = FACTORIALS[self.pattern.tiles()] as usize;
        let classes = 0..self.classes.len();
        if self.counts.iter().sum::<u64>() == (classes.len() * orders) as u64 {
            let step = classes.len().div_ceil(500);
            return classes.step_by(step).all(|class| self.walk_home(class, class * 7919 % orders).is_some());
        }
        let mut counts = vec![0; self.counts.len()];
        for distance in classes.flat_map(|class| (0..orders).filter_map(move |n| self.walk_home(class, n))) {
            counts[distance] += 1;
        }
        counts == self.counts
    }

    /// Returns the length of the walk home from the state with this class and
    /// number of order; none if the walk does not end within the largest distance.
    fn walk_home(&self, class: usize, number: usize) -> Option<usize> {
        let (set, region) = self.classes.member(class);
        let order = crate::pdb::geometry::permutation::order(number as u16, self.pattern.tiles());
        let mut walk = Walk::new(self, set, region.trailing_zeros() as usize, order);
        while walk.look() {
            if !walk.step() || walk.made as usize >= self.counts.len() {
                return None;
            }
        }
        Some(walk.made as usize)
    }

    /// The bits in a row.
    pub(in crate::pdb) fn row(&self) -> u32 {
        self.row
    }

    /// What tells the class of occupied cells: see [`Classes::ranks`].
    pub(in crate::pdb) fn ranks(&self) -> ([u16; 256], [u16; 256], Arc<Words>) {
        self.classes.ranks()
    }

    /// All rows of bits.
    #[inline(always)]
    pub(in crate::pdb) fn words(&self) -> &[u64] {
        &self.table.words()[..table_bytes(&self.classes, self.pattern.tiles()) as usize / 8]
    }

    /// Where the bit of some occupied cells, of the blank's cell and of an order
    /// is.
    #[inline(always)]
    pub(in crate::pdb) fn place(&self, set: Set, blank: usize, number: u16) -> u32 {
        match self.classes.column(set, blank) {
            Some(column) => column + u32::from(number) * self.row,
            None => self.place_by_rank(self.classes.rank(set) as u32, blank, number),
        }
    }

    /// The rank of some occupied cells; what is known by it is asked for.
    #[inline(always)]
    pub(in crate::pdb) fn rank(&self, set: Set) -> u32 {
        let rank = self.classes.rank(set);
        self.classes.prefetch(rank);
        rank as u32
    }

    /// The same as [`Database::place`] on boards of over 16 cells, by the rank of the
    /// occupied cells.
    #[inline(always)]
    pub(in crate::pdb) fn place_by_rank(&self, rank: u32, blank: usize, number: u16) -> u32 {
        debug_assert!(self.classes.columns().is_none());
        self.classes.class_by_rank(rank as usize, blank) * self.row + u32::from(number)
    }

    /// The word that the bit in a place belongs to.
    #[inline(always)]
    pub(in crate::pdb) fn word(&self, place: u32) -> *const u64 {
        self.table.words().as_ptr().wrapping_add(place as usize >> 6)
    }

    /// The bit in a place.
    #[inline(always)]
    pub(in crate::pdb) fn bit(&self, place: u32) -> u32 {
        (self.table.words()[place as usize >> 6] >> (place & 63)) as u32 & 1
    }
}

/// For each tile of a pattern and each cell: the cells that are nearer to where the
/// tile belongs.
fn nearer_cells(pattern: Pattern) -> Vec<[Set; CELLS]> {
    let cols = pattern.frame.cols;
    let distance = |a: usize, b: usize| (a / cols).abs_diff(b / cols) + (a % cols).abs_diff(b % cols);
    let cells = 0..pattern.frame.cells();
    let homes = cells.clone().filter(|cell| pattern.homes >> cell & 1 == 1);
    let nearer = |home: usize, from: usize| {
        cells.clone().filter(|&to| distance(to, home) < distance(from, home)).fold(0, |set, to| set | 1 << to)
    };
    homes.map(|home| std::array::from_fn(|from| nearer(home, from))).collect()
}

/// A pattern's tiles on their way home.
pub(in crate::pdb) struct Walk<'d> {
    database: &'d Database,
    set: Set,
    /// The blank's region.
    region: Set,
    order: Order,
    number: u16,
    /// Where the bit is.
    place: u32,
    /// The moves made so far.
    pub(in crate::pdb) made: u32,
    /// The tiles whose moves have not been looked at yet, by their cells; first
    /// only moves that bring a tile nearer to where it belongs, then all others.
    rest: Set,
    others: bool,
    /// Some moves that are possible, and the numbers and the places of their
    /// bits.
    next: [(Moved, u16, u32); MOST_MOVES],
    possible: usize,
}

/// Moves that are looked at together, at least, while there are any: about two in
/// three of the first ones lead nearer.
const FEW: usize = 2;

/// No more come together: the last tile has four sides.
const MOST_MOVES: usize = FEW + 3;

impl<'d> Walk<'d> {
    /// The tiles in the order in which they are met on the occupied cells.
    pub(in crate::pdb) fn new(database: &'d Database, set: Set, blank: usize, order: Order) -> Self {
        let number = crate::pdb::geometry::permutation::number(&order[..database.pattern.tiles()]);
        let nowhere = Moved { set, blank, passage: Passage { at: 0, others: 0, forward: true } };
        let mut walk = Self {
            database,
            set,
            region: 0,
            order,
            number,
            place: 0,
            made: 0,
            rest: 0,
            others: false,
            next: [(nowhere, 0, 0); MOST_MOVES],
            possible: 0,
        };
        walk.arrive(nowhere, number, database.place(set, blank, number));
        walk
    }

    /// Is where a move leads to.
    fn arrive(&mut self, moved: Moved, number: u16, place: u32) {
        (self.set, self.number, self.place) = (moved.set, number, place);
        self.region = self.database.pattern.frame.region(moved.set, moved.blank);
        (self.rest, self.others) = (self.beside(), false);
    }

    /// The tiles beside the blank's region.
    fn beside(&self) -> Set {
        self.set & self.database.pattern.frame.around(self.region)
    }

    /// Asks for what may be needed for the next step; whether there is one.
    pub(in crate::pdb) fn look(&mut self) -> bool {
        let database = self.database;
        self.possible = 0;
        let Pattern { homes, blank, .. } = database.pattern;
        if self.number == 0 && self.set == homes && self.region >> blank & 1 == 1 {
            return false;
        }
        prefetch(database.word(self.place));
        while self.possible < FEW {
            if self.rest == 0 {
                if self.others {
                    break;
                }
                (self.rest, self.others) = (self.beside(), true);
            }
            let from = self.rest.trailing_zeros() as usize;
            self.rest &= self.rest - 1;
            let tile = self.order[(self.set & ((1 << from) - 1)).count_ones() as usize % MOST_TILES];
            let nearer = database.nearer[tile as usize][from];
            let onto = if self.others { !nearer } else { nearer };
            for moved in database.classes.moves_of((self.set, self.region), from, onto) {
                let number = self.number.wrapping_add(moved.passage.change(&self.order));
                let place = database.place(moved.set, moved.blank, number);
                prefetch(database.word(place));
                self.next[self.possible] = (moved, number, place);
                self.possible += 1;
            }
        }
        true
    }

    /// Makes a step nearer, if one was seen by the last look; whether one was, or
    /// another look may see one.
    pub(in crate::pdb) fn step(&mut self) -> bool {
        let database = self.database;
        let odd = ((self.set ^ database.pattern.homes) & database.white).count_ones() & 1;
        let here = database.bit(self.place) << 1 | odd;
        let nearer = (here.wrapping_sub(1) & 3) >> 1;
        let found = self.next[..self.possible].iter().find(|&&(_, _, place)| database.bit(place) == nearer);
        let Some(&(moved, number, place)) = found else { return self.rest != 0 || !self.others };
        moved.passage.apply(&mut self.order);
        self.arrive(moved, number, place);
        self.made += 1;
        true
    }
}
