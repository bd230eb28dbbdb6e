//! Additive pattern databases (Korf and Felner, Artificial Intelligence 134, 2002), with one
//! bit per entry and entries distinguished by the region of the blank.
//!
//! The tiles are partitioned into patterns. The database of a pattern gives the minimum number
//! of moves of its tiles, whatever the other tiles do. Moves of tiles of different patterns are
//! different moves, so the sum is a lower bound.
//!
//! Entries of different blank regions are stored separately instead of taking their minimum.
//! The bound is then larger and consistent, and a move changes it by exactly one, so one bit
//! per entry suffices (`database.rs`).
//!
//! A *view* is a partition applied to the board or to its mirror image. If the mirror image has
//! the blank in the same goal cell, both views are looked up, and the larger sum counts.
//!
//! Updates are incremental: a move changes one pattern in each view, by toggling two occupied
//! cells and by adding up to three inversion deltas to the rank of its permutation.
//!
//! Reading order: `geometry/`, `database.rs`, `build.rs`, `fifteen/lookup.rs`, this file.

pub(crate) mod build;
pub(crate) mod database;
pub(crate) mod divisions;
pub(crate) mod fifteen;
pub(crate) mod files;
pub(crate) mod geometry;
pub(crate) mod partition;
pub(crate) mod transpose;
pub(crate) mod wide;

pub use crate::pdb::fifteen::batch::FifteenBatch;
pub use crate::pdb::fifteen::payload::{CompactPayload, FifteenPayload, FullPayload, PayloadLayout};
pub use crate::pdb::files::registry::{BuildProgress, Event, Library, Listener, Needs};
pub(crate) use crate::pdb::files::store::checksum;
pub use crate::pdb::files::store::{Damage, Store, StoreEntry};
pub use crate::pdb::geometry::canonical::Frame;
pub use crate::pdb::geometry::pattern::Pattern;
pub use crate::pdb::geometry::permutation::MAX_TILES;
pub use crate::pdb::wide::{MaxOfPartitions, Memo as MaxOfPartitionsMemo, WidePayload};
pub use build::{BuildError, Report};
pub use database::Database;
pub use partition::{MAX_PATTERNS, NotAPartition, Partition};

use crate::heuristic::{Heuristic, Parent, SelectionMask};
use crate::pdb::fifteen::batch::Avx512;
use crate::pdb::fifteen::lookup::{BitTables, LABELS, Lookup, PatternIndex, move_index};
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use crate::puzzle::{Move, Puzzle};
use database::Descent;
use geometry::permutation;
use std::marker::PhantomData;
use std::sync::Arc;

/// Heuristic for boards of up to 16 cells: the maximum over `V` views of the sum of the
/// distances of `N` patterns. `K` is the payload layout.
#[derive(Debug)]
pub struct PatternDatabases<const N: usize, const V: usize, K = FullPayload> {
    payload_layout: PhantomData<K>,
    name: &'static str,
    /// For each view and label: the index of its pattern.
    parts: [[u8; LABELS]; V],
    /// For each last move (or none, 4) and each cell of the blank: one byte per move, 1 if the
    /// move is legal and does not undo the last one.
    moves: [[u32; LABELS]; 5],
    /// For each move and view: whether a tile may jump over others.
    jumps: [[bool; V]; 4],
    lookups: [[Arc<Lookup>; N]; V],
    /// Bits of the databases.
    bits: BitTables<N, V>,
    /// Lookup of the pattern of each label: saves a load on the way to a bit.
    of_label: [[Arc<Lookup>; LABELS]; V],
    /// Tables of the AVX-512 kernel, if the processor supports it.
    avx512: Option<Box<Avx512<N, V>>>,
}

/// Memo of [`PatternDatabases`].
#[derive(Clone, Copy, Debug)]
pub struct Sums<const N: usize, const V: usize> {
    payload: FifteenPayload<N, V>,
    /// Bit index in each view that a pending update has to read.
    bit_indices: [u32; V],
    /// The pattern of that bit in each view.
    parts: [u8; V],
}

impl<const N: usize, const V: usize> Sums<N, V> {
    #[inline(always)]
    fn new(payload: FifteenPayload<N, V>) -> Self {
        Self { payload, bit_indices: [0; V], parts: [0; V] }
    }
}

impl<const N: usize, const V: usize> PartialEq for Sums<N, V> {
    fn eq(&self, other: &Self) -> bool {
        self.payload == other.payload
    }
}

