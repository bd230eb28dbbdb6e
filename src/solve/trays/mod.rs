//! The solver for one tray.
//!
//! `choose_solver` picks the search:
//!
//! 1. A tray whose goal is solved or plainly unreachable is decided without search.
//! 2. A small, dense tray uses layered breadth-first search (`layered`), or a diversity-limited one
//!    if any solution will do.
//! 3. Any other small tray is packed into words ([`Packed`]) and searched with lower bounds.
//! 4. The rest is searched as lists of cells ([`TraySpace`]).
//!
//! A tray passes through the tiers like a board: at once for a few thousand states, then in a
//! worker's slice, then in the large region with all idle workers. Depth-first search is no
//! fallback when memory is full: a tray reaches the same arrangement in countless ways, and the
//! search of an unsolvable one would not end.

pub(crate) mod improve;
pub(crate) mod layered;
pub(crate) mod lists;
pub(crate) mod priority;

use super::plan::{QUICK_NODES, Tier, beam_width};
use super::solver::{Attempt, account, give_up};
use crate::heuristic::{Blind, TrayBound, TrayDistances, TrayPriority};
use crate::memory::Region;
use crate::model::report::{Effort, GiveUp, Moves, Solution, Verdict};
use crate::options::{Algorithm, HeuristicChoice, Options, Quality};
use crate::puzzle::Move;
use crate::puzzle::trays::{CellKey, Lists, Mask, Metric, Packed, Place, Shift, Tray, packed_key_bits};
use crate::search::astar::{self, WhenFull};
use crate::search::beam::Width;
use crate::search::dynamic_key::{self, PuzzleSpace, Space};
use crate::search::{Ending, Limits, NoHelpers, Order, Outcome, Problem, Statistics, Stop, beam, dfs, ida};
use crate::solve::trays::layered::DiverseSearch;
use crate::solve::trays::lists::TraySpace;
use crate::solve::trays::priority::PrioritySearch;
use std::sync::Arc;

/// The interface of all solvers for one tray.
pub(crate) trait TraySolver: Send + Sync {
    /// Tries the tray and adds the work to `effort`. Returns none if it must be tried in the next
    /// tier.
    fn attempt(&self, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict>;
}

/// A search, or several in sequence.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Method {
    /// A*.
    Shortest,
    /// Any solution, then shortened.
    AnySolution,
    /// IDA*.
    Ida,
    /// Depth-first search with an explicit stack.
    Dfs,
    /// Beam search of a width.
    Beam(Width),
    /// Best-first search in one order.
    BestFirst(Order),
    /// An algorithm of this name that solves tile boards only.
    BoardsOnly(&'static str),
}

impl Method {
    /// Returns whether this is a single search that was requested by name. Its nodes are counted as
    /// if it were the only one.
    fn is_explicit(self) -> bool {
        !matches!(self, Self::Shortest | Self::AnySolution)
    }
}

/// The plan for trays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct TrayPlan {
    method: Method,
    bound: TrayBound,
    /// A priority that replaces the bound, if any.
    priority: Option<TrayPriority>,
    /// Whether a solution that is not proved shortest is accepted.
    allow_fallback: bool,
    metric: Metric,
    /// When layered search may be used.
    layers: Layers,
    /// Whether a shortest solution is tried within few nodes before any solution.
    try_exact_first: bool,
}

/// When layered search may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layers {
    Always,
    IfSuitable,
    Never,
}

