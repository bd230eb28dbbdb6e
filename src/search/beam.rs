//! Beam search: breadth-first search that expands only the best states of each level.
//!
//! Invariants: every state that is reached is stored, so none is reached twice. Of a level's
//! new states those with the lowest estimates are kept; of equal estimates, the states found
//! first. As long as nothing was pruned this is breadth-first search, and its first solution is
//! a shortest one. Afterwards it need not be, and the beam may become empty before it reaches a
//! goal.

use super::{Ending, Limits, Outcome, Problem, Statistics, Stop};
use crate::heuristic::Heuristic;
use crate::memory::{Key, Region};
use crate::puzzle::{Move, Puzzle};
use crate::search::astar::{Entry, ExplicitEntry};
use crate::search::closed_set::{ClosedSet, Visit, with_growing_region};

/// States expanded together, so that their table lines are prefetched together.
const BATCH: usize = 32;

/// Capacity for candidates, in multiples of the width.
const CANDIDATE_WIDTHS: usize = 3;

/// For a width that is derived from the memory: levels that a beam should have memory for, and
/// states stored for each state kept, in tenths.
const EXPECTED_LEVELS: usize = 128;
const STORED_PER_KEPT: usize = 22;

/// The number of states of a level that are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// This number of states.
    States(usize),
    /// As many states as fit this many bytes in a search of usual depth.
    Bytes(usize),
}

