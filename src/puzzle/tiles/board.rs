//! A validated board.

use super::{Direction, Size};
use std::fmt;

/// Tiles row by row, 0 for the blank: always a permutation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    size: Size,
    blank: u32,
    tiles: Tiles,
}

/// Maximum number of cells stored without an allocation.
const FEW: usize = 16;

/// Storage of the tiles; unused elements of a small board are zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Tiles {
    Few([u16; FEW]),
    Many(Box<[u16]>),
}

/// Reason why a list of tiles is not a board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BoardError {
    /// The number of tiles differs from the number of cells.
    #[error("{size} needs {} tiles, not {found}", size.cells())]
    Count {
        /// The board's size.
        size: Size,
        /// Number of tiles given.
        found: usize,
    },
    /// A number is too large for the board.
    #[error("tile {tile} is out of range: the largest is {largest}")]
    OutOfRange {
        /// Cell of the tile.
        cell: usize,
        /// The tile's number.
        tile: u32,
        /// Largest valid number.
        largest: u32,
    },
    /// A tile (or the blank, 0) appears twice.
    #[error("{} appears twice", if *tile == 0 { "the blank".to_owned() } else { format!("tile {tile}") })]
    Duplicate {
        /// The cell of the second appearance.
        cell: usize,
        /// The tile's number.
        tile: u32,
    },
}

impl BoardError {
    /// Returns the cell of the error, if it has one.
    pub fn cell(&self) -> Option<usize> {
        match *self {
            Self::Count { .. } => None,
            Self::OutOfRange { cell, .. } | Self::Duplicate { cell, .. } => Some(cell),
        }
    }
}

impl Board {
    /// Creates a board from tiles, row by row, if they are a permutation of `0..cells`.
    pub fn new(size: Size, tiles: &[u32]) -> Result<Self, BoardError> {
        let cells = size.cells();
        if tiles.len() != cells {
            return Err(BoardError::Count { size, found: tiles.len() });
        }
        // One bit per tile.
        let mut few = [0u64; 4];
        let mut many = Vec::new();
        let seen: &mut [u64] = if cells <= 256 {
            &mut few
        } else {
            many.resize(cells.div_ceil(64), 0);
            &mut many
        };
        let mut blank = 0;
        for (cell, &tile) in tiles.iter().enumerate() {
            if tile as usize >= cells {
                let largest = cells as u32 - 1;
                return Err(BoardError::OutOfRange { cell, tile, largest });
            }
            let (word, bit) = (tile as usize / 64, 1u64 << (tile % 64));
            if seen[word] & bit != 0 {
                return Err(BoardError::Duplicate { cell, tile });
            }
            seen[word] |= bit;
            if tile == 0 {
                blank = cell as u32;
            }
        }
        let narrow = tiles.iter().map(|&tile| tile as u16);
        let tiles = if cells <= FEW {
            let mut few = [0; FEW];
            few.iter_mut().zip(narrow).for_each(|(place, tile)| *place = tile);
            Tiles::Few(few)
        } else {
            Tiles::Many(narrow.collect())
        };
        Ok(Self { size, blank, tiles })
    }

    /// Returns the board's size.
    #[inline]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the tiles, row by row, 0 for the blank.
    #[inline]
    pub fn tiles(&self) -> &[u16] {
        match &self.tiles {
            Tiles::Few(few) => &few[..self.size.cells().min(FEW)],
            Tiles::Many(many) => many,
        }
    }

    /// Returns the blank's cell.
    #[inline]
    pub fn blank(&self) -> usize {
        self.blank as usize
    }

    /// Returns the cell beside the blank in a direction, unless the edge is there.
    pub fn neighbour(&self, direction: Direction) -> Option<usize> {
        let (blank, cols) = (self.blank(), self.size.cols());
        match direction {
            Direction::Up => blank.checked_sub(cols),
            Direction::Down => Some(blank + cols).filter(|&cell| cell < self.size.cells()),
            Direction::Left => (blank % cols != 0).then(|| blank - 1),
            Direction::Right => (blank % cols != cols - 1).then(|| blank + 1),
        }
    }

    /// Moves the blank. Returns `false` without a change if the edge is there.
    pub fn slide(&mut self, direction: Direction) -> bool {
        let Some(cell) = self.neighbour(direction) else { return false };
        match &mut self.tiles {
            Tiles::Few(few) => few.swap(self.blank as usize, cell),
            Tiles::Many(many) => many.swap(self.blank as usize, cell),
        }
        self.blank = cell as u32;
        true
    }
}

/// `1 2 3/4 5 6/7 8 0`: the one-line form with slashes between rows.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (cell, tile) in self.tiles().iter().enumerate() {
            let gap = match cell {
                0 => "",
                c if c % self.size.cols() == 0 => "/",
                _ => " ",
            };
            write!(f, "{gap}{tile}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(rows: usize, cols: usize) -> Size {
        Size::new(rows, cols).unwrap()
    }

    #[test]
    fn only_permutations_are_boards() {
        assert!(Board::new(size(2, 2), &[3, 0, 1, 2]).is_ok());
        let error = |tiles: &[u32]| Board::new(size(2, 2), tiles).unwrap_err();
        assert_eq!(error(&[0, 1, 2]), BoardError::Count { size: size(2, 2), found: 3 });
        assert_eq!(error(&[0, 1, 2, 4]), BoardError::OutOfRange { cell: 3, tile: 4, largest: 3 });
        assert_eq!(error(&[0, 1, 1, 2]), BoardError::Duplicate { cell: 2, tile: 1 });
        assert_eq!(error(&[0, 0, 1, 2]).to_string(), "the blank appears twice");
    }

    #[test]
    fn the_blank_slides_inside_the_edges() {
        let mut board = Board::new(size(2, 3), &[0, 1, 2, 3, 4, 5]).unwrap();
        assert!(!board.slide(Direction::Up) && !board.slide(Direction::Left));
        for d in [Direction::Right, Direction::Down, Direction::Right] {
            assert!(board.slide(d));
        }
        assert!(!board.slide(Direction::Right) && !board.slide(Direction::Down));
        assert_eq!(board.to_string(), "1 4 2/3 5 0");
    }
}