impl<const N: usize, const V: usize, K: PayloadLayout> PatternDatabases<N, V, K> {
    /// Creates the heuristic for `partition`; `None` if a database is not in `library`, or if
    /// there are not `N` patterns or more than `V` views.
    pub fn new<C: Cells>(puzzle: &Tiles<C>, partition: &Partition, library: &Library) -> Option<Self> {
        let views = partition.views(puzzle.size(), puzzle.goal_blank())?;
        if views.len() > V {
            return None;
        }
        let mut parts = [[0; LABELS]; V];
        let mut lookups = Vec::with_capacity(V);
        // If there are fewer than `V` views, views are repeated.
        for (parts, view) in parts.iter_mut().zip(views.iter().cycle()) {
            let mut row = Vec::with_capacity(N);
            for (part, pattern) in view.patterns.iter().enumerate() {
                let (canonical, onto) = pattern.canonical();
                let lookup = Lookup::new(puzzle, library.find(canonical)?, view.orientation.then(onto));
                for label in (1..puzzle.size().cells()).filter(|&label| lookup.tiles[label] != u8::MAX) {
                    parts[label] = part as u8;
                }
                row.push(Arc::new(lookup));
            }
            lookups.push(row.try_into().ok()?);
        }
        let lookups: [[Arc<Lookup>; N]; V] = lookups.try_into().ok()?;
        let moves = std::array::from_fn(|last| {
            std::array::from_fn(|blank| {
                let state = TileState { cells: C::from_labels(&[]), blank: blank as u8 };
                let last = (last < 4).then_some(Move(last as u32));
                puzzle.moves(&state, last).fold(0, |moves, step| moves | 1 << (8 * step.0))
            })
        });
        let jumps = std::array::from_fn(|step| {
            std::array::from_fn(|view| lookups[view].iter().any(|lookup| lookup.jumps[step]))
        });
        let of_label = std::array::from_fn(|view| {
            std::array::from_fn(|label| lookups[view][parts[view][label] as usize].clone())
        });
        let bits = BitTables::new(&lookups);
        // Batches are built from payloads that contain the board.
        let avx512 = K::STORES_STATES.then(|| Avx512::new(puzzle, &lookups, library)).flatten();
        Some(Self {
            payload_layout: PhantomData,
            name: partition.name(),
            parts,
            moves,
            jumps,
            lookups,
            bits,
            of_label,
            avx512,
        })
    }
}

impl<const N: usize, const V: usize, K: PayloadLayout> PatternDatabases<N, V, K> {
    /// Updates `memo`, a copy of `before`, for the move of the tile in cell `from`, up to the
    /// bits that have to be read.
    #[inline(always)]
    fn advance(&self, memo: &mut Sums<N, V>, before: &FifteenPayload<N, V>, step: Move, from: u8) {
        let state = before.state();
        let label = state.cells.label(from.into());
        let cells = state.cells.slide(from.into(), state.blank.into());
        memo.payload.set_state(&TileState { cells, blank: from });
        for view in 0..V {
            let lookup = &*self.of_label[view][label % LABELS];
            let part = usize::from(self.parts[view][label % LABELS]) % N;
            let before = before.indices[view][part];
            let index = move_index(step.0 as usize, state.blank.into());
            let (after, bit_index) = lookup.advance(before, state.cells, index, label, true);
            memo.payload.indices[view][part] = after;
            memo.bit_indices[view] = bit_index;
            memo.parts[view] = part as u8;
        }
    }
}

/// Returns the delta update of the packed sums for one moved tile, given the table bit of the
/// new state: the XOR mask for the pattern's distance modulo 4, and the ±1 to add to the
/// view's sum.
///
/// `bit` is the second bit of the new distance. The first bit flips with every move. Together
/// with both bits of the old distance this distinguishes +1 from -1.
#[inline(always)]
fn sums_delta<const N: usize>(sums: u32, view: usize, part: u32, bit: u32) -> (u32, u32) {
    let shift = (residue_shift::<N>(view, 0) as u32 + 2 * part) % u32::BITS;
    let before = sums >> shift;
    let flip = (bit ^ before >> 1) & 1;
    let nearer = (flip ^ before) & 1;
    ((1 | flip << 1) << shift, (1u32 << (8 * view)).wrapping_sub(nearer << (8 * view + 1)))
}

/// Returns the position of a pattern's distance modulo 4 in the packed sums.
#[inline(always)]
const fn residue_shift<const N: usize>(view: usize, part: usize) -> usize {
    16 + 2 * (view * N + part)
}

impl<const N: usize, const V: usize, K: PayloadLayout> Heuristic<Tiles<u64>> for PatternDatabases<N, V, K> {
    type Memo = Sums<N, V>;
    type Payload = K::Payload<N, V>;
    type SuccessorBatch = K::SuccessorBatch<N, V>;
    const PREFETCHED: bool = true;
    const STORES_STATES: bool = K::STORES_STATES;

