//! Depth-first search with a stack, as courses show it beside breadth-first
//! search.
//!
//! A state is visited when it is put on the stack, and never twice. The search
//! goes on with the state that was put there last, so it follows one way as deep
//! as it goes: it finds some solution, as a rule a very long one, and says
//! nothing of shorter ones.

use super::{Ending, Limits, Outcome, Problem, Statistics, Stop};
use crate::heuristic::Heuristic;
use crate::memory::{Key, Region};
use crate::puzzle::Puzzle;
use crate::search::closed_set::{Explored, Visit, in_growing_parts};

/// Expansions between two looks at the clock.
const BETWEEN_LOOKS: u64 = 1 << 12;

/// Bytes of the path for each state on it, which is not kept in the region.
const PATH: usize = 8;

/// Solves a problem on the calling thread, in a region of memory. The heuristic
/// gives the lower bound that comes with the answer, and no more.
pub fn solve<P: Puzzle, H: Heuristic<P>>(
    problem: Problem<'_, P, H>,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Outcome {
    in_growing_parts(region, |part| within(problem, limits, part))
}

fn within<P: Puzzle, H: Heuristic<P>>(
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
    let states = region.bytes() / (slot + size_of::<u32>() + PATH);
    let ([stack, table, _], watermark) = region.split(states * size_of::<u32>(), states * (slot + 4));
    watermark.raise(states * (slot + 4));
    let stack: &mut [u32] = bytemuck::cast_slice_mut(stack.words);
    let Some((mut explored, first)) = Explored::new(puzzle, &start, table, limits) else {
        return stopped(Stop::Memory, statistics);
    };
    let mut height = 0;
    if let Some(place) = stack.get_mut(height) {
        *place = first;
        height += 1;
    }
    while height > 0 {
        if statistics.expanded.is_multiple_of(BETWEEN_LOOKS)
            && let Some(stop) = limits.reached(explored.stored)
        {
            return stopped(stop, statistics);
        }
        height -= 1;
        let (state, last) = explored.state(stack[height]);
        statistics.expanded += 1;
        for step in puzzle.moves(&state, last) {
            statistics.generated += 1;
            let child = puzzle.apply(&state, step);
            let mixed = explored.prefetch(&child);
            let slot = match explored.visit(mixed, step) {
                Visit::New(slot) => slot,
                Visit::Seen => continue,
                Visit::Full => return stopped(Stop::Memory, statistics),
            };
            statistics.stored = explored.stored;
            if puzzle.is_goal(&child) {
                let path = explored.path(mixed);
                let bound = bound.min(path.len() as u32);
                return Outcome { ending: Ending::Solved { path, bound }, statistics };
            }
            if let Some(stop) = explored.is_over() {
                return stopped(stop, statistics);
            }
            match stack.get_mut(height) {
                Some(place) => *place = slot,
                None => return stopped(Stop::Memory, statistics),
            }
            height += 1;
        }
    }
    Outcome { ending: Ending::Exhausted, statistics }
}
