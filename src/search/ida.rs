//! Iterative-deepening A* (Korf, Artificial Intelligence 27, 1985).
//!
//! Depth-first searches with a growing bound on f. They need no memory but the path, and the
//! first solution is a shortest one.

use super::{Ending, Limits, Outcome, Problem, Statistics, Stop};
use crate::heuristic::Heuristic;
use crate::puzzle::Puzzle;
use crate::search::bounded_dfs::{DepthFirst, Root, SubtreeResult};

/// Solves a problem on the calling thread.
pub fn solve<P: Puzzle, H: Heuristic<P>>(problem: Problem<'_, P, H>, limits: &Limits<'_>) -> Outcome {
    match solve_until(problem, limits, || false) {
        Ok(outcome) | Err(Paused(outcome)) => outcome,
    }
}

/// The state of a search that was abandoned.
#[derive(Clone, PartialEq, Debug)]
pub struct Paused(pub Outcome);

/// Solves a problem on the calling thread, unless `pause`, which is polled regularly, returns
/// true.
pub fn solve_until<P: Puzzle, H: Heuristic<P>>(
    problem: Problem<'_, P, H>,
    limits: &Limits<'_>,
    pause: impl Fn() -> bool,
) -> Result<Outcome, Paused> {
    let Problem { puzzle, heuristic, start } = problem;
    let memo = heuristic.evaluate(puzzle, &start);
    let estimate = heuristic.estimate(&memo);
    let mut search = DepthFirst::new(puzzle, heuristic);
    let mut bound = estimate;
    let mut stop = None;
    let max_generated = limits.max_nodes.unwrap_or(u64::MAX);
    let ending = loop {
        if estimate == 0 && puzzle.is_goal(&start) {
            break Ending::Solved { path: Vec::new(), bound: 0 };
        }
        let result = search.search(
            Root { state: start, memo, cost: 0 },
            bound,
            max_generated,
            |_, _, _| false,
            |nodes| {
                stop = limits.reached(nodes);
                stop.is_some() || pause()
            },
        );
        match result {
            SubtreeResult::Goal(_) => break Ending::Solved { path: std::mem::take(&mut search.path), bound },
            SubtreeResult::CutOff(u32::MAX) => break Ending::Exhausted,
            SubtreeResult::CutOff(next) => bound = next,
            SubtreeResult::Stopped if search.generated >= max_generated => {
                break Ending::Stopped { stop: Stop::Nodes, bound };
            }
            SubtreeResult::Stopped => {
                break Ending::Stopped { stop: stop.unwrap_or(Stop::Interrupted), bound };
            }
        }
    };
    let statistics =
        Statistics { expanded: search.expanded, generated: search.generated, ..Statistics::default() };
    let outcome = Outcome { ending, statistics };
    let was_paused =
        stop.is_none() && matches!(outcome.ending, Ending::Stopped { stop: Stop::Interrupted, .. });
    if was_paused { Err(Paused(outcome)) } else { Ok(outcome) }
}
