//! Visited states of a search on one thread, in a table of fixed size.
//!
//! A search that finds the table full starts again in a larger one. This costs little, because
//! each table is many times the size of the previous one.

use super::{Ending, Limits, Outcome, Stop};
use crate::memory::geometry::{Fields, Geometry};
use crate::memory::region::Piece;
use crate::memory::visited::{Access, Insert, Table};
use crate::memory::{Key, Region};
use crate::puzzle::{Move, Puzzle};
use crate::search::astar::trace;

/// Size of the first region in bytes, and the factor to the next one.
const FIRST_BYTES: usize = 256 << 10;
const GROWTH: usize = 16;

/// Maximum load of the table in percent.
const MAX_LOAD: usize = 85;

/// Runs `search` in a small part of the region, and in larger parts as long as it stops for
/// lack of memory.
pub(super) fn with_growing_region(
    region: &mut Region<'_>,
    mut search: impl FnMut(&mut Region<'_>) -> Outcome,
) -> Outcome {
    let all = region.bytes();
    let mut bytes = FIRST_BYTES;
    loop {
        let outcome = search(&mut region.first(bytes));
        let is_full = matches!(outcome.ending, Ending::Stopped { stop: Stop::Memory, .. });
        if !is_full || bytes >= all {
            return outcome;
        }
        bytes *= GROWTH;
    }
}

/// The result of a visit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Visit {
    /// The state is new and has this slot.
    New(u32),
    /// The state was visited before.
    Duplicate,
    /// The table is full.
    Full,
}

/// Visited states, each with the move that first led to it.
pub(super) struct ClosedSet<'a, 'm, P: Puzzle> {
    puzzle: &'a P,
    table: Table<'m, P::Key>,
    /// `stored`: states in the table. `capacity`: states at which it counts as full.
    pub(super) stored: u64,
    capacity: u64,
    /// The node limit.
    max_nodes: u64,
}

/// Values of the slot's cost field. Paths end at the start.
const START: u32 = 0;
const REACHED: u32 = 1;

impl<'a, 'm, P: Puzzle> ClosedSet<'a, 'm, P> {
    /// Returns the geometry of a table in `bytes` bytes, or `None` if none fits.
    pub(super) fn geometry(puzzle: &P, bytes: usize) -> Option<Geometry> {
        let fields = Fields { key: puzzle.key_bits(), cost: 1, step: puzzle.move_bits() };
        Geometry::fitting::<P::Key>(bytes, fields)
    }

    /// Creates a set that contains the start; returns it with the start's slot.
    pub(super) fn new(
        puzzle: &'a P,
        start: &P::State,
        piece: Piece<'m>,
        limits: &Limits<'_>,
    ) -> Option<(Self, u32)> {
        let words_per_slot = size_of::<<P::Key as Key>::Slot>() / 8;
        let geometry = Self::geometry(puzzle, size_of_val(&*piece.words))?;
        let words = &mut piece.words[..geometry.slots() * words_per_slot];
        let table =
            Table::new(bytemuck::cast_slice_mut(words), piece.used.div_ceil(words_per_slot), geometry);
        let capacity = (geometry.slots() / 100 * MAX_LOAD).max(1) as u64;
        let max_nodes = limits.max_nodes.unwrap_or(u64::MAX);
        let mut closed = Self { puzzle, table, stored: 1, capacity, max_nodes };
        let mixed = closed.mixed(start);
        match closed.table.exclusive().insert(mixed, START, 0) {
            Insert::New(slot) => Some((closed, slot)),
            _ => None,
        }
    }

    fn mixed(&self, state: &P::State) -> P::Key {
        self.puzzle.pack(state).mix(self.puzzle.key_bits())
    }

    /// Returns a state's mixed key and prefetches its table line.
    #[inline(always)]
    pub(super) fn prefetch(&self, state: &P::State) -> P::Key {
        let mixed = self.mixed(state);
        self.table.prefetch(mixed);
        mixed
    }

    /// Prefetches a slot.
    #[inline(always)]
    pub(super) fn prefetch_slot(&self, slot: u32) {
        self.table.prefetch_slot(slot as usize);
    }

    /// Inserts a state, given by its mixed key, that was reached by `step`.
    #[inline(always)]
    pub(super) fn visit(&mut self, mixed: P::Key, step: Move) -> Visit {
        match self.table.exclusive().insert(mixed, REACHED, step.0) {
            Insert::New(slot) => {
                self.stored += 1;
                Visit::New(slot)
            }
            Insert::Seen | Insert::Better(_) => Visit::Duplicate,
            Insert::Full => Visit::Full,
        }
    }

    /// Returns the limit that forbids further insertions, if any.
    #[inline(always)]
    pub(super) fn limit_reached(&self) -> Option<Stop> {
        if self.stored >= self.max_nodes {
            Some(Stop::Nodes)
        } else if self.stored >= self.capacity {
            Some(Stop::Memory)
        } else {
            None
        }
    }

    /// Returns the state in a slot and the move that led to it; `None` for the start.
    #[inline(always)]
    pub(super) fn state(&mut self, slot: u32) -> (P::State, Option<Move>) {
        let stored = self.table.exclusive().content(slot);
        let state = self.puzzle.unpack(stored.mixed.unmix(self.puzzle.key_bits()));
        (state, (stored.cost != START).then_some(Move(stored.step)))
    }

    /// Returns the moves from the start to a state in the table.
    pub(super) fn path(self, mixed: P::Key) -> Vec<Move> {
        trace(self.puzzle, &self.table.freeze(), mixed)
    }
}
