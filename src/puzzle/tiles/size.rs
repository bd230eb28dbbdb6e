//! Size of a board.

use std::{fmt, str::FromStr};

/// Rows and columns of a board, each from 2 to 256.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Size {
    rows: u16,
    cols: u16,
}

/// Reason why two numbers are not a [`Size`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SizeError {
    /// A side is shorter than 2 or longer than 256.
    #[error("a board has 2 to 256 rows and columns, not {rows}x{cols}")]
    OutOfRange {
        /// Requested rows.
        rows: usize,
        /// Requested columns.
        cols: usize,
    },
    /// The text is not of the form `RxC`.
    #[error("'{0}' is not a size of the form ROWSxCOLUMNS, such as 4x4")]
    Malformed(String),
}

impl Size {
    /// Maximum number of rows and of columns.
    pub const MAX_SIDE: usize = 256;

    /// Size of the 15-puzzle.
    pub const FIFTEEN: Self = Self { rows: 4, cols: 4 };

    /// Creates a size of `rows` × `cols` cells.
    pub fn new(rows: usize, cols: usize) -> Result<Self, SizeError> {
        let fits = |side: usize| (2..=Self::MAX_SIDE).contains(&side);
        if fits(rows) && fits(cols) {
            Ok(Self { rows: rows as u16, cols: cols as u16 })
        } else {
            Err(SizeError::OutOfRange { rows, cols })
        }
    }

    /// Returns the square size with `cells` cells, if there is one.
    pub fn square_of(cells: usize) -> Option<Self> {
        let side = cells.isqrt();
        (side * side == cells).then(|| Self::new(side, side).ok()).flatten()
    }

    /// Returns the number of rows.
    #[inline]
    pub fn rows(self) -> usize {
        self.rows.into()
    }

    /// Returns the number of columns.
    #[inline]
    pub fn cols(self) -> usize {
        self.cols.into()
    }

    /// Returns the number of cells, including the blank's.
    #[inline]
    pub fn cells(self) -> usize {
        self.rows() * self.cols()
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let malformed = || SizeError::Malformed(text.to_owned());
        let (rows, cols) = text.split_once(['x', 'X', '×']).ok_or_else(malformed)?;
        let side = |s: &str| s.trim().parse::<usize>().map_err(|_| malformed());
        Self::new(side(rows)?, side(cols)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes_and_refuses_the_rest() {
        let size: Size = "3x5".parse().unwrap();
        assert_eq!((size.rows(), size.cols(), size.cells()), (3, 5, 15));
        assert_eq!(size.to_string(), "3x5");
        for bad in ["1x5", "257x3", "4", "x", "4x", "axb", "4x4x4", "-2x3"] {
            assert!(bad.parse::<Size>().is_err(), "{bad}");
        }
    }

    #[test]
    fn squares_are_found_by_their_cells() {
        assert_eq!(Size::square_of(16), Size::new(4, 4).ok());
        for none in [0, 1, 2, 15, 17, 257 * 257] {
            assert_eq!(Size::square_of(none), None);
        }
    }
}