impl TrayPlan {
    /// Creates the plan for all trays of a run.
    pub(crate) fn new(options: &Options, metric: Metric) -> Self {
        let any_solution = match options.algorithm {
            Algorithm::Greedy | Algorithm::Beam => true,
            Algorithm::Auto => options.quality == Quality::Fast,
            _ => false,
        };
        let priority = match options.heuristic {
            HeuristicChoice::Nearest if any_solution => Some(TrayPriority::Nearest),
            HeuristicChoice::Total if any_solution => Some(TrayPriority::Total),
            _ => None,
        };
        let method = match options.algorithm {
            Algorithm::Auto if priority.is_some() => Method::BestFirst(Order::GREEDY),
            Algorithm::Auto if options.quality == Quality::Fast => Method::AnySolution,
            Algorithm::Auto => Method::Shortest,
            Algorithm::Astar => Method::BestFirst(Order::ASTAR),
            Algorithm::Wastar => Method::BestFirst(Order::weighted(options.weight)),
            Algorithm::Greedy => Method::BestFirst(Order::GREEDY),
            Algorithm::Bfs => Method::BestFirst(Order::BREADTH),
            Algorithm::Ida => Method::Ida,
            Algorithm::Dfs => Method::Dfs,
            Algorithm::Beam => Method::Beam(beam_width(options)),
            Algorithm::Staged => Method::BoardsOnly("staged"),
        };
        let method = match method {
            Method::BestFirst(order) if options.max_nodes.is_some() => Method::BestFirst(order.strict()),
            method => method,
        };
        let bound = match options.heuristic {
            HeuristicChoice::Nearest if priority.is_none() => TrayBound::Nearest,
            _ => TrayBound::Matching,
        };
        let allow_fallback = options.algorithm == Algorithm::Auto
            && matches!(options.quality, Quality::Auto | Quality::Improve);
        let layers = match (options.algorithm, options.heuristic) {
            (Algorithm::Bfs, _) => Layers::Always,
            (Algorithm::Auto, HeuristicChoice::Auto) if method == Method::Shortest => Layers::IfSuitable,
            (Algorithm::Auto, HeuristicChoice::Auto) if method == Method::AnySolution => Layers::IfSuitable,
            _ => Layers::Never,
        };
        Self { method, bound, priority, allow_fallback, metric, layers, try_exact_first: true }
    }

    /// Returns why trays are not solved, if so.
    pub(crate) fn refusal(self) -> Option<String> {
        let Method::BoardsOnly(name) = self.method else { return None };
        let others = "auto, astar, wastar, greedy, bfs, dfs, beam or ida";
        Some(format!("algorithm {name} is for tile boards only; use {others}"))
    }

    /// Returns the name of the heuristic that guides the search.
    fn heuristic_name(self) -> &'static str {
        self.priority.map_or(self.bound.name(), TrayPriority::name)
    }
}

/// Returns whether grids and tables of the tray need much memory. Such trays are solved one at a
/// time, in the large region.
pub(crate) fn is_large(tray: &Tray) -> bool {
    tray.cells() > 4096
}

/// Tries a tray according to the plan, with tables of at most `table_bytes`, and adds the work to
/// `effort`. Returns none if the tray must be tried in the next tier.
pub(crate) fn attempt(
    tray: &Arc<Tray>,
    plan: TrayPlan,
    table_bytes: usize,
    attempt: Attempt<'_, '_>,
    effort: &mut Effort,
) -> Option<Verdict> {
    if plan.method.is_explicit() {
        // The search starts again in each tier; earlier attempts are not counted.
        (effort.expanded, effort.generated, effort.visited) = (0, 0, 0);
    }
    choose_solver(tray, plan, table_bytes).attempt(attempt, effort)
}

/// Chooses the solver for a tray, with tables of at most `table_bytes`.
fn choose_solver(tray: &Arc<Tray>, plan: TrayPlan, table_bytes: usize) -> Box<dyn TraySolver> {
    if let Method::BoardsOnly(_) = plan.method {
        return Box::new(Unsupported);
    }
    if tray.is_solved() {
        return Box::new(Decided(Ok(Vec::new())));
    }
    if let Some(reason) = unreachable_goal(tray) {
        return Box::new(Decided(Err(reason)));
    }
    // Reachability depends on the cells only, not on the metric.
    let tables = |metric| TrayDistances::new(tray, metric, plan.bound, table_bytes / 2);
    let bound = tables(plan.metric);
    let is_unreachable = |bound: &TrayDistances| {
        (0..tray.classes().len()).filter(|&class| bound.concerns(class)).any(|class| {
            let blocks = tray.blocks()[tray.classes()[class].blocks.clone()].iter();
            bound.of_class(class, blocks.map(|block| block.at.cell(tray.cols()))).is_none()
        })
    };
    if bound.as_ref().is_some_and(is_unreachable) {
        return Box::new(Decided(Err(NO_ROOM.into())));
    }
    if let Some(priority) = plan.priority {
        let search = match plan.method {
            Method::Beam(width) => PrioritySearch::Beam(width),
            _ => PrioritySearch::Greedy,
        };
        return priority::solver(tray, plan.metric, priority, search, bound, table_bytes / 2);
    }
    let (Some(bound), Some(guidance)) = (bound, tables(Metric::Step)) else {
        return list_solver(tray, plan, None);
    };
    let layers = match plan.layers {
        Layers::Always => true,
        Layers::IfSuitable => layered::is_suitable(tray),
        Layers::Never => false,
    };
    let any_plan = TrayPlan {
        method: Method::AnySolution,
        allow_fallback: false,
        layers: Layers::Never,
        try_exact_first: !layers,
        ..plan
    };
    let fallback_solver = || plan.allow_fallback.then(|| choose_solver(tray, any_plan, table_bytes));
    if layers && plan.method == Method::AnySolution {
        let any = || choose_solver(tray, any_plan, table_bytes);
        if let Some(solver) = layered::any_solver(tray, plan.metric, any) {
            return solver;
        }
    } else if layers && let Some(solver) = layered::solver(tray, plan.metric, fallback_solver) {
        return solver;
    }
    match (packed_key_bits(tray, 64), packed_key_bits(tray, 128)) {
        (Some(0..=44), _) => packed_solver::<u64, u64>(tray, plan, bound, guidance),
        (Some(45..=112), _) => packed_solver::<u64, u128>(tray, plan, bound, guidance),
        (_, Some(0..=110)) => packed_solver::<u128, u128>(tray, plan, bound, guidance),
        _ => list_solver(tray, plan, Some((bound, guidance))),
    }
}

