//! Depth-first search with a stack, the textbook counterpart of breadth-first search.
//!
//! Invariant: a state is stored when it is pushed, and never pushed twice. The state pushed
//! last is expanded next. The search follows one path as deep as it goes: it finds some
//! solution, usually a very long one, and proves nothing about shorter ones.

use super::{Ending, Limits, Outcome, Problem, Statistics, Stop};
use crate::heuristic::Heuristic;
use crate::memory::{Key, Region};
use crate::puzzle::Puzzle;
use crate::search::closed_set::{ClosedSet, Visit, with_growing_region};

/// Expansions between two polls of the limits.
const POLL_INTERVAL: u64 = 1 << 12;

/// Bytes per state of the final path, which is outside the region.
const PATH_BYTES: usize = 8;

/// Solves a problem on the calling thread, in a region of memory. The heuristic is used only
/// for the lower bound of the outcome.
pub fn solve<P: Puzzle, H: Heuristic<P>>(
    problem: Problem<'_, P, H>,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Outcome {
    with_growing_region(region, |part| solve_in(problem, limits, part))
}

fn solve_in<P: Puzzle, H: Heuristic<P>>(
    problem: Problem<'_, P, H>,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Outcome {
    let Problem { puzzle, heuristic, start } = problem;
    let bound = heuristic.estimate(&heuristic.evaluate(puzzle, &start));
    let mut statistics = Statistics { stored: 1, ..Statistics::default() };
    let stopped = |stop, statistics| Outcome { ending: Ending::Stopped { stop, bound }, statistics };
    if puzzle.is_goal(&start) {
        return Outcome { ending: Ending::Solved { path: Vec::new(), bound: 0 }, statistics };
    }
    // A state may be on the stack and on the path as well as in the table.
    let slot = size_of::<<P::Key as Key>::Slot>();
    let states = region.bytes() / (slot + size_of::<u32>() + PATH_BYTES);
    let ([stack, table, _], watermark) = region.split(states * size_of::<u32>(), states * (slot + 4));
    watermark.raise(states * (slot + 4));
    let stack: &mut [u32] = bytemuck::cast_slice_mut(stack.words);
    let Some((mut closed, first)) = ClosedSet::new(puzzle, &start, table, limits) else {
        return stopped(Stop::Memory, statistics);
    };
    let mut height = 0;
    if let Some(top) = stack.get_mut(height) {
        *top = first;
        height += 1;
    }
    while height > 0 {
        if statistics.expanded.is_multiple_of(POLL_INTERVAL)
            && let Some(stop) = limits.reached(closed.stored)
        {
            return stopped(stop, statistics);
        }
        height -= 1;
        let (state, last) = closed.state(stack[height]);
        statistics.expanded += 1;
        for step in puzzle.moves(&state, last) {
            statistics.generated += 1;
            let child = puzzle.apply(&state, step);
            let mixed = closed.prefetch(&child);
            let slot = match closed.visit(mixed, step) {
                Visit::New(slot) => slot,
                Visit::Duplicate => continue,
                Visit::Full => return stopped(Stop::Memory, statistics),
            };
            statistics.stored = closed.stored;
            if puzzle.is_goal(&child) {
                let path = closed.path(mixed);
                let bound = bound.min(path.len() as u32);
                return Outcome { ending: Ending::Solved { path, bound }, statistics };
            }
            if let Some(stop) = closed.limit_reached() {
                return stopped(stop, statistics);
            }
            match stack.get_mut(height) {
                Some(top) => *top = slot,
                None => return stopped(Stop::Memory, statistics),
            }
            height += 1;
        }
    }
    Outcome { ending: Ending::Exhausted, statistics }
}
