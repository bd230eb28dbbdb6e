//! The solver for tile boards of one size and goal.
//!
//! `solver` chooses by size, metric and method. [`TileSolver`] runs the searches. Around it stand
//! combinators, one per file: `ida_first`, `escalate`, `fallback`, `weighted_fallback`.

pub(crate) mod any_heuristic;
pub(crate) mod escalate;
pub(crate) mod fallback;
pub(crate) mod ida_first;
pub(crate) mod large;
pub(crate) mod line_metric;
pub(crate) mod perfect_table;
pub(crate) mod weighted_fallback;

use super::databases::Databases;
use crate::solve::tiles::any_heuristic::AnyHeuristic;
use crate::solve::tiles::large::{LargeSolver, Unsupported};

use super::plan::{Method, Plan, QUICK_NODES, QUICK_NODES_BY_DATABASES, QUICK_NODES_OF_WIDE_BOARDS, Tier};
use super::solver::{Attempt, QuickThen, Solver, account, verdict};
use super::suitable::{Notice, Refusal};
use crate::heuristic::{Blind, Heuristic, Manhattan, WalkTables};
use crate::memory::Region;
use crate::memory::budget::Budget;
use crate::model::report::{Effort, GiveUp, Verdict};
use crate::options::HeuristicChoice;
use crate::pdb::PatternDatabases;
use crate::pdb::{CompactPayload, FullPayload, MaxOfPartitions, Partition};
use crate::puzzle::Puzzle;
use crate::puzzle::tiles::{Board, Cells, Lines, Metric, Size, TileState, Tiles};
use crate::search::astar::{self, WhenFull};
use crate::search::beam::Width;
use crate::search::{
    Ending, HelperPool, Limits, NoHelpers, Order, Outcome, Problem, Stop, beam, bfs, dfs, ida,
};
use crate::solve::tiles::escalate::Escalate;
use crate::solve::tiles::ida_first::TryIdaFirst;
use crate::solve::tiles::weighted_fallback::WeightedFallback;
use parking_lot::Mutex;

/// The resources that the solvers of a run share.
#[derive(Clone, Copy)]
pub(crate) struct Resources<'r> {
    /// The budget for tables.
    pub(crate) budget: &'r Budget,
    /// The tables of walking distances.
    pub(crate) walks: &'r Mutex<WalkTables>,
    pub(crate) databases: &'r Mutex<Databases>,
}

/// A new solver with an optional warning, or the reason why there is none.
pub(crate) type NewSolver = Result<(Box<dyn Solver>, Option<String>), Refusal>;

/// Creates the solver for boards with this goal, and a message about it, if any.
pub(crate) fn solver(
    goal: &Board,
    plan: Plan,
    resources: Resources<'_>,
) -> (Box<dyn Solver>, Option<Notice>) {
    let new_solver: NewSolver = match (plan.method, goal.size().cells()) {
        (Method::Large(method), _) if plan.metric != Metric::Line => {
            return (Box::new(LargeSolver { goal: goal.clone(), method }), None);
        }
        _ if plan.metric == Metric::Line => line_metric::solver(goal, plan, resources),
        (_, 0..=16) => match database_solver(goal, plan, resources) {
            Some(solver) => Ok((solver, None)),
            None => packed_solver::<u64>(goal, plan, resources),
        },
        (_, 17..=25) => match multi_partition_solver(goal, plan, resources) {
            Some(solver) => Ok((solver, None)),
            None => packed_solver::<u128>(goal, plan, resources),
        },
        (_, 26..=40) => packed_solver::<[u64; 5]>(goal, plan, resources),
        (_, 41..=104) => packed_solver::<[u64; 13]>(goal, plan, resources),
        (_, 105..=256) => packed_solver::<[u64; 32]>(goal, plan, resources),
        _ => Err(Refusal {
            reason: GiveUp::Unsupported,
            why: "boards of more than 256 cells need --algorithm auto, beam or staged".into(),
        }),
    };
    match new_solver {
        Ok((solver, note)) => (WeightedFallback::wrap(solver, goal, &plan), note.map(Notice::Replaced)),
        Err(refusal) => {
            let unsupported = Unsupported { goal: goal.clone(), metric: plan.metric, reason: refusal.reason };
            (Box::new(unsupported), Some(Notice::NotSolved(refusal)))
        }
    }
}

