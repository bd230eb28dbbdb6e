//! Additive pattern databases (Korf and Felner, Artificial Intelligence 134,
//! 2002), one bit an entry, keyed by the region of the blank.
//!
//! The tiles are divided into patterns. A pattern's database knows how many
//! moves its tiles need at least, whatever the others do; moves of different
//! patterns' tiles are different moves, so the sum is a lower bound. A database
//! tells regions of the blank apart instead of taking the least over them: that
//! is a better bound, a consistent one, and a move changes it by just one, so
//! that one bit an entry is enough (see `database.rs`).
//!
//! Where the mirror image of the board has its blank in the same place, it is
//! looked up too, and the greater of the two sums counts.
//!
//! A move changes one pattern in each view: its occupied cells, and by two or
//! three small terms the number of its order. Nothing is counted anew.

mod build;
mod classes;
mod database;
mod divisions;
mod frame;
mod keeping;
mod library;
mod order;
mod partition;
mod pattern;
mod several;
mod store;

pub use build::{BuildError, Report};
pub use database::Database;
pub use frame::Frame;
pub use keeping::{Keeping, Recounted, Whole};
pub use library::{Event, Library, Listener, Needs};
pub use order::MOST_TILES;
pub use partition::{MOST_PATTERNS, NotAPartition, Partition};
pub use pattern::Pattern;
pub use several::{Kept as KeptSums, Memo as SeveralSums, SeveralPartitions};
pub(crate) use store::checksum;
pub use store::{Damage, Listed, Store};

use super::Heuristic;
use crate::memory::prefetch;
use crate::puzzle::Move;
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use database::Walk;
use frame::{CELLS, Set, Symmetry};
use order::passing;
use std::marker::PhantomData;
use std::sync::Arc;

/// Labels of tiles, and cells, of boards of up to 16 cells; a mask keeps a number
/// below it.
const LABELS: usize = 16;

/// The sums of `N` patterns' distances in `V` views; the greatest one counts.
#[derive(Debug)]
pub struct PatternDatabases<const N: usize, const V: usize, K = Whole> {
    keeping: PhantomData<K>,
    name: &'static str,
    /// For each view and label: its pattern.
    parts: [[u8; LABELS]; V],
    lookups: [[Box<Lookup>; N]; V],
}

/// One pattern in one view.
#[derive(Debug)]
struct Lookup {
    database: Arc<Database>,
    /// For each cell of the blank, and each of its moves.
    steps: [[Step; 4]; LABELS],
    /// For a tile that moves back or forth past another one, by their labels:
    /// what that adds to the number of the order.
    passing: [[[u16; LABELS]; LABELS]; 2],
    /// The tile that each label stands for, or `u8::MAX`.
    tiles: [u8; LABELS],
    /// The puzzle's cells in the order in which the frame is read.
    reading: [u8; LABELS],
    /// From a puzzle's cells to those of the database.
    laying: Symmetry,
}

/// What a move does to a pattern whose tile it moves.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    /// The cells that become free or occupied.
    change: u16,
    /// Where the blank comes to.
    blank: u8,
    /// Whether the tile goes forth.
    forward: u8,
    /// The puzzle's cells that it passes; in place of those that are missing, its
    /// own.
    passed: [u8; 3],
}

/// A board as pattern databases see it.
#[derive(Clone, Copy, Debug)]
pub struct Sums<const N: usize, const V: usize> {
    /// Occupied cells and numbers of orders.
    sets: [[u16; N]; V],
    numbers: [[u16; N]; V],
    sums: [u8; V],
    /// The patterns' distances modulo 4, two bits each.
    residues: u16,
    /// Where the bits are that a draft still has to look at, and in which
    /// pattern's database.
    places: [u32; V],
    parts: [u8; V],
}

impl<const N: usize, const V: usize> Default for Sums<N, V> {
    fn default() -> Self {
        Self {
            sets: [[0; N]; V],
            numbers: [[0; N]; V],
            sums: [0; V],
            residues: 0,
            places: [0; V],
            parts: [0; V],
        }
    }
}

impl<const N: usize, const V: usize> PartialEq for Sums<N, V> {
    fn eq(&self, other: &Self) -> bool {
        let parts = |memo: &Self| (memo.sets, memo.numbers, memo.sums, memo.residues);
        parts(self) == parts(other)
    }
}

