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

pub(crate) mod build;
pub(crate) mod database;
pub(crate) mod divisions;
pub(crate) mod fifteen;
pub(crate) mod files;
pub(crate) mod geometry;
pub(crate) mod partition;
pub(crate) mod transpose;
pub(crate) mod wide;

pub use crate::pdb::fifteen::batch::Boards;
pub use crate::pdb::fifteen::payload::{CompactPayload, FullPayload, Kept as FifteenPayload, PayloadLayout};
pub use crate::pdb::files::registry::{BuildProgress, Event, Library, Listener, Needs};
pub(crate) use crate::pdb::files::store::checksum;
pub use crate::pdb::files::store::{Damage, Store, StoreEntry};
pub use crate::pdb::geometry::canonical::Frame;
pub use crate::pdb::geometry::pattern::Pattern;
pub use crate::pdb::geometry::permutation::MOST_TILES;
pub use crate::pdb::wide::{Kept as WidePayload, MaxOfPartitions, Memo as MaxOfPartitionsMemo};
pub use build::{BuildError, Report};
pub use database::Database;
pub use partition::{MOST_PATTERNS, NotAPartition, Partition};

use crate::heuristic::{Heuristic, Parent, SelectionMask};
use crate::pdb::fifteen::batch::Avx512;
use crate::pdb::fifteen::lookup::{Bits, LABELS, Lookup, Placed};
use crate::pdb::fifteen::payload::Kept;
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use crate::puzzle::{Move, Puzzle};
use database::Walk;
use std::marker::PhantomData;
use std::sync::Arc;

/// The sums of `N` patterns' distances in `V` views; the greatest one counts.
#[derive(Debug)]
pub struct PatternDatabases<const N: usize, const V: usize, K = FullPayload> {
    payload_layout: PhantomData<K>,
    name: &'static str,
    /// For each view and label: its pattern.
    parts: [[u8; LABELS]; V],
    /// For each last move, and for none, and for each cell of the blank: a byte for
    /// each move, the first one lowest: 1 if it is one.
    moves: [[u32; LABELS]; 5],
    /// For each move and view: whether a tile may pass others.
    passes: [[bool; V]; 4],
    lookups: [[Arc<Lookup>; N]; V],
    /// Their bits.
    bits: [[Bits; N]; V],
    /// The same for each view and label: one look fewer on the way to a bit.
    of_label: [[Arc<Lookup>; LABELS]; V],
    /// What avx512 successors at once need, where the processor has lanes for them.
    avx512: Option<Box<Avx512<N, V>>>,
}

/// A board as pattern databases see it.
#[derive(Clone, Copy, Debug)]
pub struct Sums<const N: usize, const V: usize> {
    kept: Kept<N, V>,
    /// Where the bits are that a pending still has to look at, and in which
    /// pattern's database.
    places: [u32; V],
    parts: [u8; V],
}

impl<const N: usize, const V: usize> Sums<N, V> {
    #[inline(always)]
    fn new(kept: Kept<N, V>) -> Self {
        Self { kept, places: [0; V], parts: [0; V] }
    }
}

impl<const N: usize, const V: usize> PartialEq for Sums<N, V> {
    fn eq(&self, other: &Self) -> bool {
        self.kept == other.kept
    }
}

impl<const N: usize, const V: usize, K: PayloadLayout> PatternDatabases<N, V, K> {
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
        let passes = std::array::from_fn(|step| {
            std::array::from_fn(|view| lookups[view].iter().any(|lookup| lookup.passes[step]))
        });
        let of_label = std::array::from_fn(|view| {
            std::array::from_fn(|label| lookups[view][parts[view][label] as usize].clone())
        });
        let bits = std::array::from_fn(|view| std::array::from_fn(|part| lookups[view][part].bits.clone()));
        // Only boards that are kept have successors that are made together.
        let avx512 = K::STORES_STATES.then(|| Avx512::new(puzzle, &lookups, library)).flatten();
        Some(Self {
            payload_layout: PhantomData,
            name: partition.name(),
            parts,
            moves,
            passes,
            lookups,
            bits,
            of_label,
            avx512,
        })
    }
}

impl<const N: usize, const V: usize, K: PayloadLayout> PatternDatabases<N, V, K> {
    /// Moves the tile in cell `from` in a memo, which is a copy of `before` still.
    #[inline(always)]
    fn follow(&self, memo: &mut Sums<N, V>, before: &Kept<N, V>, step: Move, from: u8) {
        let state = before.state();
        let label = state.cells.label(from.into());
        let cells = state.cells.slide(from.into(), state.blank.into());
        memo.kept.set_state(&TileState { cells, blank: from });
        for view in 0..V {
            let lookup = &*self.of_label[view][label % LABELS];
            let part = usize::from(self.parts[view][label % LABELS]) % N;
            let placed = before.placed[view][part];
            let turn = crate::pdb::fifteen::lookup::turn(step.0 as usize, state.blank.into());
            let (placed, place) = lookup.follow(placed, state.cells, turn, label, true);
            memo.kept.placed[view][part] = placed;
            memo.places[view] = place;
            memo.parts[view] = part as u8;
        }
    }
}

