//! Small, dense trays, by layered breadth-first search.
//!
//! In a tray with few holes, bounds tell little, and a search that sees every
//! arrangement once but spends next to nothing on it is the fastest.

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

/// Goals up to which bounds are weak whatever the tray is like.
const FEW_GOALS: usize = 3;

/// Arrangements, as an exponent of two, that are seen in a second at most.
const FEW_ARRANGEMENTS_LOG2: f64 = 22.0;

/// Arrangements, as an exponent of two, among which a shortest solution is found
/// soon only by luck.
const MANY_ARRANGEMENTS_LOG2: f64 = 32.0;

/// The part of the floor that may be holes, as one in so many: among more, a
/// block has too many ways to go.
const FLOOR_PER_HOLE: usize = 4;

/// Nodes spent on a solution that stands in for a shortest one.
const FALLBACK_NODES: u64 = 200_000;

/// Arrangements among which a shortest solution is looked for before any: that
/// takes milliseconds.
const EXACT_NODES: u64 = 80_000;

/// A tray in a word, and a solver for the second best.
pub(crate) struct LayeredTray<W> {
    dense: Dense<W>,
    start: W,
    fallback: Option<Box<dyn TraySolver>>,
}

/// Whether layers suit a tray better than bounds do.
pub(crate) fn suits(tray: &Tray) -> bool {
    let floor = (0..tray.cells()).filter(|&cell| !tray.is_wall(cell)).count();
    let dense = FLOOR_PER_HOLE * tray.holes() <= floor;
    dense && (tray.goal().len() <= FEW_GOALS || arrangements_log2(tray) <= FEW_ARRANGEMENTS_LOG2)
}

/// The solver for a tray, if it fits a word; `fallback` may make one for
/// solutions that are not shortest.
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

/// A search for any solution of a tray, if it fits a word.
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

/// A search that keeps few arrangements_log2 of each kind.
pub(crate) trait DiverseSearch: Send + Sync {
    /// Searches through so many arrangements_log2 that any other search would take
    /// longer.
    fn search(&self, limits: &Limits<'_>, region: &mut Region<'_>) -> Outcome;

    /// A move of its solution.
    fn shift(&self, step: Move) -> Shift;
}

/// Arrangements that such a search may keep.
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

/// The solver for any solution of a tray, if it fits a word: by layers, if they
/// come to an end soon, and by `any` if not.
pub(crate) fn any_solver(
    tray: &Tray,
    metric: Metric,
    any: impl Fn() -> Box<dyn TraySolver>,
) -> Option<Box<dyn TraySolver>> {
    let exact = solver(tray, metric, || None)?;
    let is_too_large = arrangements_log2(tray) > MANY_ARRANGEMENTS_LOG2;
    Some(if is_too_large { any() } else { Box::new(TryExact { exact, any: any() }) })
}

/// A shortest solution if it is found among few arrangements_log2, otherwise any.
struct TryExact {
    exact: Box<dyn TraySolver>,
    any: Box<dyn TraySolver>,
}

impl TraySolver for TryExact {
    fn attempt(&self, attempt: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let Attempt { tier, limits, region, helpers } = attempt;
        // What can be had with less is had in the first tier, by any search.
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

/// The number of arrangements_log2 as an exponent of two, at most: the ways to order
/// blocks and holes.
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
