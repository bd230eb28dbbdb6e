//! Solves single boards without files, for the shell and experiments.

use super::plan::{Plan, Tier};
use super::solver::{Attempt, Solver};
use super::suitable::Notice;
use super::tiles::{self, Resources};
use crate::memory::Region;
use crate::memory::budget::Budget;
use crate::model::report::{Effort, Instance, Verdict};
use crate::options::Options;
use crate::output::replay;
use crate::puzzle::tiles::{Board, Goal, Metric, is_solvable};
use crate::search::{Limits, NoHelpers};
use parking_lot::Mutex;
use std::time::Instant;

/// Solves boards for one goal according to the options. Several threads may share it, each with a
/// region of its own.
pub struct BoardSolver {
    goal: Board,
    solver: Box<dyn Solver>,
}

impl BoardSolver {
    /// Creates a solver for boards of the goal's size, or returns why there is none. Its tables are
    /// reserved from `budget`.
    pub fn new(goal: &Board, options: &Options, budget: &Budget) -> Result<Self, String> {
        // Pattern databases pay only in a batch.
        let (databases, walks) = (Mutex::default(), Mutex::default());
        let resources = Resources { budget, walks: &walks, databases: &databases };
        match tiles::solver(goal, Plan::new(options, goal.size()), resources) {
            (_, Some(Notice::NotSolved(refusal))) => Err(refusal.why),
            (_, Some(Notice::Replaced(note))) => Err(note),
            (solver, None) => Ok(Self { goal: goal.clone(), solver }),
        }
    }

    /// Solves a board and returns the verdict and the effort. A solution has been replayed.
    ///
    /// # Panics
    /// If the board is not of the goal's size, or if a solution is wrong, which is a bug.
    pub fn solve(&self, board: &Board, region: &mut Region<'_>, limits: Limits<'_>) -> (Verdict, Effort) {
        let mut effort = Effort::default();
        if !is_solvable(board, &self.goal) {
            return (Verdict::Unsolvable { hint: None }, effort);
        }
        let started = Instant::now();
        let attempt = Attempt { tier: Tier::Large, limits, region, helpers: &NoHelpers };
        let verdict = self.solver.attempt(board, attempt, &mut effort);
        effort.time = started.elapsed();
        let verdict = verdict.expect("there is no later tier");
        if let Verdict::Solved(solution) = &verdict {
            let goal = Goal::Given(self.goal.clone().into());
            let instance = Instance::Tiles { board: board.clone(), goal, metric: Metric::Tile };
            if let Err(wrong) = replay(&instance, solution) {
                panic!("a wrong solution of {board} was found: {wrong}");
            }
        }
        (verdict, effort)
    }
}
