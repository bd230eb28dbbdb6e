//! A validated tray.

use super::{Item, Place, Rect, TrayError, UnmatchedGoal};
use std::{fmt, ops::Range};

/// A rectangle of the start or of the goal, as given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its position and size.
    pub rect: Rect,
    /// 0 for a block that is interchangeable with any other of its shape. A goal with another mark
    /// requires a block with that mark.
    pub mark: u32,
}

impl Piece {
    /// Creates a piece without a mark.
    pub const fn plain(rect: Rect) -> Self {
        Self { rect, mark: 0 }
    }
}

/// A class of interchangeable blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// Number of rows.
    pub height: u16,
    /// Number of columns.
    pub width: u16,
    /// Mark; 0 unless the goal requires a certain block.
    pub mark: u32,
    /// Their indices in [`Tray::blocks`].
    pub blocks: Range<usize>,
    /// Indices in [`Tray::goal`] of the rectangles that they must fill.
    pub goals: Range<usize>,
}

impl Class {
    /// Returns the rectangle of a block of this class at `at`.
    pub const fn rect(&self, at: Place) -> Rect {
        Rect { at, height: self.height, width: self.width }
    }
}

/// A block of a class at a position. Blocks are ordered by class, then by row and column: a state
/// is a sorted list of blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Block {
    /// Number of its class.
    pub class: u32,
    /// Top-left cell.
    pub at: Place,
}

/// A tray: its walls, its blocks and its goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tray {
    rows: usize,
    cols: usize,
    /// One bit per cell, set for walls.
    walls: Vec<u64>,
    classes: Vec<Class>,
    blocks: Vec<Block>,
    goal: Vec<Block>,
}

impl Tray {
    /// Maximum number of rows and of columns.
    pub const MAX_SIDE: usize = Rect::MAX_SIDE;

    /// Creates a tray. Blocks overlap neither each other nor walls; all lie inside; no goal is
    /// repeated. Goals need not be reachable, nor have the shape of a block.
    pub fn new(
        rows: i64,
        cols: i64,
        walls: &[Rect],
        blocks: &[Piece],
        goal: &[Piece],
    ) -> Result<Self, TrayError> {
        Self::check_size(rows, cols)?;
        let (rows, cols) = (rows as usize, cols as usize);
        let inside = |item: Item, rect: Rect| match rect.fits(rows, cols) {
            true => Ok(()),
            false => Err(TrayError::Outside { item, rect, rows, cols }),
        };
        // Owner of each cell: 0 for none, then the walls, then the blocks.
        let mut owner = vec![0u32; rows * cols];
        let mut wall_bits = vec![0u64; (rows * cols).div_ceil(64)];
        for (index, &rect) in walls.iter().enumerate() {
            inside(Item::Wall(index), rect)?;
            for cell in rect.cells(cols) {
                owner[cell] = index as u32 + 1;
                wall_bits[cell / 64] |= 1 << (cell % 64);
            }
        }
        for (index, piece) in blocks.iter().enumerate() {
            let item = Item::Block(index);
            inside(item, piece.rect)?;
            for cell in piece.rect.cells(cols) {
                let other = std::mem::replace(&mut owner[cell], (walls.len() + index) as u32 + 1) as usize;
                if let Some(other) = other.checked_sub(1) {
                    let other = other.checked_sub(walls.len()).map_or(Item::Wall(other), Item::Block);
                    let (row, col) = (cell / cols, cell % cols);
                    return Err(TrayError::Overlap { item, other, row, col });
                }
            }
        }
        if goal.is_empty() {
            return Err(TrayError::NoGoal);
        }
        for (index, piece) in goal.iter().enumerate() {
            inside(Item::Goal(index), piece.rect)?;
        }
        let mut order: Vec<usize> = (0..goal.len()).collect();
        order.sort_unstable_by_key(|&index| (goal[index].rect, index));
        let mut twice = order.windows(2).filter(|pair| goal[pair[0]].rect == goal[pair[1]].rect);
        if let Some(&[first, second]) = twice.next() {
            return Err(TrayError::GoalTwice { item: Item::Goal(second), first: Item::Goal(first) });
        }
        let mut shapes: Vec<Shape> = blocks.iter().chain(goal).map(shape).collect();
        shapes.sort_unstable();
        shapes.dedup();
        let arranged = |pieces: &[Piece]| {
            let class = |piece: &Piece| shapes.partition_point(|known| *known < shape(piece)) as u32;
            let mut blocks: Vec<Block> =
                pieces.iter().map(|piece| Block { class: class(piece), at: piece.rect.at }).collect();
            blocks.sort_unstable();
            blocks.dedup();
            blocks
        };
        let (blocks, goal) = (arranged(blocks), arranged(goal));
        let of_class = |blocks: &[Block], class: u32| {
            blocks.partition_point(|b| b.class < class)..blocks.partition_point(|b| b.class <= class)
        };
        let classes = (0..)
            .zip(&shapes)
            .map(|(number, &(_, height, mark, area))| Class {
                height,
                width: (area / u32::from(height)) as u16,
                mark,
                blocks: of_class(&blocks, number),
                goals: of_class(&goal, number),
            })
            .collect();
        Ok(Self { rows, cols, walls: wall_bits, classes, blocks, goal })
    }

