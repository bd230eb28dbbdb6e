//! The solver for tile boards of one size and goal.

use super::plan::{Method, Plan, QUICK_NODES, Tier};
use super::settings::Settings;
use super::solver::{Attempt, Solver, account, verdict};
use crate::heuristic::{Blind, Heuristic, Manhattan};
use crate::memory::Region;
use crate::output::{Effort, GiveUp, Solution, Verdict};
use crate::puzzle::tiles::{Board, Cells, Tiles};
use crate::search::best_first::{self, WhenFull};
use crate::search::{Alone, Company, Ending, Limits, Order, Outcome, Problem, Stop, ida};

/// The solver for boards with this goal; heuristics may use so much memory for
/// their tables.
pub(super) fn solver(goal: &Board, settings: &Settings, table_bytes: usize) -> Box<dyn Solver> {
    let plan = Plan::new(settings, goal.size());
    let solver = match goal.size().cells() {
        0..=16 => packed::<u64>(goal, plan, table_bytes),
        17..=25 => packed::<u128>(goal, plan, table_bytes),
        26..=40 => packed::<[u64; 5]>(goal, plan, table_bytes),
        41..=104 => packed::<[u64; 13]>(goal, plan, table_bytes),
        _ => packed::<[u64; 32]>(goal, plan, table_bytes),
    };
    solver.unwrap_or_else(|| Box::new(TooLarge { goal: goal.clone() }))
}

fn packed<C: Cells + 'static>(goal: &Board, plan: Plan, _table_bytes: usize) -> Option<Box<dyn Solver>> {
    let puzzle = Tiles::<C>::new(goal)?;
    let heuristic = Manhattan::new(&puzzle);
    Some(Box::new(TileSolver { puzzle, heuristic, plan }))
}

/// Boards of a size and goal, packed into `C`, with a heuristic.
struct TileSolver<C, H> {
    puzzle: Tiles<C>,
    heuristic: H,
    plan: Plan,
}

/// The orders for any solution, the one with the shortest solutions first.
fn first_orders() -> [Order; 3] {
    [Order::weighted(3.0), Order::weighted(6.0), Order::GREEDY]
}

/// Nodes spent on a solution that stands in for a shortest one.
const SECOND_BEST_NODES: u64 = 50_000;

impl<C: Cells, H: Heuristic<Tiles<C>> + Send> Solver for TileSolver<C, H> {
    fn attempt(&self, board: &Board, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let Attempt { tier, limits, region, company } = attempt;
        let quick = tier == Tier::Quick;
        let cut_short = quick && limits.max_nodes.is_none_or(|most| most > QUICK_NODES);
        let limits = if cut_short { Limits { max_nodes: Some(QUICK_NODES), ..limits } } else { limits };
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
            Method::Shortest if quick => search.ida(),
            Method::Shortest => search.shortest(),
            Method::Ida => search.ida(),
            Method::BestFirst(Order::BREADTH) => search.breadth(),
            Method::BestFirst(order) => search.best_first(order),
            Method::First => search.first(),
        };
        match ending {
            Ending::Stopped { stop: Stop::Nodes, .. } if cut_short => None,
            Ending::Stopped { stop: Stop::Memory, .. } if tier != Tier::Large => None,
            Ending::Stopped { stop, bound } if stop != Stop::Interrupted && self.plan.second_best => {
                Some(search.second_best(bound).unwrap_or_else(|| verdict(Ending::Stopped { stop, bound })))
            }
            ending => Some(verdict(ending)),
        }
    }
}

/// One attempt at one board.
struct Search<'s, 'r, C: Cells, H> {
    problem: Problem<'s, Tiles<C>, H>,
    limits: Limits<'s>,
    region: &'s mut Region<'r>,
    company: &'s dyn Company,
    when_full: WhenFull,
    effort: &'s mut Effort,
}