/// The reason for a goal that its blocks cannot reach.
const NO_ROOM: &str = "no room for its goal";

/// Returns why the goal cannot be reached, if blocks or space are missing.
fn unreachable_goal(tray: &Tray) -> Option<Box<str>> {
    if let Some(goal) = tray.unmatched_goal() {
        return Some(goal.to_string().into());
    }
    let too_few = tray.classes().iter().any(|class| class.goals.len() > class.blocks.len());
    let mut covered = vec![false; tray.cells()];
    let mut blocked = |cell: usize| tray.is_wall(cell) || std::mem::replace(&mut covered[cell], true);
    let no_room =
        too_few || tray.goal().iter().any(|&goal| tray.rect(goal).cells(tray.cols()).any(&mut blocked));
    no_room.then(|| NO_ROOM.into())
}

/// A tray that needs no search: its moves, or why there are none.
struct Decided(Result<Vec<Shift>, Box<str>>);

impl TraySolver for Decided {
    fn attempt(&self, _: Attempt<'_, '_>, _: &mut Effort) -> Option<Verdict> {
        Some(match &self.0 {
            Ok(moves) => solved(moves.clone(), 0, true),
            Err(reason) => Verdict::Unsolvable { hint: Some(reason.clone()) },
        })
    }
}

/// Bytes per state beside its key: in depth-first search over packed keys, and over dynamic keys.
const DFS_BYTES_BESIDE_KEY: usize = 12;
const DFS_BYTES_BESIDE_WORDS: usize = 30;

/// Bytes per move of a solution while it is found, replayed and written.
const MOVE_BYTES: usize = 48;

/// Returns the part of a region in which depth-first search may store states of `state_bytes`. The
/// path may be as long as there are states; the rest of the region is returned to the system for
/// it.
fn region_beside_path<'r>(region: &'r mut Region<'_>, tier: Tier, state_bytes: usize) -> Region<'r> {
    // The first tier has few states.
    if tier != Tier::Quick {
        region.release_pages();
    }
    let states = region.bytes() / (state_bytes + MOVE_BYTES);
    region.first(states * state_bytes)
}

/// Gives up a tray for an algorithm that solves tile boards only.
struct Unsupported;

impl TraySolver for Unsupported {
    fn attempt(&self, _: Attempt<'_, '_>, _: &mut Effort) -> Option<Verdict> {
        Some(Verdict::GaveUp { reason: GiveUp::Unsupported, bound: 0 })
    }
}

/// Returns the verdict of a solution.
fn solved(moves: Vec<Shift>, bound: u32, optimal: bool) -> Verdict {
    let length = moves.len() as u32;
    let (bound, optimal) = (bound.min(length), optimal || bound >= length);
    Verdict::Solved(Solution {
        moves: Moves::Tray(moves),
        length,
        optimal,
        bound: if optimal { length } else { bound },
    })
}

