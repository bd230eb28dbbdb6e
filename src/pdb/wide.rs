//! Several divisions of a large board at once: the greatest of their sums.
//!
//! Boards of 17 to 25 cells are looked at in many *views*: each division of the
//! tiles, its mirror image, and what can be put together from the patterns of
//! both. A pattern that occurs in several views is looked up once for all of
//! them. A move changes the patterns of one tile; each of them changes the sums
//! of its views by one, all in one addition.
//!
//! Where a pattern's tiles are is read from a list of all tiles' cells, which
//! travels with the board. That costs little more than to follow each pattern
//! move by move, and a memo stays small.

use super::database::{Database, Walk};
use super::partition::Partition;
use crate::heuristic::{Heuristic, NoBatch};
use crate::memory::prefetch;
use crate::pdb::files::registry::Library;
use crate::pdb::geometry::canonical::{CELLS, Set, Symmetry};
use crate::pdb::geometry::permutation::{self, FACTORIALS, MOST_TILES};
use crate::puzzle::Move;
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use bytemuck::{Pod, Zeroable};
use std::sync::Arc;

/// Labels of tiles, and cells; a mask keeps a number below it.
const LABELS: usize = 32;

/// Patterns of a view, at most: each has two bits in a byte.
const PATTERNS: usize = 4;

/// The greatest of up to `V` sums of patterns' distances.
#[derive(Debug)]
pub struct MaxOfPartitions<const V: usize> {
    name: &'static str,
    patterns: Vec<Seen>,
    /// For each label, the patterns that it is in.
    with: [Vec<u8>; LABELS],
    /// For each pattern: two for each sum that it is in, the difference between
    /// coming nearer and going away.
    changes: Vec<[u8; V]>,
    /// One for each sum that is in use.
    views: [u8; V],
}

/// A pattern as it lies on the board.
#[derive(Debug)]
struct Seen {
    database: Arc<Database>,
    /// The labels of its tiles, in their order.
    labels: [u8; MOST_TILES],
    tiles: usize,
    /// From the board's cells to those of the database.
    laying: [u8; LABELS],
    /// The board's cells where the tiles belong.
    homes: Set,
}

/// A board as several partitions see it.
#[derive(Clone, Copy, Debug)]
pub struct Memo<const V: usize> {
    sums: [u8; V],
    /// The cell of each label.
    cells: [u8; LABELS],
    /// The patterns' distances modulo 4.
    residues: [u8; V],
    /// The ranks of the occupied cells and the numbers of the orders in the
    /// patterns that have changed, and then where the bits are that a pending still
    /// has to look at. A tile is in one pattern of each view.
    places: [u32; V],
    numbers: [u16; V],
    /// The label that has moved, and where the blank is now.
    label: u8,
    blank: u8,
}

impl<const V: usize> Memo<V> {
    #[inline(always)]
    fn new(sums: [u8; V], residues: [u8; V], cells: [u8; LABELS]) -> Self {
        Self { sums, cells, residues, places: [0; V], numbers: [0; V], label: 0, blank: 0 }
    }
}

impl<const V: usize> PartialEq for Memo<V> {
    fn eq(&self, other: &Self) -> bool {
        let parts = |memo: &Self| (memo.sums, memo.cells, memo.residues);
        parts(self) == parts(other)
    }
}

/// What is kept of a memo in the open list: the sums, and two bits for each of
/// up to four patterns a sum.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(4))]
pub struct Kept<const V: usize> {
    sums: [u8; V],
    residues: [u8; V],
}

#[allow(unsafe_code)]
// SAFETY: all fields can be zero.
unsafe impl<const V: usize> Zeroable for Kept<V> {}
#[allow(unsafe_code)]
// SAFETY: `repr(C)` and bytes only; `V` is a multiple of four (checked in
// `new`), so that there is no padding at the end either.
unsafe impl<const V: usize> Pod for Kept<V> {}

impl Seen {
    /// The rank of the occupied cells of a board whose tiles lie in `cells`, and
    /// the number of the tiles' order. What is known by the rank is asked for.
    #[inline(always)]
    fn rank(&self, cells: &[u8; LABELS]) -> (u32, u16) {
        let (mut set, mut number): (Set, u32) = (0, 0);
        for (&label, &factorial) in self.labels.iter().zip(&FACTORIALS).take(self.tiles) {
            let cell = self.laying[cells[label as usize % LABELS] as usize % LABELS];
            // Smaller tiles that are met later.
            number += (set >> (cell % 32)).count_ones() * factorial;
            set |= 1 << (cell % 32);
        }
        (self.database.rank(set), number as u16)
    }