/// What a move of a pattern's tile flips in the sums from before, and what it adds to
/// them then, by the bit that belongs to it now.
///
/// The bit is the second one of the distance, whose first one changes with every move:
/// together with both from before it tells one more from one less.
#[inline(always)]
fn change<const N: usize>(sums: u32, view: usize, part: u32, bit: u32) -> (u32, u32) {
    let shift = (residue::<N>(view, 0) as u32 + 2 * part) % u32::BITS;
    let before = sums >> shift;
    let flip = (bit ^ before >> 1) & 1;
    let nearer = (flip ^ before) & 1;
    ((1 | flip << 1) << shift, (1u32 << (8 * view)).wrapping_sub(nearer << (8 * view + 1)))
}

/// Where a pattern's distance modulo 4 lies beside the sums.
#[inline(always)]
const fn residue<const N: usize>(view: usize, part: usize) -> usize {
    16 + 2 * (view * N + part)
}

impl<const N: usize, const V: usize, K: PayloadLayout> Heuristic<Tiles<u64>> for PatternDatabases<N, V, K> {
    type Memo = Sums<N, V>;
    type Payload = K::Kept<N, V>;
    type SuccessorBatch = K::SuccessorBatch<N, V>;
    const PREFETCHED: bool = true;
    const STORES_STATES: bool = K::STORES_STATES;

    fn name(&self) -> &'static str {
        self.name
    }

    fn evaluate(&self, puzzle: &Tiles<u64>, state: &TileState<u64>) -> Sums<N, V> {
        let mut placed = [[0; N]; V];
        let mut walks = Vec::with_capacity(N * V);
        for (view, lookups) in self.lookups.iter().enumerate() {
            for (part, lookup) in lookups.iter().enumerate() {
                let (set, order) = lookup.place(puzzle, state);
                let number =
                    crate::pdb::geometry::permutation::number(&order[..lookup.database.pattern().tiles()]);
                placed[view][part] = set | Placed::from(number) << 16;
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
        let sums = walks.iter().fold(0, |sums, &((view, part), ref walk)| {
            sums + (walk.made << (8 * view)) + ((walk.made & 3) << residue::<N>(view, part))
        });
        Sums::new(Kept::new(placed, sums, state))
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
        debug_assert_eq!(memo.kept.state(), *before);
        let mut after = *memo;
        let from = puzzle.beside(before.blank, step);
        self.follow(&mut after, &memo.kept, step, from);
        after
    }

    #[inline(always)]
    fn finish(&self, memo: &mut Sums<N, V>) {
        let sums = memo.kept.sums;
        let (mut flips, mut added) = (0, 0u32);
        for view in 0..V {
            let part = memo.parts[view] as usize % N;
            let bit = self.bits[view][part].at(memo.places[view]);
            let (flip, add) = change::<N>(sums, view, part as u32, bit);
            flips ^= flip;
            added = added.wrapping_add(add);
        }
        memo.kept.sums = (sums ^ flips).wrapping_add(added);
    }

    #[inline(always)]
    fn estimate(&self, memo: &Sums<N, V>) -> u32 {
        (0..V).map(|view| memo.kept.sums >> (8 * view) & 0xff).max().unwrap_or(0)
    }

    #[inline(always)]
    fn payload(&self, memo: &Sums<N, V>) -> K::Kept<N, V> {
        K::keep(memo)
    }

    #[inline(always)]
    fn state_of(&self, kept: &K::Kept<N, V>) -> Option<TileState<u64>> {
        K::whole(kept).map(Kept::state)
    }

    #[inline(always)]
    fn successors<'k>(
        &self,
        puzzle: &Tiles<u64>,
        parents: &[Parent],
        kept: impl Fn(u32) -> &'k K::Kept<N, V>,
        batch: &mut K::SuccessorBatch<N, V>,
    ) {
        K::successors(self, puzzle, parents, kept, batch);
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
        kept: K::Kept<N, V>,
    ) -> Sums<N, V> {
        K::again(self, puzzle, state, kept)
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
    fn never_too_many() {
        check_all_states((3, 3), ChangePerMove::One, make::<2, FullPayload>("4-4"));
        check_all_states((2, 4), ChangePerMove::One, make::<3, CompactPayload>("2-2-3"));
        check_random_walks((4, 4), ChangePerMove::One, make::<3, CompactPayload>("5-5-5"));
        check_random_walks((3, 4), ChangePerMove::One, make::<2, FullPayload>("5-6"));
        check_random_walks((2, 8), ChangePerMove::One, make::<3, FullPayload>("5-5-5"));
    }
}