/// Creates the solver over packed words, or over lists of cells if the tray does not fit.
fn packed_solver<M: Mask, K: CellKey>(
    tray: &Arc<Tray>,
    plan: TrayPlan,
    bound: TrayDistances,
    guidance: TrayDistances,
) -> Box<dyn TraySolver> {
    let puzzles = Packed::<M, K>::new(tray, plan.metric).zip(Packed::<M, K>::new(tray, Metric::Step));
    match puzzles {
        Some((puzzle, steps)) => {
            let is_dense = plan.method == Method::AnySolution && !plan.try_exact_first;
            let diverse_search = is_dense.then(|| layered::diverse_search(tray, plan.metric)).flatten();
            Box::new(PackedTray { puzzle, steps, bound, guidance, diverse_search, plan })
        }
        None => list_solver(tray, plan, Some((bound, guidance))),
    }
}

/// Creates the solver over lists of cells; without `tables` it counts unmet goals.
fn list_solver(
    tray: &Arc<Tray>,
    plan: TrayPlan,
    tables: Option<(TrayDistances, TrayDistances)>,
) -> Box<dyn TraySolver> {
    let (bound, guidance) = tables.unzip();
    Box::new(ListTray {
        tray: tray.clone(),
        bound: bound.map(Arc::new),
        guidance: guidance.map(Arc::new),
        plan,
    })
}

/// A tray packed into words, in its metric and in unit steps.
struct PackedTray<M, K> {
    puzzle: Packed<M, K>,
    steps: Packed<M, K>,
    bound: TrayDistances,
    /// Distances in unit steps; they guide the search for any solution.
    guidance: TrayDistances,
    /// The search for any solution of a dense tray.
    diverse_search: Option<Box<dyn DiverseSearch>>,
    plan: TrayPlan,
}

impl<M: Mask, K: CellKey> TraySolver for PackedTray<M, K> {
    fn attempt(&self, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let (puzzle, plan) = (&self.puzzle, self.plan);
        let Attempt { tier, limits, region, helpers } = attempt;
        let (limits, cut_short) = quick_limits(tier, limits);
        let problem = Problem { puzzle, heuristic: &self.bound, start: puzzle.start() };
        let name = plan.heuristic_name();
        let shifts = |path: &[Move]| path.iter().map(|&step| puzzle.shift(step)).collect();
        let diverse_search = self.search_diverse(tier, problem, &limits, region);
        let outcome = match plan.method {
            _ if diverse_search.is_some() => {
                diverse_search.map(|outcome| record_outcome(effort, "beam", "kinds", outcome))?
            }
            Method::AnySolution => match self.try_exact(tier, problem, &limits, region) {
                Some(outcome) => record_outcome(effort, "astar", name, outcome),
                None => {
                    let steps =
                        Problem { puzzle: &self.steps, heuristic: &self.guidance, start: self.steps.start() };
                    let mut unit_step_space = PuzzleSpace(steps);
                    let mut metric_space = PuzzleSpace(problem);
                    let codec =
                        MoveCodec { shift: &|step| puzzle.shift(step), step: &|shift| puzzle.step(shift) };
                    let outcome = any_solution(
                        &mut unit_step_space,
                        &mut metric_space,
                        codec,
                        plan.metric,
                        &limits,
                        region,
                    );
                    record_outcome(effort, "wastar", name, outcome)
                }
            },
            Method::Ida => record_outcome(effort, "ida", name, ida::solve(problem, &limits)),
            Method::Dfs => {
                let region = &mut region_beside_path(region, tier, size_of::<K>() + DFS_BYTES_BESIDE_KEY);
                record_outcome(effort, "dfs", "", dfs::solve(problem, &limits, region))
            }
            Method::Beam(width) => {
                record_outcome(effort, "beam", name, beam::solve(problem, width, &limits, region))
            }
            Method::BoardsOnly(_) => unreachable!("handled by choose_solver"),
            Method::BestFirst(order) if !order.weighs_estimates() => {
                let problem = Problem { puzzle, heuristic: &Blind, start: puzzle.start() };
                let outcome = astar::solve(problem, order, &limits, region, helpers, WhenFull::Stop);
                record_outcome(effort, "bfs", "", outcome)
            }
            Method::BestFirst(order) => {
                // A search in strict order runs on one worker.
                let helpers = if order.expands_singly() { &NoHelpers } else { helpers };
                let outcome = astar::solve(problem, order, &limits, region, helpers, WhenFull::Stop);
                record_outcome(effort, order.name(), name, outcome)
            }
            Method::Shortest if tier != Tier::Large => {
                let outcome = dynamic_key::solve(&mut PuzzleSpace(problem), Order::ASTAR, &limits, region);
                record_outcome(effort, "astar", name, outcome)
            }
            Method::Shortest => {
                let order = Order::ASTAR;
                let outcome = astar::solve(problem, order, &limits, region, helpers, WhenFull::Stop);
                record_outcome(effort, "astar", name, outcome)
            }
        };
        conclude(outcome, tier, cut_short, shifts, |_| {
            let steps = Problem { puzzle: &self.steps, heuristic: &self.guidance, start: self.steps.start() };
            let codec = MoveCodec { shift: &|step| puzzle.shift(step), step: &|shift| puzzle.step(shift) };
            let (mut unit_step_space, mut metric_space) = (PuzzleSpace(steps), PuzzleSpace(problem));
            let found = plan.allow_fallback.then(|| {
                fallback(&mut unit_step_space, &mut metric_space, codec, plan.metric, &limits, region)
            })??;
            path_of(record_outcome(effort, "wastar", name, found))
        })
    }
}

