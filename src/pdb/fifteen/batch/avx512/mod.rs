//! AVX-512 kernel: prepares sixteen successors at once.
//!
//! The bit indices of a successor take about 150 instructions, which do not depend on other
//! successors. Each successor therefore occupies one lane. Small tables are held in registers
//! and read by permute instructions; only the table of columns is gathered from memory.
//!
//! The results equal those of the scalar code bit for bit; a test compares them.

pub(crate) mod kernel;
pub(crate) mod registers;

pub(in crate::pdb::fifteen::batch) use crate::pdb::fifteen::batch::avx512::registers::AVX512_LANES;

use super::{FifteenBatch, MAX_SUCCESSORS, PARENT_CAPACITY, ParentArrays};
use crate::pdb::Library;
use crate::pdb::fifteen::lookup::{LABELS, Lookup, move_index};
use crate::pdb::geometry::permutation::{FACTORIALS, MAX_TILES};
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use crate::puzzle::{Move, Puzzle};
use std::sync::Arc;

/// Tables of the kernel, each of sixteen words or 64 bytes: one register.
#[derive(Debug)]
#[repr(align(64))]
pub(in crate::pdb) struct Avx512<const N: usize, const V: usize> {
    /// For each last move (or none) and each cell of the blank: the set of moves, one bit each.
    moves: [[u8; 64]; 2],
    /// For each [`move_index`]: four times the cell of the tile that moves.
    from: [u8; MOVE_INDICES],
    /// For each view and label: its tile, and above [`TILE_BITS`] its pattern.
    codes: [[u32; LABELS]; V],
    /// For each view, pattern and cell of the puzzle: the cell of the database.
    orientations: [[[u32; LABELS]; N]; V],
    /// Jumps of moves over other tiles.
    jumps: Vec<JumpTable<N>>,
    /// Inversion delta by the larger of the two tiles, in the upper half.
    deltas: [u32; LABELS],
    /// For each byte of occupied cells: its rank among the bytes with as many cells.
    byte_ranks: [[u8; 64]; 4],
    /// For each pattern and number of occupied cells in the upper byte: in the first byte the
    /// weight of the lower byte's rank, in the second byte that of the upper byte's rank, above
    /// them the start of these sets in `words`.
    set_bases: [[u32; LABELS]; N],
    /// For each pattern: the bits in a row of its table.
    rows: [u32; LABELS],
    /// [`Lookup::word`] of each pattern and set of occupied cells.
    words: Arc<[u64]>,
}

/// Jumps of the moves in one view per move. If a move jumps over tiles in both views, there are
/// two of these tables.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct JumpTable<const N: usize> {
    /// For each move: the view times [`LABELS`].
    views: [u32; LABELS],
    /// For each pattern and [`move_index`]: four times each of the up to three cells that the
    /// tile jumps over, padded with its own cell.
    jumped: [[[u8; MOVE_INDICES]; N]; 3],
}

/// Number of values of [`move_index`].
const MOVE_INDICES: usize = 4 * LABELS;

/// Bits of the tile in a code.
const TILE_BITS: u32 = 3;

/// Mask of the pattern in a code.
const PATTERN_MASK: i32 = 3 << TILE_BITS;

/// Code of a label that is no pattern tile: it matches no pattern.
const NO_TILE: u32 = 0xff;

/// Upper bound of the number of sets of equal size of sixteen cells.
const SETS: usize = 1 << 14;

/// Returns whether the processor supports the kernel.
fn is_supported() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vpopcntdq")
}

/// Returns the bytes of the shared table for `patterns` patterns.
pub(in crate::pdb) fn bytes(patterns: usize) -> u64 {
    if is_supported() { (patterns * SETS * size_of::<u64>()) as u64 } else { 0 }
}

/// Returns the binomial coefficient of 8 and `many`.
fn choose(many: usize) -> usize {
    [1, 8, 28, 56, 70, 56, 28, 8, 1].get(many).copied().unwrap_or(0)
}

