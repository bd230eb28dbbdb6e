//! `improve`: shortens existing solutions one by one, each on all threads.

use super::RunError;
use crate::check::{CheckOptions, Pair, UsableResult, pairs};
use crate::heuristic::line_cuts;
use crate::input::{Compression, Reader};
use crate::large::beam::Work;
use crate::large::bound::lower_bound;
use crate::large::improve::{DEFAULT_TIME, Resources, improve};
use crate::large::mutable_board::MutableBoard;
use crate::memory::Region;
use crate::memory::arena::Arena;
use crate::memory::budget::{Budget, OutOfBudget, least_cap};
use crate::model::interrupt::Interrupt;
use crate::model::report::{Effort, Instance, Report, Solution, Verdict};
use crate::output::{Sink, Style, Summary, replay};
use crate::puzzle::tiles::{Board, Direction, Metric};
use crate::search::{Limits, SpawnThreads};
use crate::solve::memory_plan::MemoryPlan;
use crate::solve::tiles::large::whole_region;
use crate::solve::trays::improve::improve_tray;
use std::io::BufRead;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Options of `improve`.
#[derive(Clone, Debug)]
pub struct Request {
    /// Threads for each puzzle.
    pub threads: usize,
    /// The cap on the peak resident memory of the process, in bytes.
    pub memory: u64,
    /// Time for each puzzle.
    pub timeout: Option<Duration>,
    /// Options for reading results.
    pub options: CheckOptions,
    /// Style in which they are written.
    pub style: Style,
}

/// Returns the part of the memory cap that results may occupy.
pub fn max_result_bytes(memory: u64) -> u64 {
    memory / 4
}

/// Outcome of `improve`.
pub struct Improved {
    /// Counts over all results.
    pub summary: Summary,
    /// Moves before and after, over all solutions.
    pub moves: (u64, u64),
    /// Results that were wrong, missing, or without a solution to start from.
    pub skipped: u64,
}

/// Improves every valid result of a file and writes it, in the order of the results. Calls `warn`
/// for each result that is skipped.
pub fn improve_results(
    request: &Request,
    reader: Reader,
    results: impl BufRead,
    sink: &mut Sink,
    interrupt: &Interrupt,
    warn: &dyn Fn(&str),
) -> Result<Improved, RunError> {
    let budget = Budget::new(request.memory);
    let before = |cap| max_result_bytes(cap) + Compression::footprint_of(&[reader.file()], cap);
    let needed = || least_cap(|cap| before(cap) + MemoryPlan::min_bytes(cap, request.threads));
    budget.reserve(before(request.memory)).map_err(|short| OutOfBudget { needed: needed(), ..short })?;
    let memory_plan = MemoryPlan::new(&budget, request.threads, before)?;
    let bytes = memory_plan.arena(request.threads).min(request.threads * MAX_THREAD_BYTES);
    let mut arena = Arena::new(bytes, MemoryPlan::MIN_ARENA.min(bytes)).map_err(RunError::Arena)?;
    let lines = arena.divide(&[bytes]).into_iter().next().unwrap_or_default();
    let mut region = Region::zeroed(lines);
    let file: Arc<str> = reader.file().clone();
    let mut improved = Improved { summary: Summary::new(), moves: (0, 0), skipped: 0 };
    let (mut skipped, mut error) = (0, None);
    let mut text = Vec::new();
    request.style.header(&mut text);
    sink.write_all(&text)?;
    let visit = |pair: Pair<'_>| {
        if error.is_some() || interrupt.is_raised() {
            return;
        }
        let started = Instant::now();
        let verdict = match improve_one(request, &pair, &mut region, interrupt, &mut improved.moves) {
            Ok(verdict) => verdict,
            Err(why) => {
                skipped += 1;
                warn(&format!("{file}, record {}: skipped, {why}", pair.n));
                return;
            }
        };
        let effort = Effort { algorithm: "improve", time: started.elapsed(), ..Effort::default() };
        let report = Report {
            file: file.clone(),
            n: pair.n,
            id: (pair.id != pair.n.to_string()).then(|| pair.id.into()),
            line: pair.line,
            instance: Some(pair.instance.clone()),
            verdict,
            effort,
        };
        if let Verdict::Solved(solution) = &report.verdict
            && let Err(wrong) = replay(pair.instance, solution)
        {
            error = Some(RunError::Wrong(format!("{file}, record {}: {wrong}", pair.n)));
            return;
        }
        improved.summary.add(&report);
        error = request.style.write_chunked(&report, |chunk| sink.write_all(chunk)).err().map(Into::into);
    };
    let mut wrong = 0;
    let ended = pairs(reader, results, &request.options, visit, |message| {
        wrong += 1;
        warn(message);
    });
    if let Some(error) = error {
        return Err(error);
    }
    ended?;
    improved.skipped = skipped + wrong;
    Ok(improved)
}

