//! The runs of a design.

use super::means::reserve;
use super::rows::Ran;
use super::{Design, Means, Method, Row, Runs};
use crate::generate::{Kind, Request};
use crate::input::{Block, Defaults, InputError, Reader};
use crate::memory::budget::{Budget, OutOfBudget};
use crate::model::interrupt::Interrupt;
use crate::model::report::Instance;
use crate::options::{Options, Quality};
use crate::puzzle::tiles::{Board, Goal};
use crate::run::parallel_map;
use crate::search::Limits;
use crate::solve::one_board::BoardSolver;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Why an experiment could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The puzzle file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A record of the puzzle file is none.
    #[error("{file}, record {n}: {what}")]
    Record {
        /// The file.
        file: String,
        /// The record's number.
        n: u64,
        /// What is wrong.
        what: String,
    },
    /// There is nothing to run.
    #[error("there are no boards to run")]
    Empty,
    /// Such trays cannot be made.
    #[error("{0}")]
    Trays(String),
    /// A method does not work on some board.
    #[error("{method}: {what}")]
    Refused {
        /// The method.
        method: String,
        /// Why.
        what: String,
    },
    /// The cap is too small.
    #[error("--memory: {0}")]
    OutOfBudget(#[from] OutOfBudget),
    /// The system gave no memory.
    #[error("cannot allocate memory for searching: {0}")]
    Memory(#[from] io::Error),
}

/// A board of an experiment.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The board.
    pub board: Board,
    /// Where its tiles should end.
    pub goal: Goal,
    /// Random moves it was made with, if so.
    pub moves: Option<u64>,
}

/// Boards up to so many cells are solved optimally first, to know their shortest
/// lengths.
const SOLVED_FIRST: usize = 16;

/// Memory for heuristics' tables.
pub(super) const TABLES: u64 = 32 << 20;

/// What a board takes, with its goal: a tile in both, and the rest.
const fn case_bytes(cells: usize) -> usize {
    4 * cells + 2 * size_of::<Case>()
}

/// The boards of a design, reserved from the budget.
pub fn boards_of(design: &Design, budget: &Budget) -> Result<Vec<Case>, ExperimentError> {
    let cases = match &design.boards {
        Some(file) => read(file, budget)?,
        None => generate(design, budget)?,
    };
    if cases.is_empty() { Err(ExperimentError::Empty) } else { Ok(cases) }
}

fn generate(design: &Design, budget: &Budget) -> Result<Vec<Case>, OutOfBudget> {
    let goal = Goal::default();
    let kinds: Vec<Option<u64>> =
        if design.moves.is_empty() { vec![None] } else { design.moves.iter().copied().map(Some).collect() };
    let mut cases = Vec::new();
    for &size in &design.sizes {
        reserve(budget, design.count.saturating_mul(kinds.len() as u64), case_bytes(size.cells()))?;
        for &moves in &kinds {
            let kind = moves.map_or(Kind::Random, Kind::Moves);
            // Each number of moves has a stream of its own, so that one more of
            // them does not change the boards of the others.
            let seed = design.seed.wrapping_add(moves.unwrap_or(0) << 32);
            let request = Request { size, count: design.count, seed, kind, goal: goal.clone() };
            let boards = request.boards().expect("a named goal fits every size");
            cases.extend(boards.map(|board| Case { board, goal: goal.clone(), moves }));
        }
    }
    Ok(cases)
}

fn read(file: &str, budget: &Budget) -> Result<Vec<Case>, ExperimentError> {
    let mut reader = Reader::open(file, Defaults::default())?;
    let (mut block, mut cases) = (Block::default(), Vec::new());
    while reader.next_block(&mut block, 256)? {
        for index in 0..block.len() {
            let n = block.header(index).n;
            let wrong = |what: String| ExperimentError::Record { file: file.to_owned(), n, what };
            let instance = block.parse(index).map_err(|invalid| wrong(invalid.to_string()))?;
            let Instance::Tiles { board, goal, .. } = instance else {
                return Err(wrong("a tray; this experiment is about tile boards".into()));
            };
            budget.reserve(case_bytes(board.size().cells()) as u64)?;
            cases.push(Case { board, goal, moves: None });
        }
    }
    Ok(cases)
}

/// A run to be done; without a method, the board is solved optimally.
struct Job {
    case: usize,
    method: Option<usize>,
    limit: Option<u64>,
}

/// Bytes of a run's line in the CSV, without its board.
const LINE: usize = 256;