    /// Returns a goal that cannot be met because no block has its shape and mark.
    pub fn unmatched_goal(&self) -> Option<UnmatchedGoal> {
        let class = self.classes.iter().find(|class| class.blocks.is_empty() && !class.goals.is_empty())?;
        let rect = self.rect(self.goal[class.goals.start]);
        Some(UnmatchedGoal { rect, is_marked: class.mark != 0 })
    }

    /// Returns an error unless a tray can have `rows` rows and `cols` columns.
    pub fn check_size(rows: i64, cols: i64) -> Result<(), TrayError> {
        let fits = |side: i64| (1..=Self::MAX_SIDE as i64).contains(&side);
        if fits(rows) && fits(cols) { Ok(()) } else { Err(TrayError::Size { rows, cols }) }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Returns the number of cells, including walls.
    pub fn cells(&self) -> usize {
        self.rows * self.cols
    }

    /// Returns whether a cell, counted row by row, is a wall.
    pub fn is_wall(&self, cell: usize) -> bool {
        self.walls[cell / 64] >> (cell % 64) & 1 != 0
    }

    /// Returns one bit per cell, set for walls, row by row, starting with the lowest bit of the
    /// first word.
    pub fn walls(&self) -> &[u64] {
        &self.walls
    }

    /// Returns the number of cells that are neither walls nor covered.
    pub fn holes(&self) -> usize {
        let walls: usize = self.walls.iter().map(|word| word.count_ones() as usize).sum();
        self.cells() - walls - self.blocks.iter().map(|&block| self.rect(block).area()).sum::<usize>()
    }

    /// Returns the classes of blocks, largest first.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Returns the start: all blocks in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the goal: blocks that must be among those of the state, in order.
    pub fn goal(&self) -> &[Block] {
        &self.goal
    }

    /// Returns the rectangle of a block.
    pub fn rect(&self, block: Block) -> Rect {
        self.classes[block.class as usize].rect(block.at)
    }

    /// Returns whether a sorted list of blocks meets the goal.
    pub fn is_met_by(&self, blocks: &[Block]) -> bool {
        self.goal.iter().all(|goal| blocks.binary_search(goal).is_ok())
    }

    /// Returns whether the start meets the goal.
    pub fn is_solved(&self) -> bool {
        self.is_met_by(&self.blocks)
    }

    /// Returns the tray with another start, which is sorted and has equally many blocks of each
    /// class.
    pub fn with_blocks(&self, blocks: Vec<Block>) -> Self {
        debug_assert!(blocks.is_sorted() && blocks.len() == self.blocks.len());
        Self { blocks, ..self.clone() }
    }

    /// Returns the number of the block on each cell of a state, [`Tray::EMPTY`] or [`Tray::WALL`].
    pub fn grid(&self, blocks: &[Block]) -> Vec<u32> {
        let mut grid: Vec<u32> =
            (0..self.cells()).map(|cell| if self.is_wall(cell) { Self::WALL } else { Self::EMPTY }).collect();
        for (number, &block) in (0..).zip(blocks) {
            self.rect(block).cells(self.cols).for_each(|cell| grid[cell] = number);
        }
        grid
    }

    /// An empty cell in [`Tray::grid`].
    pub const EMPTY: u32 = u32::MAX;

    /// A wall in [`Tray::grid`].
    pub const WALL: u32 = u32::MAX - 1;
}

/// The tray as a record: `tray 5 4`, its walls and blocks, `goal`, and its goal.
impl fmt::Display for Tray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "tray {} {}", self.rows, self.cols)?;
        for cell in (0..self.cells()).filter(|&cell| self.is_wall(cell)) {
            let at = Place::of_cell(cell, self.cols);
            writeln!(f, "wall {at} {at}")?;
        }
        let list = |f: &mut fmt::Formatter<'_>, blocks: &[Block]| {
            blocks.iter().try_for_each(|&block| match self.classes[block.class as usize].mark {
                0 => writeln!(f, "{}", self.rect(block)),
                mark => writeln!(f, "{} {mark}", self.rect(block)),
            })
        };
        list(f, &self.blocks)?;
        let labelled = self.classes.iter().any(|class| class.mark != 0);
        writeln!(f, "{}", if labelled { "goal labelled" } else { "goal" })?;
        list(f, &self.goal)
    }
}

