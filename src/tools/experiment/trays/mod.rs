//! `trays`: how the queue, the heuristic and the visited set of the courses'
//! sliding-block programs matter.
//!
//! Part one: a stack, a FIFO queue and priority queues search random trays
//! within limits, with exact keys. Part two, on the small ones: the visited set
//! keeps 32 bits of a polynomial hash in place of the state, as many programs
//! do, with several multipliers: which states are lost, and which answers are
//! wrong.

mod look;
mod search;

pub use look::look;
use search::Priorities;
pub use search::{Outcome, Queue, Seen};

use super::means::reserve;
use super::{Design, ExperimentError, Means, Runs};
use crate::generate::trays::{BlockShape, GenerateError, TrayGoal, TrayRequest};
use crate::memory::budget::{Budget, OutOfBudget};
use crate::model::interrupt::Interrupt;
use crate::puzzle::trays::{Metric, Packed, Tray};
use crate::run::parallel_map;
use std::io;
use std::sync::atomic::AtomicU64;

/// The queues of part one.
pub const QUEUES: [Queue; 5] = [Queue::Stack, Queue::Fifo, Queue::Nearest, Queue::Total, Queue::Made];

/// The visited sets of part two. 31 is Java's habit for lists.
pub const SETS: [Seen; 5] =
    [Seen::Exact, Seen::Hash(31), Seen::Hash(8191), Seen::Hash(1_000_003), Seen::Hash(2_654_435_761)];

/// States that a search of part two may visit: more than its trays have.
const WHOLE: u64 = 500_000;

/// Arrangements among which the place is looked for that a block comes to last:
/// that is the goal.
const FARTHEST: u64 = 50_000;

/// A tray, and its line in the CSV, in bytes.
const TRAY: usize = 2 << 10;
const LINE: usize = 256;

/// A state of a search, while its tables grow: itself, its key or hash, its place
/// in the queue.
const STATE: u64 = 160;

/// A run.
#[derive(Clone, PartialEq, Debug)]
pub struct TrayRow {
    /// The tray's number, from 0.
    pub tray: usize,
    /// The queue.
    pub queue: Queue,
    /// The visited set.
    pub seen: Seen,
    /// States that could be visited; none where the whole space was searched,
    /// goal or not.
    pub limit: Option<u64>,
    /// What came of it.
    pub outcome: Outcome,
}

/// A job: which tray, and how.
#[derive(Clone, Copy)]
struct Job {
    tray: usize,
    queue: Queue,
    seen: Seen,
    limit: Option<u64>,
    /// Whether the search goes on behind the goal, through the whole space.
    whole: bool,
}

/// Bytes for a run of a design: states are kept on the heap, as in the courses'
/// programs.
fn run_bytes(design: &Design) -> u64 {
    let whole = design.sizes.iter().any(|size| size.cells() <= SMALL).then_some(WHOLE);
    design.limits.iter().copied().chain(whole).max().unwrap_or(0).saturating_mul(STATE)
}

/// The budget of an experiment with trays.
pub(super) fn budget(design: &Design, means: &Means) -> Result<Budget, OutOfBudget> {
    means.budget(FARTHEST * STATE, run_bytes(design))
}

/// The trays of a design, reserved from the budget: each can be solved.
/// After an interrupt, those that were made.
pub fn trays_of(
    design: &Design,
    budget: &Budget,
    interrupt: &Interrupt,
) -> Result<Vec<Tray>, ExperimentError> {
    let mut trays = Vec::new();
    for size in &design.sizes {
        reserve(budget, design.count, TRAY)?;
        let request = TrayRequest {
            rows: size.rows(),
            cols: size.cols(),
            // Those that are too large are left out.
            count: design.count.saturating_mul(4),
            seed: design.seed,
            holes: (size.cells() / 8).max(2),
            shapes: [(1, 1), (1, 2), (2, 1), (2, 2)].map(BlockShape::from).into(),
            goals: 1,
            goal: TrayGoal::Farthest { max_states: FARTHEST, memory: FARTHEST * STATE },
        };
        let mut made = request.trays().map_err(|error| ExperimentError::Trays(error.to_string()))?;
        let enough = trays.len() + design.count as usize;
        while trays.len() < enough {
            match made.next_unless(&|| interrupt.is_raised()) {
                Ok(Some(tray)) if tray.is_solved() || puzzle(&tray).is_none() => {}
                Ok(Some(tray)) => trays.push(tray),
                Ok(None) | Err(GenerateError::Stopped) => break,
                Err(error) => return Err(ExperimentError::Trays(error.to_string())),
            }
        }
    }
    if trays.is_empty() && !interrupt.is_raised() { Err(ExperimentError::Empty) } else { Ok(trays) }
}

