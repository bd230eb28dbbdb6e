//! Heuristic for boards of 17 to 25 cells: the maximum over several partitions.
//!
//! A board has many *views*: each partition of the tiles, its mirror image, and further
//! partitions assembled from the patterns of both. A pattern that occurs in several views is
//! looked up once. A move changes the patterns of one tile; each of them changes the sums of
//! its views by one, in one vector addition.
//!
//! A lookup is two dependent loads: the rank of the occupied cells gives the class, and class
//! plus permutation rank give the bit index. `prepare` computes the set rank, `resolve` performs
//! the first load and prefetches the second, `finish` reads the bit.
//!
//! The memo contains the cell of each label, from which pattern indices are recomputed after a
//! move. That costs little more than incremental updates, and keeps the memo small.

use super::database::{Database, Descent};
use super::partition::Partition;
use crate::heuristic::{Heuristic, NoBatch};
use crate::memory::prefetch;
use crate::pdb::files::registry::Library;
use crate::pdb::geometry::canonical::{CELLS, CellSet, Symmetry};
use crate::pdb::geometry::permutation::{self, FACTORIALS, MAX_TILES};
use crate::puzzle::Move;
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use bytemuck::{Pod, Zeroable};
use std::sync::Arc;

/// Upper bound of labels and cells. A power of two, so that a mask replaces bounds checks.
const LABELS: usize = 32;

/// Maximum number of patterns of a view: each has two bits of a byte of residues.
const PATTERNS: usize = 4;

/// Heuristic: the maximum over up to `V` views of the sum of pattern distances.
#[derive(Debug)]
pub struct MaxOfPartitions<const V: usize> {
    name: &'static str,
    patterns: Vec<PlacedPattern>,
    /// For each label, the patterns that contain it.
    patterns_of_label: [Vec<u8>; LABELS],
    /// For each pattern and view: 2 if the view contains the pattern, else 0. That is the
    /// difference between a distance that grew and one that shrank by one.
    view_deltas: Vec<[u8; V]>,
    /// 1 for each view in use, else 0.
    used_views: [u8; V],
}

/// Pattern with its map from the board to its database.
#[derive(Debug)]
struct PlacedPattern {
    database: Arc<Database>,
    /// Labels of its tiles.
    labels: [u8; MAX_TILES],
    tiles: usize,
    /// Map from the cells of the board to those of the database.
    orientation: [u8; LABELS],
    /// Goal cells of the tiles on the board.
    homes: CellSet,
}

/// Memo of [`MaxOfPartitions`].
#[derive(Clone, Copy, Debug)]
pub struct Memo<const V: usize> {
    sums: [u8; V],
    /// Cell of each label.
    cells: [u8; LABELS],
    /// Distances of the patterns modulo 4.
    residues: [u8; V],
    /// For each changed pattern of a pending update: after `prepare` the set rank, after
    /// `resolve` the bit index. At most `V`, because a tile is in one pattern of each view.
    addresses: [u32; V],
    /// Permutation ranks of the changed patterns.
    ranks: [u16; V],
    /// Label of the moved tile.
    label: u8,
    /// Cell of the blank after the move.
    blank: u8,
}

impl<const V: usize> Memo<V> {
    #[inline(always)]
    fn new(sums: [u8; V], residues: [u8; V], cells: [u8; LABELS]) -> Self {
        Self { sums, cells, residues, addresses: [0; V], ranks: [0; V], label: 0, blank: 0 }
    }
}

impl<const V: usize> PartialEq for Memo<V> {
    fn eq(&self, other: &Self) -> bool {
        let fields = |memo: &Self| (memo.sums, memo.cells, memo.residues);
        fields(self) == fields(other)
    }
}

/// Payload of [`MaxOfPartitions`]: the sums, and the distances modulo 4 at two bits each.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(4))]
pub struct WidePayload<const V: usize> {
    sums: [u8; V],
    residues: [u8; V],
}

#[allow(unsafe_code)]
// SAFETY: all fields are bytes, so zero is valid.
unsafe impl<const V: usize> Zeroable for WidePayload<V> {}
#[allow(unsafe_code)]
// SAFETY: `repr(C)` and bytes only; `V` is a multiple of four (checked in `new`), so there is
// no padding at the end either.
unsafe impl<const V: usize> Pod for WidePayload<V> {}

impl PlacedPattern {
    /// Returns the rank of the occupied cells and the rank of the permutation, given the cell
    /// of each label. Prefetches the region numbers of the set.
    #[inline(always)]
    fn ranks(&self, cells: &[u8; LABELS]) -> (u32, u16) {
        let (mut set, mut rank): (CellSet, u32) = (0, 0);
        for (&label, &factorial) in self.labels.iter().zip(&FACTORIALS).take(self.tiles) {
            let cell = self.orientation[cells[label as usize % LABELS] as usize % LABELS];
            // Smaller tiles on later cells.
            rank += (set >> (cell % 32)).count_ones() * factorial;
            set |= 1 << (cell % 32);
        }
        (self.database.set_rank(set), rank as u16)
    }