/// Properties that make blocks interchangeable, largest first: area, height, mark, and the area
/// again in readable form.
type Shape = (std::cmp::Reverse<u32>, u16, u32, u32);

fn shape(piece: &Piece) -> Shape {
    let area = piece.rect.area() as u32;
    (std::cmp::Reverse(area), piece.rect.height, piece.mark, area)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(row: i64, col: i64, last_row: i64, last_col: i64) -> Rect {
        Rect::from_corners(row, col, last_row, last_col).unwrap()
    }

    fn piece(row: i64, col: i64, last_row: i64, last_col: i64) -> Piece {
        Piece::plain(rect(row, col, last_row, last_col))
    }

    #[test]
    fn blocks_come_by_class_and_place() {
        let blocks = [piece(2, 2, 2, 2), piece(0, 0, 1, 0), piece(2, 0, 2, 0), piece(0, 1, 1, 2)];
        let goal = [piece(1, 1, 2, 2), piece(0, 0, 0, 0)];
        let tray = Tray::new(3, 4, &[rect(0, 3, 2, 3)], &blocks, &goal).unwrap();
        let shapes: Vec<_> = tray.classes().iter().map(|c| (c.height, c.width, c.blocks.clone())).collect();
        assert_eq!(shapes, [(2, 2, 0..1), (2, 1, 1..2), (1, 1, 2..4)]);
        assert_eq!(tray.classes()[2].goals, 1..2);
        assert_eq!((tray.holes(), tray.goal().len(), tray.is_solved()), (1, 2, false));
        let cells: Vec<_> = tray.blocks().iter().map(|block| block.at.cell(4)).collect();
        assert_eq!(cells, [1, 0, 8, 10]);
        assert!(tray.is_wall(3) && tray.is_wall(11) && !tray.is_wall(2));
        assert_eq!(tray.grid(tray.blocks())[8..], [2, Tray::EMPTY, 3, Tray::WALL]);
        let mut solved = tray.blocks().to_vec();
        solved[0].at = Place::new(1, 1);
        solved[2].at = Place::new(0, 0);
        assert!(tray.is_met_by(&solved) && tray.with_blocks(solved).is_solved());
    }

    #[test]
    fn marks_make_separate_classes() {
        let marked = Piece { mark: 1, ..piece(0, 0, 0, 0) };
        let tray =
            Tray::new(1, 3, &[], &[marked, piece(0, 1, 0, 1)], &[Piece { mark: 1, ..piece(0, 1, 0, 1) }]);
        let tray = tray.unwrap();
        assert_eq!(tray.classes().len(), 2);
        assert!(!tray.is_solved());
    }

    #[test]
    fn errors_name_the_rectangle() {
        let error = |walls: &[Rect], blocks: &[Piece], goal: &[Piece]| {
            Tray::new(3, 3, walls, blocks, goal).unwrap_err().to_string()
        };
        let (one, two) = (piece(0, 0, 1, 1), piece(1, 1, 1, 1));
        assert_eq!(
            Tray::new(300, 300, &[], &[], &[]).unwrap_err().to_string(),
            "a tray has 1 to 256 rows and columns, not 300x300"
        );
        assert_eq!(error(&[], &[one, two], &[one]), "block 2 overlaps block 1 at row 1, column 1");
        assert_eq!(error(&[rect(0, 1, 0, 1)], &[one], &[one]), "block 1 overlaps wall 1 at row 0, column 1");
        assert_eq!(error(&[], &[piece(2, 2, 3, 2)], &[]), "block 1, 2 2 3 2, is not inside the 3x3 tray");
        assert_eq!(error(&[], &[one], &[piece(1, 2, 2, 3)]), "goal 1, 1 2 2 3, is not inside the 3x3 tray");
        assert_eq!(error(&[], &[one], &[two, one, two]), "goal 3 is the same rectangle as goal 1");
        assert_eq!(error(&[], &[one], &[]), "the goal is missing");
    }

    #[test]
    fn goals_of_shapes_that_no_block_has() {
        let unmatched = |goal: &[Piece]| {
            let tray = Tray::new(3, 3, &[], &[piece(0, 0, 1, 1)], goal).unwrap();
            tray.unmatched_goal().map(|goal| goal.to_string())
        };
        let (one, two) = (piece(0, 0, 1, 1), piece(1, 1, 1, 1));
        assert_eq!(unmatched(&[one]), None);
        assert_eq!(unmatched(&[one, two]).unwrap(), "goal 1 1 1 1 is 1x1, but no block is");
        let marked = Piece { mark: 1, ..one };
        assert_eq!(unmatched(&[marked]).unwrap(), "goal 0 0 1 1 is 2x2 with its label, but no block is");
    }
}
