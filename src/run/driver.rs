//! A run from the first record to the summary.
//!
//! 1. Reserve memory: program, input, databases, reorder buffer; the arena is what is left.
//! 2. Sample the input and prepare the pattern databases.
//! 3. Start the workers, each with its slice of the arena, and wait for their end.
//! 4. Merge the summaries.

use super::RunError;
use super::block::Job;
use super::checkpoint::{Checkpoints, may_be_in_input};
use super::context::RunContext;
use super::resume::ResumeState;
use super::worker::Worker;
use crate::input::{Compression, InputError};
use crate::memory::arena::Arena;
use crate::memory::budget::{Budget, OutOfBudget, least_cap};
use crate::memory::limits::{self, STACK};
use crate::memory::{Line, Region};
use crate::model::interrupt::{Interrupt, StopCondition};
use crate::options::Options;
use crate::output::{Sink, Style, Summary};
use crate::puzzle::tiles::Size;
use crate::run::reorder::ReorderBuffer;
use crate::run::scheduler::Scheduler;
use crate::run::source::peek::StdinPeek;
use crate::run::source::{RecordSource, RunSignals};
use crate::solve::Observer;
use crate::solve::cache::SolverCache;
use crate::solve::counters::Counters;
use crate::solve::databases::sample::sample_input;
use crate::solve::databases::{Databases, OtherNeeds};
use crate::solve::memory_plan::MemoryPlan;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How a run ended.
pub struct RunOutcome {
    /// Counts over all results.
    pub summary: Summary,
    /// Inputs that could not be read, or not to their end.
    pub unreadable: usize,
    /// Journal for a later run.
    pub resume_state: ResumeState,
    /// Time spent on set-up: before the first record was read, and on databases that were loaded
    /// or built later.
    pub setup: Duration,
}

