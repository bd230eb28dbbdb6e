//! The context that all workers of a run share, and the decisions that depend only on it: limits,
//! memory for results, and the solver of an instance.

use super::RunError;
use super::block::Job;
use super::checkpoint::{BadCheckpoint, Checkpoints, OneSearch};
use super::reorder::ReorderBuffer;
use super::scheduler::Scheduler;
use super::source::RecordSource;
use crate::large::staged::Staged;
use crate::memory::{Region, limits};
use crate::model::interrupt::StopCondition;
use crate::model::report::{Effort, GiveUp, Instance, Verdict};
use crate::options::Options;
use crate::output::Style;
use crate::puzzle::tiles::Board;
use crate::search::Limits;
use crate::solve::cache::SolverCache;
use crate::solve::counters::Counters;
use crate::solve::memory_plan::MemoryPlan;
use crate::solve::plan::Tier;
use crate::solve::solver::{Attempt, Solver};
use crate::solve::trays;
use parking_lot::Mutex;
use std::time::Instant;

/// Context of a run, shared by all workers.
pub(crate) struct RunContext<'r> {
    pub(crate) options: &'r Options,
    pub(crate) style: Style,
    pub(crate) stop_condition: &'r StopCondition,
    pub(crate) solver_cache: SolverCache<'r>,
    pub(crate) scheduler: &'r Scheduler<Job>,
    pub(crate) source: Mutex<RecordSource<'r>>,
    pub(crate) reorder_buffer: ReorderBuffer<'r>,
    pub(crate) counters: &'r Counters,
    pub(crate) large_region: Mutex<Region<'r>>,
    pub(crate) checkpoints: Option<Checkpoints<'r>>,
    /// Error that ends the run.
    pub(crate) error: Mutex<Option<RunError>>,
    /// Description of a solution that failed its replay. It ends the run.
    pub(crate) wrong_solution: Mutex<Option<String>>,
    /// Results above this many bytes are solved one at a time.
    pub(crate) max_small_result: u64,
    /// Results above this many bytes are refused. A result of this size needs the pages of the
    /// large region and of a slice.
    pub(crate) max_result: u64,
    pub(crate) large_region_bytes: u64,
}

