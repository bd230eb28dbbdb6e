//! `improve`: solutions that exist already, made shorter one by one, each on all
//! threads.

use super::RunError;
use crate::check::{CheckOptions, Pair, UsableResult, pairs};
use crate::input::{Packing, Reader};
use crate::large::beam::Work;
use crate::large::bound::lower_bound;
use crate::large::improve::{DEFAULT_TIME, Resources, improve};
use crate::large::mutable_board::MutableBoard;
use crate::memory::arena::Arena;
use crate::memory::budget::{Budget, OutOfBudget, least_cap};
use crate::model::interrupt::Interrupt;
use crate::model::report::{Effort, Instance, Report, Verdict};
use crate::output::{Sink, Style, Summary, replay};
use crate::puzzle::tiles::Metric;
use crate::search::{Limits, SpawnThreads};
use crate::solve::memory_plan::MemoryPlan;
use crate::solve::tiles::large::solved;
use std::io::BufRead;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What `improve` was asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Threads for each puzzle.
    pub threads: usize,
    /// The cap on the peak resident memory of the process, in bytes.
    pub memory: u64,
    /// Time for each puzzle.
    pub timeout: Option<Duration>,
    /// How results are read.
    pub options: CheckOptions,
    /// How they are written.
    pub style: Style,
}

/// The part of a cap on the memory that results may take.
pub fn room(memory: u64) -> u64 {
    memory / 4
}

/// What became of them.
pub struct Improved {
    /// Counts over all results.
    pub summary: Summary,
    /// Moves before and after, over all solutions.
    pub moves: (u64, u64),
    /// Results that were wrong, missing, or not of tile boards.
    pub left_out: u64,
}

/// Improves every right result of a file of tile boards and writes it, in the
/// order of the results.
pub fn improve_results(
    request: &Request,
    reader: Reader,
    results: impl BufRead,
    sink: &mut Sink,
    interrupt: &Interrupt,
    complain: &dyn Fn(&str),
) -> Result<Improved, RunError> {
    let budget = Budget::new(request.memory);
    let before = |cap| room(cap) + Packing::footprint_of(&[reader.file()], cap);
    let needed = || least_cap(|cap| before(cap) + MemoryPlan::min_bytes(cap, request.threads));
    budget.reserve(before(request.memory)).map_err(|short| OutOfBudget { needed: needed(), ..short })?;
    let memory_plan = MemoryPlan::new(&budget, request.threads, before)?;
    let bytes = memory_plan.arena(request.threads).min(request.threads * MOST_BYTES);
    let mut arena = Arena::new(bytes, MemoryPlan::MIN_ARENA.min(bytes)).map_err(RunError::Arena)?;
    let memory: &mut [u64] = match arena.divide(&[bytes]).into_iter().next() {
        Some(lines) => bytemuck::cast_slice_mut(lines),
        None => &mut [],
    };
    let file: Arc<str> = reader.file().clone();
    let mut improved = Improved { summary: Summary::new(), moves: (0, 0), left_out: 0 };
    let (mut left_out, mut failed) = (0, None);
    let mut text = Vec::new();
    request.style.header(&mut text);
    sink.write_all(&text)?;
    let visit = |pair: Pair<'_>| {
        if failed.is_some() || interrupt.is_raised() {
            return;
        }
        let started = Instant::now();
        let Some(verdict) = better(request, &pair, memory, interrupt, &mut improved.moves) else {
            left_out += 1;
            return;
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
            failed = Some(RunError::Wrong(format!("{file}, record {}: {wrong}", pair.n)));
            return;
        }
        improved.summary.add(&report);
        failed = request.style.write_chunked(&report, |chunk| sink.write_all(chunk)).err().map(Into::into);
    };
    let mut wrong = 0;
    let ended = pairs(reader, results, &request.options, visit, |what| {
        wrong += 1;
        complain(what);
    });
    if let Some(error) = failed {
        return Err(error);
    }
    ended?;
    improved.left_out = left_out + wrong;
    Ok(improved)
}

/// Memory that is worth giving to each thread.
const MOST_BYTES: usize = 64 << 20;

/// What is known of a puzzle after some time; none of trays and of other
/// metrics.
fn better(
    request: &Request,
    pair: &Pair<'_>,
    memory: &mut [u64],
    interrupt: &Interrupt,
    moves: &mut (u64, u64),
) -> Option<Verdict> {
    let Instance::Tiles { board, goal, metric: Metric::Tile } = pair.instance else { return None };
    let known = match pair.result {
        UsableResult::Unsolvable => return Some(Verdict::Unsolvable { hint: None }),
        UsableResult::Solution(known) => Some(known.to_vec()),
        UsableResult::Nothing => None,
    };
    let goal = goal.board(board.size())?;
    let field = MutableBoard::new(board, &goal);
    let bound = lower_bound(&field);
    let halt = || interrupt.is_raised();
    let deadline = Some(Instant::now() + request.timeout.unwrap_or(DEFAULT_TIME));
    let limits = Limits { deadline, halt: Some(&halt), ..Limits::default() };
    let helpers = SpawnThreads(request.threads);
    let threads = request.threads;
    let before = known.as_ref().map(Vec::len);
    let resources =
        Resources { limits, helpers: &helpers, threads, memory, bound: bound as usize, width: None };
    let found = improve(&field, known, resources, &mut Work::default()).ok()?;
    moves.0 += before.unwrap_or(found.len()) as u64;
    moves.1 += found.len() as u64;
    Some(solved(found, bound))
}
