//! A run: all files, all workers, from the first record to the summary.

use super::RunError;
use super::beginning::Beginning;
use super::checkpoint::{Checkpoints, may_be_in_input};
use super::choice::Choice;
use super::counters::Counters;
use super::crew::Crew;
use super::databases::{Databases, OtherNeeds};
use super::inputs::Inputs;
use super::interrupt::{Ending, Interrupt};
use super::resume::Past;
use super::settings::Settings;
use super::shares::Shares;
use super::survey::survey;
use super::window::Window;
use super::worker::{Job, Shared, Worker};
use crate::input::{InputError, Packing};
use crate::memory::arena::Arena;
use crate::memory::budget::{Budget, Short, least_cap};
use crate::memory::limits::{self, STACK};
use crate::memory::{Line, Region};
use crate::output::{Sink, Style, Summary};
use crate::puzzle::tiles::Size;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What a run tells while it goes on.
pub trait Notices: Sync {
    /// A file cannot be read, or not to its end.
    fn input_error(&self, error: &InputError);
    /// A record is no puzzle: its file, its number and what is wrong. Comes in the order
    /// of the records, not for all of many.
    fn invalid_record(&self, _what: &str) {}
    /// Something that will not be done, and why.
    fn warn(&self, what: &str);
    /// Why the plan is what it is.
    fn explain(&self, reason: &str);
}

/// How a run ended.
pub struct Finished {
    /// Counts over all results.
    pub summary: Summary,
    /// Inputs that could not be read, or not to their end.
    pub unreadable: usize,
    /// What is left for a later run.
    pub past: Past,
    /// The time that was spent on set-up: before the first record was read, and on
    /// databases that were brought in later.
    pub setup: Duration,
}