impl RunContext<'_> {
    /// Returns the limits for a further attempt at a puzzle, after the effort `spent`.
    pub(super) fn limits<'h>(&self, spent: &Effort, halt: &'h (dyn Fn() -> bool + Sync)) -> Limits<'h> {
        let own = self.options.timeout.map(|timeout| Instant::now() + timeout.saturating_sub(spent.time));
        let deadline = own.into_iter().chain(self.stop_condition.deadline).min();
        // A quarter of the puzzle's own time.
        let quarter = own.map(|own| own - own.saturating_duration_since(Instant::now()) * 3 / 4);
        let any_solution_until = quarter.map(|until| deadline.map_or(until, |deadline| until.min(deadline)));
        Limits {
            max_nodes: self.options.max_nodes,
            deadline,
            any_solution_until,
            halt: Some(halt),
            on_nodes: None,
            on_bound: None,
            checkpoint_sink: None,
        }
    }

    /// Returns the checkpoint of a job's search. Only large boards in tier `Large` have one.
    pub(super) fn checkpoint_sink(&self, job: &Job, tier: Tier) -> Result<Option<OneSearch<'_>>, RunError> {
        let Some(checkpoints) = self.checkpoints.as_ref().filter(|_| tier == Tier::Large) else {
            return Ok(None);
        };
        match &job.report.instance {
            Some(instance @ Instance::Tiles { board, .. }) if board.size().cells() > 16 => {
                let checkpoint_sink = checkpoints.checkpoint_sink(instance, self.large_region_bytes as usize);
                checkpoint_sink.map(Some).map_err(|bad| self.bad_checkpoint(bad))
            }
            _ => Ok(None),
        }
    }

    /// Returns why no further puzzle may be started, if so.
    pub(super) fn reason_to_stop(&self) -> Option<GiveUp> {
        if self.stop_condition.interrupt.is_raised() {
            return Some(GiveUp::Interrupted);
        }
        self.stop_condition.is_past_deadline().then_some(GiveUp::Time)
    }

    /// Returns whether a verdict is provisional: the end of the whole run, by a signal or its
    /// deadline, cut the search short. `deadline` is the one that the search had.
    pub(super) fn is_provisional(&self, verdict: &Verdict, deadline: Option<Instant>) -> bool {
        let could_be_better = match verdict {
            Verdict::Solved(solution) => !solution.optimal,
            Verdict::GaveUp { reason, .. } => matches!(reason, GiveUp::Time | GiveUp::Interrupted),
            Verdict::Unsolvable { .. } | Verdict::Invalid { .. } => false,
        };
        let is_over = |end| deadline == Some(end) && Instant::now() >= end;
        could_be_better
            && (self.stop_condition.interrupt.is_raised()
                || self.stop_condition.deadline.is_some_and(is_over))
    }

    pub(super) fn bad_checkpoint(&self, bad: BadCheckpoint) -> RunError {
        RunError::Checkpoint(self.options.checkpoint.clone().unwrap_or_default(), bad)
    }

    /// Returns whether the result of a puzzle may be too large for every worker to hold one at
    /// the same time.
    pub(super) fn has_large_result(&self, instance: &Instance) -> bool {
        matches!(instance, Instance::Tiles { board, .. } if result_bytes(board) > self.max_small_result)
    }

    /// Returns whether the result of a board fits the memory when nothing else uses the large
    /// region and the worker's slice. Its list of moves grows by doubling, which counts where the
    /// address space is limited.
    pub(super) fn result_fits(&self, board: &Board) -> bool {
        let result = result_bytes(board);
        let needed = result + Staged::bytes(board.size()) as u64;
        let is_mappable = || limits::address_space_left().is_none_or(|left| left > needed + result);
        result <= self.max_small_result || (needed <= self.max_result && is_mappable())
    }

    /// Attempts a puzzle with the solver of its kind. Returns `None` if a higher tier must try.
    pub(super) fn attempt(
        &self,
        solver: Option<&dyn Solver>,
        instance: &Instance,
        attempt: Attempt<'_, '_>,
        effort: &mut Effort,
    ) -> Option<Verdict> {
        match (solver, instance) {
            _ if attempt.tier != Tier::Large && self.has_large_result(instance) => None,
            (_, Instance::Tiles { board, .. }) if !self.result_fits(board) => {
                Some(Verdict::GaveUp { reason: GiveUp::Memory, bound: 0 })
            }
            (Some(solver), Instance::Tiles { board, .. }) => solver.attempt(board, attempt, effort),
            (_, Instance::Tray { tray, metric }) => {
                if attempt.tier != Tier::Large && trays::is_large(tray) {
                    return None;
                }
                let plan = trays::TrayPlan::new(self.options, *metric);
                if let Some(reason) = plan.refusal() {
                    self.solver_cache.warn_unsupported_trays(&reason);
                }
                let table_bytes = if self.options.deterministic {
                    MemoryPlan::TRAY_TABLES as usize
                } else {
                    self.solver_cache.tables_left() as usize / self.options.threads
                };
                trays::attempt(tray, plan, table_bytes, attempt, effort)
            }
            (None, Instance::Tiles { .. }) => unreachable!("boards have solvers"),
        }
    }
}

/// Estimates the bytes that the solution of a board occupies while it is found, replayed and
/// written: one byte per move, with up to 1.3 moves for each cell and each row and column, and the
/// formatted line if it is held as a whole.
fn result_bytes(board: &Board) -> u64 {
    let size = board.size();
    let moves = (size.cells() * (size.rows() + size.cols())) as u64 * 13 / 10;
    moves + moves.min(MAX_HELD_LINE)
}

/// Length of the longest line that is held as a whole, beside its moves.
const MAX_HELD_LINE: u64 = 1 << 20;
