//! Breadth-first search with a FIFO queue, as textbooks show it.
//!
//! Invariants: a state is stored once, when it is first generated, and is expanded at
//! most once, in the order in which it was stored. The goal test is made when a state
//! is generated (Russell and Norvig, "Artificial Intelligence", section 3.4).
//!
//! 1. Take up to 32 states of one depth from the front of the queue; prefetch them.
//! 2. Generate their successors; prefetch the slots of these.
//! 3. Store the new ones in the order of generation and append them to the queue.
//!
//! Counts are those of a search that takes one state at a time: where it ends in the
//! middle of a batch, the states behind that point are not counted. One thread runs
//! it, so they repeat exactly.

use super::{Ending, Limits, Outcome, Problem, Statistics, Stop};
use crate::memory::{Key, Region};
use crate::puzzle::{Move, Puzzle};
use crate::search::closed_set::{ClosedSet, Visit, with_growing_region};

/// States expanded together, so that their slots are fetched together.
const BATCH: usize = 32;

/// A successor whose slot was prefetched.
struct Successor<K> {
    mixed: K,
    step: Move,
    /// The position of its parent in the queue.
    parent: usize,
    is_goal: bool,
}

/// Solves a problem on the calling thread, in a region of memory. No heuristic is
/// used. A search that needs more memory than the region has stops with
/// [`Stop::Memory`].
pub fn solve<P: Puzzle, H>(
    problem: Problem<'_, P, H>,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Outcome {
    with_growing_region(region, |part| solve_in(problem.puzzle, &problem.start, limits, part))
}

fn solve_in<P: Puzzle>(
    puzzle: &P,
    start: &P::State,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Outcome {
    let mut statistics = Statistics { stored: 1, ..Statistics::default() };
    if puzzle.is_goal(start) {
        return Outcome { ending: Ending::Solved { path: Vec::new(), bound: 0 }, statistics };
    }
    // Each state has a slot of the table and an entry of the queue.
    let slot = size_of::<<P::Key as Key>::Slot>();
    let states = region.bytes() / (slot + size_of::<u32>());
    let ([queue, table, _], watermark) = region.split(states * size_of::<u32>(), states * (slot + 4));
    watermark.raise(states * (slot + 4));
    let queue: &mut [u32] = bytemuck::cast_slice_mut(queue.words);
    let no_memory = Ending::Stopped { stop: Stop::Memory, bound: 1 };
    let Some((mut closed, first)) = ClosedSet::new(puzzle, start, table, limits) else {
        return Outcome { ending: no_memory, statistics };
    };
    let Some(front) = queue.first_mut() else { return Outcome { ending: no_memory, statistics } };
    *front = first;
    let (mut head, mut tail) = (0, 1);
    // States of the queue before `layer` have depth `depth`; no solution is as short.
    let (mut depth, mut layer) = (0, 1);
    let mut successors = Vec::with_capacity(4 * BATCH);
    loop {
        if head == layer {
            if head == tail {
                return Outcome { ending: Ending::Exhausted, statistics };
            }
            (depth, layer) = (depth + 1, tail);
        }
        let bound = depth + 1;
        limits.report_bound(bound);
        if let Some(stop) = limits.reached(closed.stored) {
            return Outcome { ending: Ending::Stopped { stop, bound }, statistics };
        }
        let batch = head..layer.min(head + BATCH);
        queue[batch.clone()].iter().for_each(|&slot| closed.prefetch_slot(slot));
        for parent in batch.clone() {
            let (state, last) = closed.state(queue[parent]);
            for step in puzzle.moves(&state, last) {
                let successor = puzzle.apply(&state, step);
                let mixed = closed.prefetch(&successor);
                successors.push(Successor { mixed, step, parent, is_goal: puzzle.is_goal(&successor) });
            }
        }
        let before = statistics.generated;
        for (number, successor) in successors.iter().enumerate() {
            statistics.expanded = successor.parent as u64 + 1;
            statistics.generated = before + number as u64 + 1;
            let slot = match closed.visit(successor.mixed, successor.step) {
                Visit::New(slot) => slot,
                Visit::Duplicate => continue,
                Visit::Full => {
                    return Outcome { ending: Ending::Stopped { stop: Stop::Memory, bound }, statistics };
                }
            };
            statistics.stored = closed.stored;
            if successor.is_goal {
                let path = closed.path(successor.mixed);
                let bound = path.len() as u32;
                return Outcome { ending: Ending::Solved { path, bound }, statistics };
            }
            let stop = closed.limit_reached().or_else(|| (tail == queue.len()).then_some(Stop::Memory));
            if let Some(stop) = stop {
                return Outcome { ending: Ending::Stopped { stop, bound }, statistics };
            }
            queue[tail] = slot;
            tail += 1;
        }
        successors.clear();
        head = batch.end;
        // A state without successors is expanded, too.
        statistics.expanded = head as u64;
    }
}
