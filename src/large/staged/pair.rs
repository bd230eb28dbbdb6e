//! The last two tiles of a line, which must be placed together.
//!
//! The line is full except for two adjacent cells, the gap. A window of four rows and up to four
//! columns surrounds the gap. A table has the number of moves that bring both tiles home, for each
//! position of the two tiles and the blank.

use crate::large::peel::View;
use crate::puzzle::tiles::Direction;
use std::collections::VecDeque;
use std::sync::OnceLock;

/// The number of rows in the window, the line included.
const ROWS: usize = 4;

/// The distance of positions that are invalid or cannot be solved.
const UNREACHABLE: u8 = u8::MAX;

/// The distances for one width of the window and one position of the gap.
pub(super) struct PairTable {
    width: usize,
    gap: usize,
    distance: Vec<u8>,
}

/// The cells of the two tiles and the blank, as numbers in the window.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Trio {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) blank: usize,
}

impl Trio {
    fn index(self) -> usize {
        (self.first * 16 + self.second) * 16 + self.blank
    }

    fn slide(self, to: usize) -> Self {
        let follow = |cell| if cell == to { self.blank } else { cell };
        Self { first: follow(self.first), second: follow(self.second), blank: to }
    }
}

impl PairTable {
    /// Returns the table for a window of `width` columns (2 to 4) whose gap starts at column `gap`.
    pub(super) fn get(width: usize, gap: usize) -> &'static Self {
        static TABLES: [OnceLock<PairTable>; 9] = [const { OnceLock::new() }; 9];
        TABLES[3 * (width - 2) + gap].get_or_init(|| Self::new(width, gap))
    }

    fn new(width: usize, gap: usize) -> Self {
        let mut table = Self { width, gap, distance: vec![UNREACHABLE; 1 << 12] };
        let mut queue = VecDeque::new();
        for blank in width..ROWS * width {
            let trio = Trio { first: gap, second: gap + 1, blank };
            table.distance[trio.index()] = 0;
            queue.push_back(trio);
        }
        while let Some(trio) = queue.pop_front() {
            let far = table.distance[trio.index()];
            for direction in Direction::ALL {
                if let Some(next) = table.step(trio, direction)
                    && table.distance[next.index()] == UNREACHABLE
                {
                    table.distance[next.index()] = far + 1;
                    queue.push_back(next);
                }
            }
        }
        table
    }

    /// Returns the number of moves to the goal.
    pub(super) fn distance(&self, trio: Trio) -> Option<u32> {
        Some(self.distance[trio.index()]).filter(|&far| far != UNREACHABLE).map(u32::from)
    }

    /// Returns a move that reduces the distance, and the position after it; none at the goal.
    pub(super) fn next_step(&self, trio: Trio) -> Option<(Direction, Trio)> {
        let far = self.distance(trio)?;
        Direction::ALL
            .into_iter()
            .filter_map(|direction| Some((direction, self.step(trio, direction)?)))
            .find(|&(_, next)| self.distance(next).is_some_and(|d| d < far))
    }

    fn step(&self, trio: Trio, direction: Direction) -> Option<Trio> {
        let (row, col) = (trio.blank / self.width, trio.blank % self.width);
        let (row, col) = match direction {
            Direction::Up => (row.checked_sub(1)?, col),
            Direction::Down => (row + 1, col),
            Direction::Left => (row, col.checked_sub(1)?),
            Direction::Right => (row, col + 1),
        };
        self.is_inside(row, col).then(|| trio.slide(row * self.width + col))
    }

    fn is_inside(&self, row: usize, col: usize) -> bool {
        row < ROWS && col < self.width && (row > 0 || col.wrapping_sub(self.gap) < 2)
    }
}

/// A window placed on a board.
pub(super) struct Window<'t> {
    pub(super) table: &'t PairTable,
    /// The board's cells in the window; in the first row, only the gap.
    cells: [Option<usize>; 16],
    /// The bounding rectangle on the board.
    top: usize,
    left: usize,
    rows: usize,
    cols: usize,
    board_cols: usize,
}

impl<'t> Window<'t> {
    /// Creates the window whose first column is `from` in `view`.
    pub(super) fn new(table: &'t PairTable, view: &View, from: usize, board_cols: usize) -> Self {
        let mut cells = [None; 16];
        let (mut low, mut high) = ((usize::MAX, usize::MAX), (0, 0));
        for row in 0..ROWS {
            for col in (0..table.width).filter(|&col| table.is_inside(row, col)) {
                let cell = view.cell(row, from + col);
                cells[row * table.width + col] = Some(cell);
                let (r, c) = (cell / board_cols, cell % board_cols);
                low = (low.0.min(r), low.1.min(c));
                high = (high.0.max(r), high.1.max(c));
            }
        }
        let (rows, cols) = (high.0 - low.0 + 1, high.1 - low.1 + 1);
        Self { table, cells, top: low.0, left: low.1, rows, cols, board_cols }
    }

    /// Returns the number of columns of the board.
    pub(super) fn board_cols(&self) -> usize {
        self.board_cols
    }

    /// Returns the number of a board's cell in the window.
    pub(super) fn number(&self, cell: usize) -> Option<usize> {
        let (row, col) = (cell / self.board_cols, cell % self.board_cols);
        if row.wrapping_sub(self.top) >= self.rows || col.wrapping_sub(self.left) >= self.cols {
            return None;
        }
        self.cells.iter().position(|&own| own == Some(cell))
    }

    /// Returns the distance of a cell from the window in rows or columns, indexed by the direction
    /// towards the window.
    pub(super) fn away(&self, (row, col): (usize, usize)) -> [usize; 4] {
        [
            row.saturating_sub(self.top + self.rows - 1),
            self.left.saturating_sub(col),
            self.top.saturating_sub(row),
            col.saturating_sub(self.left + self.cols - 1),
        ]
    }
}
