//! The successors of a handful of boards of up to 16 cells, made together.
//!
//! They are drafted one move after the other: for many boards the same is to be
//! done then. What there is to know of them lies field by field, so that it is told
//! for many at once: always for the sums, and where the processor has lanes for it,
//! for all else too (`sixteen`). Whole boards are put together only where they are
//! kept.

#[cfg(target_arch = "x86_64")]
mod sixteen;
/// Lanes that this processor does not have.
#[cfg(not(target_arch = "x86_64"))]
#[path = "no_lanes.rs"]
mod sixteen;

pub(super) use sixteen::{Sixteen, bytes as bytes_in_lanes};

use super::keeping::{BLANK, Kept};
use super::lookup::{LABELS, Placed, turn};
use super::{Keeping, PatternDatabases, change};
use crate::heuristic::{Brood, Chosen, Origin, TOGETHER};
use crate::puzzle::Move;
use crate::puzzle::tiles::{TileState, Tiles};
use sixteen::SIXTEEN;

/// Successors of a handful at most.
const MOST: usize = 4 * TOGETHER;

/// The successors of a handful of boards.
#[derive(Debug)]
pub struct Boards<const N: usize, const V: usize> {
    count: usize,
    cells: [u64; MOST],
    /// As in [`Kept`]; those of the board before, until they are settled.
    sums: [u32; MOST],
    estimates: [u32; MOST],
    /// Where each pattern's tiles are.
    placed: [[[Placed; MOST]; N]; V],
    /// In each view: the pattern that has changed, where its bit is, and what that is.
    parts: [[u32; MOST]; V],
    places: [[u32; MOST]; V],
    bits: [[u32; MOST]; V],
    /// The board before, and together with it the move.
    origins: [u8; MOST],
    before: Before<N, V>,
}

/// The boards before, as in [`Kept`], but field by field, for lanes.
#[derive(Debug)]
struct Before<const N: usize, const V: usize> {
    /// The lower halves, and the upper ones.
    cells: [[u32; ROOM]; 2],
    sums: [u32; ROOM],
    placed: [[[Placed; ROOM]; N]; V],
    /// The first [`turn`] of the move that led to each, or of the one after all moves.
    lasts: [u32; ROOM],
}

/// Boards of a handful, and as many more as are written together at most.
const ROOM: usize = TOGETHER + SIXTEEN;

/// Boards that are not worth the lanes.
const FEW: usize = 2;

impl<const N: usize, const V: usize> Default for Boards<N, V> {
    fn default() -> Self {
        Self {
            count: 0,
            cells: [0; MOST],
            sums: [0; MOST],
            estimates: [0; MOST],
            placed: [[[0; MOST]; N]; V],
            parts: [[0; MOST]; V],
            places: [[0; MOST]; V],
            bits: [[0; MOST]; V],
            origins: [0; MOST],
            before: Before {
                cells: [[0; ROOM]; 2],
                sums: [0; ROOM],
                placed: [[[0; ROOM]; N]; V],
                lasts: [0; ROOM],
            },
        }
    }
}

impl<const N: usize, const V: usize> Brood<Tiles<u64>, Kept<N, V>> for Boards<N, V> {
    #[inline(always)]
    fn estimates(&self) -> &[u32] {
        &self.estimates[..self.count]
    }

    #[inline(always)]
    fn step(&self, at: usize) -> Move {
        Move(u32::from(self.origins[at]) / TOGETHER as u32)
    }

    #[inline(always)]
    fn state(&self, at: usize) -> TileState<u64> {
        TileState { cells: self.cells[at], blank: (self.sums[at] >> BLANK) as u8 }
    }

    #[inline(always)]
    fn origin(&self, at: usize) -> usize {
        self.origins[at] as usize % TOGETHER
    }

    #[inline(always)]
    fn carry(&self, at: usize) -> Kept<N, V> {
        let placed = std::array::from_fn(|view| std::array::from_fn(|part| self.placed[view][part][at]));
        Kept::whole(placed, self.sums[at], self.cells[at])
    }
}

impl<const N: usize, const V: usize> Before<N, V> {
    #[inline(always)]
    fn collect<'k>(&mut self, origins: &[Origin], kept: impl Fn(u32) -> &'k Kept<N, V>) {
        for (at, origin) in origins.iter().enumerate().take(TOGETHER) {
            let board = kept(origin.place);
            let cells = board.cells();
            (self.cells[0][at], self.cells[1][at]) = (cells as u32, (cells >> 32) as u32);
            self.sums[at] = board.sums;
            for (fields, placed) in self.placed.iter_mut().zip(&board.placed) {
                for (field, &placed) in fields.iter_mut().zip(placed) {
                    field[at] = placed;
                }
            }
            self.lasts[at] = turn(origin.last.map_or(4, |step| step.0 as usize), 0) as u32;
        }
    }
}