/// Returns the partition for pattern databases, if they are to be used and available for this goal.
fn partition(goal: &Board, plan: Plan, budget: &Budget, databases: &mut Databases) -> Option<Partition> {
    matches!(plan.heuristic, HeuristicChoice::Auto | HeuristicChoice::Pdb)
        .then(|| databases.partition(goal.size(), goal.blank(), budget))?
}

/// Creates the solver with pattern databases for boards of up to 16 cells, if there are any.
fn database_solver(goal: &Board, plan: Plan, resources: Resources<'_>) -> Option<Box<dyn Solver>> {
    let databases = &mut *resources.databases.lock();
    let partition = &partition(goal, plan, resources.budget, databases)?;
    let (puzzle, library, plan) = (Tiles::<u64>::new(goal)?, &databases.library, plan.with_databases());
    let is_explicit = plan.heuristic == HeuristicChoice::Pdb || plan.method.is_explicit();
    match partition.patterns() {
        1 => {
            let heuristic = PatternDatabases::<1, 2, FullPayload>::new(&puzzle, partition, library)?;
            try_ida_first(goal, TileSolver { puzzle, heuristic, plan }, is_explicit)
        }
        2 => {
            let heuristic = PatternDatabases::<2, 2, FullPayload>::new(&puzzle, partition, library)?;
            try_ida_first(goal, TileSolver { puzzle, heuristic, plan }, is_explicit)
        }
        _ => {
            // The quick tier needs little memory; later tiers need every byte.
            let heuristic = PatternDatabases::<3, 2, FullPayload>::new(&puzzle, partition, library)?;
            let quick = TileSolver { puzzle, heuristic, plan };
            let puzzle = Tiles::<u64>::new(goal)?;
            let heuristic = PatternDatabases::<3, 2, CompactPayload>::new(&puzzle, partition, library)?;
            try_ida_first(
                goal,
                QuickThen { quick, then: TileSolver { puzzle, heuristic, plan } },
                is_explicit,
            )
        }
    }
}

/// Wraps a solver so that boards near the goal are first tried with a short IDA*, unless its
/// databases or its search were requested by name.
fn try_ida_first(goal: &Board, then: impl Solver + 'static, is_explicit: bool) -> Option<Box<dyn Solver>> {
    if is_explicit {
        return Some(Box::new(then));
    }
    let puzzle = Tiles::<u64>::new(goal)?;
    Some(Box::new(TryIdaFirst { heuristic: Manhattan::new(&puzzle), puzzle, then }))
}

/// Creates the solver with pattern databases for boards of 17 to 25 cells, if there are any.
fn multi_partition_solver(goal: &Board, plan: Plan, resources: Resources<'_>) -> Option<Box<dyn Solver>> {
    let databases = &mut *resources.databases.lock();
    let partition = &partition(goal, plan, resources.budget, databases)?;
    let (puzzle, library, plan) = (Tiles::<u128>::new(goal)?, &databases.library, plan.with_databases());
    let make = |partition: &Partition| -> Option<Box<dyn Solver>> {
        let puzzle = puzzle.clone();
        if let Some(heuristic) = MaxOfPartitions::<4>::new(&puzzle, partition, library) {
            return Some(Box::new(TileSolver { puzzle, heuristic, plan }));
        }
        if let Some(heuristic) = MaxOfPartitions::<8>::new(&puzzle, partition, library) {
            return Some(Box::new(TileSolver { puzzle, heuristic, plan }));
        }
        let heuristic = MaxOfPartitions::<16>::new(&puzzle, partition, library)?;
        Some(Box::new(TileSolver { puzzle, heuristic, plan }))
    };
    let then = make(partition)?;
    if plan.method.is_explicit() {
        return Some(then);
    }
    let reduced =
        if plan.heuristic == HeuristicChoice::Pdb { None } else { make(&partition.with_few_divisions()) };
    let Some(first) = reduced.or_else(|| make(partition)) else { return Some(then) };
    Some(Box::new(Escalate { first, then }))
}

