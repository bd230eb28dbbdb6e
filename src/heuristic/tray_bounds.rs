//! Lower bounds for trays: distances of blocks to their goals.
//!
//! For each goal rectangle a table has the number of moves that a block of its shape needs from
//! each cell, if it were alone between the walls. The blocks of a class must fill its goals one
//! to one. The *matching* bound is the cost of the cheapest assignment (exact for up to
//! [`MAX_EXACT_GOALS`] goals of a class; above that, the larger of two sums of nearest
//! distances). The *nearest* bound lets every goal take its nearest block. One move moves one
//! block, so the bounds of the classes can be added.

use super::{Heuristic, NoBatch};
use crate::puzzle::Move;
use crate::puzzle::trays::{CLASSES, CellKey, Mask, Metric, Packed, PackedState, Place, Tray};

/// Largest number of goals of a class that are matched exactly.
const MAX_EXACT_GOALS: usize = 4;

/// Distance of a cell from which a goal cannot be reached.
const UNREACHABLE: u16 = u16::MAX;

/// The choice of bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TrayBound {
    /// Each goal takes a different block.
    #[default]
    Matching,
    /// Each goal takes its nearest block.
    Nearest,
}

impl TrayBound {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Matching => "matching",
            Self::Nearest => "nearest",
        }
    }
}

/// The distance of each cell from each goal, for a block that is alone.
#[derive(Debug)]
pub struct TrayDistances {
    bound: TrayBound,
    cells: usize,
    /// One row of cells for each goal of the tray.
    distances: Vec<u16>,
    /// For each class the range of its goals, and whether it has no more blocks than goals.
    goals: Vec<(std::ops::Range<usize>, bool)>,
}

impl TrayDistances {
    /// Builds the tables of a tray. Returns `None` if they need more than `max_bytes`.
    pub fn new(tray: &Tray, metric: Metric, bound: TrayBound, max_bytes: usize) -> Option<Self> {
        let cells = tray.cells();
        if tray.goal().len() * cells * 2 > max_bytes {
            return None;
        }
        let mut distances = Vec::with_capacity(tray.goal().len() * cells);
        for class in tray.classes() {
            let fits = fitting_cells(tray, class.height, class.width);
            for goal in &tray.goal()[class.goals.clone()] {
                distances.extend(distances_to(tray, &fits, goal.at.cell(tray.cols()), metric));
            }
        }
        let goals =
            tray.classes().iter().map(|class| (class.goals.clone(), class.blocks.len() <= class.goals.len()));
        Some(Self { bound, cells, distances, goals: goals.collect() })
    }

    /// Returns whether a class has goals.
    #[inline(always)]
    pub fn concerns(&self, class: usize) -> bool {
        !self.goals[class].0.is_empty()
    }

    /// Returns the bound for a class whose blocks are in `cells`, or `None` if its goals can
    /// never be filled.
    #[inline]
    pub fn of_class(&self, class: usize, cells: impl Iterator<Item = usize> + Clone) -> Option<u32> {
        let (goals, is_full) = &self.goals[class];
        let row = |goal: usize| &self.distances[goal * self.cells..][..self.cells];
        let nearest = |goal: usize| cells.clone().map(|cell| row(goal)[cell]).min().unwrap_or(UNREACHABLE);
        if goals.len() == 1 {
            let nearest = nearest(goals.start);
            return (nearest != UNREACHABLE).then_some(nearest.into());
        }
        if self.bound == TrayBound::Matching && goals.len() <= MAX_EXACT_GOALS {
            return self.min_matching(goals.clone(), cells);
        }
        let mut sum = 0;
        for goal in goals.clone() {
            let nearest = nearest(goal);
            if nearest == UNREACHABLE {
                return None;
            }
            sum += u32::from(nearest);
        }
        if *is_full && self.bound == TrayBound::Matching {
            let nearest = |cell: usize| goals.clone().map(|goal| row(goal)[cell]).min().unwrap_or(0);
            let other: u32 = cells.map(|cell| u32::from(nearest(cell))).sum();
            sum = sum.max(other);
        }
        Some(sum)
    }

    /// Returns the cost of the cheapest assignment of different blocks to a few goals.
    fn min_matching(&self, goals: std::ops::Range<usize>, cells: impl Iterator<Item = usize>) -> Option<u32> {
        const INFINITE: u32 = u32::MAX / 2;
        // For each set of goals: the least cost to fill them so far.
        let mut min_cost = [INFINITE; 1 << MAX_EXACT_GOALS];
        min_cost[0] = 0;
        let sets = 1usize << goals.len();
        for cell in cells {
            for set in (1..sets).rev() {
                for (bit, goal) in goals.clone().enumerate() {
                    let distances = self.distances[goal * self.cells + cell];
                    if set >> bit & 1 != 0 && distances != UNREACHABLE {
                        min_cost[set] = min_cost[set].min(min_cost[set ^ (1 << bit)] + u32::from(distances));
                    }
                }
            }
        }
        Some(min_cost[sets - 1]).filter(|&min_cost| min_cost < INFINITE)
    }
}

