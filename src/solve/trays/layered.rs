//! Layered breadth-first search for small, dense trays.
//!
//! In a tray with few holes lower bounds are weak. A search that visits every arrangement once and
//! spends little on each is then the fastest.

use crate::memory::Region;
use crate::model::report::{Effort, GiveUp, Solution, Verdict};
use crate::puzzle::Move;
use crate::puzzle::trays::dense::{Dense, Word};
use crate::puzzle::trays::{Metric, Shift, Tray};
use crate::search::layered::{self, WhenFull};
use crate::search::{HelperPool, Limits, Outcome, diverse_bfs};
use crate::solve::plan::Tier;
use crate::solve::solver::{Attempt, account};
use crate::solve::trays::{TraySolver, conclude, quick_limits};

/// The largest number of goals for which bounds are weak in any tray.
const FEW_GOALS: usize = 3;

/// log2 of the number of arrangements that are searched within a second.
const FEW_ARRANGEMENTS_LOG2: f64 = 22.0;

/// log2 of the number of arrangements above which a shortest solution is found quickly only by
/// chance.
const MANY_ARRANGEMENTS_LOG2: f64 = 32.0;

/// The smallest number of floor cells per hole: with more holes a block has too many moves.
const FLOOR_PER_HOLE: usize = 4;

/// The limit on nodes for a fallback solution.
const FALLBACK_NODES: u64 = 200_000;

/// The limit on nodes for a shortest solution before any solution is searched; it takes
/// milliseconds.
const EXACT_NODES: u64 = 80_000;

/// A tray packed into a word, and the solver of fallback solutions.
pub(crate) struct LayeredTray<W> {
    dense: Dense<W>,
    start: W,
    fallback: Option<Box<dyn TraySolver>>,
}

/// Returns whether layered search suits a tray better than a search with bounds.
pub(crate) fn is_suitable(tray: &Tray) -> bool {
    let floor = (0..tray.cells()).filter(|&cell| !tray.is_wall(cell)).count();
    let dense = FLOOR_PER_HOLE * tray.holes() <= floor;
    dense && (tray.goal().len() <= FEW_GOALS || arrangements_log2(tray) <= FEW_ARRANGEMENTS_LOG2)
}

/// Creates the layered solver if the tray fits a word; `fallback` may create one for solutions that
/// are not shortest.
pub(crate) fn solver(
    tray: &Tray,
    metric: Metric,
    fallback: impl FnOnce() -> Option<Box<dyn TraySolver>>,
) -> Option<Box<dyn TraySolver>> {
    fn boxed<W: Word>(
        dense: Dense<W>,
        tray: &Tray,
        fallback: Option<Box<dyn TraySolver>>,
    ) -> Box<dyn TraySolver> {
        let start = dense.state(tray.blocks());
        Box::new(LayeredTray { dense, start, fallback })
    }
    match Dense::<u64>::new(tray, metric) {
        Some(dense) => Some(boxed(dense, tray, fallback())),
        None => Dense::<u128>::new(tray, metric).map(|dense| boxed(dense, tray, fallback())),
    }
}

/// Creates a diversity-limited search if the tray fits a word.
pub(crate) fn diverse_search(tray: &Tray, metric: Metric) -> Option<Box<dyn DiverseSearch>> {
    fn boxed<W: Word>(dense: Dense<W>, tray: &Tray) -> Box<dyn DiverseSearch> {
        let start = dense.state(tray.blocks());
        Box::new(LayeredTray { dense, start, fallback: None })
    }
    match Dense::<u64>::new(tray, metric) {
        Some(dense) => Some(boxed(dense, tray)),
        None => Dense::<u128>::new(tray, metric).map(|dense| boxed(dense, tray)),
    }
}

/// A diversity-limited breadth-first search for any solution.
pub(crate) trait DiverseSearch: Send + Sync {
    /// Searches up to [`DIVERSE_NODES`] arrangements; beyond that other searches are faster.
    fn search(&self, limits: &Limits<'_>, region: &mut Region<'_>) -> Outcome;

    /// Converts a move of the solution.
    fn shift(&self, step: Move) -> Shift;
}

/// The largest number of arrangements that the search may store.
const DIVERSE_NODES: u64 = 3_000_000;