/// Creates the solver without pattern databases.
fn packed_solver<C: Cells + 'static>(goal: &Board, plan: Plan, resources: Resources<'_>) -> NewSolver {
    let Resources { budget, walks, databases } = resources;
    let too_many = || Refusal { reason: GiveUp::Unsupported, why: "the board has too many cells".into() };
    let puzzle = Tiles::<C>::new(goal).ok_or_else(too_many)?;
    let (heuristic, mut note) = AnyHeuristic::new(&puzzle, plan.heuristic, budget, &mut walks.lock())?;
    if plan.heuristic == HeuristicChoice::Pdb {
        note = Some(databases.lock().explain_missing(goal.size(), goal.blank()));
    }
    // Small boards, which are frequent, have an instance of the engine for each heuristic; larger
    // ones share one.
    let solver: Box<dyn Solver> = match heuristic {
        heuristic if C::CAPACITY > 16 => Box::new(TileSolver { puzzle, heuristic, plan }),
        AnyHeuristic::Misplaced(heuristic) => Box::new(TileSolver { puzzle, heuristic, plan }),
        AnyHeuristic::Manhattan(heuristic) => Box::new(TileSolver { puzzle, heuristic, plan }),
        AnyHeuristic::LinearConflict(heuristic) => Box::new(TileSolver { puzzle, heuristic, plan }),
        AnyHeuristic::WalkingDistance(heuristic) => Box::new(TileSolver { puzzle, heuristic, plan }),
    };
    Ok((solver, note))
}

/// A puzzle whose states are boards of one size.
pub(crate) trait BoardPuzzle: Puzzle + Send {
    /// The metric of the length of solutions.
    const METRIC: Metric;
    fn size(&self) -> Size;
    fn state(&self, board: &Board) -> Self::State;
    /// Returns the home cell of a tile.
    fn home(&self, tile: usize) -> usize;
}

impl<C: Cells> BoardPuzzle for Tiles<C> {
    const METRIC: Metric = Metric::Tile;

    fn size(&self) -> Size {
        self.size()
    }

    fn state(&self, board: &Board) -> TileState<C> {
        self.state(board)
    }

    fn home(&self, tile: usize) -> usize {
        self.home(self.labels()[tile].into())
    }
}

impl BoardPuzzle for Lines {
    const METRIC: Metric = Metric::Line;

    fn size(&self) -> Size {
        self.size()
    }

    fn state(&self, board: &Board) -> TileState<u64> {
        self.state(board)
    }

    fn home(&self, tile: usize) -> usize {
        BoardPuzzle::home(self.tiles(), tile)
    }
}

/// The searches for boards of one size and goal, with one heuristic.
pub(crate) struct TileSolver<P, H> {
    pub(crate) puzzle: P,
    pub(crate) heuristic: H,
    pub(crate) plan: Plan,
}

/// Returns the weights for any solution. Smaller weights give shorter solutions and come first;
/// large boards need larger weights to be solved at all.
pub(crate) fn any_solution_weights(cells: usize) -> [f64; 3] {
    match cells {
        0..=25 => [3.0, 6.0, 12.0],
        26..=49 => [6.0, 12.0, 24.0],
        _ => [12.0, 24.0, 48.0],
    }
}

/// The frontier of an IDA* that several threads share.
const SHARED_FRONTIER: usize = 4 << 20;

/// Boards of more cells are rarely solved before A* has filled its memory.
const SMALL: usize = 16;

/// The frontier of such boards with pattern databases: storing a state takes longer than generating
/// it again (docs/benchmarks.md).
const WIDE_FRONTIER: usize = 256 << 20;

/// The largest useful memory for any solution.
const ANY_SOLUTION_BYTES: usize = 1 << 30;

