//! The states that a search on one thread has seen, in a table that does not
//! grow: a search that finds it full begins again in a larger one, which costs
//! little as each is many times the size of the one before.

use super::{Ending, Limits, Outcome, Stop};
use crate::memory::geometry::{Fields, Geometry};
use crate::memory::region::Piece;
use crate::memory::visited::{Access, Insert, Table};
use crate::memory::{Key, Region};
use crate::puzzle::{Move, Puzzle};
use crate::search::astar::trace;

/// The region that a search is first tried in, and how much larger the next
/// one is.
const FIRST_BYTES: usize = 256 << 10;
const GROWTH: usize = 16;

/// How full the table may get, in percent.
const MAX_LOAD: usize = 85;

/// Runs a search in a small part of the region, and in larger ones for as long
/// as it stops for want of memory.
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

/// What became of a state that was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Visit {
    /// It is new, and has this slot.
    New(u32),
    /// It was reached before.
    Duplicate,
    /// There is no room for it.
    Full,
}

/// States, each with the move that first led to it.
pub(super) struct ClosedSet<'a, 'm, P: Puzzle> {
    puzzle: &'a P,
    table: Table<'m, P::Key>,
    /// States in the table, and how many it takes.
    pub(super) stored: u64,
    capacity: u64,
    /// States that the limits allow.
    max_nodes: u64,
}

/// What the table keeps as the cost: 0 for the start, where paths end.
const START: u32 = 0;
const REACHED: u32 = 1;

impl<'a, 'm, P: Puzzle> ClosedSet<'a, 'm, P> {
    /// The shape of a table in so many bytes, if that is enough for one.
    pub(super) fn geometry(puzzle: &P, bytes: usize) -> Option<Geometry> {
        let fields = Fields { key: puzzle.key_bits(), cost: 1, step: puzzle.move_bits() };
        Geometry::fitting::<P::Key>(bytes, fields)
    }

    /// The start alone, and its slot.
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

    /// A state's mixed key, whose place in the table is asked for.
    #[inline(always)]
    pub(super) fn prefetch(&self, state: &P::State) -> P::Key {
        let mixed = self.mixed(state);
        self.table.prefetch(mixed);
        mixed
    }

    /// Asks for a slot.
    #[inline(always)]
    pub(super) fn prefetch_slot(&self, slot: u32) {
        self.table.prefetch_slot(slot as usize);
    }

    /// Notes that a state, given by its mixed key, was reached by a move.
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

    /// Why no state may be added any more, if so.
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

    /// The state in a slot and the move that led to it; none led to the start.
    #[inline(always)]
    pub(super) fn state(&mut self, slot: u32) -> (P::State, Option<Move>) {
        let stored = self.table.exclusive().content(slot);
        let state = self.puzzle.unpack(stored.mixed.unmix(self.puzzle.key_bits()));
        (state, (stored.cost != START).then_some(Move(stored.step)))
    }

    /// The moves from the start to a state in the table.
    pub(super) fn path(self, mixed: P::Key) -> Vec<Move> {
        trace(self.puzzle, &self.table.freeze(), mixed)
    }
}
