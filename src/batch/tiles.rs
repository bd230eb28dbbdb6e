//! The solver for tile boards of one size and goal.

use super::any_heuristic::AnyHeuristic;
use super::databases::Databases;
use super::large::{LargeSolver, Refused};
use super::lines;
use super::long::LongLater;
use super::near::NearFirst;
use super::plan::{Method, Plan, QUICK_NODES, QUICK_NODES_BY_DATABASES, QUICK_NODES_OF_WIDE_BOARDS, Tier};
use super::promise::Promise;
use super::settings::HeuristicChoice;
use super::solver::{Attempt, FirstThen, Solver, account, verdict};
use crate::heuristic::pdb::{Partition, Recounted, SeveralPartitions, Whole};
use crate::heuristic::{
    Blind, Heuristic, LinearConflict, Manhattan, Misplaced, PatternDatabases, WalkingDistance,
};
use crate::large::field::Field;
use crate::large::staged::Staged;
use crate::memory::Region;
use crate::memory::budget::Budget;
use crate::output::{Effort, Solution, Verdict};
use crate::puzzle::Puzzle;
use crate::puzzle::tiles::{Board, Cells, Lines, Metric, Size, TileState, Tiles};
use crate::quantity::Bytes;
use crate::search::best_first::{self, WhenFull};
use crate::search::{Alone, Company, Ending, Limits, Order, Outcome, Problem, Stop, beam, dfs, ida};
use parking_lot::Mutex;

/// The solver for boards with this goal, and what the user should know of it.
/// Memory for heuristics' tables is reserved from the ledger.
pub(super) fn solver(
    goal: &Board,
    plan: Plan,
    ledger: &Budget,
    databases: &Mutex<Databases>,
) -> (Box<dyn Solver>, Option<String>) {
    if let Method::Large(method) = plan.method
        && plan.metric != Metric::Line
    {
        return (Box::new(LargeSolver { goal: goal.clone(), method }), None);
    }
    let made = match goal.size().cells() {
        _ if plan.metric == Metric::Line => lines::solver(goal, plan, ledger, databases),
        0..=16 => match by_databases(goal, plan, ledger, databases) {
            Some(solver) => Ok(solver),
            None => packed::<u64>(goal, plan, ledger),
        },
        17..=25 => match by_several_partitions(goal, plan, ledger, databases) {
            Some(solver) => Ok(solver),
            None => packed::<u128>(goal, plan, ledger),
        },
        26..=40 => packed::<[u64; 5]>(goal, plan, ledger),
        41..=104 => packed::<[u64; 13]>(goal, plan, ledger),
        105..=256 => packed::<[u64; 32]>(goal, plan, ledger),
        _ => Err("boards of more than 256 cells are solved by --algorithm auto, beam or staged only".into()),
    };
    match made {
        Ok(solver) => (Promise::behind(solver, goal, &plan), None),
        Err(reason) => (Box::new(Refused { goal: goal.clone(), metric: plan.metric }), Some(reason)),
    }
}

/// How the tiles are divided for pattern databases, if they are to be used and
/// there are some for this goal.
fn partition(goal: &Board, plan: Plan, ledger: &Budget, databases: &mut Databases) -> Option<Partition> {
    matches!(plan.heuristic, HeuristicChoice::Auto | HeuristicChoice::Pdb)
        .then(|| databases.partition(goal.size(), goal.blank(), ledger))?
}