    /// Returns the bit index of a state and prefetches the bit.
    #[inline(always)]
    fn bit_index(&self, set_rank: u32, rank: u16, blank: u8) -> u32 {
        let blank = self.orientation[blank as usize % LABELS].into();
        let bit_index = self.database.bit_index_by_set_rank(set_rank, blank, rank);
        prefetch(self.database.word_address(bit_index));
        bit_index
    }

    /// Returns the occupied cells of the database, and the permutation of the tiles on them.
    fn placement(&self, cells: &[u8; LABELS]) -> (CellSet, permutation::Permutation) {
        let mut tile_on = [u8::MAX; CELLS];
        for (tile, &label) in self.labels.iter().enumerate().take(self.tiles) {
            tile_on[self.orientation[cells[label as usize] as usize] as usize] = tile as u8;
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

impl<const V: usize> MaxOfPartitions<V> {
    /// Creates the heuristic for `partition`; `None` if a database is not in `library`, or if
    /// there are more than `V` views.
    pub fn new<C: Cells>(puzzle: &Tiles<C>, partition: &Partition, library: &Library) -> Option<Self> {
        const { assert!(V.is_multiple_of(4) && PATTERNS * V <= 64) };
        let (size, goal_blank) = (puzzle.size(), puzzle.goal_blank());
        let mut patterns: Vec<PlacedPattern> = Vec::new();
        // The patterns of each view, one bit each.
        let mut views: Vec<u64> = Vec::new();
        for view in partition.views(size, goal_blank)? {
            let mut members = 0;
            for pattern in &view.patterns {
                let (canonical, onto) = pattern.canonical();
                let placed =
                    PlacedPattern::new(puzzle, library.find(canonical)?, view.orientation.then(onto));
                let at = patterns.iter().position(|known| known.homes == placed.homes).unwrap_or_else(|| {
                    patterns.push(placed);
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
        // Unused views are filled with other partitions made of the patterns.
        let all: CellSet = ((1 << size.cells()) - 1) & !(1 << goal_blank);
        let mut others = Vec::new();
        exact_covers(&patterns, all, 0, &mut others);
        others.retain(|members| !views.contains(members));
        views.extend(others);
        views.truncate(V);
        let mut patterns_of_label: [Vec<u8>; LABELS] = Default::default();
        let mut view_deltas = vec![[0; V]; patterns.len()];
        for (at, pattern) in patterns.iter().enumerate() {
            for &label in &pattern.labels[..pattern.tiles] {
                patterns_of_label[label as usize].push(at as u8);
            }
            for (view, members) in views.iter().enumerate() {
                if members >> at & 1 == 1 {
                    view_deltas[at][view] = 2;
                }
            }
        }
        if patterns_of_label.iter().any(|patterns| patterns.len() > V) {
            return None;
        }
        let used_views = std::array::from_fn(|view| u8::from(view < views.len()));
        Some(Self { name: partition.name(), patterns, patterns_of_label, view_deltas, used_views })
    }
}

/// Number of lookups between two comparisons with the bound.
const LOOKUPS_PER_CHECK: usize = 4;

impl<const V: usize> MaxOfPartitions<V> {
    /// Reads the bits of a pending update. As soon as the estimate exceeds `most`, returns the
    /// memo as an error, with sums that are lower bounds of the true ones.
    #[inline(always)]
    fn finish_bounded(&self, mut memo: Memo<V>, most: u32) -> Result<Memo<V>, Memo<V>> {
        // One pattern of each view changes. Until its bit is read, its distance is assumed to
        // shrink by one.
        for (sum, is_used) in memo.sums.iter_mut().zip(&self.used_views) {
            *sum = sum.wrapping_sub(*is_used);
        }
        let patterns = &self.patterns_of_label[memo.label as usize % LABELS][..];
        for (bit_indices, patterns) in
            memo.addresses.chunks_exact(LOOKUPS_PER_CHECK).zip(patterns.chunks(LOOKUPS_PER_CHECK))
        {
            for (&bit_index, &at) in bit_indices.iter().zip(patterns) {
                let bit = self.patterns[at as usize].database.bit(bit_index);
                // `bit` is the second bit of the new distance. With both bits of the old one
                // it distinguishes +1 from -1.
                let (byte, shift) = (at as usize / PATTERNS % V, 2 * (at as usize % PATTERNS));
                let residue = u32::from(memo.residues[byte]) >> shift & 3;
                let nearer = bit ^ (residue + 1) >> 1 & 1;
                let after = residue.wrapping_add(1).wrapping_sub(2 * nearer) & 3;
                memo.residues[byte] ^= ((residue ^ after) << shift) as u8;
                let if_farther = (nearer as u8).wrapping_sub(1);
                for (sum, delta) in memo.sums.iter_mut().zip(&self.view_deltas[at as usize]) {
                    *sum = sum.wrapping_add(delta & if_farther);
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

/// Collects all partitions of the tiles `missing` into patterns (exact covers).
fn exact_covers(patterns: &[PlacedPattern], missing: CellSet, selected: u64, covers: &mut Vec<u64>) {
    if missing == 0 {
        covers.push(selected);
        return;
    }
    let next = missing & missing.wrapping_neg();
    for (at, pattern) in patterns.iter().enumerate() {
        if pattern.homes & next != 0 && pattern.homes & !missing == 0 {
            exact_covers(patterns, missing & !pattern.homes, selected | 1 << at, covers);
        }
    }
}

impl PlacedPattern {
    fn new<C: Cells>(puzzle: &Tiles<C>, database: Arc<Database>, orientation: Symmetry) -> Self {
        let mut new = Self {
            tiles: database.pattern().tiles(),
            labels: [0; MAX_TILES],
            orientation: [0; LABELS],
            homes: 0,
            database,
        };
        new.orientation[..CELLS].copy_from_slice(&orientation.0);
        let homes = new.database.pattern().homes;
        for label in 1..puzzle.size().cells() {
            let cell = puzzle.home(label);
            let home = orientation.0[cell];
            if homes >> home & 1 == 1 {
                let tile = (homes & ((1 << home) - 1)).count_ones();
                new.labels[tile as usize] = label as u8;
                new.homes |= 1 << cell;
            }
        }
        new
    }
}

/// Returns the cell of each label.
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
    type Payload = WidePayload<V>;
    type SuccessorBatch = NoBatch;
    const PREFETCHED: bool = true;

    fn name(&self) -> &'static str {
        self.name
    }

    fn evaluate(&self, puzzle: &Tiles<u128>, state: &TileState<u128>) -> Memo<V> {
        let cells = cells_of_labels(puzzle, state);
        let mut memo = Memo::new([0; V], [0; V], cells);
        let mut descents: Vec<Descent<'_>> = Vec::with_capacity(self.patterns.len());
        for pattern in &self.patterns {
            let (set, permutation) = pattern.placement(&cells);
            let blank = pattern.orientation[state.blank as usize].into();
            descents.push(Descent::new(&pattern.database, set, blank, permutation));
        }
        // The descents are interleaved, so that their cache misses overlap.
        while descents.iter_mut().fold(false, |any, descent| descent.prefetch_moves() | any) {
            descents.iter_mut().for_each(|descent| {
                let _ = descent.step();
            });
        }
        for (at, descent) in descents.iter().enumerate() {
            memo.residues[at / PATTERNS] |= ((descent.moves & 3) << (2 * (at % PATTERNS))) as u8;
            for (sum, delta) in memo.sums.iter_mut().zip(&self.view_deltas[at]) {
                *sum += delta / 2 * descent.moves as u8;
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
        for ((set_rank, rank), &at) in
            memo.addresses.iter_mut().zip(&mut memo.ranks).zip(&self.patterns_of_label[label])
        {
            (*set_rank, *rank) = self.patterns[at as usize].ranks(&memo.cells);
        }
        memo
    }

    #[inline(always)]
    fn resolve(&self, pending: &mut Memo<V>) {
        let patterns = &self.patterns_of_label[pending.label as usize % LABELS];
        for ((address, &rank), &at) in pending.addresses.iter_mut().zip(&pending.ranks).zip(patterns) {
            *address = self.patterns[at as usize].bit_index(*address, rank, pending.blank);
        }
    }

    #[inline(always)]
    fn finish(&self, memo: &mut Memo<V>) {
        let (Ok(finished) | Err(finished)) = self.finish_bounded(*memo, u32::MAX);
        *memo = finished;
    }

    #[inline(always)]
    fn finish_within(&self, pending: Memo<V>, most: u32) -> Result<Memo<V>, u32> {
        self.finish_bounded(pending, most).map_err(|memo| self.estimate(&memo))
    }

    #[inline(always)]
    fn estimate(&self, memo: &Memo<V>) -> u32 {
        self.estimate(memo)
    }

    #[inline(always)]
    fn payload(&self, memo: &Memo<V>) -> WidePayload<V> {
        WidePayload { sums: memo.sums, residues: memo.residues }
    }

    #[inline(always)]
    fn restore(
        &self,
        puzzle: &Tiles<u128>,
        state: &TileState<u128>,
        _: u32,
        payload: WidePayload<V>,
    ) -> Memo<V> {
        Memo::new(payload.sums, payload.residues, cells_of_labels(puzzle, state))
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
    fn estimates_are_admissible_and_change_by_one() {
        check_random_walks((3, 6), ChangePerMove::One, make::<8>("5-4-4-4x2"));
        check_random_walks((5, 4), ChangePerMove::One, make::<16>("5-5-5-4x4"));
        check_random_walks((2, 9), ChangePerMove::One, make::<4>("5-6-6"));
    }

    #[test]
    fn early_estimates_are_lower_bounds() {
        let puzzle = Tiles::<u128>::new(&goals(3, 6)[0]).unwrap();
        let heuristic = make::<8>("5-4-4-4x2")(&puzzle);
        let mut state = puzzle.unpack(puzzle.pack(&puzzle.state(&goals(3, 6)[0])));
        for round in 0..500usize {
            let memo = heuristic.evaluate(&puzzle, &state);
            let moves: Vec<Move> = puzzle.moves(&state, None).collect();
            let step = moves[round * round % moves.len()];
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
