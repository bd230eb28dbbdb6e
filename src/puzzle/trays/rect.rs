//! Cells and rectangles in a tray.

use std::fmt;

/// A cell, by row and column from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    /// Row, from the top.
    pub row: u16,
    /// Column, from the left.
    pub col: u16,
}

impl Place {
    /// Returns the cell in a row and column.
    pub const fn new(row: u16, col: u16) -> Self {
        Self { row, col }
    }

    /// Returns the cell's number in a tray of `cols` columns, row by row.
    pub const fn cell(self, cols: usize) -> usize {
        self.row as usize * cols + self.col as usize
    }

    /// Returns the cell with number `cell` in a tray of `cols` columns.
    pub const fn of_cell(cell: usize, cols: usize) -> Self {
        Self { row: (cell / cols) as u16, col: (cell % cols) as u16 }
    }
}

/// `3 1`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.row, self.col)
    }
}

/// A rectangle of at least one cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rect {
    /// Top-left cell.
    pub at: Place,
    /// Number of rows, at least one.
    pub height: u16,
    /// Number of columns, at least one.
    pub width: u16,
}

/// Reason why four numbers are not a [`Rect`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RectError {
    /// The rectangle has no cells.
    #[error("a rectangle of {height} rows and {width} columns has no cells")]
    Empty {
        /// Requested rows.
        height: i64,
        /// Requested columns.
        width: i64,
    },
    /// The rectangle starts above the first row, left of the first column, or beyond the maximum
    /// size of a tray.
    #[error("row {row}, column {col} is outside every tray")]
    Outside {
        /// Row of its first cell.
        row: i64,
        /// Column of its first cell.
        col: i64,
    },
}

impl Rect {
    /// Maximum number of rows and of columns of a tray.
    pub const MAX_SIDE: usize = 256;

    /// Creates a rectangle from its top-left cell and its size.
    pub fn new(row: i64, col: i64, height: i64, width: i64) -> Result<Self, RectError> {
        if height < 1 || width < 1 {
            return Err(RectError::Empty { height, width });
        }
        let fits = |first: i64, side: i64| (0..256).contains(&first) && side <= 1 << 12;
        if !fits(row, height) || !fits(col, width) {
            return Err(RectError::Outside { row, col });
        }
        Ok(Self { at: Place::new(row as u16, col as u16), height: height as u16, width: width as u16 })
    }

    /// Creates a rectangle from its top-left and its bottom-right cell.
    pub fn from_corners(row: i64, col: i64, last_row: i64, last_col: i64) -> Result<Self, RectError> {
        let side = |first: i64, last: i64| last.saturating_sub(first).saturating_add(1);
        Self::new(row, col, side(row, last_row), side(col, last_col))
    }

    /// Returns the last row.
    pub const fn last_row(self) -> u16 {
        self.at.row + self.height - 1
    }

    /// Returns the last column.
    pub const fn last_col(self) -> u16 {
        self.at.col + self.width - 1
    }

    /// Returns the number of cells.
    pub const fn area(self) -> usize {
        self.height as usize * self.width as usize
    }

    /// Returns whether it lies inside a tray of `rows` × `cols` cells.
    pub const fn fits(self, rows: usize, cols: usize) -> bool {
        (self.last_row() as usize) < rows && (self.last_col() as usize) < cols
    }

    /// Returns whether it shares a cell with `other`.
    pub const fn overlaps(self, other: Self) -> bool {
        self.at.row <= other.last_row()
            && other.at.row <= self.last_row()
            && self.at.col <= other.last_col()
            && other.at.col <= self.last_col()
    }

    /// Returns its outermost row or column in a direction, given as changes of row and column: one
    /// of them is 1 or −1, the other 0.
    pub const fn edge(self, (down, right): (i32, i32)) -> Self {
        match (down, right) {
            (-1, _) => Self { height: 1, ..self },
            (1, _) => Self { at: Place::new(self.last_row(), self.at.col), height: 1, ..self },
            (_, -1) => Self { width: 1, ..self },
            _ => Self { at: Place::new(self.at.row, self.last_col()), width: 1, ..self },
        }
    }

    /// Returns the numbers of its cells in a tray of `cols` columns, row by row.
    pub fn cells(self, cols: usize) -> impl Iterator<Item = usize> + Clone {
        let rows = self.at.row..self.at.row + self.height;
        rows.flat_map(move |row| {
            let start = Place::new(row, self.at.col).cell(cols);
            start..start + self.width as usize
        })
    }
}

/// `3 1 4 2`: its first and its last cell.
impl fmt::Display for Rect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.at, self.last_row(), self.last_col())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_and_cells() {
        let rect = Rect::from_corners(3, 1, 4, 2).unwrap();
        assert_eq!(rect, Rect::new(3, 1, 2, 2).unwrap());
        assert_eq!(rect.to_string(), "3 1 4 2");
        assert_eq!(rect.cells(4).collect::<Vec<_>>(), [13, 14, 17, 18]);
        assert!(rect.fits(5, 3) && !rect.fits(4, 3) && !rect.fits(5, 2));
        assert!(rect.overlaps(Rect::new(4, 2, 9, 9).unwrap()));
        assert!(!rect.overlaps(Rect::new(3, 3, 1, 1).unwrap()));
        assert!(!rect.overlaps(Rect::new(0, 0, 3, 9).unwrap()));
        assert_eq!(Place::of_cell(13, 4), Place::new(3, 1));
    }

    #[test]
    fn invalid_rectangles() {
        assert_eq!(Rect::from_corners(2, 0, 1, 0), Err(RectError::Empty { height: 0, width: 1 }));
        assert_eq!(Rect::new(0, 0, -2, 1), Err(RectError::Empty { height: -2, width: 1 }));
        assert_eq!(Rect::new(-1, 0, 1, 1), Err(RectError::Outside { row: -1, col: 0 }));
        assert_eq!(Rect::new(0, 256, 1, 1), Err(RectError::Outside { row: 0, col: 256 }));
        assert!(Rect::from_corners(0, i64::MIN, 0, i64::MAX).is_err());
        assert!(Rect::from_corners(0, 0, i64::MAX, 0).is_err());
    }
}