/// Does every run of a design: for each board each method with each limit, in
/// this order. After an interrupt, those that were done. Also how they were
/// done, inside what the budget has left.
pub fn run(
    design: &Design,
    cases: &[Case],
    means: &Means,
    budget: &Budget,
    interrupt: &Interrupt,
    done: &AtomicU64,
) -> Result<(Vec<Row>, Runs), ExperimentError> {
    let runs_a_board = 1 + (design.methods.len() * design.limits.len().max(1)) as u64;
    // The board's text is kept once, and is written in every line.
    let text = |case: &Case| 6 * case.board.size().cells();
    let a_run = size_of::<Job>() + size_of::<Option<Ran>>() + size_of::<Row>() + 2 * LINE;
    for case in cases {
        reserve(budget, runs_a_board, a_run + 2 * text(case))?;
    }
    let runs = means.runs(budget, means.run_memory)?;
    let solvers = Solvers::new(design, cases)?;
    let jobs = jobs(design, cases);
    let halt = || interrupt.is_raised();
    let results = parallel_map(&jobs, runs.threads, runs.bytes, interrupt, done, |job, region| {
        let Case { board, goal, .. } = &cases[job.case];
        let limits = Limits { max_nodes: job.limit, halt: Some(&halt), ..Limits::default() };
        let (verdict, effort) = solvers.of(job.method, board, goal).solve(board, region, limits);
        Ran::new(&verdict, &effort)
    })?;
    let mut shortest = vec![None; cases.len()];
    let mut rows = Vec::with_capacity(jobs.len());
    let texts: Vec<Arc<str>> = cases.iter().map(|case| case.board.to_string().into()).collect();
    for (job, ran) in jobs.iter().zip(results) {
        let Some(ran) = ran else { break };
        let Some(method) = job.method else {
            shortest[job.case] = ran.length.filter(|_| ran.optimal);
            continue;
        };
        let case = &cases[job.case];
        // What a signal broke off says nothing about the method.
        if ran.ending != "interrupted" {
            rows.push(Row {
                board: job.case,
                tiles: texts[job.case].clone(),
                size: case.board.size(),
                moves: case.moves,
                shortest: shortest[job.case],
                method: design.methods[method],
                limit: job.limit,
                ran,
            });
        }
    }
    Ok((rows, runs))
}

/// How many runs a design has, for those who show progress.
pub fn count(design: &Design, cases: &[Case]) -> u64 {
    jobs(design, cases).len() as u64
}

fn jobs(design: &Design, cases: &[Case]) -> Vec<Job> {
    let limits: Vec<Option<u64>> =
        if design.limits.is_empty() { vec![None] } else { design.limits.iter().copied().map(Some).collect() };
    let mut jobs = Vec::new();
    for (case, of) in cases.iter().enumerate() {
        if of.board.size().cells() <= SOLVED_FIRST {
            jobs.push(Job { case, method: None, limit: None });
        }
        for method in 0..design.methods.len() {
            jobs.extend(limits.iter().map(|&limit| Job { case, method: Some(method), limit }));
        }
    }
    jobs
}

/// A solver for each method, size and goal.
struct Solvers(HashMap<(Option<usize>, Board), BoardSolver>);

impl Solvers {
    fn new(design: &Design, cases: &[Case]) -> Result<Self, ExperimentError> {
        let budget = Budget::new(TABLES);
        let mut solvers = HashMap::new();
        for case in cases {
            let goal = goal_board(&case.board, &case.goal);
            if solvers.contains_key(&(Some(0), goal.clone())) {
                continue;
            }
            let optimal = Options { quality: Quality::Optimal, ..Options::default() };
            let methods = design.methods.iter().map(Method::options).enumerate();
            let all = methods.map(|(at, options)| (Some(at), options)).chain([(None, optimal)]);
            for (method, options) in all {
                let single = BoardSolver::new(&goal, &options, &budget).map_err(|what| {
                    let method = method.map_or("optimal".to_owned(), |at| design.methods[at].to_string());
                    ExperimentError::Refused { method, what }
                })?;
                solvers.insert((method, goal.clone()), single);
            }
        }
        Ok(Self(solvers))
    }

    fn of(&self, method: Option<usize>, board: &Board, goal: &Goal) -> &BoardSolver {
        &self.0[&(method, goal_board(board, goal))]
    }
}

fn goal_board(board: &Board, goal: &Goal) -> Board {
    goal.board(board.size()).expect("a goal that was read fits its board").into_owned()
}
