//! The solver for tile boards that are too large for shortest solutions.

use crate::heuristic::line_cuts;
use crate::large::beam::{self, BeamParams, Weights, Work};
use crate::large::bound::lower_bound;
use crate::large::improve::{Resources, improve};
use crate::large::mutable_board::{MutableBoard, backward};
use crate::large::staged::Staged;
use crate::memory::Region;
use crate::model::report::{Effort, GiveUp, Solution, Verdict};
use crate::puzzle::tiles::{Board, Direction, Metric};
use crate::search::{HelperPool, Limits, NoHelpers, Stop};
use crate::solve::plan::{LargeMethod, Tier};
use crate::solve::solver::{Attempt, Solver, give_up};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A solver for boards of one size and goal.
pub(crate) struct LargeSolver {
    pub(crate) goal: Board,
    pub(crate) method: LargeMethod,
}

/// Larger boards are not solved in the first tier: their results are long, and those of a block
/// must not accumulate.
const QUICK_CELLS: usize = 600;

impl Solver for LargeSolver {
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let is_quick = self.method == LargeMethod::Staged && board.size().cells() <= QUICK_CELLS;
        if attempt.tier == Tier::Quick && !is_quick {
            return None;
        }
        let field = MutableBoard::new(board, &self.goal);
        let bound = lower_bound(&field);
        let ending = match self.method {
            LargeMethod::Staged => staged(&field, &attempt.limits, attempt.helpers, effort),
            LargeMethod::Beam(width) => beam(&field, width, attempt, effort),
            LargeMethod::Improve { threads } => {
                let Attempt { limits, region, helpers, .. } = attempt;
                let memory = whole_region(region);
                let resources =
                    Resources { limits, helpers, threads, memory, bound: bound as usize, width: None };
                effort.algorithm = "improve";
                let mut work = Work::default();
                let ending = improve(&field, None, resources, &mut work);
                add_work(effort, work);
                ending
            }
        };
        Some(match ending {
            Ok(moves) => solved(moves, bound),
            Err(stop) => Verdict::GaveUp { reason: give_up(stop), bound },
        })
    }
}

/// Solves a board with the staged solver. A helper that joins a large board early enough solves it
/// from the goal backwards; the shorter solution is returned.
fn staged(
    field: &MutableBoard,
    limits: &Limits<'_>,
    helpers: &dyn HelperPool,
    effort: &mut Effort,
) -> Result<Vec<Direction>, Stop> {
    effort.algorithm = "staged";
    let cells = field.size().cells();
    let helpers = if (QUICK_CELLS..=MAX_BIDIRECTIONAL_CELLS).contains(&cells) { helpers } else { &NoHelpers };
    let started = Instant::now();
    let arrivals = AtomicUsize::new(0);
    let endings = Mutex::new((Vec::new(), Work::default()));
    helpers.run_shared(&|| {
        let arrival = arrivals.fetch_add(1, Relaxed);
        if arrival > 1 || arrival == 1 && started.elapsed() > HELPER_DELAY * (cells / QUICK_CELLS) as u32 {
            return;
        }
        let mut own = if arrival == 1 { field.reversed() } else { field.clone() };
        let mut staged = Staged::new(field.size());
        let ending = staged.solve(&mut own, limits);
        let (endings, work) = &mut *endings.lock();
        work.expanded += staged.routes();
        work.generated += own.moves().len() as u64;
        let moves = own.into_moves();
        endings.push(ending.map(|()| if arrival == 1 { backward(&moves) } else { moves }));
    });
    let (endings, work) = endings.into_inner();
    add_work(effort, work);
    let shorter = |one: Result<Vec<Direction>, Stop>, other: Result<Vec<Direction>, Stop>| match (one, other)
    {
        (Ok(one), Ok(other)) => Ok(if other.len() < one.len() { other } else { one }),
        (Err(_), ending) | (ending, Err(_)) => ending,
    };
    endings.into_iter().reduce(shorter).unwrap_or(Err(Stop::Interrupted))
}

/// Larger boards are solved in one direction only: two solutions of millions of moves would take
/// too much memory.
const MAX_BIDIRECTIONAL_CELLS: usize = 1 << 14;

/// The latest time for a helper to join, per [`QUICK_CELLS`] cells of the board: a later one would
/// delay the owner.
const HELPER_DELAY: Duration = Duration::from_millis(5);

/// The number of shards of a beam. It is fixed, so that the result does not depend on the number of
/// threads.
const SHARDS: usize = 4;

/// Solves a board with one beam, or with the staged solver if the size is unsuitable or the beam
/// finds nothing.
fn beam(
    field: &MutableBoard,
    width: Option<usize>,
    attempt: Attempt<'_, '_>,
    effort: &mut Effort,
) -> Result<Vec<Direction>, Stop> {
    let memory = whole_region(attempt.region);
    let max_width = beam::max_width(field.size(), size_of_val(memory));
    let width = width.map_or(max_width, |width| width.min(max_width));
    if !beam::supports(field.size()) || width == 0 {
        return staged(field, &attempt.limits, &NoHelpers, effort);
    }
    effort.algorithm = "beam";
    let params = BeamParams {
        width,
        deadline: None,
        side_order: BeamParams::SIDE_ORDERS[0],
        weights: Weights::for_size(field.size()),
    };
    let mut work = Work::default();
    let help = (attempt.helpers, SHARDS);
    let found = beam::solve_parallel(field, &params, usize::MAX, &attempt.limits, help, memory, &mut work);
    add_work(effort, work);
    match found? {
        Some(moves) => Ok(moves),
        None => staged(field, &attempt.limits, &NoHelpers, effort),
    }
}

/// Returns all memory of a region.
pub(crate) fn whole_region<'m>(region: &'m mut Region<'_>) -> &'m mut [u64] {
    let bytes = region.bytes();
    let ([_, _, all], used) = region.split(0, 0);
    used.raise(bytes);
    all.words
}

pub(crate) fn add_work(effort: &mut Effort, work: Work) {
    effort.expanded += work.expanded;
    effort.generated += work.generated;
}

/// Returns the verdict of a solution, given a lower bound.
pub(crate) fn solved(moves: Vec<Direction>, bound: u32) -> Verdict {
    let length = moves.len() as u32;
    Verdict::Solved(Solution { moves: moves.into(), length, optimal: bound == length, bound })
}

/// Gives up all boards, with a lower bound.
pub(crate) struct Unsupported {
    pub(crate) goal: Board,
    pub(crate) metric: Metric,
    pub(crate) reason: GiveUp,
}

impl Solver for Unsupported {
    fn attempt(&self, board: &Board, _: Attempt<'_, '_>, _: &mut Effort) -> Option<Verdict> {
        let bound = match self.metric {
            Metric::Tile => lower_bound(&MutableBoard::new(board, &self.goal)),
            Metric::Line => line_cuts(board, &self.goal),
        };
        Some(Verdict::GaveUp { reason: self.reason, bound })
    }
}
