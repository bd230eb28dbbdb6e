//! Avx512 successors at once, on processors with AVX-512.
//!
//! Until it is known where a successor's bits are, some 150 steps are needed. None of
//! them depends on another successor, so avx512 are made together, each in a lane of its
//! own. Small tables are in registers, where they are read for all lanes at once; the only
//! one that lies in memory is that of the columns.
//!
//! What comes out is the same, bit for bit, as one by one.

pub(crate) mod kernel;
pub(crate) mod registers;

pub(in crate::pdb::fifteen::batch) use crate::pdb::fifteen::batch::avx512::registers::AVX512_LANES;

use super::{Before, Boards, MOST, ROOM};
use crate::pdb::Library;
use crate::pdb::fifteen::lookup::{LABELS, Lookup, turn};
use crate::pdb::geometry::permutation::{FACTORIALS, MOST_TILES};
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use crate::puzzle::{Move, Puzzle};
use std::sync::Arc;

/// What the lanes look at: tables of avx512 words or 64 bytes, a register each.
#[derive(Debug)]
#[repr(align(64))]
pub(in crate::pdb) struct Avx512<const N: usize, const V: usize> {
    /// For each last move, and for none, and for each cell of the blank: a bit for
    /// each move.
    moves: [[u8; 64]; 2],
    /// For each turn: four times the cell of the tile that moves.
    from: [u8; TURNS],
    /// For each view and label: its tile, and above [`TILE`] its pattern.
    codes: [[u32; LABELS]; V],
    /// For each view, pattern and cell: the cell of the database.
    layings: [[[u32; LABELS]; N]; V],
    /// Where moves lead past others.
    passings: Vec<Passing<N>>,
    /// For the greater one of two tiles that pass each other: what it adds to the
    /// number of the order, in the upper half.
    terms: [u32; LABELS],
    /// For each byte of occupied cells: its rank among those with as many.
    ranks: [[u8; 64]; 4],
    /// For each pattern and each number of occupied cells in the upper byte: what a rank
    /// of the lower byte counts, and in the second byte what one of the upper byte does;
    /// above them, where such sets begin in `words`.
    begins: [[u32; LABELS]; N],
    /// For each pattern: the bits in a row.
    rows: [u32; LABELS],
    /// For each pattern and set of occupied cells what [`Lookup::word`] tells.
    words: Arc<[u64]>,
}

/// One view for each move, in which tiles pass others. Where a move leads past others
/// in both views, there are two of these.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Passing<const N: usize> {
    /// For each move: the view, times [`LABELS`].
    views: [u32; LABELS],
    /// For each pattern and each turn: four times the cells that a tile passes, three at
    /// most; in place of those that are missing, its own.
    passed: [[[u8; TURNS]; N]; 3],
}

/// Moves from all cells.
const TURNS: usize = 4 * LABELS;

/// Bits of a tile in its code.
const TILE: u32 = 3;

/// The pattern in a code.
const PATTERN: i32 = 3 << TILE;

/// The code of what is no tile: it is of no pattern.
const NO_TILE: u32 = 0xff;

/// Sets of up to eight of avx512 cells, at most.
const SETS: usize = 1 << 14;

/// Whether the processor has such lanes.
fn exist() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vpopcntdq")
}

/// The bytes of what boards with so many patterns share.
pub(in crate::pdb) fn bytes(patterns: usize) -> u64 {
    if exist() { (patterns * SETS * size_of::<u64>()) as u64 } else { 0 }
}

/// How many sets of so many there are among eight.
fn choose(many: usize) -> usize {
    [1, 8, 28, 56, 70, 56, 28, 8, 1].get(many).copied().unwrap_or(0)
}

