//! A worker thread of a run.
//!
//! 1. Read a block of records and attempt each one in tier `Quick`: most records of a large file
//!    are decided here.
//! 2. The others become jobs. The scheduler returns them to the workers, first in tier `Slice`,
//!    then in tier `Large`.
//! 3. Every solution is replayed before it is written; a wrong one ends the run.
//!
//! Results of a block are handed to the reorder buffer in chunks, each up to the first record that
//! is still undecided.

use super::RunError;
use super::checkpoint::{BadCheckpoint, Checkpoints, OneSearch};
use super::resume::Progress;
use crate::input::Block;
use crate::large::staged::Staged;
use crate::memory::{Region, limits};
use crate::model::interrupt::StopCondition;
use crate::model::report::{Effort, GiveUp, Instance, Report, Verdict};
use crate::options::Options;
use crate::output::{Style, Summary, replay};
use crate::puzzle::tiles::{Board, Goal, is_solvable};
use crate::run::reorder::{Chunk, Closed, ReorderBuffer, solution_bytes};
use crate::run::scheduler::{Next, Scheduler, Seq};
use crate::run::source::{BlockInfo, NextBlock, RECORDS, RecordSource};
use crate::search::checkpoint::CheckpointSink;
use crate::search::{HelperPool, Limits, NoHelpers};
use crate::solve::cache::{CachedSolver, SolverCache};
use crate::solve::counters::Counters;
use crate::solve::memory_plan::MemoryPlan;
use crate::solve::plan::Tier;
use crate::solve::solver::{Attempt, Solver};
use crate::solve::trays;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Maximum wait for the lock of the source.
const READ_LOCK_TIMEOUT: Duration = Duration::from_millis(5);

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
    fn limits<'h>(&self, spent: &Effort, halt: &'h (dyn Fn() -> bool + Sync)) -> Limits<'h> {
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
    fn checkpoint_sink(&self, job: &Job, tier: Tier) -> Result<Option<OneSearch<'_>>, RunError> {
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
    fn reason_to_stop(&self) -> Option<GiveUp> {
        if self.stop_condition.interrupt.is_raised() {
            return Some(GiveUp::Interrupted);
        }
        self.stop_condition.is_past_deadline().then_some(GiveUp::Time)
    }

    /// Returns whether a verdict is provisional: the end of the whole run, by a signal or its
    /// deadline, cut the search short. `deadline` is the one that the search had.
    fn is_provisional(&self, verdict: &Verdict, deadline: Option<Instant>) -> bool {
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

    fn bad_checkpoint(&self, bad: BadCheckpoint) -> RunError {
        RunError::Checkpoint(self.options.checkpoint.clone().unwrap_or_default(), bad)
    }

    /// Returns whether the result of a puzzle may be too large for every worker to hold one at
    /// the same time.
    fn has_large_result(&self, instance: &Instance) -> bool {
        matches!(instance, Instance::Tiles { board, .. } if result_bytes(board) > self.max_small_result)
    }

    /// Returns whether the result of a board fits the memory when nothing else uses the large
    /// region and the worker's slice. Its list of moves grows by doubling, which counts where the
    /// address space is limited.
    fn result_fits(&self, board: &Board) -> bool {
        let result = result_bytes(board);
        let needed = result + Staged::bytes(board.size()) as u64;
        let is_mappable = || limits::address_space_left().is_none_or(|left| left > needed + result);
        result <= self.max_small_result || (needed <= self.max_result && is_mappable())
    }

    /// Attempts a puzzle with the solver of its kind. Returns `None` if a higher tier must try.
    fn attempt(
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

/// A puzzle that tier `Quick` did not decide.
pub(crate) struct Job {
    block: Arc<PendingBlock>,
    slot: usize,
    report: Report,
    /// Number of records of the whole run before it. The solver is looked up only when the job
    /// starts: each job may need another one, and solvers of waiting jobs would occupy memory.
    before: u64,
}

/// Results of one block, from the first record that tier `Quick` did not decide.
struct PendingBlock {
    number: u64,
    /// Input bytes of all records.
    bytes: u64,
    /// Input bytes of one record, on average.
    bytes_per_record: u64,
    /// Position in the input at the end of the block.
    progress: Option<Progress>,
    inner: Mutex<Results>,
}

struct Results {
    slots: Vec<Slot>,
    /// Number of slots that have been handed to the reorder buffer.
    emitted: usize,
}

/// The result of one record.
enum Slot {
    /// No result: the record belongs to another shard, is already answered, or was not started
    /// before the run was interrupted.
    Skipped,
    /// The job is queued or running.
    Undecided,
    /// The result.
    Decided { report: Box<Report>, provisional: bool },
}

/// Outcome of the attempt in tier `Quick`.
#[derive(PartialEq)]
enum QuickOutcome {
    Decided,
    /// Decided only because the run ends.
    Provisional,
    /// A higher tier must try.
    Undecided,
}

/// State of one worker thread.
pub(crate) struct Worker<'w, 'r> {
    context: &'w RunContext<'r>,
    slice: Region<'r>,
    block: Block,
    /// Name of the block's file. Each worker has its own copy, so that workers do not contend for
    /// one reference count.
    file: Arc<str>,
    summary: Summary,
    /// Solver of the last size and goal: most files have only one.
    last: Option<CachedSolver>,
}

impl<'w, 'r> Worker<'w, 'r> {
    pub(crate) fn new(context: &'w RunContext<'r>, slice: Region<'r>) -> Self {
        Self { context, slice, block: Block::default(), file: "".into(), summary: Summary::new(), last: None }
    }

    /// Executes tasks until the scheduler shuts the worker down.
    pub(crate) fn run(mut self) {
        loop {
            match self.context.scheduler.next() {
                Next::Shutdown => break,
                Next::Read => self.read_block(),
                Next::Slice(seq, job) => self.solve(seq, job, Tier::Slice),
                Next::Large(seq, job) => self.solve(seq, job, Tier::Large),
            }
        }
        self.context.reorder_buffer.merge_summary(&self.summary);
    }

    /// Reads the next block, attempts each record in tier `Quick` and enqueues the undecided ones.
    fn read_block(&mut self) {
        let scheduler = self.context.scheduler;
        // The worker that holds the lock may be waiting for a slow stream.
        let Some(mut source) = self.context.source.try_lock_for(READ_LOCK_TIMEOUT) else {
            return scheduler.postpone_read();
        };
        let next = source.next(&mut self.block);
        drop(source);
        let BlockInfo { number, before, file, bytes, mut answered, progress } = match next {
            NextBlock::Block(info) => info,
            NextBlock::NotYet => return scheduler.postpone_read(),
            NextBlock::Ended => return scheduler.input_ended(),
        };
        scheduler.block_read(bytes);
        if self.file != file {
            self.file = (*file).into();
        }
        let text = Vec::with_capacity(64 * self.block.len());
        let mut chunk = Chunk { text, bytes, is_last: true, progress, ..Chunk::default() };
        // Results from the first undecided record on; earlier ones are in `chunk`.
        let mut slots = Vec::new();
        let mut jobs = Vec::new();
        let mut generated = 0;
        let mut interrupted = false;
        let mut attempted = 0;
        for index in 0..self.block.len() {
            let in_shard = self.context.options.is_in_shard(self.block.number(index));
            if interrupted || !in_shard || answered > 0 {
                answered -= u64::from(in_shard && answered > 0);
                if !slots.is_empty() {
                    slots.push(Slot::Skipped);
                }
                continue;
            }
            attempted += 1;
            let (report, outcome) = self.attempt_quick(index, before + index as u64);
            let provisional = outcome == QuickOutcome::Provisional;
            // The first interrupted record is reported: it shows where results are missing. The
            // rest of the block is skipped.
            interrupted = matches!(report.verdict, Verdict::GaveUp { reason: GiveUp::Interrupted, .. });
            generated += report.effort.generated;
            if outcome == QuickOutcome::Undecided {
                jobs.push((slots.len(), index, report));
                slots.push(Slot::Undecided);
            } else if !slots.is_empty() {
                scheduler.add_pending_bytes(solution_bytes(&report));
                slots.push(Slot::Decided { report: Box::new(report), provisional });
            } else if self.write(report, &mut chunk) {
                chunk.count(provisional);
            } else {
                return;
            }
        }
        self.context.counters.add_nodes(generated);
        let bytes_per_record = bytes / self.block.len().max(1) as u64;
        let undecided = jobs.len() as u64;
        self.context.counters.add_records(attempted - undecided, bytes - undecided * bytes_per_record);
        if jobs.is_empty() {
            return self.put(number, chunk);
        }
        let progress = chunk.progress.clone();
        self.put(number, Chunk { bytes: 0, is_last: false, ..chunk });
        let inner = Mutex::new(Results { slots, emitted: 0 });
        let block = Arc::new(PendingBlock { number, bytes, bytes_per_record, progress, inner });
        for (slot, index, report) in jobs {
            let job = Job { block: block.clone(), slot, report, before: before + index as u64 };
            scheduler.enqueue_slice(number * RECORDS as u64 + index as u64, job);
        }
    }

    /// Parses the record at `index` of the block and attempts it in tier `Quick`. `before` is the
    /// number of records of the run before it.
    fn attempt_quick(&mut self, index: usize, before: u64) -> (Report, QuickOutcome) {
        let mut started = Instant::now();
        let (header, instance) = self.block.record(index);
        let mut report = Report {
            file: self.file.clone(),
            n: header.n,
            id: header.id.map(Into::into),
            line: header.line,
            instance: None,
            verdict: Verdict::Unsolvable { hint: None },
            effort: Effort::default(),
        };
        let instance = match instance {
            Ok(instance) => instance,
            Err(invalid) => {
                report.verdict = Verdict::Invalid { reason: invalid.to_string().into() };
                return (report, QuickOutcome::Decided);
            }
        };
        if let Some(reason) = self.context.reason_to_stop() {
            report.instance = Some(instance);
            report.verdict = Verdict::GaveUp { reason, bound: 0 };
            return (report, QuickOutcome::Provisional);
        }
        let way = match &instance {
            Instance::Tiles { board, goal, .. } => {
                let (known, is_new) =
                    self.context.solver_cache.solver_for(&mut self.last, board.size(), goal, before);
                if is_new {
                    // The time for building shared tables does not count for this board.
                    started = Instant::now();
                }
                if !known.parity.admits(board) {
                    report.verdict = Verdict::Unsolvable { hint: hint(board, goal) };
                    report.instance = Some(instance);
                    return (report, QuickOutcome::Decided);
                }
                Some(known)
            }
            Instance::Tray { .. } => {
                self.context.solver_cache.warn_tray_heuristic();
                None
            }
        };
        let interrupt = &self.context.stop_condition.interrupt;
        let halt = || interrupt.is_raised();
        let limits = self.context.limits(&report.effort, &halt);
        let deadline = limits.deadline;
        let attempt = Attempt { tier: Tier::Quick, limits, region: &mut self.slice, helpers: &NoHelpers };
        let verdict = match (&instance, way) {
            (Instance::Tiles { .. }, Some(_)) if self.context.has_large_result(&instance) => None,
            (Instance::Tiles { board, .. }, Some(known)) => {
                known.solver.attempt(board, attempt, &mut report.effort)
            }
            _ => self.context.attempt(None, &instance, attempt, &mut report.effort),
        };
        report.effort.time = started.elapsed();
        report.instance = Some(instance);
        let Some(verdict) = verdict else { return (report, QuickOutcome::Undecided) };
        let provisional = self.context.is_provisional(&verdict, deadline);
        report.verdict = verdict;
        (report, if provisional { QuickOutcome::Provisional } else { QuickOutcome::Decided })
    }

    /// Attempts a job in a higher tier; completes it, or enqueues it for the next tier.
    fn solve(&mut self, seq: Seq, mut job: Job, tier: Tier) {
        let (context, scheduler) = (self.context, self.context.scheduler);
        if let Some(reason) = context.reason_to_stop() {
            job.report.verdict = Verdict::GaveUp { reason, bound: 0 };
            return self.complete(seq, job, tier, true);
        }
        let solver = match &job.report.instance {
            Some(Instance::Tiles { board, goal, .. }) => Some(
                context
                    .solver_cache
                    .solver_for(&mut self.last, board.size(), goal, job.before)
                    .0
                    .solver
                    .clone(),
            ),
            _ => None,
        };
        let started = Instant::now();
        let generated = job.report.effort.generated;
        let halt = || context.stop_condition.interrupt.is_raised() || scheduler.is_stopped();
        // Nodes that the search has reported while it runs.
        let reported = AtomicU64::new(0);
        let on_nodes = |nodes: u64| {
            let before = reported.fetch_max(nodes, Ordering::Relaxed);
            context.counters.add_nodes(nodes.saturating_sub(before));
        };
        let on_bound = |cost: u32| context.counters.start_iteration(cost);
        let checkpoint_sink = match context.checkpoint_sink(&job, tier) {
            Ok(checkpoint_sink) => checkpoint_sink,
            Err(error) => {
                *context.error.lock() = Some(error);
                return scheduler.stop();
            }
        };
        let limits = Limits {
            on_nodes: Some(&on_nodes),
            on_bound: (tier == Tier::Large).then_some(&on_bound),
            checkpoint_sink: checkpoint_sink
                .as_ref()
                .map(|checkpoint_sink| checkpoint_sink as &dyn CheckpointSink),
            ..context.limits(&job.report.effort, &halt)
        };
        let deadline = limits.deadline;
        let mut large;
        let large_result =
            job.report.instance.as_ref().is_some_and(|instance| context.has_large_result(instance));
        let region = if tier == Tier::Large {
            if large_result {
                self.slice.release_pages();
            }
            large = context.large_region.lock();
            &mut *large
        } else {
            &mut self.slice
        };
        let helpers = scheduler.helpers(seq);
        let helpers: &dyn HelperPool = if context.options.deterministic { &NoHelpers } else { &helpers };
        let attempt = Attempt { tier, limits, region, helpers };
        let Report { instance: Some(instance), effort, .. } = &mut job.report else {
            unreachable!("a job has an instance")
        };
        // The memory for large results and for writing checkpoints comes from these pages.
        if tier == Tier::Large && (large_result || checkpoint_sink.is_some()) {
            attempt.region.release_pages();
        }
        let verdict = context.attempt(solver.as_deref(), instance, attempt, effort);
        job.report.effort.time += started.elapsed();
        if tier == Tier::Large {
            context.counters.end_search();
        }
        if let Some(checkpoint_sink) = &checkpoint_sink {
            if let Some(rejection) = checkpoint_sink.take_rejection() {
                *context.error.lock() = Some(context.bad_checkpoint(rejection));
                return scheduler.stop();
            }
            let is_proved = match &verdict {
                Some(Verdict::Solved(solution)) => solution.optimal,
                verdict => matches!(verdict, Some(Verdict::Unsolvable { .. })),
            };
            checkpoint_sink.finish(is_proved);
        }
        let done = job.report.effort.generated.saturating_sub(generated);
        context.counters.add_nodes(done.saturating_sub(reported.into_inner()));
        let Some(verdict) = verdict else { return scheduler.enqueue_large(seq, job, large_result) };
        context.counters.add_records(1, job.block.bytes_per_record);
        let provisional = context.is_provisional(&verdict, deadline);
        job.report.verdict = verdict;
        self.complete(seq, job, tier, provisional);
    }

    /// Stores the result of a job and hands the decided results of its block to the reorder buffer.
    fn complete(&mut self, seq: Seq, job: Job, tier: Tier, provisional: bool) {
        let scheduler = self.context.scheduler;
        scheduler.complete(seq, tier == Tier::Large);
        scheduler.add_pending_bytes(solution_bytes(&job.report));
        let mut results = job.block.inner.lock();
        results.slots[job.slot] = Slot::Decided { report: Box::new(job.report), provisional };
        self.emit_decided(&job.block, &mut results);
    }
}

impl Worker<'_, '_> {
    /// Hands the results of a block to the reorder buffer, up to the first undecided one.
    fn emit_decided(&mut self, block: &PendingBlock, results: &mut Results) {
        let mut chunk = Chunk::default();
        let mut emitted_bytes = 0;
        let before = results.emitted;
        for slot in &mut results.slots[before..] {
            match std::mem::replace(slot, Slot::Skipped) {
                Slot::Skipped => {}
                Slot::Undecided => {
                    *slot = Slot::Undecided;
                    break;
                }
                Slot::Decided { report, provisional } => {
                    emitted_bytes += solution_bytes(&report);
                    if !self.write(*report, &mut chunk) {
                        return;
                    }
                    chunk.count(provisional);
                }
            }
            results.emitted += 1;
        }
        self.context.scheduler.subtract_pending_bytes(emitted_bytes);
        if results.emitted > before {
            chunk.is_last = results.emitted == results.slots.len();
            chunk.progress = block.progress.clone();
            if chunk.is_last {
                chunk.bytes = block.bytes;
            }
            self.put(block.number, chunk);
        }
    }

    /// Hands the next chunk of a block to the reorder buffer.
    fn put(&self, block: u64, chunk: Chunk) {
        let scheduler = self.context.scheduler;
        let (bytes, is_last) = (chunk.bytes, chunk.is_last);
        scheduler.add_pending_bytes(chunk.pending_bytes());
        match self.context.reorder_buffer.put(block, chunk) {
            Ok((written, written_bytes)) => {
                scheduler.subtract_pending_bytes(written_bytes);
                if is_last {
                    scheduler.block_finished(bytes, written);
                }
            }
            Err(Closed) => scheduler.stop(),
        }
    }

    /// Replays a solution and formats the result. Returns `false`, and ends the run, if the solution
    /// is wrong.
    fn write(&mut self, report: Report, chunk: &mut Chunk) -> bool {
        if let (Some(instance), Verdict::Solved(solution)) = (&report.instance, &report.verdict)
            && let Err(wrong) = replay(instance, solution)
        {
            let wrong = format!("{}, record {} (line {}): {wrong}", report.file, report.n, report.line);
            *self.context.wrong_solution.lock() = Some(wrong);
            self.context.scheduler.stop();
            return false;
        }
        self.summary.add(&report);
        chunk.describe_invalid(&report);
        if self.context.style.is_long(&report) {
            chunk.long.push((chunk.text.len(), Box::new(report)));
        } else {
            self.context.style.write(&mut chunk.text, &report);
        }
        true
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

/// Names the goals for which an unsolvable board is solvable.
fn hint(board: &Board, goal: &Goal) -> Option<Box<str>> {
    let leads_to = |other: &Goal| {
        other != goal && other.board(board.size()).is_some_and(|other| is_solvable(board, &other))
    };
    let names: Vec<_> = Goal::NAMED.into_iter().filter(leads_to).map(|goal| goal.name()).collect();
    match names.len() {
        0 => None,
        1 => Some(format!("solvable for the goal {}", names[0]).into()),
        _ => Some(format!("solvable for the goals {}", names.join(" and ")).into()),
    }
}