/// Solves every record of every file and writes the results in input order, after those of the
/// earlier run that `resume_state` describes.
pub fn run(
    options: &Options,
    style: Style,
    sink: &mut Sink,
    resume_state: ResumeState,
    counters: &Counters,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<RunOutcome, RunError> {
    let started = Instant::now();
    let defaults = options.defaults()?;
    let mut threads = options.threads;
    let budget = Budget::new(options.memory);
    let names = options.names_footprint();
    let input_bytes = |cap| Compression::footprint_of(&options.files, cap) + names;
    let run_bytes = |cap, threads| match options.deterministic {
        true => MemoryPlan::min_deterministic_bytes(),
        false => MemoryPlan::min_bytes(cap, threads),
    };
    let too_small = |_| OutOfBudget {
        cap: options.memory,
        needed: least_cap(|cap| input_bytes(cap) + run_bytes(cap, threads)),
    };
    budget.reserve(input_bytes(options.memory)).map_err(too_small)?;
    let deadline = options.deadline.map(|deadline| started + deadline);
    let stop_condition = StopCondition { interrupt: interrupt.clone(), deadline };
    let mut stdin_peek = match options.files.iter().any(|file| file == "-") {
        true => StdinPeek::of_stdin(interrupt, deadline),
        false => StdinPeek::default(),
    };
    let kinds = sample_input(options, &defaults, stdin_peek.bytes(), Size::FIFTEEN);
    let checkpoints = options.checkpoint.as_ref().map(|path| {
        let is_in_input = |puzzle: &str| may_be_in_input(options, &defaults, puzzle);
        Checkpoints::open(path, options.memory, is_in_input, observer)
            .map_err(|bad| RunError::Checkpoint(path.clone(), bad))
    });
    let checkpoints = checkpoints.transpose()?;
    let needs = OtherNeeds { before: &input_bytes, after: &run_bytes, threads };
    let databases = Databases::prepare(options, &kinds, &budget, needs, counters, &stop_condition, observer)?;
    let memory_plan = if options.deterministic {
        let (memory_plan, workers) =
            MemoryPlan::deterministic(&budget, threads, databases.bytes_outside_slice(), input_bytes)?;
        threads = workers;
        memory_plan
    } else {
        MemoryPlan::new(&budget, threads, input_bytes)?
    };
    let mut arena = allocate_arena(options, &memory_plan, threads)?;
    let missing = memory_plan.arena(threads) - arena.bytes().min(memory_plan.arena(threads));
    if options.explain {
        observer.explain(&explain_memory(options, &memory_plan, missing));
    }
    let slice = if missing == 0 { memory_plan.slice as usize } else { arena.bytes() / 2 / threads };
    let mut slices = arena.divide(&vec![slice; threads]);
    let large = slices.pop().unwrap_or_default();
    let large_region_bytes = size_of_val::<[Line]>(large) as u64;

    let unreadable = AtomicUsize::new(0);
    let on_input_error = |error: &InputError| {
        unreadable.fetch_add(1, Ordering::Relaxed);
        observer.input_error(error);
    };
    if sink.is_empty() {
        let mut heading = Vec::new();
        style.header(&mut heading);
        sink.write_all(&heading)?;
    }
    let scheduler = Scheduler::new(
        (memory_plan.reorder_buffer >> 16).clamp(4, 1024).max(4 * threads as u64),
        memory_plan.reorder_buffer,
    );
    let signals = RunSignals {
        stop_condition: &stop_condition,
        stopped: scheduler.stop_flag(),
        oldest_job: scheduler.oldest(),
    };
    let source = RecordSource::new(options, defaults, signals, &on_input_error)
        .with_stdin_peek(stdin_peek.take())
        .skip_answered(resume_state.records, resume_state.journal.is_some());
    let context = RunContext {
        options,
        style,
        stop_condition: &stop_condition,
        solver_cache: SolverCache::new(
            options,
            counters,
            &stop_condition,
            observer,
            memory_plan.tables,
            databases,
        ),
        scheduler: &scheduler,
        source: Mutex::new(source),
        reorder_buffer: ReorderBuffer::new(sink, style, resume_state).with_observer(observer),
        counters,
        large_region: Mutex::new(Region::zeroed(large)),
        checkpoints,
        error: Mutex::new(None),
        wrong_solution: Mutex::new(None),
        max_small_result: (memory_plan.reorder_buffer / threads as u64 / 16).max(8 << 10),
        large_region_bytes,
        max_result: memory_plan.reorder_buffer + slice as u64 + large_region_bytes,
    };
    let before_solving = started.elapsed();
    let databases_before = context.solver_cache.databases_time();
    counters.begin_solving();
    run_workers(&context, slices, threads);
    if let Some(wrong) = context.wrong_solution.into_inner() {
        return Err(RunError::Wrong(wrong));
    }
    if let Some(error) = context.error.into_inner() {
        return Err(error);
    }
    let setup = before_solving + context.solver_cache.databases_time().saturating_sub(databases_before);
    let mut source = context.source.into_inner();
    let missing_answered = source.missing_answered();
    let (mut summary, journal) = context.reorder_buffer.close()?;
    if missing_answered > 0 && !interrupt.is_raised() && !source.was_cut_by_deadline() {
        return Err(RunError::TooManyResults(missing_answered));
    }
    summary.not_begun = source.count_unread();
    Ok(RunOutcome {
        summary,
        unreadable: unreadable.into_inner(),
        resume_state: ResumeState { journal, ..ResumeState::default() },
        setup,
    })
}

/// Allocates the arena: as much as the plan asks for, or less if the address space is limited. In a
/// deterministic run its size is fixed.
fn allocate_arena(options: &Options, memory_plan: &MemoryPlan, threads: usize) -> Result<Arena, RunError> {
    let beside = UNBUDGETED + memory_plan.reorder_buffer + memory_plan.tables + (threads * STACK) as u64;
    let mappable =
        limits::address_space_left().map_or(usize::MAX, |left| left.saturating_sub(beside) as usize);
    let planned = memory_plan.arena(threads);
    let min = if options.deterministic { planned } else { MemoryPlan::MIN_ARENA };
    Arena::new(planned.min(mappable).max(min), min).map_err(RunError::Arena)
}

/// Runs up to `threads` workers, each with one of `slices`, until all of them have ended. The calling
/// thread is one of them.
fn run_workers<'r>(context: &RunContext<'r>, slices: Vec<&'r mut [Line]>, threads: usize) {
    let slices = Mutex::new(slices);
    std::thread::scope(|scope| {
        let work = || {
            let _guard = StopOnPanic(context.scheduler);
            let slice: &mut [Line] = slices.lock().pop().unwrap_or_default();
            Worker::new(context, Region::zeroed(slice)).run();
        };
        for worker in 1..threads {
            let name = format!("worker {worker}");
            // If the system refuses a thread, the run continues with those it has.
            let thread = std::thread::Builder::new().name(name).stack_size(STACK);
            if thread.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}

/// Address space that is mapped beside the budgeted memory and the stacks, in bytes.
const UNBUDGETED: u64 = 12 << 20;

fn explain_memory(options: &Options, memory_plan: &MemoryPlan, missing: usize) -> String {
    use crate::quantity::Bytes;
    let mut text = format!(
        "memory: {} in all: {} workers with slices of {}, {} for the large region, {} for the reorder buffer, {} for tables",
        Bytes(options.memory),
        options.threads,
        Bytes(memory_plan.slice),
        Bytes(memory_plan.large_region),
        Bytes(memory_plan.reorder_buffer),
        Bytes(memory_plan.tables),
    );
    if missing > 0 {
        text += &format!("; the system refused {} of that", Bytes(missing as u64));
    }
    text
}

/// Stops the other workers if this one panics, so that the scope ends and propagates the panic.
struct StopOnPanic<'c>(&'c Scheduler<Job>);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