impl Lookup {
    fn new<C: Cells>(puzzle: &Tiles<C>, database: Arc<Database>, laying: Symmetry) -> Self {
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
        let mut terms = [[[0u16; LABELS]; LABELS]; 2];
        for label in (1..cells).filter(|&label| is_tile(label)) {
            for other in (1..cells).filter(|&label| is_tile(label)) {
                let term = passing(tiles[label].into(), tiles[other].into());
                terms[1][label][other] = term;
                terms[0][label][other] = term.wrapping_neg();
            }
        }
        let mut steps = [[Step::default(); 4]; LABELS];
        for (blank, steps) in steps.iter_mut().enumerate().take(cells) {
            for step in puzzle.moves_from(blank) {
                let from = puzzle.beside(blank as u8, step);
                let (there, here) = (laying.0[blank], laying.0[from as usize]);
                let mut passed = [from; 3];
                let between =
                    |cell: &u8| (here.min(there) + 1..here.max(there)).contains(&laying.0[*cell as usize]);
                for (place, cell) in passed.iter_mut().zip((0..cells as u8).filter(between)) {
                    *place = cell;
                }
                steps[step.0 as usize] = Step {
                    change: 1 << here ^ 1 << there,
                    blank: here,
                    forward: u8::from(there > here),
                    passed,
                };
            }
        }
        let mut reading = [0; LABELS];
        (0..cells).for_each(|cell| reading[laying.0[cell] as usize] = cell as u8);
        Self { database, laying, steps, passing: terms, tiles, reading }
    }