/// The solver with pattern databases, if there are any.
fn by_databases(
    goal: &Board,
    plan: Plan,
    ledger: &Budget,
    databases: &Mutex<Databases>,
) -> Option<Box<dyn Solver>> {
    let databases = &mut *databases.lock();
    let partition = &partition(goal, plan, ledger, databases)?;
    let (puzzle, library, plan) = (Tiles::<u64>::new(goal)?, &databases.library, plan.with_databases());
    let is_asked_for = plan.heuristic == HeuristicChoice::Pdb || plan.method.is_by_name();
    if partition.patterns() == 2 {
        let heuristic = PatternDatabases::<2, 2, Whole>::new(&puzzle, partition, library)?;
        return near_first(goal, TileSolver { puzzle, heuristic, plan }, is_asked_for);
    }
    // Most boards are solved in little memory; those that are not need every byte.
    let heuristic = PatternDatabases::<3, 2, Whole>::new(&puzzle, partition, library)?;
    let first = TileSolver { puzzle, heuristic, plan };
    let puzzle = Tiles::<u64>::new(goal)?;
    let heuristic = PatternDatabases::<3, 2, Recounted>::new(&puzzle, partition, library)?;
    near_first(goal, FirstThen { first, then: TileSolver { puzzle, heuristic, plan } }, is_asked_for)
}

/// A solver that is spared the boards near the goal, unless its databases are
/// asked for by name.
fn near_first(goal: &Board, then: impl Solver + 'static, is_asked_for: bool) -> Option<Box<dyn Solver>> {
    if is_asked_for {
        return Some(Box::new(then));
    }
    let puzzle = Tiles::<u64>::new(goal)?;
    Some(Box::new(NearFirst { heuristic: Manhattan::new(&puzzle), puzzle, then }))
}

/// The same for boards of 17 to 25 cells.
fn by_several_partitions(
    goal: &Board,
    plan: Plan,
    ledger: &Budget,
    databases: &Mutex<Databases>,
) -> Option<Box<dyn Solver>> {
    let databases = &mut *databases.lock();
    let partition = &partition(goal, plan, ledger, databases)?;
    let (puzzle, library, plan) = (Tiles::<u128>::new(goal)?, &databases.library, plan.with_databases());
    let make = |partition: &Partition| -> Option<Box<dyn Solver>> {
        let puzzle = puzzle.clone();
        if let Some(heuristic) = SeveralPartitions::<4>::new(&puzzle, partition, library) {
            return Some(Box::new(TileSolver { puzzle, heuristic, plan }));
        }
        if let Some(heuristic) = SeveralPartitions::<8>::new(&puzzle, partition, library) {
            return Some(Box::new(TileSolver { puzzle, heuristic, plan }));
        }
        let heuristic = SeveralPartitions::<16>::new(&puzzle, partition, library)?;
        Some(Box::new(TileSolver { puzzle, heuristic, plan }))
    };
    let then = make(partition)?;
    if plan.method.is_by_name() {
        return Some(then);
    }
    let few = if plan.heuristic == HeuristicChoice::Pdb { None } else { make(&partition.few()) };
    let Some(first) = few.or_else(|| make(partition)) else { return Some(then) };
    Some(Box::new(LongLater { first, then }))
}

fn packed<C: Cells + 'static>(goal: &Board, plan: Plan, ledger: &Budget) -> Result<Box<dyn Solver>, String> {
    let Some(puzzle) = Tiles::<C>::new(goal) else { return Err("the board has too many cells".into()) };
    let choice = match plan.heuristic {
        HeuristicChoice::Auto if small_tables(&puzzle, ledger) => HeuristicChoice::WalkingDistance,
        HeuristicChoice::Auto => HeuristicChoice::LinearConflict,
        HeuristicChoice::Pdb => return Err("there are no pattern databases for them".into()),
        chosen => chosen,
    };
    // Small boards, of which there are many, get code of their own for each
    // heuristic; larger ones share theirs.
    if C::CAPACITY > 16 {
        let heuristic = AnyHeuristic::new(&puzzle, choice, ledger)?;
        return Ok(Box::new(TileSolver { heuristic, puzzle, plan }));
    }
    Ok(match choice {
        HeuristicChoice::Misplaced => {
            Box::new(TileSolver { heuristic: Misplaced::new(&puzzle), puzzle, plan })
        }
        HeuristicChoice::Manhattan => {
            Box::new(TileSolver { heuristic: Manhattan::new(&puzzle), puzzle, plan })
        }
        HeuristicChoice::WalkingDistance => {
            Box::new(TileSolver { heuristic: walking_distance(&puzzle, ledger)?, puzzle, plan })
        }
        _ => Box::new(TileSolver { heuristic: LinearConflict::new(&puzzle), puzzle, plan }),
    })
}