type Puzzle = Packed<u64, u128>;

/// A tray as it is searched, if it is small enough: up to 64 cells.
fn puzzle(tray: &Tray) -> Option<(Puzzle, Priorities)> {
    Some((Packed::new(tray, Metric::Slide)?, Priorities::new(tray)?))
}

/// Trays up to so many cells are in part two: their whole space can be searched.
const SMALL: usize = 20;

fn jobs(design: &Design, trays: &[Tray]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (tray, of) in trays.iter().enumerate() {
        for queue in QUEUES {
            for &limit in &design.limits {
                jobs.push(Job { tray, queue, seen: Seen::Exact, limit: Some(limit), whole: false });
            }
        }
        for seen in SETS.into_iter().filter(|_| of.cells() <= SMALL) {
            for whole in [false, true] {
                jobs.push(Job { tray, queue: Queue::Fifo, seen, limit: None, whole });
            }
        }
    }
    jobs
}

/// How many runs a design has.
pub fn count(design: &Design, trays: &[Tray]) -> u64 {
    jobs(design, trays).len() as u64
}

/// Does every run of a design, and says how they were done.
pub fn run(
    design: &Design,
    trays: &[Tray],
    means: &Means,
    budget: &Budget,
    interrupt: &Interrupt,
    done: &AtomicU64,
) -> Result<(Vec<TrayRow>, Runs), ExperimentError> {
    let each_row = size_of::<Job>() + 2 * size_of::<TrayRow>() + 2 * LINE;
    let jobs = jobs(design, trays);
    reserve(budget, jobs.len() as u64, each_row)?;
    let runs = means.runs(budget, run_bytes(design))?;
    let outcomes = parallel_map(&jobs, runs.threads, 64, interrupt, done, |job, _| {
        let (puzzle, priorities) = puzzle(&trays[job.tray]).expect("larger trays were left out");
        let limit = job.limit.unwrap_or(WHOLE);
        let (Job { queue, seen, whole, .. }, stop) = (*job, || interrupt.is_raised());
        search::search(&puzzle, &priorities, search::Run { queue, seen, limit, whole, stop: &stop })
    })?;
    let rows = jobs.iter().zip(outcomes).map_while(|(job, outcome)| {
        let Job { tray, queue, seen, limit, .. } = *job;
        Some(TrayRow { tray, queue, seen, limit, outcome: outcome?? })
    });
    Ok((rows.collect(), runs))
}

/// Writes rows under a header.
pub fn write_csv(rows: &[TrayRow], out: impl io::Write) -> csv::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record([
        "tray",
        "queue",
        "visited_set",
        "max_nodes",
        "whole_space",
        "ending",
        "length",
        "visited",
        "bytes",
        "time_us",
    ])?;
    for row in rows {
        let outcome = &row.outcome;
        csv.write_record([
            row.tray.to_string(),
            row.queue.name().to_owned(),
            row.seen.name(),
            row.limit.map_or(String::new(), |limit| limit.to_string()),
            outcome.whole.to_string(),
            outcome.ending.to_owned(),
            outcome.length.map_or(String::new(), |length| length.to_string()),
            outcome.visited.to_string(),
            outcome.bytes.to_string(),
            format!("{:.1}", outcome.time_us),
        ])?;
    }
    csv.flush()?;
    Ok(())
}