impl<const N: usize, const V: usize, K: Keeping> PatternDatabases<N, V, K> {
    /// Drafts all successors of up to [`TOGETHER`] boards.
    #[inline(always)]
    pub(super) fn draft_all<'k>(
        &self,
        puzzle: &Tiles<u64>,
        origins: &[Origin],
        kept: impl Fn(u32) -> &'k Kept<N, V>,
        brood: &mut Boards<N, V>,
    ) {
        match &self.sixteen {
            Some(sixteen) if origins.len() > FEW => {
                brood.before.collect(origins, kept);
                sixteen.draft(origins.len(), brood);
                self.ask_for_bits(brood);
            }
            _ => self.draft_each(puzzle, origins, kept, brood),
        }
    }

    /// Drafts all successors of those of a brood that are chosen, if there are lanes
    /// for them; whether that is done.
    #[inline(always)]
    pub(super) fn draft_chosen(&self, brood: &Boards<N, V>, chosen: Chosen, next: &mut Boards<N, V>) -> bool {
        let count = chosen.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        debug_assert!(count <= TOGETHER);
        match &self.sixteen {
            Some(sixteen) if count > FEW => {
                sixteen.draft_chosen(brood, chosen, next);
                self.ask_for_bits(next);
                true
            }
            _ => false,
        }
    }

    /// Asks for all bits that drafts wait for.
    #[inline(always)]
    fn ask_for_bits(&self, brood: &Boards<N, V>) {
        for (bits, (places, parts)) in self.bits.iter().zip(brood.places.iter().zip(&brood.parts)) {
            for (&place, &part) in places.iter().zip(parts).take(brood.count) {
                bits[part as usize % N].prefetch(place);
            }
        }
    }

    /// Drafts all successors of up to [`TOGETHER`] boards, one by one.
    #[inline(always)]
    fn draft_each<'k>(
        &self,
        puzzle: &Tiles<u64>,
        origins: &[Origin],
        kept: impl Fn(u32) -> &'k Kept<N, V>,
        brood: &mut Boards<N, V>,
    ) {
        brood.count = 0;
        // For each move the states that have it, and how many they are, a byte
        // each. A state stays in a list by being counted: there is nothing to guess
        // for the processor.
        let Some(first) = origins.first() else { return };
        let mut boards = [kept(first.place); TOGETHER];
        let mut lists = [[0u8; 2 * TOGETHER]; 4];
        let mut counts = 0u32;
        let count = |counts: u32, step: usize| (counts >> (8 * step)) as usize % (2 * TOGETHER);
        for (at, (origin, board)) in origins.iter().zip(&mut boards).enumerate() {
            *board = kept(origin.place);
            let last = origin.last.map_or(4, |step| step.0 as usize % 4);
            for (step, list) in lists.iter_mut().enumerate() {
                list[count(counts, step)] = at as u8;
            }
            counts += self.moves[last][(board.sums >> BLANK) as usize % LABELS];
        }
        let mut next = 0;
        for (step, list) in lists.iter().enumerate() {
            let passes = self.passes[step];
            let offset = u32::from(puzzle.offset(Move(step as u32)));
            let (turns, origins) = (turn(step, 0), (step * TOGETHER) as u8);
            for &at in &list[..count(counts, step)] {
                let board = boards[at as usize % TOGETHER];
                let (cells, sums) = (board.cells(), board.sums);
                let blank = sums >> BLANK;
                let from = blank.wrapping_add(offset) % LABELS as u32;
                let label = (cells >> (4 * from)) as usize % LABELS;
                let slot = next % MOST;
                next += 1;
                let moved = label as u64;
                brood.cells[slot] = cells ^ moved << (4 * from) ^ moved << (4 * blank);
                brood.sums[slot] = sums.wrapping_add(offset << BLANK);
                brood.origins[slot] = at | origins;
                let turn = turns + blank as usize;
                let parts: [usize; V] = std::array::from_fn(|view| usize::from(self.parts[view][label]) % N);
                let followed: [(Placed, u32); V] = std::array::from_fn(|view| {
                    let placed = board.placed[view][parts[view]];
                    self.of_label[view][label].follow(placed, cells, turn, label, passes[view])
                });
                for view in 0..V {
                    let (placed, place) = followed[view];
                    for part in 0..N {
                        brood.placed[view][part][slot] = board.placed[view][part];
                    }
                    brood.placed[view][parts[view]][slot] = placed;
                    brood.places[view][slot] = place;
                    brood.parts[view][slot] = parts[view] as u32;
                }
            }
        }
        brood.count = next;
    }

    /// Looks up what drafts wait for, and tells all sums.
    #[inline(always)]
    pub(super) fn look_up_all(&self, brood: &mut Boards<N, V>) {
        let count = brood.count.min(MOST);
        for (view, bits) in brood.bits.iter_mut().enumerate() {
            let places = brood.places[view].iter().zip(&brood.parts[view]);
            for (bit, (&place, &part)) in bits.iter_mut().zip(places).take(count) {
                *bit = self.bits[view][part as usize % N].at(place);
            }
        }
        for start in (0..count).step_by(LANES) {
            for at in start..start + LANES {
                let sums = brood.sums[at % MOST];
                let (mut flips, mut added) = (0, 0u32);
                for view in 0..V {
                    let (part, bit) = (brood.parts[view][at % MOST], brood.bits[view][at % MOST]);
                    let (flip, add) = change::<N>(sums, view, part, bit);
                    flips ^= flip;
                    added = added.wrapping_add(add);
                }
                let sums = (sums ^ flips).wrapping_add(added);
                brood.sums[at % MOST] = sums;
                let estimate = (0..V).map(|view| sums >> (8 * view) & 0xff).fold(0, u32::max);
                brood.estimates[at % MOST] = estimate;
            }
        }
    }
}

/// Successors whose sums are told at once.
const LANES: usize = 8;
