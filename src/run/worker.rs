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

use super::block::{Job, PendingBlock, Results, Slot};
use super::context::RunContext;
use crate::input::Block;
use crate::memory::Region;
use crate::model::report::{Effort, GiveUp, Instance, Report, Verdict};
use crate::output::{Summary, replay};
use crate::puzzle::tiles::{Board, Goal, is_solvable};
use crate::run::reorder::{Chunk, Closed, solution_bytes};
use crate::run::scheduler::{Next, Seq};
use crate::run::source::{BlockInfo, NextBlock, RECORDS};
use crate::search::checkpoint::CheckpointSink;
use crate::search::{HelperPool, Limits, NoHelpers};
use crate::solve::cache::CachedSolver;
use crate::solve::plan::Tier;
use crate::solve::solver::Attempt;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Maximum wait for the lock of the source.
const READ_LOCK_TIMEOUT: Duration = Duration::from_millis(5);

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