/// Solves every record of every file and writes the results in their order,
/// behind those that an earlier run has left.
pub fn run(
    settings: &Settings,
    style: Style,
    sink: &mut Sink,
    past: Past,
    counters: &Counters,
    interrupt: &Interrupt,
    notices: &dyn Notices,
) -> Result<Finished, RunError> {
    let started = Instant::now();
    let defaults = settings.defaults()?;
    let mut threads = settings.threads;
    let budget = Budget::new(settings.memory);
    let names = settings.names_footprint();
    let unpacking = |cap| Packing::footprint_of(&settings.files, cap) + names;
    let rest = |cap, threads| match settings.deterministic {
        true => Shares::least_deterministic(),
        false => Shares::least(cap, threads),
    };
    let least =
        |_| Short { cap: settings.memory, needed: least_cap(|cap| unpacking(cap) + rest(cap, threads)) };
    budget.reserve(unpacking(settings.memory)).map_err(least)?;
    let ends = settings.deadline.map(|deadline| started + deadline);
    let ending = Ending { interrupt: interrupt.clone(), deadline: ends };
    let mut beginning = match settings.files.iter().any(|file| file == "-") {
        true => Beginning::of_stdin(interrupt, ends),
        false => Beginning::default(),
    };
    let kinds = survey(settings, &defaults, &beginning, Size::FIFTEEN);
    let checkpoints = settings.checkpoint.as_ref().map(|path| {
        let has = |puzzle: &str| may_be_in_input(settings, &defaults, puzzle);
        Checkpoints::open(path, settings.memory, has, notices)
            .map_err(|bad| RunError::Checkpoint(path.clone(), bad))
    });
    let checkpoints = checkpoints.transpose()?;
    let needs = OtherNeeds { before: &unpacking, after: &rest, threads };
    let databases = Databases::prepare(settings, &kinds, &budget, needs, counters, &ending, notices)?;
    let shares = if settings.deterministic {
        let (shares, workers) = Shares::deterministic(&budget, threads, databases.bytes_beside(), unpacking)?;
        threads = workers;
        shares
    } else {
        Shares::new(&budget, threads, unpacking)?
    };
    let beside = OTHERS + shares.window + shares.tables + (threads * STACK) as u64;
    let mappable =
        limits::address_space_left().map_or(usize::MAX, |left| left.saturating_sub(beside) as usize);
    let least = if settings.deterministic { shares.arena(threads) } else { Shares::LEAST_ARENA };
    let mut arena =
        Arena::new(shares.arena(threads).min(mappable).max(least), least).map_err(RunError::Arena)?;
    let missing = shares.arena(threads) - arena.bytes().min(shares.arena(threads));
    if settings.explain {
        notices.explain(&explain_memory(settings, &shares, missing));
    }
    let slice = if missing == 0 { shares.slice as usize } else { arena.bytes() / 2 / threads };
    let mut parts = arena.divide(&vec![slice; threads]);
    let large = parts.pop().unwrap_or_default();
    let large_bytes = size_of_val::<[Line]>(large) as u64;

    let unreadable = AtomicUsize::new(0);
    let complain = |error: &InputError| {
        unreadable.fetch_add(1, Ordering::Relaxed);
        notices.input_error(error);
    };
    if sink.is_empty() {
        let mut heading = Vec::new();
        style.header(&mut heading);
        sink.write_all(&heading)?;
    }
    let crew = Crew::new((shares.window >> 16).clamp(4, 1024).max(4 * threads as u64), shares.window);
    let stops = (crew.stop_flag(), crew.oldest());
    let inputs = Inputs::new(settings, defaults, &ending, stops, &complain)
        .beginning_with(beginning.take())
        .go_on(past.records, past.journal.is_some());
    let shared = Shared {
        settings,
        style,
        ending: &ending,
        choice: Choice::new(settings, counters, &ending, notices, shares.tables, databases),
        crew: &crew,
        inputs: Mutex::new(inputs),
        window: Window::new(sink, style, past).naming_invalid(notices),
        counters,
        large: Mutex::new(Region::zeroed(large)),
        checkpoints,
        failed: Mutex::new(None),
        wrong: Mutex::new(None),
        light: (shares.window / threads as u64 / 16).max(8 << 10),
        large_bytes,
        most_weight: shares.window + slice as u64 + large_bytes,
    };
    let slices = Mutex::new(parts);
    let before_solving = started.elapsed();
    let databases_before = shared.choice.databases_time();
    counters.begin_solving();
    std::thread::scope(|scope| {
        let work = || {
            let _home = StopOnPanic(&crew);
            let slice: &mut [Line] = slices.lock().pop().unwrap_or_default();
            Worker::new(&shared, Region::zeroed(slice)).work();
        };
        for worker in 1..threads {
            let name = format!("worker {worker}");
            // Where the system gives no more threads, fewer do the work.
            let thread = std::thread::Builder::new().name(name).stack_size(STACK);
            if thread.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    if let Some(wrong) = shared.wrong.into_inner() {
        return Err(RunError::Wrong(wrong));
    }
    if let Some(error) = shared.failed.into_inner() {
        return Err(error);
    }
    let setup = before_solving + shared.choice.databases_time().saturating_sub(databases_before);
    let mut inputs = shared.inputs.into_inner();
    let not_found = inputs.not_found();
    let (mut summary, journal) = shared.window.close()?;
    if not_found > 0 && !interrupt.is_raised() && !inputs.is_cut() {
        return Err(RunError::TooManyResults(not_found));
    }
    summary.not_begun = inputs.count_unread();
    Ok(Finished {
        summary,
        unreadable: unreadable.into_inner(),
        past: Past { journal, ..Past::default() },
        setup,
    })
}

/// What is mapped beside the memory that is budgeted and the stacks, in bytes.
const OTHERS: u64 = 12 << 20;

fn explain_memory(settings: &Settings, shares: &Shares, missing: usize) -> String {
    use crate::quantity::Bytes;
    let mut text = format!(
        "memory: {} in all: {} workers with slices of {}, {} for puzzles that outgrow theirs, {} for results that wait, {} for tables",
        Bytes(settings.memory),
        settings.threads,
        Bytes(shares.slice),
        Bytes(shares.large),
        Bytes(shares.window),
        Bytes(shares.tables),
    );
    if missing > 0 {
        text += &format!("; the system refused {} of that", Bytes(missing as u64));
    }
    text
}

/// Sends all home if a worker panics, so that the panic reaches the top.
struct StopOnPanic<'c>(&'c Crew<Job>);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