impl<const N: usize, const V: usize> Avx512<N, V> {
    /// The tables for some lookups; none where the processor has no such lanes, or where
    /// views have patterns of different sizes. What does not depend on the goal is shared
    /// in a library.
    pub(in crate::pdb) fn new<C: Cells>(
        puzzle: &Tiles<C>,
        lookups: &[[Arc<Lookup>; N]; V],
        library: &Library,
    ) -> Option<Box<Self>> {
        const { assert!(N >= 1 && N <= 3 && V >= 1 && V <= 2) };
        let alike = lookups.iter().all(|view| {
            let same = |a: &Lookup, b: &Lookup| Arc::ptr_eq(&a.words, &b.words) && a.row == b.row;
            view.iter().zip(&lookups[0]).all(|(a, b)| same(a, b))
        });
        if !exist() || !alike {
            return None;
        }
        let patterns = lookups[0].each_ref().map(|lookup| lookup.database.pattern());
        let mut new = Box::new(Self {
            moves: [[0; 64]; 2],
            from: [0; TURNS],
            codes: [[NO_TILE; LABELS]; V],
            layings: [[[0; LABELS]; N]; V],
            passings: Vec::new(),
            terms: std::array::from_fn(|tile| FACTORIALS[tile % MOST_TILES] << 16),
            ranks: [[0; 64]; 4],
            begins: [[0; LABELS]; N],
            rows: [0; LABELS],
            words: Arc::default(),
        });
        for (view, lookups) in lookups.iter().enumerate() {
            for (part, lookup) in lookups.iter().enumerate() {
                for (label, &tile) in lookup.tiles.iter().enumerate().filter(|&(_, &tile)| tile != u8::MAX) {
                    new.codes[view][label] = (part as u32) << TILE | u32::from(tile);
                }
                new.layings[view][part] = std::array::from_fn(|cell| lookup.laying.0[cell].into());
            }
        }
        new.list_moves(puzzle);
        new.list_passings(lookups);
        new.number_sets(&lookups[0]);
        new.words = library.in_lanes(&patterns, || new.words_of_sets(&lookups[0]));
        Some(new)
    }

    fn list_moves<C: Cells>(&mut self, puzzle: &Tiles<C>) {
        for blank in 0..puzzle.size().cells() {
            for step in puzzle.moves_from(blank) {
                self.from[turn(step.0 as usize, blank)] = 4 * puzzle.beside(blank as u8, step);
            }
            let state = TileState { cells: C::from_labels(&[]), blank: blank as u8 };
            for last in 0..5 {
                let step = (last < 4).then_some(Move(last as u32));
                let moves = puzzle.moves(&state, step).fold(0, |moves, step| moves | 1 << step.0);
                let at = turn(last, blank);
                self.moves[at / 64][at % 64] = moves;
            }
        }
    }

    fn list_passings(&mut self, lookups: &[[Arc<Lookup>; N]; V]) {
        let nobody = Passing { views: [0; LABELS], passed: [[self.from; N]; 3] };
        for step in 0..4 {
            let passes = |view: &usize| lookups[*view].iter().any(|lookup| lookup.passes[step]);
            for (at, view) in (0..V).filter(passes).enumerate() {
                if at == self.passings.len() {
                    self.passings.push(nobody.clone());
                }
                let Passing { views, passed } = &mut self.passings[at];
                views[step] = (view * LABELS) as u32;
                for (part, lookup) in lookups[view].iter().enumerate() {
                    for turn in turn(step, 0)..turn(step + 1, 0) {
                        for (passed, cell) in passed.iter_mut().zip(lookup.passed(turn)) {
                            passed[part][turn] = cell;
                        }
                    }
                }
            }
        }
    }

    fn number_sets(&mut self, lookups: &[Arc<Lookup>; N]) {
        let mut met = [0; MOST_TILES + 1];
        for byte in 0..256usize {
            let many = byte.count_ones() as usize;
            self.ranks[byte / 64][byte % 64] = met[many];
            met[many] += 1;
        }
        for (part, lookup) in lookups.iter().enumerate() {
            self.rows[part] = lookup.row;
            let tiles = lookup.database.pattern().tiles();
            let mut begin = part * SETS;
            for many in 0..=tiles {
                let below = choose(tiles - many);
                self.begins[part][many] = (begin << 16 | below << 8 | 1) as u32;
                begin += choose(many) * below;
            }
        }
    }

