//! Iterative-deepening A* (Korf, Artificial Intelligence 27, 1985).
//!
//! Depth-first searches with a growing bound on cost plus estimate. It needs no
//! memory but the path, and the first solution is a shortest one.

use super::depth_first::{Below, DepthFirst};
use super::{Ending, Limits, Outcome, Problem, Statistics, Stop};
use crate::heuristic::Heuristic;
use crate::puzzle::Puzzle;

/// Solves a problem on the calling thread.
pub fn solve<P: Puzzle, H: Heuristic<P>>(problem: Problem<'_, P, H>, limits: &Limits<'_>) -> Outcome {
    solve_from(problem, 0, limits)
}

/// Solves a problem for which no solution is shorter than `least`.
pub fn solve_from<P: Puzzle, H: Heuristic<P>>(
    problem: Problem<'_, P, H>,
    least: u32,
    limits: &Limits<'_>,
) -> Outcome {
    let Problem { puzzle, heuristic, start } = problem;
    let estimate = heuristic.estimate(&heuristic.evaluate(puzzle, &start));
    let mut search = DepthFirst::new(puzzle, heuristic);
    let mut bound = estimate.max(least);
    let mut stop = None;
    let most = limits.max_nodes.unwrap_or(u64::MAX);
    let ending = loop {
        if estimate == 0 && puzzle.is_goal(&start) {
            break Ending::Solved { path: Vec::new(), bound: 0 };
        }
        let below = search.search(
            start,
            0,
            bound,
            |_, _, _| false,
            |nodes| {
                stop = limits.reached(nodes);
                stop.is_some()
            },
        );
        match below {
            Below::Goal(_) => break Ending::Solved { path: std::mem::take(&mut search.path), bound },
            Below::Beyond(u32::MAX) => break Ending::Exhausted,
            Below::Beyond(next) if search.generated < most => bound = next,
            Below::Beyond(bound) => break Ending::Stopped { stop: Stop::Nodes, bound },
            Below::Stopped => {
                break Ending::Stopped { stop: stop.unwrap_or(Stop::Interrupted), bound };
            }
        }
    };
    let statistics =
        Statistics { expanded: search.expanded, generated: search.generated, ..Statistics::default() };
    Outcome { ending, statistics }
}