/// The walking distance, its tables reserved; or why it is refused.
pub(super) fn walking_distance<C: Cells>(
    puzzle: &Tiles<C>,
    ledger: &Budget,
) -> Result<WalkingDistance, String> {
    let left = ledger.left();
    WalkingDistance::new(puzzle, left as usize)
        .filter(|heuristic| ledger.reserve(heuristic.bytes() as u64).is_ok())
        .ok_or_else(|| format!("its walking-distance tables need more than {}", Bytes(left)))
}

/// Whether walking-distance tables are made in a moment and stay in the cache.
fn small_tables<C: Cells>(puzzle: &Tiles<C>, ledger: &Budget) -> bool {
    WalkingDistance::bytes_needed(puzzle, (2 << 20).min(ledger.left() as usize)).is_some()
}

/// A puzzle whose states are boards of one size.
pub(super) trait OfBoards: Puzzle + Send {
    /// How the length of a solution is counted.
    const METRIC: Metric;
    fn size(&self) -> Size;
    fn state(&self, board: &Board) -> Self::State;
    /// The cell where a tile belongs.
    fn home(&self, tile: usize) -> usize;
}

impl<C: Cells> OfBoards for Tiles<C> {
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

impl OfBoards for Lines {
    const METRIC: Metric = Metric::Line;

    fn size(&self) -> Size {
        self.size()
    }

    fn state(&self, board: &Board) -> TileState<u64> {
        self.state(board)
    }

    fn home(&self, tile: usize) -> usize {
        OfBoards::home(self.tiles(), tile)
    }
}

/// Boards of a size and goal, with a heuristic.
pub(super) struct TileSolver<P, H> {
    pub(super) puzzle: P,
    pub(super) heuristic: H,
    pub(super) plan: Plan,
}

/// Weights for any solution, those with the shortest solutions first. Large
/// boards need larger ones to be solved at all.
fn first_weights(cells: usize) -> [f64; 3] {
    match cells {
        0..=25 => [3.0, 6.0, 12.0],
        26..=49 => [6.0, 12.0, 24.0],
        _ => [12.0, 24.0, 48.0],
    }
}

/// The frontier of an IDA* that is shared by several threads.
const SHARED_FRONTIER: usize = 4 << 20;

/// Boards of more cells than this are seldom solved before A* has filled its
/// memory.
const SMALL: usize = 16;

/// The frontier of such boards, with pattern databases: to store a state takes
/// longer than to meet it again (docs/benchmarks.md).
const WIDE_FRONTIER: usize = 256 << 20;

/// The most memory that is worth spending on any solution.
const FIRST_BYTES: usize = 1 << 30;

/// Nodes spent on a solution that stands in for a shortest one.
const SECOND_BEST_NODES: u64 = 50_000;

impl<P: OfBoards, H: Heuristic<P> + Send> Solver for TileSolver<P, H> {
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let Attempt { tier, limits, region, company } = attempt;
        let quick = tier == Tier::Quick;
        let is_wide = H::FAR && self.puzzle.size().cells() > SMALL;
        let quick_nodes = match () {
            () if is_wide => QUICK_NODES_OF_WIDE_BOARDS,
            () if H::FAR => QUICK_NODES_BY_DATABASES,
            () => QUICK_NODES,
        };
        if is_wide && tier == Tier::Slice && !self.plan.method.is_by_name() {
            // What is not solved at once takes all the memory and all hands.
            return None;
        }
        let cut_short = quick && limits.max_nodes.is_none_or(|most| most > quick_nodes);
        let limits = if cut_short { Limits { max_nodes: Some(quick_nodes), ..limits } } else { limits };
        if self.plan.method.is_by_name() {
            // What was tried in an earlier tier is done again from the start.
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
            company: if quick { &Alone } else { company },
            when_full: if tier == Tier::Large { WhenFull::Dig } else { WhenFull::Stop },
            effort,
        };
        let ending = match self.plan.method {
            Method::Shortest { .. } if quick && !H::FAR => search.ida(),
            Method::Shortest { frontier: Some(bytes) } => search.by_frontier(bytes),
            Method::Shortest { frontier: None } => search.shortest(),
            // A search that is kept on disk goes on from a frontier.
            Method::Ida if limits.keeper.is_some() => search.by_frontier(usize::MAX),
            Method::BestFirst(order)
                if order.is_optimal() && order.weighs_estimates() && limits.keeper.is_some() =>
            {
                search.by_frontier(usize::MAX)
            }
            Method::Ida => search.ida(),
            Method::BestFirst(order) if order.weighs_estimates() => search.best_first(order),
            Method::BestFirst(order) => search.breadth(order),
            Method::Dfs => search.depth(),
            Method::Beam(width) => search.beam(width),
            Method::First => search.first(),
            Method::Large(_) => unreachable!("large boards have a solver of their own"),
        };
        match ending {
            Ending::Stopped { stop: Stop::Nodes, .. } if cut_short => None,
            Ending::Stopped { stop: Stop::Memory, .. } if tier != Tier::Large => None,
            Ending::Stopped { stop: stop @ (Stop::Time | Stop::Memory), bound } if self.plan.second_best => {
                let found = search.second_best(bound).or_else(|| search.in_stages(board, bound));
                Some(found.unwrap_or_else(|| verdict(Ending::Stopped { stop, bound })))
            }
            ending => Some(verdict(ending)),
        }
    }
}