impl<const N: usize, const V: usize> Avx512<N, V> {
    /// Creates the tables for `lookups`; `None` if the processor does not support the kernel, or
    /// if the views have patterns of different sizes. The part that does not depend on the goal
    /// is shared in `library`.
    pub(in crate::pdb) fn new<C: Cells>(
        puzzle: &Tiles<C>,
        lookups: &[[Arc<Lookup>; N]; V],
        library: &Library,
    ) -> Option<Box<Self>> {
        const { assert!(N >= 1 && N <= 3 && V >= 1 && V <= 2) };
        let views_are_alike = lookups.iter().all(|view| {
            let same = |a: &Lookup, b: &Lookup| Arc::ptr_eq(&a.words, &b.words) && a.row == b.row;
            view.iter().zip(&lookups[0]).all(|(a, b)| same(a, b))
        });
        if !is_supported() || !views_are_alike {
            return None;
        }
        let patterns = lookups[0].each_ref().map(|lookup| lookup.database.pattern());
        let mut new = Box::new(Self {
            moves: [[0; 64]; 2],
            from: [0; MOVE_INDICES],
            codes: [[NO_TILE; LABELS]; V],
            orientations: [[[0; LABELS]; N]; V],
            jumps: Vec::new(),
            deltas: std::array::from_fn(|tile| FACTORIALS[tile % MAX_TILES] << 16),
            byte_ranks: [[0; 64]; 4],
            set_bases: [[0; LABELS]; N],
            rows: [0; LABELS],
            words: Arc::default(),
        });
        for (view, lookups) in lookups.iter().enumerate() {
            for (part, lookup) in lookups.iter().enumerate() {
                for (label, &tile) in lookup.tiles.iter().enumerate().filter(|&(_, &tile)| tile != u8::MAX) {
                    new.codes[view][label] = (part as u32) << TILE_BITS | u32::from(tile);
                }
                new.orientations[view][part] = std::array::from_fn(|cell| lookup.orientation.0[cell].into());
            }
        }
        new.fill_moves(puzzle);
        new.fill_jump_tables(lookups);
        new.fill_set_ranks(&lookups[0]);
        new.words = library.shared_columns(&patterns, || new.column_words(&lookups[0]));
        Some(new)
    }

    fn fill_moves<C: Cells>(&mut self, puzzle: &Tiles<C>) {
        for blank in 0..puzzle.size().cells() {
            for step in puzzle.moves_from(blank) {
                self.from[move_index(step.0 as usize, blank)] = 4 * puzzle.beside(blank as u8, step);
            }
            let state = TileState { cells: C::from_labels(&[]), blank: blank as u8 };
            for last in 0..5 {
                let step = (last < 4).then_some(Move(last as u32));
                let moves = puzzle.moves(&state, step).fold(0, |moves, step| moves | 1 << step.0);
                let at = move_index(last, blank);
                self.moves[at / 64][at % 64] = moves;
            }
        }
    }

    fn fill_jump_tables(&mut self, lookups: &[[Arc<Lookup>; N]; V]) {
        let no_jumps = JumpTable { views: [0; LABELS], jumped: [[self.from; N]; 3] };
        for step in 0..4 {
            let has_jumps = |view: &usize| lookups[*view].iter().any(|lookup| lookup.jumps[step]);
            for (at, view) in (0..V).filter(has_jumps).enumerate() {
                if at == self.jumps.len() {
                    self.jumps.push(no_jumps.clone());
                }
                let JumpTable { views, jumped } = &mut self.jumps[at];
                views[step] = (view * LABELS) as u32;
                for (part, lookup) in lookups[view].iter().enumerate() {
                    for index in move_index(step, 0)..move_index(step + 1, 0) {
                        for (jumped, cell) in jumped.iter_mut().zip(lookup.jumped(index)) {
                            jumped[part][index] = cell;
                        }
                    }
                }
            }
        }
    }

    fn fill_set_ranks(&mut self, lookups: &[Arc<Lookup>; N]) {
        let mut found = [0; MAX_TILES + 1];
        for byte in 0..256usize {
            let many = byte.count_ones() as usize;
            self.byte_ranks[byte / 64][byte % 64] = found[many];
            found[many] += 1;
        }
        for (part, lookup) in lookups.iter().enumerate() {
            self.rows[part] = lookup.row;
            let tiles = lookup.database.pattern().tiles();
            let mut base = part * SETS;
            for many in 0..=tiles {
                let below = choose(tiles - many);
                self.set_bases[part][many] = (base << 16 | below << 8 | 1) as u32;
                base += choose(many) * below;
            }
        }
    }

