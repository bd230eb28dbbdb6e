//! The unsolved rectangle of a board. Lines are solved at its sides, from the outside in.

use crate::puzzle::tiles::{Direction, Size};

/// The rectangle of cells that are not solved yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsolved {
    /// The first row.
    pub top: usize,
    /// The first column.
    pub left: usize,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
}

/// A side of a rectangle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The first row.
    Top,
    /// The first column.
    Left,
    /// The last row.
    Bottom,
    /// The last column.
    Right,
}

impl Side {
    /// All sides.
    pub const ALL: [Self; 4] = [Self::Top, Self::Left, Self::Bottom, Self::Right];

    /// Returns whether the side is a row.
    pub fn is_row(self) -> bool {
        matches!(self, Self::Top | Self::Bottom)
    }
}

impl Unsolved {
    /// Returns the rectangle of a whole board.
    pub fn whole(size: Size) -> Self {
        Self { top: 0, left: 0, rows: size.rows(), cols: size.cols() }
    }

    /// Returns whether the rectangle contains the cell at `row` and `col`.
    pub fn contains(&self, row: usize, col: usize) -> bool {
        row.wrapping_sub(self.top) < self.rows && col.wrapping_sub(self.left) < self.cols
    }

    /// Returns the rectangle without the line at `side`.
    pub fn without(self, side: Side) -> Self {
        match side {
            Side::Top => Self { top: self.top + 1, rows: self.rows - 1, ..self },
            Side::Bottom => Self { rows: self.rows - 1, ..self },
            Side::Left => Self { left: self.left + 1, cols: self.cols - 1, ..self },
            Side::Right => Self { cols: self.cols - 1, ..self },
        }
    }

    /// Returns the sides whose line may be solved next. Such a line does not contain the home of
    /// the blank, and it shortens the longer dimension, or either one in a square. There is none if
    /// both dimensions are at most `endgame_side`.
    pub fn open_sides(self, blank: (usize, usize), endgame_side: usize) -> impl Iterator<Item = Side> {
        let longest = self.rows.max(self.cols);
        Side::ALL.into_iter().filter(move |&side| {
            let across = if side.is_row() { self.rows } else { self.cols };
            across == longest && across > endgame_side && {
                let unsolved = self.without(side);
                unsolved.contains(blank.0, blank.1)
            }
        })
    }
}

/// Coordinates of a rectangle relative to one of its sides: row 0 is the line of that side, and
/// rows count away from it.
#[derive(Clone, Copy, Debug)]
pub struct View {
    origin: usize,
    along: (Direction, usize),
    inward: (Direction, usize),
    /// The number of cells in the line.
    pub width: usize,
    /// The number of lines, this one included.
    pub height: usize,
}

impl View {
    /// Creates the view from `side` of a board with `board_cols` columns.
    pub fn new(unsolved: Unsolved, side: Side, board_cols: usize) -> Self {
        let first = unsolved.top * board_cols + unsolved.left;
        let (origin, inward) = match side {
            Side::Top => (first, Direction::Down),
            Side::Left => (first, Direction::Right),
            Side::Bottom => (first + (unsolved.rows - 1) * board_cols, Direction::Up),
            Side::Right => (first + unsolved.cols - 1, Direction::Left),
        };
        let (along, width, height) = if side.is_row() {
            (Direction::Right, unsolved.cols, unsolved.rows)
        } else {
            (Direction::Down, unsolved.rows, unsolved.cols)
        };
        let stride =
            |direction| if matches!(direction, Direction::Up | Direction::Down) { board_cols } else { 1 };
        Self { origin, along: (along, stride(along)), inward: (inward, stride(inward)), width, height }
    }

    /// Returns the cell of the board at `row` and `place` of this view.
    #[inline]
    pub fn cell(&self, row: usize, place: usize) -> usize {
        let across = row * self.inward.1;
        let line = self.origin + place * self.along.1;
        if matches!(self.inward.0, Direction::Down | Direction::Right) {
            line + across
        } else {
            line - across
        }
    }

    /// Returns the row-major number of a board's cell in this view.
    pub fn number(&self, cell: usize, board_cols: usize) -> usize {
        let (row, col) = (cell / board_cols, cell % board_cols);
        let (first_row, first_col) = (self.origin / board_cols, self.origin % board_cols);
        let (v, h) = (row.abs_diff(first_row), col.abs_diff(first_col));
        if matches!(self.inward.0, Direction::Up | Direction::Down) {
            v * self.width + h
        } else {
            h * self.width + v
        }
    }

    /// Converts a direction of this view to one of the board. In the view, `Down` leads away from
    /// the line and `Right` along it.
    pub fn direction(&self, seen: Direction) -> Direction {
        match seen {
            Direction::Down => self.inward.0,
            Direction::Up => self.inward.0.opposite(),
            Direction::Right => self.along.0,
            Direction::Left => self.along.0.opposite(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_is_row_zero_of_its_view() {
        let unsolved = Unsolved { top: 1, left: 2, rows: 3, cols: 4 };
        let line = |side| {
            let view = View::new(unsolved, side, 10);
            (0..view.width).map(|place| view.cell(0, place)).collect::<Vec<_>>()
        };
        assert_eq!(line(Side::Top), [12, 13, 14, 15]);
        assert_eq!(line(Side::Bottom), [32, 33, 34, 35]);
        assert_eq!(line(Side::Left), [12, 22, 32]);
        assert_eq!(line(Side::Right), [15, 25, 35]);
        assert_eq!(View::new(unsolved, Side::Right, 10).cell(3, 1), 22);
        assert_eq!(View::new(unsolved, Side::Bottom, 10).cell(2, 3), 15);
    }

    #[test]
    fn line_of_the_blanks_home_is_never_open() {
        let sides = |rows, cols, blank| {
            Unsolved { top: 0, left: 0, rows, cols }.open_sides(blank, 3).collect::<Vec<_>>()
        };
        assert_eq!(sides(5, 5, (4, 4)), [Side::Top, Side::Left]);
        assert_eq!(sides(5, 4, (0, 0)), [Side::Bottom]);
        assert_eq!(sides(2, 9, (1, 4)), [Side::Left, Side::Right]);
        assert_eq!(sides(3, 3, (2, 2)), []);
    }
}