/// One attempt at one board.
struct Search<'s, 'r, P: OfBoards, H> {
    problem: Problem<'s, P, H>,
    limits: Limits<'s>,
    region: &'s mut Region<'r>,
    company: &'s dyn Company,
    when_full: WhenFull,
    effort: &'s mut Effort,
}

impl<P: OfBoards, H: Heuristic<P>> Search<'_, '_, P, H> {
    fn best_first(&mut self, order: Order) -> Ending {
        let (limits, company) = (&self.limits, self.company);
        let outcome = best_first::solve(self.problem, order, limits, self.region, company, self.when_full);
        self.note(order.name(), self.problem.heuristic.name(), outcome)
    }

    fn breadth(&mut self, order: Order) -> Ending {
        let Problem { puzzle, start, .. } = self.problem;
        let problem = Problem { puzzle, heuristic: &Blind, start };
        let (limits, company) = (&self.limits, self.company);
        let outcome = best_first::solve(problem, order, limits, self.region, company, self.when_full);
        self.note(order.name(), "", outcome)
    }

    fn depth(&mut self) -> Ending {
        let outcome = dfs::solve(self.problem, &self.limits, self.region);
        self.note("dfs", "", outcome)
    }

    fn beam(&mut self, width: Option<usize>) -> Ending {
        let outcome = beam::solve(self.problem, width, &self.limits, self.region);
        self.note("beam", self.problem.heuristic.name(), outcome)
    }

    /// A* that is put off when its memory is full, and in the end goes on as
    /// IDA*.
    fn shortest(&mut self) -> Ending {
        match self.when_full {
            WhenFull::Stop => self.best_first(Order::ASTAR),
            WhenFull::Dig if H::FAR && self.problem.puzzle.size().cells() > SMALL => {
                self.by_frontier(WIDE_FRONTIER)
            }
            WhenFull::Dig => self.by_frontier(usize::MAX),
        }
    }