    /// Computes the words of all sets of all patterns.
    fn column_words(&self, lookups: &[Arc<Lookup>; N]) -> Arc<[u64]> {
        let mut words = vec![0; N * SETS];
        for (lookup, set_bases) in lookups.iter().zip(&self.set_bases) {
            let tiles = lookup.database.pattern().tiles();
            for set in (0..1usize << LABELS).filter(|set| set.count_ones() as usize == tiles) {
                let rank = |byte: usize| usize::from(self.byte_ranks[byte / 64][byte % 64]);
                let base = set_bases[(set >> 8).count_ones() as usize] as usize;
                let at = (base >> 16) + rank(set >> 8) * (base >> 8 & 0xff) + rank(set & 0xff);
                words[at] = lookup.word(set as u32);
            }
        }
        words.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::test_support::goals;
    use crate::heuristic::{EXPANSION_BATCH, Heuristic, Parent, SelectionMask, SuccessorBatch};
    use crate::pdb::PatternDatabases;
    use crate::pdb::fifteen::payload::FifteenPayload;
    use crate::pdb::{FullPayload, Partition};

    /// Returns all fields of all successors.
    fn all_fields<const N: usize>(batch: &FifteenBatch<N, 2>) -> Vec<([u64; 6], Vec<u32>, u8)> {
        let pending = |at: usize| {
            let [first, second] = [0, 1].map(|view| (batch.bit_indices[view][at], batch.parts[view][at]));
            let words = [first.0, first.1, second.0, second.1, batch.sums[at]].map(u64::from);
            let [a, b, c, d, e] = words;
            let indices = batch.indices.iter().flatten().map(|array| array[at]).collect();
            ([batch.cells[at], a, b, c, d, e], indices, batch.parents[at])
        };
        (0..batch.count).map(pending).collect()
    }

    fn compare<const N: usize>((rows, cols): (usize, usize), partition: &str) {
        let (partition, mut library): (Partition, _) = (partition.parse().unwrap(), Library::default());
        for goal in goals(rows, cols) {
            let puzzle = Tiles::<u64>::new(&goal).unwrap();
            assert!(library.fetch(&partition, goal.size(), puzzle.goal_blank(), 2, &|_| true).unwrap());
            let databases =
                PatternDatabases::<N, 2, FullPayload>::new(&puzzle, &partition, &library).unwrap();
            assert_eq!(databases.avx512.is_some(), is_supported());
            let Some(avx512) = &databases.avx512 else {
                eprintln!("skipped: this processor has no AVX-512");
                return;
            };
            let (mut state, mut last, mut random) = (puzzle.state(&goal), None, 1u32);
            let (mut scalar, mut vector, mut next) =
                <(FifteenBatch<N, 2>, FifteenBatch<N, 2>, FifteenBatch<N, 2>)>::default();
            for round in 0..200 {
                let boards: Vec<(FifteenPayload<N, 2>, Parent)> = (0..round % EXPANSION_BATCH as u32 + 1)
                    .map(|index| {
                        random = random.wrapping_mul(0x915f_77f5).wrapping_add(0x3c6e_f35f);
                        let moves: Vec<Move> = puzzle.moves(&state, last).collect();
                        let step = moves[(random >> 20) as usize % moves.len()];
                        (state, last) = (puzzle.apply(&state, step), Some(step));
                        let memo = databases.evaluate(&puzzle, &state);
                        (memo.payload, Parent { index, last: last.filter(|_| random >> 30 > 0) })
                    })
                    .collect();
                let parents: Vec<Parent> = boards.iter().map(|board| board.1).collect();
                let payload = |index: u32| &boards[index as usize].0;
                databases.prepare_scalar(&puzzle, &parents, payload, &mut scalar);
                vector.parent_arrays.gather(&parents, payload);
                avx512.prepare(parents.len(), &mut vector);
                assert_eq!(all_fields(&vector), all_fields(&scalar));

                // Every third successor, up to a whole batch.
                databases.finish_all(&mut scalar);
                let selected: Vec<usize> =
                    (0..scalar.count).skip(1).step_by(3).take(EXPANSION_BATCH).collect();
                let mut bits = SelectionMask::default();
                selected.iter().for_each(|at| bits[at / 64] |= 1 << (at % 64));
                avx512.prepare_selected(&scalar, bits, &mut next);
                let boards: Vec<FifteenPayload<N, 2>> =
                    selected.iter().map(|&at| scalar.payload(at)).collect();
                let parents: Vec<Parent> = (0..)
                    .zip(&selected)
                    .map(|(index, &at)| Parent { index, last: Some(scalar.step(at)) })
                    .collect();
                databases.prepare_scalar(&puzzle, &parents, |index| &boards[index as usize], &mut vector);
                assert_eq!(all_fields(&next), all_fields(&vector));
            }
        }
    }

    #[test]
    fn vector_and_scalar_results_agree() {
        compare::<2>((2, 2), "1-2");
        compare::<2>((3, 3), "4-4");
        compare::<3>((3, 3), "1-3-4");
        compare::<2>((5, 2), "1-8");
        compare::<2>((3, 4), "4-7");
        compare::<3>((2, 8), "5-5-5");
        compare::<2>((3, 4), "5-6");
        compare::<2>((5, 2), "4-5");
        compare::<3>((4, 4), "5-5-5");
        compare::<3>((4, 4), "6-6-3");
    }
}