impl<W: Word> DiverseSearch for LayeredTray<W> {
    fn search(&self, limits: &Limits<'_>, region: &mut Region<'_>) -> Outcome {
        diverse_bfs::solve(
            &self.dense,
            self.start,
            |state| self.dense.kind(state),
            DIVERSE_NODES,
            limits,
            region,
        )
    }

    fn shift(&self, step: Move) -> Shift {
        self.dense.shift(step)
    }
}

/// Creates the solver for any solution if the tray fits a word: layered search if the tray is small
/// enough, otherwise the solver that `any` creates.
pub(crate) fn any_solver(
    tray: &Tray,
    metric: Metric,
    any: impl Fn() -> Box<dyn TraySolver>,
) -> Option<Box<dyn TraySolver>> {
    let exact = solver(tray, metric, || None)?;
    let is_too_large = arrangements_log2(tray) > MANY_ARRANGEMENTS_LOG2;
    Some(if is_too_large { any() } else { Box::new(TryExact { exact, any: any() }) })
}

/// Tries a shortest solution within few nodes, then any solution.
struct TryExact {
    exact: Box<dyn TraySolver>,
    any: Box<dyn TraySolver>,
}

impl TraySolver for TryExact {
    fn attempt(&self, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let Attempt { tier, limits, region, helpers } = attempt;
        // The first tier leaves easy trays to the search for any solution.
        if tier != Tier::Quick {
            let few = limits.with_at_most(EXACT_NODES);
            let attempt = Attempt { tier, limits: few, region: &mut *region, helpers };
            match self.exact.attempt(attempt, effort) {
                None | Some(Verdict::GaveUp { reason: GiveUp::Nodes | GiveUp::Memory, .. }) => {}
                decided => return decided,
            }
        }
        self.any.attempt(Attempt { tier, limits, region, helpers }, effort)
    }
}

/// Returns log2 of an upper bound on the number of arrangements: the permutations of blocks and
/// holes.
fn arrangements_log2(tray: &Tray) -> f64 {
    let factorial = |n: usize| (1..=n).map(|k| (k as f64).log2()).sum::<f64>();
    let holes = tray.holes();
    let interchangeable: f64 = tray.classes().iter().map(|class| factorial(class.blocks.len())).sum();
    factorial(tray.blocks().len() + holes) - interchangeable - factorial(holes)
}

impl<W: Word> LayeredTray<W> {
    fn search(
        &self,
        limits: &Limits<'_>,
        region: &mut Region<'_>,
        helpers: &dyn HelperPool,
        tier: Tier,
    ) -> Outcome {
        let when_full = if tier == Tier::Large { WhenFull::DropLayers } else { WhenFull::Stop };
        layered::solve(&self.dense, self.start, limits, region, helpers, when_full)
    }
}

impl<W: Word> TraySolver for LayeredTray<W> {
    fn attempt(&self, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let Attempt { tier, limits, region, helpers } = attempt;
        let (within, cut_short) = quick_limits(tier, limits);
        let outcome = self.search(&within, region, helpers, tier);
        account(effort, &outcome);
        (effort.algorithm, effort.heuristic) = ("bfs", "");
        let shifts = |path: &[_]| path.iter().map(|&step| self.dense.shift(step)).collect();
        let verdict = conclude(outcome.ending, tier, cut_short, shifts, |_| None)?;
        let (Verdict::GaveUp { reason: GiveUp::Memory | GiveUp::Time, bound }, Some(fallback)) =
            (&verdict, &self.fallback)
        else {
            return Some(verdict);
        };
        let limits = Limits { deadline: None, ..limits.with_at_most(FALLBACK_NODES) };
        let proved = (effort.algorithm, effort.heuristic, effort.visited);
        match fallback.attempt(Attempt { tier: Tier::Large, limits, region, helpers }, effort) {
            Some(Verdict::Solved(found)) => {
                let bound = (*bound).min(found.length);
                Some(Verdict::Solved(Solution { bound, optimal: bound == found.length, ..found }))
            }
            _ => {
                (effort.algorithm, effort.heuristic, effort.visited) = proved;
                Some(verdict)
            }
        }
    }
}