/// Memory per thread above which a search gains nothing.
const MAX_THREAD_BYTES: usize = 64 << 20;

/// Searches for a shorter solution until the timeout. Returns the verdict, or why the result is
/// skipped.
fn improve_one(
    request: &Request,
    pair: &Pair<'_>,
    region: &mut Region<'_>,
    interrupt: &Interrupt,
    moves: &mut (u64, u64),
) -> Result<Verdict, &'static str> {
    let halt = || interrupt.is_raised();
    let deadline = Some(Instant::now() + request.timeout.unwrap_or(DEFAULT_TIME));
    let limits = Limits { deadline, halt: Some(&halt), ..Limits::default() };
    let (before, solution) = match (pair.instance, &pair.result) {
        (_, UsableResult::Unsolvable) => return Ok(Verdict::Unsolvable { hint: None }),
        (Instance::Tray { tray, metric }, UsableResult::Shifts { shifts, length }) => {
            (Some(*length as usize), improve_tray(tray, *metric, shifts, &limits, region))
        }
        (Instance::Tray { .. }, _) => return Err("the tray has no solution yet: solve it first"),
        (Instance::Tiles { board, goal, metric }, known) => {
            let known = match known {
                UsableResult::Solution(known) => Some(*known),
                _ => None,
            };
            let goal = goal.board(board.size()).ok_or("its goal does not fit the board")?;
            let solution = improve_board(request, (board, &goal, *metric), known, limits, region)
                .ok_or("no solution was found in the time")?;
            (known.map(|known| metric.length(known)), solution)
        }
    };
    moves.0 += before.unwrap_or(solution.length as usize) as u64;
    moves.1 += u64::from(solution.length);
    Ok(Verdict::Solved(solution))
}

/// Returns a solution of a board that is no longer than `known`.
///
/// The search minimises single moves. The length in the line metric is the number of straight runs,
/// so a solution with fewer single moves is taken only if it has no more runs.
fn improve_board(
    request: &Request,
    (board, goal, metric): (&Board, &Board, Metric),
    known: Option<&[Direction]>,
    limits: Limits<'_>,
    region: &mut Region<'_>,
) -> Option<Solution> {
    let field = MutableBoard::new(board, goal);
    let single_moves = lower_bound(&field);
    let helpers = SpawnThreads(request.threads);
    let resources = Resources {
        limits,
        helpers: &helpers,
        threads: request.threads,
        memory: whole_region(region),
        bound: single_moves as usize,
        width: None,
    };
    let found = improve(&field, known.map(<[_]>::to_vec), resources, &mut Work::default()).ok()?;
    let moves = match known {
        Some(known) if metric.length(known) < metric.length(&found) => known.to_vec(),
        _ => found,
    };
    let length = metric.length(&moves) as u32;
    let bound = match metric {
        Metric::Tile => single_moves,
        Metric::Line => line_cuts(board, goal),
    };
    Some(Solution { moves: moves.into(), length, optimal: bound == length, bound })
}