/// Returns for each cell whether a block of a shape fits there between the walls.
fn fitting_cells(tray: &Tray, height: u16, width: u16) -> Vec<bool> {
    let (rows, cols) = (tray.rows(), tray.cols());
    // Two-dimensional prefix sums: the walls above and left of each corner of the grid.
    let mut walls = vec![0u32; (rows + 1) * (cols + 1)];
    let corner = |row: usize, col: usize| row * (cols + 1) + col;
    for cell in 0..tray.cells() {
        let (row, col) = (cell / cols, cell % cols);
        walls[corner(row + 1, col + 1)] = walls[corner(row, col + 1)] + walls[corner(row + 1, col)]
            - walls[corner(row, col)]
            + u32::from(tray.is_wall(cell));
    }
    let fits = |cell: usize| {
        let (row, col) = (cell / cols, cell % cols);
        let (below, right) = (row + height as usize, col + width as usize);
        let inside = below <= rows && right <= cols;
        inside
            && walls[corner(below, right)] + walls[corner(row, col)]
                == walls[corner(row, right)] + walls[corner(below, col)]
    };
    (0..tray.cells()).map(fits).collect()
}

/// Returns for each cell the moves that a block needs to a goal, if it is alone.
fn distances_to(tray: &Tray, fits: &[bool], goal: usize, metric: Metric) -> Vec<u16> {
    let (cells, cols) = (tray.cells(), tray.cols());
    let mut distances = vec![UNREACHABLE; cells];
    if !fits[goal] {
        return distances;
    }
    distances[goal] = 0;
    let mut open = vec![goal];
    let mut next = Vec::new();
    let mut distance: u16 = 0;
    while !open.is_empty() {
        distance = if metric == Metric::Piece { 1 } else { distance.saturating_add(1).min(UNREACHABLE - 1) };
        for cell in open.drain(..) {
            let here = Place::of_cell(cell, cols);
            let directions: [(isize, usize); 4] = [
                (-(cols as isize), here.row as usize),
                (cols as isize, tray.rows() - 1 - here.row as usize),
                (-1, here.col as usize),
                (1, cols - 1 - here.col as usize),
            ];
            for (offset, max_cells) in directions {
                let max_cells = if metric == Metric::Slide { max_cells } else { max_cells.min(1) };
                let mut to = cell;
                for _ in 0..max_cells {
                    to = to.wrapping_add_signed(offset);
                    // Beyond a cell that was reached earlier, the slides from that cell apply.
                    if !fits[to] || distances[to] < distance && metric == Metric::Slide {
                        break;
                    }
                    if distances[to] == UNREACHABLE {
                        distances[to] = distance;
                        next.push(to);
                    }
                }
            }
        }
        std::mem::swap(&mut open, &mut next);
    }
    distances
}

/// Iterates over the cells of a set.
#[derive(Clone, Copy)]
struct Cells<M>(M);

impl<M: Mask> Iterator for Cells<M> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let set = self.0;
        if set.is_none() {
            return None;
        }
        self.0 = set.without_lowest();
        Some(set.lowest() as usize)
    }
}

/// The estimate of a state whose goals can never be filled. No search starts from one.
const DEAD_END: u32 = 1 << 14;

impl TrayDistances {
    #[inline]
    fn of_packed<M: Mask>(&self, class: usize, anchors: M) -> u32 {
        self.of_class(class, Cells(anchors)).unwrap_or(DEAD_END)
    }
}

impl<M: Mask, K: CellKey> Heuristic<Packed<M, K>> for TrayDistances {
    type Memo = u32;
    type Payload = ();
    type SuccessorBatch = NoBatch;

    fn name(&self) -> &'static str {
        self.bound.name()
    }

    fn evaluate(&self, puzzle: &Packed<M, K>, state: &PackedState<M>) -> u32 {
        let classes = (0..puzzle.classes().min(CLASSES)).filter(|&class| self.concerns(class));
        classes.map(|class| self.of_packed(class, state.anchors[class])).sum()
    }

    #[inline]
    fn update(&self, puzzle: &Packed<M, K>, &memo: &u32, before: &PackedState<M>, step: Move) -> u32 {
        let (from, to) = puzzle.ends(step);
        let class = puzzle.class_at(before, from);
        if !self.concerns(class) {
            return memo;
        }
        let anchors = before.anchors[class];
        let after = anchors ^ M::cell(from) ^ M::cell(to);
        memo + self.of_packed(class, after) - self.of_packed(class, anchors)
    }

    #[inline(always)]
    fn estimate(&self, &memo: &u32) -> u32 {
        memo
    }

    #[inline(always)]
    fn payload(&self, _: &u32) {}

    #[inline(always)]
    fn restore(&self, _: &Packed<M, K>, _: &PackedState<M>, estimate: u32, (): ()) -> u32 {
        estimate
    }
}