impl<C: Cells, H: Heuristic<Tiles<C>>> Search<'_, '_, C, H> {
    fn best_first(&mut self, order: Order) -> Ending {
        let algorithm = match order {
            Order::ASTAR => "astar",
            Order::GREEDY => "greedy",
            _ => "wastar",
        };
        let (limits, company) = (&self.limits, self.company);
        let outcome = best_first::solve(self.problem, order, limits, self.region, company, self.when_full);
        self.note(algorithm, self.problem.heuristic.name(), outcome)
    }

    fn breadth(&mut self) -> Ending {
        let Problem { puzzle, start, .. } = self.problem;
        let problem = Problem { puzzle, heuristic: &Blind, start };
        let (limits, company) = (&self.limits, self.company);
        let outcome =
            best_first::solve(problem, Order::BREADTH, limits, self.region, company, self.when_full);
        self.note("bfs", "", outcome)
    }

    /// A*, then from its frontier IDA*, or IDA* alone where memory is too small
    /// for a frontier.
    fn shortest(&mut self) -> Ending {
        match self.best_first(Order::ASTAR) {
            Ending::Stopped { stop: Stop::Memory, .. } if self.when_full == WhenFull::Dig => self.ida(),
            ending => ending,
        }
    }

    /// IDA* alone, or from a frontier as soon as others would help.
    fn ida(&mut self) -> Ending {
        let paused = match ida::solve_until(self.problem, &self.limits, || self.company.offers()) {
            Ok(outcome) => return self.note("ida", self.problem.heuristic.name(), outcome),
            Err(ida::Paused(outcome)) => outcome,
        };
        account(self.effort, &paused);
        let (limits, company) = (&self.limits, self.company);
        let outcome =
            best_first::solve(self.problem, Order::ASTAR, limits, self.region, company, WhenFull::Dig);
        match self.note("ida", self.problem.heuristic.name(), outcome) {
            Ending::Stopped { stop: Stop::Memory, .. } => {
                let outcome = ida::solve(self.problem, &self.limits);
                self.note("ida", self.problem.heuristic.name(), outcome)
            }
            ending => ending,
        }
    }

    /// Any solution.
    fn first(&mut self) -> Ending {
        let [shorter @ .., last] = first_orders();
        for order in shorter {
            match self.best_first(order) {
                Ending::Stopped { stop: Stop::Memory, .. } => {}
                ending => return ending,
            }
        }
        self.best_first(last)
    }

    /// A solution where no shorter one than `bound` exists, if one is near.
    fn second_best(&mut self, bound: u32) -> Option<Verdict> {
        self.limits = Limits { max_nodes: Some(SECOND_BEST_NODES), deadline: None, ..self.limits };
        self.company = &Alone;
        self.when_full = WhenFull::Stop;
        for order in first_orders() {
            if let Verdict::Solved(found) = verdict(self.best_first(order)) {
                let bound = bound.min(found.length);
                return Some(Verdict::Solved(Solution { bound, optimal: bound == found.length, ..found }));
            }
        }
        None
    }

    fn note(&mut self, algorithm: &'static str, heuristic: &'static str, outcome: Outcome) -> Ending {
        account(self.effort, &outcome);
        self.effort.algorithm =
            if outcome.statistics.fell_back && algorithm == "astar" { "astar+ida" } else { algorithm };
        self.effort.heuristic = heuristic;
        outcome.ending
    }
}

/// Boards too large for any search that keeps states.
struct TooLarge {
    goal: Board,
}

impl Solver for TooLarge {
    fn attempt(&self, board: &Board, _: Attempt<'_, '_>, _: &mut Effort) -> Option<Verdict> {
        let cols = board.size().cols();
        let mut home = vec![0; board.tiles().len()];
        for (cell, &tile) in self.goal.tiles().iter().enumerate() {
            home[tile as usize] = cell;
        }
        let far = |cell: usize, tile: u16| {
            let home = home[tile as usize];
            (home / cols).abs_diff(cell / cols) + (home % cols).abs_diff(cell % cols)
        };
        let tiles = board.tiles().iter().enumerate().filter(|&(_, &tile)| tile != 0);
        let bound = tiles.map(|(cell, &tile)| far(cell, tile) as u32).sum();
        Some(Verdict::GaveUp { reason: GiveUp::Memory, bound })
    }
}