/// Solves a problem on the calling thread, in a region of memory. A region that is too small
/// for `width` stops the search with [`Stop::Memory`].
pub fn solve<P: Puzzle, H: Heuristic<P>>(
    problem: Problem<'_, P, H>,
    width: Width,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Outcome {
    let width = match width {
        Width::States(states) => states,
        Width::Bytes(bytes) => {
            let entries = (1 + CANDIDATE_WIDTHS) * size_of::<ExplicitEntry<H::Payload>>();
            let slots = size_of::<<P::Key as Key>::Slot>() * EXPECTED_LEVELS * STORED_PER_KEPT / 10;
            bytes / (entries + slots)
        }
    };
    with_growing_region(region, |part| solve_in(problem, width.max(1), limits, part))
}

fn solve_in<P: Puzzle, H: Heuristic<P>>(
    problem: Problem<'_, P, H>,
    width: usize,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Outcome {
    let Problem { puzzle, heuristic, start } = problem;
    let memo = heuristic.evaluate(puzzle, &start);
    let estimate = heuristic.estimate(&memo);
    let statistics = Statistics { stored: 1, ..Statistics::default() };
    let stopped = |stop| Outcome { ending: Ending::Stopped { stop, bound: estimate }, statistics };
    if estimate == 0 && puzzle.is_goal(&start) {
        return Outcome { ending: Ending::Solved { path: Vec::new(), bound: 0 }, statistics };
    }
    let entry = size_of::<ExplicitEntry<H::Payload>>();
    let bytes = |widths| width.saturating_mul(widths * entry).saturating_add(63) & !63;
    let (beam_end, open_end) = (bytes(1), bytes(1).saturating_add(bytes(CANDIDATE_WIDTHS)));
    if open_end >= region.bytes() {
        return stopped(Stop::Memory);
    }
    let all = region.bytes();
    let ([beam, candidates, table], watermark) = region.split(beam_end, open_end);
    watermark.raise(all);
    let Some((closed, first)) = ClosedSet::new(puzzle, &start, table, limits) else {
        return stopped(Stop::Memory);
    };
    let (beam, candidates) = (entries(beam.words), entries(candidates.words));
    beam[0] = ExplicitEntry::new(first, 0, estimate, heuristic.payload(&memo));
    let children = Vec::with_capacity(4 * BATCH);
    let mut level =
        Level { problem, width, closed, candidates, len: 0, children, has_pruned: false, statistics };
    let (mut bound, mut depth) = (estimate, 0);
    let mut size = 1;
    let ending = loop {
        // If nothing was pruned so far, the beam contains all states of this depth.
        let is_complete = !level.has_pruned;
        match level.expand(&beam[..size], limits) {
            Some(End::Stop(stop)) => break Ending::Stopped { stop, bound },
            Some(End::Goal(mixed)) => {
                let path = level.closed.path(mixed);
                let length = path.len() as u32;
                let bound = if is_complete { length } else { bound.min(length) };
                break Ending::Solved { path, bound };
            }
            None => {}
        }
        if is_complete {
            depth += 1;
            bound = bound.max(depth + 1);
        }
        level.keep_best();
        size = level.len;
        if size == 0 {
            break if level.has_pruned {
                Ending::Stopped { stop: Stop::Beam, bound }
            } else {
                Ending::Exhausted
            };
        }
        beam[..size].copy_from_slice(&level.candidates[..size]);
        level.len = 0;
    };
    Outcome { ending, statistics: level.statistics }
}

/// Returns memory as entries.
fn entries<E: bytemuck::Pod>(words: &mut [u64]) -> &mut [E] {
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(words);
    let whole = bytes.len() / size_of::<E>() * size_of::<E>();
    bytemuck::cast_slice_mut(&mut bytes[..whole])
}

/// The reason why a level was not expanded completely.
enum End<K> {
    Stop(Stop),
    /// A goal was reached; its mixed key.
    Goal(K),
}

/// A successor whose table line is prefetched.
struct Child<K, C> {
    mixed: K,
    step: Move,
    estimate: u32,
    is_goal: bool,
    payload: C,
    /// Index of its parent in the batch.
    parent: usize,
}

/// The next level of the beam, under construction.
struct Level<'a, 'm, P: Puzzle, H: Heuristic<P>> {
    problem: Problem<'a, P, H>,
    width: usize,
    closed: ClosedSet<'a, 'm, P>,
    candidates: &'m mut [ExplicitEntry<H::Payload>],
    len: usize,
    children: Vec<Child<P::Key, H::Payload>>,
    /// Whether any state was ever pruned.
    has_pruned: bool,
    statistics: Statistics,
}

impl<P: Puzzle, H: Heuristic<P>> Level<'_, '_, P, H> {
    /// Generates the successors of a beam. Returns `None` if all states were expanded.
    fn expand(&mut self, beam: &[ExplicitEntry<H::Payload>], limits: &Limits<'_>) -> Option<End<P::Key>> {
        for batch in beam.chunks(BATCH) {
            if let Some(stop) = limits.reached(self.closed.stored) {
                return Some(End::Stop(stop));
            }
            batch.iter().for_each(|entry| self.closed.prefetch_slot(entry.slot()));
            batch.iter().enumerate().for_each(|(parent, entry)| self.generate(parent, entry));
            let end = self.visit();
            self.statistics.stored = self.closed.stored;
            if end.is_some() {
                return end;
            }
        }
        None
    }

    /// Generates the successors of one state.
    #[inline]
    fn generate(&mut self, parent: usize, entry: &ExplicitEntry<H::Payload>) {
        let Problem { puzzle, heuristic, .. } = self.problem;
        let (state, last) = self.closed.state(entry.slot());
        let memo = heuristic.restore(puzzle, &state, entry.estimate(0, 0), entry.payload());
        for step in puzzle.moves(&state, last) {
            let memo = heuristic.update(puzzle, &memo, &state, step);
            let estimate = heuristic.estimate(&memo);
            let child = puzzle.apply(&state, step);
            let mixed = self.closed.prefetch(&child);
            let is_goal = estimate == 0 && puzzle.is_goal(&child);
            let payload = heuristic.payload(&memo);
            self.children.push(Child { mixed, step, estimate, is_goal, payload, parent });
        }
    }

    /// Stores the successors that are new and makes them candidates. If the search ends at one
    /// of them, later ones are not counted.
    #[inline]
    fn visit(&mut self) -> Option<End<P::Key>> {
        let mut children = std::mem::take(&mut self.children);
        let before = self.statistics;
        for (number, child) in children.iter().enumerate() {
            self.statistics.expanded = before.expanded + child.parent as u64 + 1;
            self.statistics.generated = before.generated + number as u64 + 1;
            let slot = match self.closed.visit(child.mixed, child.step) {
                Visit::New(slot) => slot,
                Visit::Duplicate => continue,
                Visit::Full => return Some(End::Stop(Stop::Memory)),
            };
            if child.is_goal {
                return Some(End::Goal(child.mixed));
            }
            if let Some(stop) = self.closed.limit_reached() {
                return Some(End::Stop(stop));
            }
            if self.len == self.candidates.len() {
                self.keep_best();
            }
            self.candidates[self.len] = ExplicitEntry::new(slot, 0, child.estimate, child.payload);
            self.len += 1;
        }
        children.clear();
        self.children = children;
        None
    }

    /// Prunes all but the `width` best candidates, preserving their order.
    fn keep_best(&mut self) {
        if self.len <= self.width {
            return;
        }
        self.has_pruned = true;
        let candidates = &mut self.candidates[..self.len];
        let estimate = |entry: &ExplicitEntry<H::Payload>| (entry.estimate(0, 0) as usize).min(MAX_ESTIMATE);
        let mut counts = [0usize; MAX_ESTIMATE + 1];
        candidates.iter().for_each(|entry| counts[estimate(entry)] += 1);
        // Keep all candidates below some estimate, and as many with that estimate as fit.
        let mut left = self.width;
        let mut last = 0;
        while counts[last] <= left {
            left -= counts[last];
            last += 1;
        }
        self.len = 0;
        for at in 0..candidates.len() {
            let entry = candidates[at];
            let is_last = estimate(&entry) == last;
            if estimate(&entry) < last || (is_last && left > 0) {
                left -= usize::from(is_last);
                candidates[self.len] = entry;
                self.len += 1;
            }
        }
    }
}

/// Estimates from here on count as equal.
const MAX_ESTIMATE: usize = 1023;