impl<P: BoardPuzzle, H: Heuristic<P> + Send> Solver for TileSolver<P, H> {
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let Attempt { tier, limits: puzzle_limits, region, helpers } = attempt;
        let quick = tier == Tier::Quick;
        let is_wide = H::PREFETCHED && self.puzzle.size().cells() > SMALL;
        let quick_nodes = match () {
            () if is_wide => QUICK_NODES_OF_WIDE_BOARDS,
            () if H::PREFETCHED => QUICK_NODES_BY_DATABASES,
            () => QUICK_NODES,
        };
        if is_wide && tier == Tier::Slice && !self.plan.method.is_explicit() {
            // A wide board that is not solved in the first tier needs all memory and all threads.
            return None;
        }
        let cut_short = quick && puzzle_limits.max_nodes.is_none_or(|most| most > quick_nodes);
        let limits =
            if cut_short { Limits { max_nodes: Some(quick_nodes), ..puzzle_limits } } else { puzzle_limits };
        if self.plan.method.is_explicit() {
            // The search starts again in each tier; earlier attempts are not counted.
            (effort.expanded, effort.generated, effort.visited) = (0, 0, 0);
        }
        let mut search = Search {
            problem: Problem {
                puzzle: &self.puzzle,
                heuristic: &self.heuristic,
                start: self.puzzle.state(board),
            },
            limits,
            region,
            // Textbook IDA* runs on one thread; helpers would change its counts.
            helpers: if quick || self.plan.method == Method::Ida { &NoHelpers } else { helpers },
            when_full: if tier == Tier::Large { WhenFull::FallBackToDfs } else { WhenFull::Stop },
            effort,
        };
        let fallback = (self.plan.allow_fallback && !quick).then(|| search.timed_fallback()).flatten();
        let ending = match self.plan.method {
            Method::Shortest { .. } if quick && !H::PREFETCHED => search.ida(),
            Method::Shortest { frontier: Some(bytes) } => search.astar_then_ida(bytes),
            Method::Shortest { frontier: None } => search.shortest(),
            // A search with checkpoints continues from a frontier.
            Method::Ida if limits.checkpoint_sink.is_some() => search.astar_then_ida(usize::MAX),
            Method::BestFirst(order)
                if order.is_optimal() && order.weighs_estimates() && limits.checkpoint_sink.is_some() =>
            {
                search.astar_then_ida(usize::MAX)
            }
            Method::Ida => search.ida(),
            Method::BestFirst(order) if order.weighs_estimates() => search.best_first(order),
            Method::BestFirst(order) => search.breadth_first(order),
            Method::Dfs => search.depth_first(),
            Method::Beam(width) => search.beam(width),
            Method::AnySolution => search.any_solution(),
            Method::Large(_) => unreachable!("large boards have a solver of their own"),
        };
        match ending {
            Ending::Stopped { stop: Stop::Nodes, .. } if cut_short => None,
            Ending::Stopped { stop: Stop::Memory, .. } if tier != Tier::Large => None,
            Ending::Stopped { stop: stop @ (Stop::Time | Stop::Memory), bound }
                if self.plan.allow_fallback =>
            {
                let found = match fallback {
                    Some(fallback) => Some(fallback.into_verdict(bound, search.effort)),
                    None => search.quick_fallback(board, bound),
                };
                Some(found.unwrap_or_else(|| verdict(Ending::Stopped { stop, bound })))
            }
            ending => Some(verdict(ending)),
        }
    }
}

/// One attempt at one board.
pub(crate) struct Search<'s, 'r, P: BoardPuzzle, H> {
    pub(crate) problem: Problem<'s, P, H>,
    pub(crate) limits: Limits<'s>,
    pub(crate) region: &'s mut Region<'r>,
    pub(crate) helpers: &'s dyn HelperPool,
    pub(crate) when_full: WhenFull,
    pub(crate) effort: &'s mut Effort,
}

impl<P: BoardPuzzle, H: Heuristic<P>> Search<'_, '_, P, H> {
    fn best_first(&mut self, order: Order) -> Ending {
        let (limits, helpers) = (&self.limits, self.helpers);
        let outcome = astar::solve(self.problem, order, limits, self.region, helpers, self.when_full);
        self.record_outcome(order.name(), self.problem.heuristic.name(), outcome)
    }

    /// Breadth-first search with a FIFO queue. When all memory is full, runs it with the best-first
    /// engine, which continues with depth-first searches from the frontier.
    fn breadth_first(&mut self, order: Order) -> Ending {
        let outcome = bfs::solve(self.problem, &self.limits, self.region);
        let is_full = matches!(outcome.ending, Ending::Stopped { stop: Stop::Memory, .. });
        if !is_full || self.when_full == WhenFull::Stop {
            return self.record_outcome(order.name(), "", outcome);
        }
        let Problem { puzzle, start, .. } = self.problem;
        let problem = Problem { puzzle, heuristic: &Blind, start };
        let (limits, helpers) = (&self.limits, self.helpers);
        let outcome = astar::solve(problem, order, limits, self.region, helpers, self.when_full);
        self.record_outcome(order.name(), "", outcome)
    }