    fn name(&self) -> &'static str {
        self.name
    }

    fn evaluate(&self, puzzle: &Tiles<u64>, state: &TileState<u64>) -> Sums<N, V> {
        let mut indices = [[0; N]; V];
        let mut descents = Vec::with_capacity(N * V);
        for (view, lookups) in self.lookups.iter().enumerate() {
            for (part, lookup) in lookups.iter().enumerate() {
                let (set, permutation) = lookup.placement(puzzle, state);
                let rank = permutation::rank(&permutation[..lookup.database.pattern().tiles()]);
                indices[view][part] = set | PatternIndex::from(rank) << 16;
                let blank = lookup.orientation.0[state.blank as usize].into();
                descents.push(((view, part), Descent::new(&lookup.database, set, blank, permutation)));
            }
        }
        // The descents are interleaved, so that their cache misses overlap.
        while descents.iter_mut().fold(false, |any, (_, descent)| descent.prefetch_moves() | any) {
            descents.iter_mut().for_each(|(_, descent)| {
                let _ = descent.step();
            });
        }
        let sums = descents.iter().fold(0, |sums, &((view, part), ref descent)| {
            sums + (descent.moves << (8 * view)) + ((descent.moves & 3) << residue_shift::<N>(view, part))
        });
        Sums::new(FifteenPayload::new(indices, sums, state))
    }

    #[inline(always)]
    fn update(
        &self,
        puzzle: &Tiles<u64>,
        memo: &Sums<N, V>,
        before: &TileState<u64>,
        step: Move,
    ) -> Sums<N, V> {
        let mut memo = self.prepare(puzzle, memo, before, step);
        self.finish(&mut memo);
        memo
    }

    #[inline(always)]
    fn prepare(
        &self,
        puzzle: &Tiles<u64>,
        memo: &Sums<N, V>,
        before: &TileState<u64>,
        step: Move,
    ) -> Sums<N, V> {
        debug_assert_eq!(memo.payload.state(), *before);
        let mut after = *memo;
        let from = puzzle.beside(before.blank, step);
        self.advance(&mut after, &memo.payload, step, from);
        after
    }

    #[inline(always)]
    fn finish(&self, memo: &mut Sums<N, V>) {
        let sums = memo.payload.sums;
        let (mut flips, mut added) = (0, 0u32);
        for view in 0..V {
            let part = memo.parts[view] as usize % N;
            let bit = self.bits.views()[view][part].at(memo.bit_indices[view]);
            let (flip, add) = sums_delta::<N>(sums, view, part as u32, bit);
            flips ^= flip;
            added = added.wrapping_add(add);
        }
        memo.payload.sums = (sums ^ flips).wrapping_add(added);
    }

    #[inline(always)]
    fn estimate(&self, memo: &Sums<N, V>) -> u32 {
        (0..V).map(|view| memo.payload.sums >> (8 * view) & 0xff).max().unwrap_or(0)
    }

    #[inline(always)]
    fn payload(&self, memo: &Sums<N, V>) -> K::Payload<N, V> {
        K::from_memo(memo)
    }

    #[inline(always)]
    fn state_of(&self, payload: &K::Payload<N, V>) -> Option<TileState<u64>> {
        K::full(payload).map(FifteenPayload::state)
    }

    #[inline(always)]
    fn successors<'k>(
        &self,
        puzzle: &Tiles<u64>,
        parents: &[Parent],
        payload: impl Fn(u32) -> &'k K::Payload<N, V>,
        batch: &mut K::SuccessorBatch<N, V>,
    ) {
        K::successors(self, puzzle, parents, payload, batch);
    }

    #[inline(always)]
    fn successors_of(
        &self,
        batch: &K::SuccessorBatch<N, V>,
        selected: SelectionMask,
        next: &mut K::SuccessorBatch<N, V>,
    ) -> bool {
        K::successors_of(self, batch, selected, next)
    }

    #[inline(always)]
    fn finish_batch(&self, batch: &mut K::SuccessorBatch<N, V>) {
        K::finish_batch(self, batch);
    }

    #[inline(always)]
    fn restore(
        &self,
        puzzle: &Tiles<u64>,
        state: &TileState<u64>,
        _: u32,
        payload: K::Payload<N, V>,
    ) -> Sums<N, V> {
        K::restore(self, puzzle, state, payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::test_support::{ChangePerMove, check_all_states, check_random_walks};

    fn make<const N: usize, K: PayloadLayout>(
        partition: &'static str,
    ) -> impl Fn(&Tiles<u64>) -> PatternDatabases<N, 2, K> {
        let library = parking_lot::Mutex::new(Library::default());
        move |puzzle| {
            let (partition, library): (Partition, _) = (partition.parse().unwrap(), &mut library.lock());
            assert!(library.fetch(&partition, puzzle.size(), puzzle.goal_blank(), 2, &|_| true).unwrap());
            PatternDatabases::new(puzzle, &partition, library).unwrap()
        }
    }

    #[test]
    fn estimates_are_admissible_and_consistent() {
        check_all_states((3, 3), ChangePerMove::One, make::<2, FullPayload>("4-4"));
        check_all_states((2, 4), ChangePerMove::One, make::<3, CompactPayload>("2-2-3"));
        check_random_walks((4, 4), ChangePerMove::One, make::<3, CompactPayload>("5-5-5"));
        check_random_walks((3, 4), ChangePerMove::One, make::<2, FullPayload>("5-6"));
        check_random_walks((2, 8), ChangePerMove::One, make::<3, FullPayload>("5-5-5"));
    }
}