impl<M: Mask, K: CellKey> PackedTray<M, K> {
    /// Runs the diversity-limited search and shortens its solution. Returns none if it is not
    /// decided within its limits, and in the first tier, which is for easy trays.
    fn search_diverse(
        &self,
        tier: Tier,
        problem: Problem<'_, Packed<M, K>, TrayDistances>,
        limits: &Limits<'_>,
        region: &mut Region<'_>,
    ) -> Option<Outcome> {
        let diverse_search = self.diverse_search.as_ref().filter(|_| tier != Tier::Quick)?;
        let outcome = diverse_search.search(limits, region);
        match outcome.ending {
            Ending::Stopped { stop: Stop::Nodes | Stop::Memory, .. } => None,
            Ending::Solved { path, .. } => {
                let moves = path.iter().map(|&step| self.puzzle.step(diverse_search.shift(step))).collect();
                let metric_space = &mut PuzzleSpace(problem);
                Some(shorten(metric_space, moves, outcome.statistics, limits, region))
            }
            _ => Some(outcome),
        }
    }

    /// Searches a shortest solution within few nodes: for a tray with few arrangements this is as
    /// fast as any solution. Returns none if it is not decided. The first tier, with an even lower
    /// limit, skips this.
    fn try_exact(
        &self,
        tier: Tier,
        problem: Problem<'_, Packed<M, K>, TrayDistances>,
        limits: &Limits<'_>,
        region: &mut Region<'_>,
    ) -> Option<Outcome> {
        let limits = limits.with_at_most(EXACT_NODES);
        let outcome = (tier != Tier::Quick && self.plan.try_exact_first)
            .then(|| dynamic_key::solve(&mut PuzzleSpace(problem), Order::ASTAR, &limits, region))?;
        let stopped = matches!(outcome.ending, Ending::Stopped { stop: Stop::Nodes | Stop::Memory, .. });
        (!stopped).then_some(outcome)
    }
}

/// A tray as lists of cells.
struct ListTray {
    tray: Arc<Tray>,
    bound: Option<Arc<TrayDistances>>,
    guidance: Option<Arc<TrayDistances>>,
    plan: TrayPlan,
}

