//! Fallback solutions, not proved shortest, for boards whose proof takes too long.
//!
//! 1. If a puzzle has a time limit and is not solved in the first tier: the search of `--quality
//!    fast`, for at most a quarter of the time. Its solution is kept until the proof is complete.
//! 2. If there is none when the limit is reached: weighted A* with few nodes and increasing
//!    weights, which takes milliseconds.
//! 3. If that finds nothing: the staged solver, which always finds a solution.

use crate::heuristic::Heuristic;
use crate::large::mutable_board::MutableBoard;
use crate::large::staged::Staged;
use crate::model::report::{Effort, Solution, Verdict};
use crate::puzzle::tiles::Board;
use crate::search::{Limits, NoHelpers, Stop};
use crate::solve::solver::verdict;
use crate::solve::tiles::{BoardPuzzle, Search, any_solution_weights};

/// The limit on nodes for each weight when the time is over.
const NODES_PER_WEIGHT: u64 = 50_000;

/// A solution that is used if the proof is not completed.
pub(crate) struct FallbackSolution {
    solution: Solution,
    algorithm: &'static str,
    heuristic: &'static str,
}

impl FallbackSolution {
    /// Returns the verdict of this solution, given a lower bound.
    pub(crate) fn into_verdict(self, bound: u32, effort: &mut Effort) -> Verdict {
        (effort.algorithm, effort.heuristic) = (self.algorithm, self.heuristic);
        with_bound(self.solution, bound)
    }
}

impl<P: BoardPuzzle, H: Heuristic<P>> Search<'_, '_, P, H> {
    /// Returns the solution of `--quality fast`, if there is time for it.
    pub(crate) fn timed_fallback(&mut self) -> Option<FallbackSolution> {
        let limits = self.limits;
        self.limits.deadline = Some(limits.any_solution_until?);
        let ending = self.any_solution();
        self.limits = limits;
        let Verdict::Solved(solution) = verdict(ending) else { return None };
        Some(FallbackSolution {
            solution,
            algorithm: self.effort.algorithm,
            heuristic: self.effort.heuristic,
        })
    }

    /// Returns a solution found in milliseconds; `bound` is a lower bound.
    pub(crate) fn quick_fallback(&mut self, board: &Board, bound: u32) -> Option<Verdict> {
        let weights = any_solution_weights(board.size().cells());
        self.limits = Limits { deadline: None, ..self.limits.with_at_most(NODES_PER_WEIGHT) };
        self.helpers = &NoHelpers;
        let ending = self.any_solution_with(&weights, |stop| matches!(stop, Stop::Memory | Stop::Nodes));
        if let Verdict::Solved(solution) = verdict(ending) {
            return Some(with_bound(solution, bound));
        }
        self.staged_fallback(board, bound)
    }

    /// Returns a solution of the staged solver, which needs almost no memory.
    fn staged_fallback(&mut self, board: &Board, bound: u32) -> Option<Verdict> {
        let puzzle = self.problem.puzzle;
        let mut field = MutableBoard::from_homes(board, |tile| puzzle.home(tile));
        let mut staged = Staged::new(board.size());
        staged.solve(&mut field, &self.limits).ok()?;
        self.effort.algorithm = "staged";
        self.effort.heuristic = "";
        self.effort.expanded += staged.routes();
        self.effort.generated += field.moves().len() as u64;
        let moves = field.into_moves();
        let length = P::METRIC.length(&moves) as u32;
        Some(with_bound(Solution { moves: moves.into(), length, optimal: false, bound: 0 }, bound))
    }
}

/// Returns the verdict of a solution, given a lower bound.
fn with_bound(solution: Solution, bound: u32) -> Verdict {
    let bound = bound.min(solution.length);
    Verdict::Solved(Solution { bound, optimal: bound == solution.length, ..solution })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::budget::Budget;
    use crate::memory::{Line, Region};
    use crate::options::{Options, Quality};
    use crate::puzzle::tiles::{Goal, Metric, Size};
    use crate::solve::plan::{Plan, Tier};
    use crate::solve::solver::Attempt;
    use crate::solve::tiles::{self, Resources};
    use bytemuck::Zeroable;
    use parking_lot::Mutex;
    use std::time::{Duration, Instant};

    /// Returns the length of the solution for a quality when there is no time for a proof.
    fn length(quality: Quality, tile_metric: Metric) -> u32 {
        let tiles = [14, 13, 15, 7, 11, 12, 9, 5, 6, 0, 2, 1, 4, 8, 10, 3];
        let board = Board::new(Size::FIFTEEN, &tiles).unwrap();
        let goal = Goal::BlankFirst.board(Size::FIFTEEN).unwrap();
        let options = Options { quality, tile_metric, ..Options::default() };
        let (budget, walks, databases) = (Budget::new(8 << 20), Mutex::default(), Mutex::default());
        let resources = Resources { budget: &budget, walks: &walks, databases: &databases };
        let (solver, _) = tiles::solver(&goal, Plan::new(&options, Size::FIFTEEN), resources);
        let (now, later) = (Instant::now(), Duration::from_secs(300));
        let limits = Limits {
            deadline: Some(if quality == Quality::Fast { now + later } else { now }),
            any_solution_until: Some(now + later),
            ..Limits::default()
        };
        let mut memory = vec![Line::zeroed(); 1 << 20];
        let attempt = Attempt {
            tier: Tier::Large,
            limits,
            region: &mut Region::zeroed(&mut memory),
            helpers: &NoHelpers,
        };
        match solver.attempt(&board, attempt, &mut Effort::default()) {
            Some(Verdict::Solved(solution)) => solution.length,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn fallback_is_as_short_as_a_fast_solution() {
        for metric in [Metric::Tile, Metric::Line] {
            assert_eq!(length(Quality::Auto, metric), length(Quality::Fast, metric), "{metric:?}");
        }
    }
}