    /// IDA* alone, or from a frontier as soon as others would help.
    fn ida(&mut self) -> Ending {
        let paused = match ida::solve_until(self.problem, &self.limits, || self.company.offers()) {
            Ok(outcome) => return self.note("ida", self.problem.heuristic.name(), outcome),
            Err(ida::Paused(outcome)) => outcome,
        };
        account(self.effort, &paused);
        self.by_frontier(if H::FAR { SHARED_FRONTIER } else { usize::MAX })
    }

    /// A* in a part of the region, then from its frontier IDA*, or IDA* alone
    /// where that is too small for a frontier.
    fn by_frontier(&mut self, bytes: usize) -> Ending {
        let (limits, company) = (&self.limits, self.company);
        let all = self.region.bytes();
        let bytes = limits.keeper.map_or(bytes, |keeper| keeper.frontier(all));
        let region = &mut self.region.first(bytes);
        let outcome = best_first::solve(self.problem, Order::ASTAR, limits, region, company, WhenFull::Dig);
        match self.note("astar", self.problem.heuristic.name(), outcome) {
            Ending::Stopped { stop: Stop::Memory, .. } => {
                let outcome = ida::solve(self.problem, &self.limits);
                self.note("ida", self.problem.heuristic.name(), outcome)
            }
            ending => ending,
        }
    }

    /// Any solution.
    fn first(&mut self) -> Ending {
        self.first_of(|stop| stop == Stop::Memory)
    }

    /// Any solution; goes on with the next weight while what stopped the search
    /// was something that a larger weight needs less of.
    fn first_of(&mut self, go_on: impl Fn(Stop) -> bool) -> Ending {
        let mut ending = Ending::Stopped { stop: Stop::Memory, bound: 0 };
        for weight in first_weights(self.problem.puzzle.size().cells()) {
            let (order, limits, company) = (Order::weighted(weight), &self.limits, self.company);
            let region = &mut self.region.first(FIRST_BYTES);
            let outcome = best_first::solve(self.problem, order, limits, region, company, WhenFull::Stop);
            ending = self.note("wastar", self.problem.heuristic.name(), outcome);
            if !matches!(ending, Ending::Stopped { stop, .. } if go_on(stop)) {
                break;
            }
        }
        ending
    }

    /// A solution, if one is near, where none shorter than `bound` exists.
    fn second_best(&mut self, bound: u32) -> Option<Verdict> {
        self.limits = Limits { max_nodes: Some(SECOND_BEST_NODES), deadline: None, ..self.limits };
        self.company = &Alone;
        let ending = self.first_of(|stop| matches!(stop, Stop::Memory | Stop::Nodes));
        let Verdict::Solved(found) = verdict(ending) else { return None };
        let bound = bound.min(found.length);
        Some(Verdict::Solved(Solution { bound, optimal: bound == found.length, ..found }))
    }

    /// A solution that needs no memory to speak of, however far it is.
    fn in_stages(&mut self, board: &Board, bound: u32) -> Option<Verdict> {
        let puzzle = self.problem.puzzle;
        let mut field = Field::to_homes(board, |tile| puzzle.home(tile));
        let mut staged = Staged::new(board.size());
        staged.solve(&mut field, &self.limits).ok()?;
        self.effort.algorithm = "staged";
        self.effort.heuristic = "";
        self.effort.visited = 0;
        self.effort.expanded += staged.routes();
        self.effort.generated += field.moves().len() as u64;
        let moves = field.into_moves();
        let length = P::METRIC.length(&moves) as u32;
        let bound = bound.min(length);
        Some(Verdict::Solved(Solution { moves: moves.into(), length, optimal: bound == length, bound }))
    }

    fn note(&mut self, algorithm: &'static str, heuristic: &'static str, outcome: Outcome) -> Ending {
        account(self.effort, &outcome);
        self.effort.algorithm =
            if outcome.statistics.fell_back && algorithm == "astar" { "astar+ida" } else { algorithm };
        self.effort.heuristic = heuristic;
        outcome.ending
    }
}
