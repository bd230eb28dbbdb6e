//! The solver for tile boards in the line metric.

use crate::heuristic::{LineWalk, Perimeter, line_cuts};
use crate::memory::budget::OutOfBudget;
use crate::model::report::{Effort, GiveUp, Moves, Solution, Verdict};
use crate::options::HeuristicChoice;
use crate::puzzle::tiles::{Board, Lines, Metric};
use crate::solve::plan::{Method, Plan, Tier};
use crate::solve::solver::{Attempt, Solver};
use crate::solve::suitable::{Notice, Refusal};
use crate::solve::tiles::{self, NewSolver, Resources, TileSolver};
use std::sync::OnceLock;

/// The largest memory for the counts of [`LineWalk`]: more would take over a second.
const MAX_COUNT_BYTES: u64 = 16 << 20;

/// The largest memory of a perimeter, and the largest boards that get one. On larger boards most
/// states are pruned while they are still far from any perimeter, and looking up the others costs
/// more than it saves.
const MAX_PERIMETER_BYTES: u64 = 4 << 20;
const MAX_PERIMETER_CELLS: usize = 12;

/// Returns the solver for boards with this goal, or why there is none.
pub(crate) fn solver(goal: &Board, plan: Plan, resources: Resources<'_>) -> NewSolver {
    let budget = resources.budget;
    let is_searched = !matches!(plan.method, Method::Large(_));
    if let Some(puzzle) = Lines::new(goal).filter(|_| is_searched) {
        let heuristic = LineWalk::new(&puzzle, budget.left().min(MAX_COUNT_BYTES) as usize);
        let mut bytes = heuristic.bytes() as u64;
        let mut perimeter_bytes = 0;
        if plan.heuristic == HeuristicChoice::Auto && goal.size().cells() <= MAX_PERIMETER_CELLS {
            perimeter_bytes = budget.left().saturating_sub(bytes).min(MAX_PERIMETER_BYTES);
            bytes += perimeter_bytes;
        }
        let short = |short: OutOfBudget| Refusal { reason: GiveUp::Memory, why: short.to_string() };
        budget.reserve(bytes).map_err(short)?;
        let easy = TileSolver { puzzle, heuristic, plan };
        let solver = LineSolver { easy, hard: OnceLock::new(), goal: goal.clone(), perimeter_bytes };
        return Ok((Box::new(solver), None));
    }
    match plan.method {
        Method::AnySolution | Method::Large(_) => {
            let (inner, notice) = tiles::solver(goal, Plan { metric: Metric::Tile, ..plan }, resources);
            let note = match notice {
                Some(Notice::NotSolved(refusal)) => return Err(refusal),
                Some(Notice::Replaced(note)) => Some(note),
                None => None,
            };
            Ok((Box::new(InLineMetric { inner, goal: goal.clone() }), note))
        }
        _ => Err(Refusal {
            reason: GiveUp::Unsupported,
            why: "in the line metric, boards of more than 16 cells have no search for shortest solutions; \
                  use --quality auto or fast"
                .into(),
        }),
    }
}

/// Solves boards of up to 16 cells.
struct LineSolver {
    easy: TileSolver<Lines, LineWalk>,
    /// Created for the first board that is not solved in the first tier.
    hard: OnceLock<Option<TileSolver<Lines, Perimeter<LineWalk>>>>,
    goal: Board,
    /// The memory of the perimeter.
    perimeter_bytes: u64,
}

impl Solver for LineSolver {
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        if attempt.tier == Tier::Quick {
            return self.easy.attempt(board, attempt, effort);
        }
        let hard = self.hard.get_or_init(|| {
            let TileSolver { puzzle, heuristic, plan } = &self.easy;
            let goal = puzzle.state(&self.goal);
            let heuristic = Perimeter::new(puzzle, heuristic.clone(), &goal, self.perimeter_bytes as usize)?;
            Some(TileSolver { puzzle: puzzle.clone(), heuristic, plan: *plan })
        });
        match hard {
            Some(hard) => hard.attempt(board, attempt, effort),
            None => self.easy.attempt(board, attempt, effort),
        }
    }
}

/// Solves larger boards in single-tile moves and counts straight runs as one move.
struct InLineMetric {
    inner: Box<dyn Solver>,
    goal: Board,
}

impl Solver for InLineMetric {
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let verdict = self.inner.attempt(board, attempt, effort)?;
        Some(match verdict {
            Verdict::Solved(Solution { moves: Moves::Tiles(steps), .. }) => {
                let length = Metric::Line.length(&steps) as u32;
                let bound = line_cuts(board, &self.goal);
                let moves = Moves::Tiles(steps);
                Verdict::Solved(Solution { moves, length, optimal: bound == length, bound })
            }
            Verdict::GaveUp { reason, .. } => Verdict::GaveUp { reason, bound: line_cuts(board, &self.goal) },
            other => other,
        })
    }
}