    /// The occupied cells and the tiles on them, in their order.
    fn place<C: Cells>(&self, puzzle: &Tiles<C>, state: &TileState<C>) -> (Set, order::Order) {
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

impl<const N: usize, const V: usize, K> PatternDatabases<N, V, K> {
    /// A partition of a puzzle's tiles, with databases that are in a library;
    /// none if they are not, or if there are not `N` patterns or more than `V`
    /// views.
    pub fn new<C: Cells>(puzzle: &Tiles<C>, partition: &Partition, library: &Library) -> Option<Self> {
        let views = partition.views(puzzle.size(), puzzle.goal_blank())?;
        if views.len() > V {
            return None;
        }
        let mut parts = [[0; LABELS]; V];
        let mut lookups = Vec::with_capacity(V);
        // A view too few is one that is looked at twice.
        for (parts, view) in parts.iter_mut().zip(views.iter().cycle()) {
            let mut row = Vec::with_capacity(N);
            for (part, pattern) in view.patterns.iter().enumerate() {
                let (canonical, onto) = pattern.canonical();
                let lookup = Lookup::new(puzzle, library.find(canonical)?, view.laying.then(onto));
                for label in (1..puzzle.size().cells()).filter(|&label| lookup.tiles[label] != u8::MAX) {
                    parts[label] = part as u8;
                }
                row.push(Box::new(lookup));
            }
            lookups.push(row.try_into().ok()?);
        }
        let name = partition.name();
        Some(Self { keeping: PhantomData, name, parts, lookups: lookups.try_into().ok()? })
    }
}

impl<const N: usize, const V: usize, K> PatternDatabases<N, V, K> {
    #[inline(always)]
    fn draft_view(
        &self,
        memo: &mut Sums<N, V>,
        view: usize,
        before: &TileState<u64>,
        step: Move,
        label: usize,
    ) {
        let part = usize::from(self.parts[view][label % LABELS]) % N;
        let lookup = &*self.lookups[view][part];
        let Step { change, blank, forward, passed } =
            lookup.steps[before.blank as usize % LABELS][step.0 as usize % 4];
        let terms = &lookup.passing[forward as usize % 2][label % LABELS];
        let term = |at: usize| terms[before.cells.label(passed[at].into()) % LABELS];
        let number =
            memo.numbers[view][part].wrapping_add(term(0)).wrapping_add(term(1)).wrapping_add(term(2));
        let set = memo.sets[view][part] ^ change;
        memo.numbers[view][part] = number;
        memo.sets[view][part] = set;
        let place = lookup.database.place(set.into(), blank.into(), number);
        prefetch(lookup.database.word(place));
        memo.places[view] = place;
        memo.parts[view] = part as u8;
    }
}

impl<const N: usize, const V: usize, K: Keeping> Heuristic<Tiles<u64>> for PatternDatabases<N, V, K> {
    type Memo = Sums<N, V>;
    type Carry = K::Kept<N, V>;
    const FAR: bool = true;

    fn name(&self) -> &'static str {
        self.name
    }

    fn evaluate(&self, puzzle: &Tiles<u64>, state: &TileState<u64>) -> Sums<N, V> {
        const { assert!(V <= 2 && N * V <= 8) };
        let mut memo = Sums::default();
        let mut walks = Vec::with_capacity(N * V);
        for (view, lookups) in self.lookups.iter().enumerate() {
            for (part, lookup) in lookups.iter().enumerate() {
                let (set, order) = lookup.place(puzzle, state);
                memo.sets[view][part] = set as u16;
                memo.numbers[view][part] = order::number(&order[..lookup.database.pattern().tiles()]);
                let blank = lookup.laying.0[state.blank as usize].into();
                walks.push(((view, part), Walk::new(&lookup.database, set, blank, order)));
            }
        }
        // All walk together, so that they wait for memory together.
        while walks.iter_mut().fold(false, |any, (_, walk)| walk.look() | any) {
            walks.iter_mut().for_each(|(_, walk)| {
                let _ = walk.step();
            });
        }
        for &((view, part), ref walk) in &walks {
            memo.sums[view] += walk.made as u8;
            memo.residues |= (walk.made as u16 & 3) << (2 * (view * N + part));
        }
        memo
    }

    #[inline(always)]
    fn update(
        &self,
        puzzle: &Tiles<u64>,
        memo: &Sums<N, V>,
        before: &TileState<u64>,
        step: Move,
    ) -> Sums<N, V> {
        self.settle(self.draft(puzzle, memo, before, step))
    }

    #[inline(always)]
    fn draft(
        &self,
        puzzle: &Tiles<u64>,
        memo: &Sums<N, V>,
        before: &TileState<u64>,
        step: Move,
    ) -> Sums<N, V> {
        let label = before.cells.label(puzzle.beside(before.blank, step).into());
        let mut memo = *memo;
        for view in 0..V {
            self.draft_view(&mut memo, view, before, step, label);
        }
        memo
    }

    #[inline(always)]
    fn settle(&self, mut memo: Sums<N, V>) -> Sums<N, V> {
        for view in 0..V {
            let part = memo.parts[view] as usize % N;
            let bit = self.lookups[view][part].database.bit(memo.places[view]) as u16;
            // The bit is the second one of the distance: it tells one more from
            // one less.
            let shift = 2 * (view * N + part);
            let residue = memo.residues >> shift & 3;
            let nearer = bit ^ (residue + 1) >> 1 & 1;
            let after = residue.wrapping_add(1).wrapping_sub(2 * nearer) & 3;
            memo.residues ^= (residue ^ after) << shift;
            memo.sums[view] = memo.sums[view].wrapping_add(1).wrapping_sub(2 * nearer as u8);
        }
        memo
    }

    #[inline(always)]
    fn estimate(&self, memo: &Sums<N, V>) -> u32 {
        memo.sums.iter().copied().max().unwrap_or(0).into()
    }

    #[inline(always)]
    fn carry(&self, memo: &Sums<N, V>) -> K::Kept<N, V> {
        K::keep(memo)
    }

    #[inline(always)]
    fn resume(&self, puzzle: &Tiles<u64>, state: &TileState<u64>, _: u32, kept: K::Kept<N, V>) -> Sums<N, V> {
        K::again(self, puzzle, state, kept)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Steps, walks, whole_space};
    use super::*;

    fn make<const N: usize, K>(partition: &'static str) -> impl Fn(&Tiles<u64>) -> PatternDatabases<N, 2, K> {
        let library = parking_lot::Mutex::new(Library::default());
        move |puzzle| {
            let (partition, library): (Partition, _) = (partition.parse().unwrap(), &mut library.lock());
            assert!(library.fetch(&partition, puzzle.size(), puzzle.goal_blank(), 2, &|_| true).unwrap());
            PatternDatabases::new(puzzle, &partition, library).unwrap()
        }
    }

    #[test]
    fn never_too_many() {
        whole_space((3, 3), Steps::One, make::<2, Whole>("4-4"));
        whole_space((2, 4), Steps::One, make::<3, Recounted>("2-2-3"));
        walks((4, 4), Steps::One, make::<3, Recounted>("5-5-5"));
        walks((3, 4), Steps::One, make::<2, Whole>("5-6"));
        walks((2, 8), Steps::One, make::<3, Whole>("5-5-5"));
    }
}
