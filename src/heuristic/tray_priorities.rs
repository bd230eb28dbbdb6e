//! The priorities of course programs for trays: sums of block distances.
//!
//! Distances are Manhattan distances in cells, whatever counts as a move and wherever
//! walls are. Blocks of one shape are interchangeable, so a block is compared with the
//! nearest rectangle of its shape.
//!
//! * *nearest*: for each block of a shape that occurs in the goal, the distance to the
//!   nearest goal rectangle of its shape.
//! * *total*: that, and for each block the distance from the nearest initial position of
//!   its shape.
//!
//! They are priorities, not lower bounds: a goal needs only as many blocks as it has
//! rectangles, and a block may have to leave its initial position. A goal state may have
//! a priority above zero.

use crate::puzzle::trays::{Block, Mask, PackedState, Tray, View};

/// The choice of priority.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrayPriority {
    /// The distance to the goal.
    Nearest,
    /// The distance from the start plus the distance to the goal.
    Total,
}

impl TrayPriority {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nearest => "nearest",
            Self::Total => "total",
        }
    }
}

/// What a block adds to the priority, by its class and its top-left cell.
#[derive(Debug)]
pub struct TrayPriorities {
    cells: usize,
    cols: usize,
    /// One row of cells for each class.
    of_block: Vec<u16>,
    /// For each class the height and width of its blocks.
    shapes: Vec<(usize, usize)>,
    /// The sum over all cells between the walls, for each class.
    of_floor: Vec<u32>,
}

impl TrayPriorities {
    /// Builds the tables of `tray`. Returns `None` if they need more than `max_bytes`.
    pub fn new(tray: &Tray, priority: TrayPriority, max_bytes: usize) -> Option<Self> {
        let (cells, cols) = (tray.cells(), tray.cols());
        if tray.classes().len().checked_mul(2 * cells)? > max_bytes {
            return None;
        }
        let mut of_block = Vec::with_capacity(tray.classes().len() * cells);
        for class in tray.classes() {
            let to_goal = nearest(tray, &tray.goal()[class.goals.clone()]);
            let from_start = match priority {
                TrayPriority::Nearest => vec![0; cells],
                TrayPriority::Total => nearest(tray, &tray.blocks()[class.blocks.clone()]),
            };
            of_block.extend(to_goal.iter().zip(from_start).map(|(to_goal, from_start)| to_goal + from_start));
        }
        let floor = |row: &[u16]| {
            row.iter()
                .enumerate()
                .filter(|&(cell, _)| !tray.is_wall(cell))
                .map(|(_, &distance)| u32::from(distance))
                .sum()
        };
        let of_floor = of_block.chunks(cells).map(floor).collect();
        let shapes = tray.classes().iter().map(|class| (class.height.into(), class.width.into())).collect();
        Some(Self { cells, cols, of_block, shapes, of_floor })
    }

    fn of_block(&self, class: usize, cell: usize) -> u32 {
        self.of_block[class * self.cells + cell].into()
    }

    /// Returns the priority of a packed state.
    pub fn of_packed<M: Mask>(&self, state: &PackedState<M>) -> u32 {
        let mut sum = 0;
        for (class, &anchors) in state.anchors.iter().enumerate().take(self.shapes.len()) {
            let mut rest = anchors;
            while !rest.is_none() {
                sum += self.of_block(class, rest.lowest() as usize);
                rest = rest.without_lowest();
            }
        }
        sum
    }

    /// Returns the priority of an arrangement in lists. The class `implied`, if any, is
    /// that of the unit blocks on all cells where neither a listed block nor a hole is.
    pub fn of_lists(&self, view: View<'_>, implied: Option<usize>) -> u32 {
        let listed = || (0..self.shapes.len()).filter_map(|class| Some((class, view.class(class)?)));
        let sum_listed: u32 = listed()
            .flat_map(|(class, cells)| cells.iter().map(move |&cell| self.of_block(class, cell.into())))
            .sum();
        let Some(implied) = implied else { return sum_listed };
        let covered = listed().flat_map(|(class, cells)| {
            let (height, width) = self.shapes[class];
            let of_rect = move |&at: &u16| {
                (0..height)
                    .flat_map(move |row| (0..width).map(move |col| at as usize + row * self.cols + col))
            };
            cells.iter().flat_map(of_rect)
        });
        let holes = view.holes().iter().map(|&cell| usize::from(cell));
        let elsewhere: u32 = covered.chain(holes).map(|cell| self.of_block(implied, cell)).sum();
        sum_listed + self.of_floor[implied] - elsewhere
    }
}