impl TraySolver for ListTray {
    fn attempt(&self, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let plan = self.plan;
        let Attempt { tier, limits, region, .. } = attempt;
        let (limits, cut_short) = quick_limits(tier, limits);
        let mut metric_space = TraySpace::new(&self.tray, plan.metric, self.bound.clone(), false);
        let (cols, name) = (self.tray.cols(), plan.heuristic_name());
        let codec =
            MoveCodec { shift: &|step| Lists::shift(step, cols), step: &|shift| Lists::step(shift, cols) };
        let outcome = match plan.method {
            Method::AnySolution => {
                let outcome = match self.search_stops(codec, &mut metric_space, &limits, region) {
                    Some(outcome) => outcome,
                    None => {
                        let mut unit_step_space =
                            TraySpace::new(&self.tray, Metric::Step, self.guidance.clone(), true);
                        any_solution(
                            &mut unit_step_space,
                            &mut metric_space,
                            codec,
                            plan.metric,
                            &limits,
                            region,
                        )
                    }
                };
                record_outcome(effort, "wastar", name, outcome)
            }
            Method::BestFirst(order) => {
                let name = if order.weighs_estimates() { name } else { "" };
                record_outcome(
                    effort,
                    order.name(),
                    name,
                    dynamic_key::solve(&mut metric_space, order, &limits, region),
                )
            }
            Method::Shortest => record_outcome(
                effort,
                "astar",
                name,
                dynamic_key::solve(&mut metric_space, Order::ASTAR, &limits, region),
            ),
            Method::Ida => {
                record_outcome(effort, "ida", name, dynamic_key::ida(&mut metric_space, &limits, region))
            }
            Method::Dfs => {
                let state_bytes = 4 * metric_space.width() + DFS_BYTES_BESIDE_WORDS;
                let region = &mut region_beside_path(region, tier, state_bytes);
                record_outcome(
                    effort,
                    "dfs",
                    "",
                    dynamic_key::depth_first(&mut metric_space, &limits, region),
                )
            }
            Method::Beam(width) => record_outcome(
                effort,
                "beam",
                name,
                dynamic_key::beam(&mut metric_space, width, &limits, region),
            ),
            Method::BoardsOnly(_) => unreachable!("handled by choose_solver"),
        };
        let shifts = |path: &[Move]| path.iter().map(|&step| Lists::shift(step, cols)).collect();
        conclude(outcome, tier, cut_short, shifts, |_| {
            let mut unit_step_space = TraySpace::new(&self.tray, Metric::Step, self.guidance.clone(), true);
            let found = plan.allow_fallback.then(|| {
                fallback(&mut unit_step_space, &mut metric_space, codec, plan.metric, &limits, region)
            })??;
            path_of(record_outcome(effort, "wastar", name, found))
        })
    }
}

impl ListTray {
    /// Searches a solution by slides that end only where something changes, within a few thousand
    /// arrangements. In a large, empty tray this is usually sufficient.
    fn search_stops(
        &self,
        codec: MoveCodec<'_>,
        metric_space: &mut TraySpace,
        limits: &Limits<'_>,
        region: &mut Region<'_>,
    ) -> Option<Outcome> {
        let stop_limits = limits.with_at_most(STOPS_NODES);
        let mut stops = TraySpace::new(&self.tray, Metric::Slide, self.guidance.clone(), true).with_stops();
        let Outcome { ending, statistics } =
            dynamic_key::solve(&mut stops, Order::weighted(GUIDANCE_WEIGHT), &stop_limits, region);
        let Ending::Solved { path, .. } = ending else { return None };
        let steps = path.iter().flat_map(|&slide| unit_steps((codec.shift)(slide)));
        let path = merge_steps(steps, self.plan.metric).into_iter().map(codec.step).collect();
        Some(shorten(metric_space, path, statistics, limits, region))
    }
}

/// Returns the limits of a tier, and whether the tier's own limit is the lower one.
pub(crate) fn quick_limits(tier: Tier, limits: Limits<'_>) -> (Limits<'_>, bool) {
    let cut_short = tier == Tier::Quick && limits.max_nodes.is_none_or(|most| most > QUICK_NODES);
    (if cut_short { Limits { max_nodes: Some(QUICK_NODES), ..limits } } else { limits }, cut_short)
}

/// Adds the work of a search to `effort` and sets the names of algorithm and heuristic.
pub(crate) fn record_outcome(
    effort: &mut Effort,
    algorithm: &'static str,
    heuristic: &'static str,
    outcome: Outcome,
) -> Ending {
    account(effort, &outcome);
    (effort.algorithm, effort.heuristic) = (algorithm, heuristic);
    outcome.ending
}

/// Converts the ending of a search to a verdict. Returns none if the next tier must try.
pub(crate) fn conclude(
    ending: Ending,
    tier: Tier,
    cut_short: bool,
    shifts: impl Fn(&[Move]) -> Vec<Shift>,
    fallback: impl FnOnce(u32) -> Option<Vec<Move>>,
) -> Option<Verdict> {
    Some(match ending {
        Ending::Solved { path, bound } => solved(shifts(&path), bound, false),
        Ending::Exhausted => Verdict::Unsolvable { hint: None },
        Ending::Stopped { stop: Stop::Nodes, .. } if cut_short => return None,
        Ending::Stopped { stop: Stop::Memory, .. } if tier != Tier::Large => return None,
        Ending::Stopped { stop, bound } => {
            let may_fall_back = matches!(stop, Stop::Memory | Stop::Time);
            match may_fall_back.then(|| fallback(bound)).flatten() {
                Some(path) => solved(shifts(&path), bound, false),
                None => Verdict::GaveUp { reason: give_up(stop), bound },
            }
        }
    })
}