    fn depth_first(&mut self) -> Ending {
        let outcome = dfs::solve(self.problem, &self.limits, self.region);
        self.record_outcome("dfs", "", outcome)
    }

    fn beam(&mut self, width: Width) -> Ending {
        // The last tier has no more memory than this region.
        let width = match width {
            Width::Bytes(bytes) if self.when_full == WhenFull::FallBackToDfs => {
                Width::Bytes(bytes.min(self.region.bytes()))
            }
            width => width,
        };
        let outcome = beam::solve(self.problem, width, &self.limits, self.region);
        self.record_outcome("beam", self.problem.heuristic.name(), outcome)
    }

    /// Runs A*. When the memory is full, defers the board to the next tier; in the last tier
    /// continues as IDA*.
    fn shortest(&mut self) -> Ending {
        match self.when_full {
            WhenFull::Stop => self.best_first(Order::ASTAR),
            WhenFull::FallBackToDfs if H::PREFETCHED && self.problem.puzzle.size().cells() > SMALL => {
                self.astar_then_ida(WIDE_FRONTIER)
            }
            WhenFull::FallBackToDfs => self.astar_then_ida(usize::MAX),
        }
    }

    /// Runs IDA*; when helpers are idle, continues from a frontier that they can share.
    fn ida(&mut self) -> Ending {
        let paused = match ida::solve_until(self.problem, &self.limits, || self.helpers.has_idle()) {
            Ok(outcome) => return self.record_outcome("ida", self.problem.heuristic.name(), outcome),
            Err(ida::Paused(outcome)) => outcome,
        };
        account(self.effort, &paused);
        self.astar_then_ida(if H::PREFETCHED { SHARED_FRONTIER } else { usize::MAX })
    }

    /// Runs A* in `bytes` of the region, then IDA* from its frontier; plain IDA* if the memory is
    /// too small for a frontier.
    fn astar_then_ida(&mut self, bytes: usize) -> Ending {
        let (limits, helpers) = (&self.limits, self.helpers);
        let all = self.region.bytes();
        let bytes =
            limits.checkpoint_sink.map_or(bytes, |checkpoint_sink| checkpoint_sink.frontier_bytes(all));
        let region = &mut self.region.first(bytes);
        let outcome =
            astar::solve(self.problem, Order::ASTAR, limits, region, helpers, WhenFull::FallBackToDfs);
        match self.record_outcome("astar", self.problem.heuristic.name(), outcome) {
            Ending::Stopped { stop: Stop::Memory, .. } => {
                let outcome = ida::solve(self.problem, &self.limits);
                self.record_outcome("ida", self.problem.heuristic.name(), outcome)
            }
            ending => ending,
        }
    }

    /// Searches any solution. When memory is full, continues with the next larger weight.
    pub(crate) fn any_solution(&mut self) -> Ending {
        self.any_solution_with(&any_solution_weights(self.problem.puzzle.size().cells()), |stop| {
            stop == Stop::Memory
        })
    }

    /// Searches any solution. Continues with the next weight while `retries` accepts the limit that
    /// stopped the search.
    pub(crate) fn any_solution_with(&mut self, weights: &[f64], retries: impl Fn(Stop) -> bool) -> Ending {
        let mut ending = Ending::Stopped { stop: Stop::Memory, bound: 0 };
        for &weight in weights {
            let (order, limits, helpers) = (Order::weighted(weight), &self.limits, self.helpers);
            let region = &mut self.region.first(ANY_SOLUTION_BYTES);
            let outcome = astar::solve(self.problem, order, limits, region, helpers, WhenFull::Stop);
            ending = self.record_outcome("wastar", self.problem.heuristic.name(), outcome);
            if !matches!(ending, Ending::Stopped { stop, .. } if retries(stop)) {
                break;
            }
        }
        ending
    }

    /// Adds the work of a search to the effort and sets the names of algorithm and heuristic.
    fn record_outcome(
        &mut self,
        algorithm: &'static str,
        heuristic: &'static str,
        outcome: Outcome,
    ) -> Ending {
        account(self.effort, &outcome);
        self.effort.algorithm =
            if outcome.statistics.fell_back && algorithm == "astar" { "astar+ida" } else { algorithm };
        self.effort.heuristic = heuristic;
        outcome.ending
    }
}
