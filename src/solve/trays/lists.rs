//! Trays of any size and their estimates, as a space for the searches with dynamic keys.

use crate::heuristic::{TrayDistances, TrayPriorities};
use crate::puzzle::Move;
use crate::puzzle::trays::{Lists, Metric, Place, Tray, View};
use crate::search::dynamic_key::{Flow, Space, Successor};
use std::sync::Arc;

/// A tray, its start and its estimator.
pub(crate) struct TraySpace {
    lists: Lists,
    start: Vec<u32>,
    estimator: Estimator,
}

/// Estimates the remaining moves.
struct Estimator {
    tray: Arc<Tray>,
    implied: Option<usize>,
    /// The tables of distances; without them unmet goals are counted.
    distances: Option<Arc<TrayDistances>>,
    /// For each cell the distance of a hole there to the nearest cell where it may stay. Empty
    /// unless the holes imply a class with goals.
    holes: Vec<u16>,
    /// Whether the estimate may exceed the true distance.
    may_overestimate: bool,
    /// Whether every move shifts one hole by one cell.
    single_holes: bool,
    /// A priority that replaces the estimate, if any.
    priority: Option<Arc<TrayPriorities>>,
}

impl TraySpace {
    /// Restricts slides to those that end where something changes.
    pub(crate) fn with_stops(self) -> Self {
        Self { lists: self.lists.with_stops(), ..self }
    }

    /// Returns the estimate of the start.
    pub(crate) fn first_estimate(&self) -> u32 {
        self.estimator.estimate(self.lists.view())
    }

    /// Replaces estimates with a priority. It is not zero in every goal state, and it is not a
    /// lower bound.
    pub(crate) fn with_priority(self, priority: Arc<TrayPriorities>) -> Self {
        Self { estimator: Estimator { priority: Some(priority), ..self.estimator }, ..self }
    }

    /// Creates the space of a tray in a metric. Estimates are lower bounds unless
    /// `may_overestimate`, which finds solutions faster.
    pub(crate) fn new(
        tray: &Arc<Tray>,
        metric: Metric,
        distances: Option<Arc<TrayDistances>>,
        may_overestimate: bool,
    ) -> Self {
        let lists = Lists::new(tray, metric);
        let implied = lists.implied();
        let mut start = vec![0; lists.width()];
        lists.write_key(&mut start);
        let concerned = implied.filter(|&class| !tray.classes()[class].goals.is_empty());
        let holes = concerned.map(|class| hole_distances(tray, class)).unwrap_or_default();
        let units = tray.classes().iter().all(|class| class.height == 1 && class.width == 1);
        let single_holes = units && metric == Metric::Step;
        Self {
            lists,
            start,
            estimator: Estimator {
                tray: tray.clone(),
                implied,
                distances,
                holes,
                may_overestimate,
                single_holes,
                priority: None,
            },
        }
    }
}

/// Returns the distance of each cell to the nearest one without a goal of `class`.
fn hole_distances(tray: &Tray, class: usize) -> Vec<u16> {
    let (rows, cols) = (tray.rows(), tray.cols());
    let mut distances: Vec<u16> = vec![0; tray.cells()];
    for goal in &tray.goal()[tray.classes()[class].goals.clone()] {
        distances[goal.at.cell(cols)] = u16::MAX;
    }
    let mut open: Vec<usize> =
        (0..distances.len()).filter(|&cell| distances[cell] == 0 && !tray.is_wall(cell)).collect();
    let mut done = 0;
    while let Some(&cell) = open.get(done) {
        done += 1;
        let Place { row, col } = Place::of_cell(cell, cols);
        let (row, col) = (row as usize, col as usize);
        let neighbours = [
            (row > 0).then(|| cell - cols),
            (row + 1 < rows).then(|| cell + cols),
            (col > 0).then(|| cell - 1),
            (col + 1 < cols).then(|| cell + 1),
        ];
        for to in neighbours.into_iter().flatten() {
            if distances[to] == u16::MAX && !tray.is_wall(to) {
                distances[to] = distances[cell].saturating_add(1);
                open.push(to);
            }
        }
    }
    distances
}