/// Converts moves of a space to shifts and back. Both spaces of a tray use one encoding.
#[derive(Clone, Copy)]
struct MoveCodec<'n> {
    shift: &'n dyn Fn(Move) -> Shift,
    step: &'n dyn Fn(Shift) -> Move,
}

/// The weight of h in searches for any solution.
const GUIDANCE_WEIGHT: f64 = 4.0;

/// The limit on nodes for a shortest solution before any solution.
const EXACT_NODES: u64 = 50_000;

/// The limit on nodes for slides that end where something changes.
const STOPS_NODES: u64 = 20_000;

/// The number of states around a solution that are searched for a shorter one.
const SHORTEN_STATES: usize = 6000;

/// Searches any solution in unit steps, merges them into moves of the metric and shortens the
/// result.
fn any_solution(
    unit_step_space: &mut impl Space,
    metric_space: &mut impl Space,
    codec: MoveCodec<'_>,
    metric: Metric,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Outcome {
    let Outcome { ending, statistics } =
        dynamic_key::solve(unit_step_space, Order::weighted(GUIDANCE_WEIGHT), limits, region);
    let Ending::Solved { path, .. } = ending else { return Outcome { ending, statistics } };
    let joined = merge_steps(path.iter().map(|&step| (codec.shift)(step)), metric);
    let path = joined.into_iter().map(codec.step).collect();
    shorten(metric_space, path, statistics, limits, region)
}

/// Shortens a solution and adds the work to `statistics`.
fn shorten(
    metric_space: &mut impl Space,
    path: Vec<Move>,
    mut statistics: Statistics,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Outcome {
    let (path, more) = dynamic_key::shorten(metric_space, path, SHORTEN_STATES, limits, region);
    statistics += more;
    Outcome { ending: Ending::Solved { path, bound: 0 }, statistics }
}

/// Splits a slide into unit steps.
fn unit_steps(slide: Shift) -> impl Iterator<Item = Shift> {
    let Shift { from, to } = slide;
    let toward = |from: u16, to: u16| match from.cmp(&to) {
        std::cmp::Ordering::Less => from + 1,
        std::cmp::Ordering::Equal => from,
        std::cmp::Ordering::Greater => from - 1,
    };
    let next =
        move |&at: &Place| (at != to).then(|| Place::new(toward(at.row, to.row), toward(at.col, to.col)));
    std::iter::successors(Some(from), next).filter_map(move |at| Some(Shift { from: at, to: next(&at)? }))
}

/// The limit on nodes for a fallback solution.
const FALLBACK_NODES: u64 = 200_000;

/// Searches a fallback solution.
fn fallback(
    unit_step_space: &mut impl Space,
    metric_space: &mut impl Space,
    codec: MoveCodec<'_>,
    metric: Metric,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Option<Outcome> {
    let limits = Limits { deadline: None, ..limits.with_at_most(FALLBACK_NODES) };
    let outcome = any_solution(unit_step_space, metric_space, codec, metric, &limits, region);
    matches!(outcome.ending, Ending::Solved { .. }).then_some(outcome)
}

/// Returns the path of a solution.
fn path_of(ending: Ending) -> Option<Vec<Move>> {
    match ending {
        Ending::Solved { path, .. } => Some(path),
        _ => None,
    }
}

/// Merges unit steps into moves of a metric: steps of one block become one move where possible.
fn merge_steps(steps: impl Iterator<Item = Shift>, metric: Metric) -> Vec<Shift> {
    let mut joined: Vec<Shift> = Vec::new();
    for step in steps {
        let mut next = step;
        while let Some(&last) = joined.last() {
            let both = Shift { from: last.from, to: next.to };
            let one = match metric {
                Metric::Step => both.from == both.to,
                Metric::Slide => {
                    let row = last.from.row == last.to.row && next.from.row == next.to.row;
                    let col = last.from.col == last.to.col && next.from.col == next.to.col;
                    row || col
                }
                Metric::Piece => true,
            };
            if last.to != next.from || !one {
                break;
            }
            joined.pop();
            next = both;
            if next.from == next.to {
                break;
            }
        }
        if next.from != next.to {
            joined.push(next);
        }
    }
    joined
}