    /// [`Avx512::words`].
    fn words_of_sets(&self, lookups: &[Arc<Lookup>; N]) -> Arc<[u64]> {
        let mut words = vec![0; N * SETS];
        for (lookup, begins) in lookups.iter().zip(&self.begins) {
            let tiles = lookup.database.pattern().tiles();
            for set in (0..1usize << LABELS).filter(|set| set.count_ones() as usize == tiles) {
                let rank = |byte: usize| usize::from(self.ranks[byte / 64][byte % 64]);
                let begin = begins[(set >> 8).count_ones() as usize] as usize;
                let at = (begin >> 16) + rank(set >> 8) * (begin >> 8 & 0xff) + rank(set & 0xff);
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
    use crate::pdb::fifteen::payload::Kept;
    use crate::pdb::{FullPayload, Partition};

    /// All that is known of pending_updates.
    fn all<const N: usize>(batch: &Boards<N, 2>) -> Vec<([u64; 6], Vec<u32>, u8)> {
        let pending = |at: usize| {
            let [first, second] = [0, 1].map(|view| (batch.places[view][at], batch.parts[view][at]));
            let words = [first.0, first.1, second.0, second.1, batch.sums[at]].map(u64::from);
            let [a, b, c, d, e] = words;
            let placed = batch.placed.iter().flatten().map(|placed| placed[at]).collect();
            ([batch.cells[at], a, b, c, d, e], placed, batch.parents[at])
        };
        (0..batch.count).map(pending).collect()
    }

    fn agree<const N: usize>((rows, cols): (usize, usize), partition: &str) {
        let (partition, mut library): (Partition, _) = (partition.parse().unwrap(), Library::default());
        for goal in goals(rows, cols) {
            let puzzle = Tiles::<u64>::new(&goal).unwrap();
            assert!(library.fetch(&partition, goal.size(), puzzle.goal_blank(), 2, &|_| true).unwrap());
            let databases =
                PatternDatabases::<N, 2, FullPayload>::new(&puzzle, &partition, &library).unwrap();
            assert_eq!(databases.avx512.is_some(), exist());
            let Some(avx512) = &databases.avx512 else {
                eprintln!("this processor has no such lanes");
                return;
            };
            let (mut state, mut last, mut random) = (puzzle.state(&goal), None, 1u32);
            let (mut one_by_one, mut in_lanes, mut next) =
                <(Boards<N, 2>, Boards<N, 2>, Boards<N, 2>)>::default();
            for handful in 0..200 {
                let boards: Vec<(Kept<N, 2>, Parent)> = (0..handful % EXPANSION_BATCH as u32 + 1)
                    .map(|place| {
                        random = random.wrapping_mul(0x915f_77f5).wrapping_add(0x3c6e_f35f);
                        let moves: Vec<Move> = puzzle.moves(&state, last).collect();
                        let step = moves[(random >> 20) as usize % moves.len()];
                        (state, last) = (puzzle.apply(&state, step), Some(step));
                        let memo = databases.evaluate(&puzzle, &state);
                        (memo.kept, Parent { index: place, last: last.filter(|_| random >> 30 > 0) })
                    })
                    .collect();
                let parents: Vec<Parent> = boards.iter().map(|board| board.1).collect();
                let kept = |place: u32| &boards[place as usize].0;
                databases.draft_each(&puzzle, &parents, kept, &mut one_by_one);
                in_lanes.before.collect(&parents, kept);
                avx512.prepare(parents.len(), &mut in_lanes);
                assert_eq!(all(&in_lanes), all(&one_by_one));

                // Every third one, as many as there is room for.
                databases.look_up_all(&mut one_by_one);
                let selected: Vec<usize> =
                    (0..one_by_one.count).skip(1).step_by(3).take(EXPANSION_BATCH).collect();
                let mut bits = SelectionMask::default();
                selected.iter().for_each(|at| bits[at / 64] |= 1 << (at % 64));
                avx512.prepare_selected(&one_by_one, bits, &mut next);
                let boards: Vec<Kept<N, 2>> = selected.iter().map(|&at| one_by_one.payload(at)).collect();
                let parents: Vec<Parent> = (0..)
                    .zip(&selected)
                    .map(|(place, &at)| Parent { index: place, last: Some(one_by_one.step(at)) })
                    .collect();
                databases.draft_each(&puzzle, &parents, |place| &boards[place as usize], &mut in_lanes);
                assert_eq!(all(&next), all(&in_lanes));
            }
        }
    }

    #[test]
    fn lanes_tell_the_same_as_one_by_one() {
        agree::<2>((2, 2), "1-2");
        agree::<2>((3, 3), "4-4");
        agree::<3>((3, 3), "1-3-4");
        agree::<2>((5, 2), "1-8");
        agree::<2>((3, 4), "4-7");
        agree::<3>((2, 8), "5-5-5");
        agree::<2>((3, 4), "5-6");
        agree::<2>((5, 2), "4-5");
        agree::<3>((4, 4), "5-5-5");
        agree::<3>((4, 4), "6-6-3");
    }
}