    /// Where the bit is that belongs to them and to the blank's cell. It is asked
    /// for.
    #[inline(always)]
    fn place(&self, rank: u32, number: u16, blank: u8) -> u32 {
        let place = self.database.place_by_rank(rank, self.laying[blank as usize % LABELS].into(), number);
        prefetch(self.database.word(place));
        place
    }

    /// The occupied cells of the database, and the tiles on them in their order.
    fn order(&self, cells: &[u8; LABELS]) -> (Set, permutation::Order) {
        let mut on = [u8::MAX; CELLS];
        for (tile, &label) in self.labels.iter().enumerate().take(self.tiles) {
            on[self.laying[cells[label as usize] as usize] as usize] = tile as u8;
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

impl<const V: usize> MaxOfPartitions<V> {
    /// A partition of a puzzle's tiles, with databases that are in a library;
    /// none if they are not, or if there are more than `V` views.
    pub fn new<C: Cells>(puzzle: &Tiles<C>, partition: &Partition, library: &Library) -> Option<Self> {
        const { assert!(V.is_multiple_of(4) && PATTERNS * V <= 64) };
        let (size, goal_blank) = (puzzle.size(), puzzle.goal_blank());
        let mut patterns: Vec<Seen> = Vec::new();
        // The patterns of each view, a bit each.
        let mut views: Vec<u64> = Vec::new();
        for view in partition.views(size, goal_blank)? {
            let mut members = 0;
            for pattern in &view.patterns {
                let (canonical, onto) = pattern.canonical();
                let seen = Seen::new(puzzle, library.find(canonical)?, view.laying.then(onto));
                let at = patterns.iter().position(|known| known.homes == seen.homes).unwrap_or_else(|| {
                    patterns.push(seen);
                    patterns.len() - 1
                });
                members |= 1u64.checked_shl(at as u32)?;
            }
            if !views.contains(&members) {
                views.push(members);
            }
        }
        if views.len() > V || patterns.len() > PATTERNS * V {
            return None;
        }
        // Sums that are left over serve what can be put together besides.
        let all: Set = ((1 << size.cells()) - 1) & !(1 << goal_blank);
        let mut mixed = Vec::new();
        cover(&patterns, all, 0, &mut mixed);
        mixed.retain(|members| !views.contains(members));
        views.extend(mixed);
        views.truncate(V);
        let mut with: [Vec<u8>; LABELS] = Default::default();
        let mut changes = vec![[0; V]; patterns.len()];
        for (at, pattern) in patterns.iter().enumerate() {
            for &label in &pattern.labels[..pattern.tiles] {
                with[label as usize].push(at as u8);
            }
            for (view, members) in views.iter().enumerate() {
                if members >> at & 1 == 1 {
                    changes[at][view] = 2;
                }
            }
        }
        if with.iter().any(|patterns| patterns.len() > V) {
            return None;
        }
        let used = std::array::from_fn(|view| u8::from(view < views.len()));
        Some(Self { name: partition.name(), patterns, with, changes, views: used })
    }
}

/// Patterns that are looked up before anybody asks whether that is enough.
const AT_ONCE: usize = 4;

impl<const V: usize> MaxOfPartitions<V> {
    /// Looks up what a pending waits for, until an estimate is above `most`: then
    /// the memo is returned as an error, with sums that are not above the true
    /// ones.
    #[inline(always)]
    fn look(&self, mut memo: Memo<V>, most: u32) -> Result<Memo<V>, Memo<V>> {
        // Each view has one pattern that changes. As long as it is not known
        // how, it is taken to come nearer.
        for (sum, view) in memo.sums.iter_mut().zip(&self.views) {
            *sum = sum.wrapping_sub(*view);
        }
        let patterns = &self.with[memo.label as usize % LABELS][..];
        for (places, patterns) in memo.places.chunks_exact(AT_ONCE).zip(patterns.chunks(AT_ONCE)) {
            for (&place, &at) in places.iter().zip(patterns) {
                let bit = self.patterns[at as usize].database.bit(place);
                // The bit is the second one of the distance: it tells one more
                // from one less.
                let (byte, shift) = (at as usize / PATTERNS % V, 2 * (at as usize % PATTERNS));
                let residue = u32::from(memo.residues[byte]) >> shift & 3;
                let nearer = bit ^ (residue + 1) >> 1 & 1;
                let after = residue.wrapping_add(1).wrapping_sub(2 * nearer) & 3;
                memo.residues[byte] ^= ((residue ^ after) << shift) as u8;
                let further = (nearer as u8).wrapping_sub(1);
                for (sum, change) in memo.sums.iter_mut().zip(&self.changes[at as usize]) {
                    *sum = sum.wrapping_add(change & further);
                }
            }
            if most < u32::MAX && self.estimate(&memo) > most {
                return Err(memo);
            }
        }
        Ok(memo)
    }

    #[inline(always)]
    fn estimate(&self, memo: &Memo<V>) -> u32 {
        memo.sums.iter().copied().max().unwrap_or(0).into()
    }
}

/// All ways to put a board's tiles together from patterns.
fn cover(patterns: &[Seen], missing: Set, selected: u64, covers: &mut Vec<u64>) {
    if missing == 0 {
        covers.push(selected);
        return;
    }
    let next = missing & missing.wrapping_neg();
    for (at, pattern) in patterns.iter().enumerate() {
        if pattern.homes & next != 0 && pattern.homes & !missing == 0 {
            cover(patterns, missing & !pattern.homes, selected | 1 << at, covers);
        }
    }
}

impl Seen {
    fn new<C: Cells>(puzzle: &Tiles<C>, database: Arc<Database>, laying: Symmetry) -> Self {
        let mut new = Self {
            tiles: database.pattern().tiles(),
            labels: [0; MOST_TILES],
            laying: [0; LABELS],
            homes: 0,
            database,
        };
        new.laying[..CELLS].copy_from_slice(&laying.0);
        let homes = new.database.pattern().homes;
        for label in 1..puzzle.size().cells() {
            let cell = puzzle.home(label);
            let home = laying.0[cell];
            if homes >> home & 1 == 1 {
                let tile = (homes & ((1 << home) - 1)).count_ones();
                new.labels[tile as usize] = label as u8;
                new.homes |= 1 << cell;
            }
        }
        new
    }
}

/// The cell of each label.
#[inline(always)]
fn cells_of_labels(puzzle: &Tiles<u128>, state: &TileState<u128>) -> [u8; LABELS] {
    let mut cells = [0; LABELS];
    let mut rest = state.cells;
    for cell in 0..puzzle.size().cells() {
        cells[rest as usize % LABELS] = cell as u8;
        rest >>= 5;
    }
    cells[0] = 0;
    cells
}

impl<const V: usize> Heuristic<Tiles<u128>> for MaxOfPartitions<V> {
    type Memo = Memo<V>;
    type Payload = Kept<V>;
    type SuccessorBatch = NoBatch;
    const PREFETCHED: bool = true;

    fn name(&self) -> &'static str {
        self.name
    }

    fn evaluate(&self, puzzle: &Tiles<u128>, state: &TileState<u128>) -> Memo<V> {
        let cells = cells_of_labels(puzzle, state);
        let mut memo = Memo::new([0; V], [0; V], cells);
        let mut walks: Vec<Walk<'_>> = Vec::with_capacity(self.patterns.len());
        for pattern in &self.patterns {
            let (set, order) = pattern.order(&cells);
            let blank = pattern.laying[state.blank as usize].into();
            walks.push(Walk::new(&pattern.database, set, blank, order));
        }
        // All walk together, so that they wait for memory together.
        while walks.iter_mut().fold(false, |any, walk| walk.look() | any) {
            walks.iter_mut().for_each(|walk| {
                let _ = walk.step();
            });
        }
        for (at, walk) in walks.iter().enumerate() {
            memo.residues[at / PATTERNS] |= ((walk.made & 3) << (2 * (at % PATTERNS))) as u8;
            for (sum, change) in memo.sums.iter_mut().zip(&self.changes[at]) {
                *sum += change / 2 * walk.made as u8;
            }
        }
        memo
    }

    #[inline(always)]
    fn update(&self, puzzle: &Tiles<u128>, memo: &Memo<V>, before: &TileState<u128>, step: Move) -> Memo<V> {
        let mut pending = self.prepare(puzzle, memo, before, step);
        self.resolve(&mut pending);
        self.finish(&mut pending);
        pending
    }

    #[inline(always)]
    fn prepare(&self, puzzle: &Tiles<u128>, memo: &Memo<V>, before: &TileState<u128>, step: Move) -> Memo<V> {
        let from = puzzle.beside(before.blank, step);
        let label = before.cells.label(from.into()) % LABELS;
        let mut memo = *memo;
        memo.cells[label] = before.blank;
        (memo.label, memo.blank) = (label as u8, from);
        for ((rank, number), &at) in memo.places.iter_mut().zip(&mut memo.numbers).zip(&self.with[label]) {
            (*rank, *number) = self.patterns[at as usize].rank(&memo.cells);
        }
        memo
    }

    #[inline(always)]
    fn resolve(&self, pending: &mut Memo<V>) {
        let with = &self.with[pending.label as usize % LABELS];
        for ((place, &number), &at) in pending.places.iter_mut().zip(&pending.numbers).zip(with) {
            *place = self.patterns[at as usize].place(*place, number, pending.blank);
        }
    }

    #[inline(always)]
    fn finish(&self, memo: &mut Memo<V>) {
        let (Ok(finished) | Err(finished)) = self.look(*memo, u32::MAX);
        *memo = finished;
    }

    #[inline(always)]
    fn finish_within(&self, pending: Memo<V>, most: u32) -> Result<Memo<V>, u32> {
        self.look(pending, most).map_err(|memo| self.estimate(&memo))
    }

    #[inline(always)]
    fn estimate(&self, memo: &Memo<V>) -> u32 {
        self.estimate(memo)
    }

    #[inline(always)]
    fn payload(&self, memo: &Memo<V>) -> Kept<V> {
        Kept { sums: memo.sums, residues: memo.residues }
    }

    #[inline(always)]
    fn restore(&self, puzzle: &Tiles<u128>, state: &TileState<u128>, _: u32, kept: Kept<V>) -> Memo<V> {
        Memo::new(kept.sums, kept.residues, cells_of_labels(puzzle, state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::test_support::{ChangePerMove, check_random_walks, goals};
    use crate::puzzle::Puzzle;

    fn make<const V: usize>(partition: &'static str) -> impl Fn(&Tiles<u128>) -> MaxOfPartitions<V> {
        let library = parking_lot::Mutex::new(Library::default());
        move |puzzle| {
            let (partition, library): (Partition, _) = (partition.parse().unwrap(), &mut library.lock());
            assert!(library.fetch(&partition, puzzle.size(), puzzle.goal_blank(), 2, &|_| true).unwrap());
            MaxOfPartitions::new(puzzle, &partition, library).unwrap()
        }
    }

    #[test]
    fn never_too_many_and_always_one_more_or_less() {
        check_random_walks((3, 6), ChangePerMove::One, make::<8>("5-4-4-4x2"));
        check_random_walks((5, 4), ChangePerMove::One, make::<16>("5-5-5-4x4"));
        check_random_walks((2, 9), ChangePerMove::One, make::<4>("5-6-6"));
    }

    #[test]
    fn estimates_that_stop_early_are_bounds() {
        let puzzle = Tiles::<u128>::new(&goals(3, 6)[0]).unwrap();
        let heuristic = make::<8>("5-4-4-4x2")(&puzzle);
        let mut state = puzzle.unpack(puzzle.pack(&puzzle.state(&goals(3, 6)[0])));
        for turn in 0..500usize {
            let memo = heuristic.evaluate(&puzzle, &state);
            let moves: Vec<Move> = puzzle.moves(&state, None).collect();
            let step = moves[turn * turn % moves.len()];
            let mut pending = heuristic.prepare(&puzzle, &memo, &state, step);
            heuristic.resolve(&mut pending);
            let mut whole = pending;
            heuristic.finish(&mut whole);
            let estimate = Heuristic::<Tiles<u128>>::estimate(&heuristic, &whole);
            for most in 0..estimate + 2 {
                match heuristic.finish_within(pending, most) {
                    Ok(memo) => assert!(memo == whole && estimate <= most),
                    Err(early) => assert!(early > most && early <= estimate),
                }
            }
            state = puzzle.apply(&state, step);
        }
    }
}