impl Estimator {
    fn estimate(&self, view: View<'_>) -> u32 {
        if let Some(priority) = &self.priority {
            return priority.of_lists(view, self.implied);
        }
        let classes = 0..self.tray.classes().len();
        let blocks: u32 = classes.filter_map(|class| self.of_class(class, view)).sum();
        self.with_holes(blocks, view)
    }

    /// Returns the estimate of one class, if it is listed and has goals.
    fn of_class(&self, class: usize, view: View<'_>) -> Option<u32> {
        let goals = &self.tray.goal()[self.tray.classes()[class].goals.clone()];
        let cells = view.class(class).filter(|_| !goals.is_empty())?;
        match &self.distances {
            Some(distances) => distances.of_class(class, cells.iter().map(|&cell| cell.into())),
            None => {
                let is_met = |cell: usize| cells.binary_search(&(cell as u16)).is_ok();
                Some(goals.iter().filter(|goal| !is_met(goal.at.cell(self.tray.cols()))).count() as u32)
            }
        }
    }

    /// Combines the estimate of listed blocks with that of the holes.
    fn with_holes(&self, blocks: u32, view: View<'_>) -> u32 {
        if self.holes.is_empty() {
            return blocks;
        }
        let sum: u32 = view.holes().iter().map(|&hole| u32::from(self.holes[hole as usize])).sum();
        if self.may_overestimate {
            blocks + sum
        } else if self.single_holes {
            // A move of a listed block also moves a hole.
            blocks.max(sum)
        } else {
            blocks.max(u32::from(sum > 0))
        }
    }

    fn is_goal(&self, view: View<'_>) -> bool {
        Lists::is_goal(&self.tray, self.implied, view)
    }
}

impl Space for TraySpace {
    fn width(&self) -> usize {
        self.lists.width()
    }

    fn start(&mut self, key: &mut [u32]) -> (u32, bool) {
        key.copy_from_slice(&self.start);
        self.lists.load(&self.start);
        (self.estimator.estimate(self.lists.view()), self.estimator.is_goal(self.lists.view()))
    }

    fn expand(
        &mut self,
        key: &[u32],
        _: u32,
        last: Option<Move>,
        mut visit: impl FnMut(Successor<'_>) -> Flow,
    ) {
        self.lists.load(key);
        let Self { lists, estimator, .. } = self;
        if estimator.priority.is_some() {
            lists.moves(last, |moved| {
                let (estimate, is_goal) = (estimator.estimate(moved.after), estimator.is_goal(moved.after));
                let successor = Successor { key: moved.key, step: moved.step, estimate, is_goal };
                visit(successor) == Flow::Continue
            });
            return;
        }
        let parent_parts: Vec<u32> = (0..estimator.tray.classes().len())
            .map(|class| estimator.of_class(class, lists.view()).unwrap_or(0))
            .collect();
        let all: u32 = parent_parts.iter().sum();
        lists.moves(last, |moved| {
            let class = moved.class;
            let blocks = match estimator.of_class(class, moved.after) {
                Some(part) => all - parent_parts[class] + part,
                None => all,
            };
            let estimate = estimator.with_holes(blocks, moved.after);
            let is_goal = estimate == 0 && estimator.is_goal(moved.after);
            let successor = Successor { key: moved.key, step: moved.step, estimate, is_goal };
            visit(successor) == Flow::Continue
        });
    }

    fn apply(&mut self, key: &[u32], step: Move, after: &mut [u32]) -> u32 {
        self.lists.load(key);
        self.lists.apply(step);
        self.lists.write_key(after);
        self.estimator.estimate(self.lists.view())
    }
}