/// Returns for each cell the Manhattan distance to the nearest of `targets`; zero for all cells
/// if there are none.
fn nearest(tray: &Tray, targets: &[Block]) -> Vec<u16> {
    let (rows, cols) = (tray.rows(), tray.cols());
    if targets.is_empty() {
        return vec![0; rows * cols];
    }
    // More than any distance, and far from an overflow.
    let mut distances = vec![u16::MAX / 4; rows * cols];
    for target in targets {
        distances[target.at.cell(cols)] = 0;
    }
    // Two passes: one brings distances down and right, the other up and left.
    for cell in 0..distances.len() {
        let above = (cell >= cols).then(|| distances[cell - cols] + 1);
        let left = (cell % cols > 0).then(|| distances[cell - 1] + 1);
        distances[cell] = above.into_iter().chain(left).fold(distances[cell], u16::min);
    }
    for cell in (0..distances.len()).rev() {
        let below = (cell + cols < distances.len()).then(|| distances[cell + cols] + 1);
        let right = (cell % cols + 1 < cols).then(|| distances[cell + 1] + 1);
        distances[cell] = below.into_iter().chain(right).fold(distances[cell], u16::min);
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Puzzle;
    use crate::puzzle::trays::{Lists, Metric, Packed, Piece, Rect};
    use std::sync::Arc;

    fn rect(row: i64, col: i64, row2: i64, col2: i64) -> Piece {
        Piece::plain(Rect::from_corners(row, col, row2, col2).unwrap())
    }

    /// Computes the priority block by block.
    fn by_hand(tray: &Tray, blocks: &[Block], priority: TrayPriority) -> u32 {
        let distance = |a: Block, b: Block| {
            u32::from(a.at.row.abs_diff(b.at.row)) + u32::from(a.at.col.abs_diff(b.at.col))
        };
        let least = |block: Block, others: &[Block]| {
            others
                .iter()
                .filter(|other| other.class == block.class)
                .map(|&other| distance(block, other))
                .min()
        };
        let of = |&block: &Block| {
            let start = least(block, tray.blocks()).filter(|_| priority == TrayPriority::Total);
            least(block, tray.goal()).unwrap_or(0) + start.unwrap_or(0)
        };
        blocks.iter().map(of).sum()
    }

    #[test]
    fn priorities_are_sums_over_blocks() {
        // Two bars and a goal for one; a square without a goal; units that the holes imply.
        let bars = [rect(0, 0, 0, 1), rect(3, 2, 3, 3)];
        let square = rect(1, 0, 2, 1);
        let units = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 2)].map(|(row, col)| rect(row, col, row, col));
        let blocks: Vec<Piece> = bars.into_iter().chain([square]).chain(units).collect();
        let goal = [rect(3, 0, 3, 1), rect(3, 3, 3, 3)];
        let tray = Arc::new(Tray::new(4, 4, &[], &blocks, &goal).unwrap());
        let [nearest, total] = [TrayPriority::Nearest, TrayPriority::Total];
        // Bars: 3 and 2; units to the corner: 4, 3, 3, 2, 2.
        assert_eq!(by_hand(&tray, tray.blocks(), nearest), 5 + 14);
        let packed = Packed::<u64, u128>::new(&tray, Metric::Step).unwrap();
        for priority in [nearest, total] {
            let tables = TrayPriorities::new(&tray, priority, 1 << 20).unwrap();
            let mut lists = Lists::new(&tray, Metric::Step);
            assert!(lists.implied().is_some());
            let (mut state, mut arrangement) = (packed.start(), tray.blocks().to_vec());
            let mut last = None;
            for turn in 0..200 {
                let expected = by_hand(&tray, &arrangement, priority);
                assert_eq!(tables.of_packed(&state), expected, "{priority:?}, turn {turn}");
                assert_eq!(
                    tables.of_lists(lists.view(), lists.implied()),
                    expected,
                    "{priority:?}, turn {turn}"
                );
                let moves: Vec<_> = packed.moves(&state, last).collect();
                let step = moves[turn * 7 % moves.len()];
                let shift = packed.shift(step);
                state = packed.apply(&state, step);
                lists.apply(Lists::step(shift, tray.cols()));
                let block = arrangement.iter_mut().find(|block| block.at == shift.from).unwrap();
                block.at = shift.to;
                last = Some(step);
            }
        }
    }
}
