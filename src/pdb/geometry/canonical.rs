//! The board on which databases are made, and the ways to lay a puzzle's board
//! onto it.
//!
//! A frame is never wider than high, so that reading it row by row passes as
//! few cells as possible on the way from one row to the next.

use crate::puzzle::tiles::Size;

/// The most cells that a frame can have.
pub(in crate::pdb) const CELLS: usize = 25;

/// A set of cells, a bit each.
pub(in crate::pdb) type Set = u32;

/// A board, at least as high as wide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    pub(in crate::pdb) rows: usize,
    pub(in crate::pdb) cols: usize,
}

/// For each cell of one board, the cell of another that it is laid on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::pdb) struct Symmetry(pub(in crate::pdb) [u8; CELLS]);

impl Symmetry {
    /// This one, then the other.
    pub(in crate::pdb) fn then(self, other: Self) -> Self {
        Self(self.0.map(|cell| other.0[cell as usize]))
    }

    /// Where a set of cells goes.
    pub(in crate::pdb) fn set(&self, set: Set) -> Set {
        cells_of(set).fold(0, |image, cell| image | 1 << self.0[cell])
    }
}

impl Frame {
    /// The frame for boards of a size; none if they are too large.
    pub fn new(size: Size) -> Option<Self> {
        let (rows, cols) = (size.rows().max(size.cols()), size.rows().min(size.cols()));
        (rows * cols <= CELLS).then_some(Self { rows, cols })
    }

    /// How many cells it has.
    pub fn cells(self) -> usize {
        self.rows * self.cols
    }

    /// All its cells.
    pub(in crate::pdb) fn all(self) -> Set {
        (1 << self.cells()) - 1
    }

    /// All ways to lay a board of a size onto its frame.
    pub(in crate::pdb) fn layings(self, size: Size) -> Vec<Symmetry> {
        let (rows, cols) = (size.rows(), size.cols());
        let mut all = Vec::new();
        for turned in [false, true] {
            let fits = if turned { cols == self.rows } else { rows == self.rows };
            for flips in (0..4usize).filter(|_| fits) {
                let mut map = [0; CELLS];
                for (cell, to) in map.iter_mut().enumerate().take(rows * cols) {
                    let (mut row, mut col) = (cell / cols, cell % cols);
                    if turned {
                        (row, col) = (col, row);
                    }
                    if flips & 1 != 0 {
                        row = self.rows - 1 - row;
                    }
                    if flips & 2 != 0 {
                        col = self.cols - 1 - col;
                    }
                    *to = (row * self.cols + col) as u8;
                }
                all.push(Symmetry(map));
            }
        }
        all
    }

    /// All ways to lay the frame onto itself.
    pub(in crate::pdb) fn symmetries(self) -> Vec<Symmetry> {
        Size::new(self.rows, self.cols).map(|size| self.layings(size)).unwrap_or_default()
    }

    /// The cells beside those of a set.
    #[inline]
    pub(in crate::pdb) fn around(self, set: Set) -> Set {
        self.around_by_rows(set, self.first_column())
    }

    /// The first cell of every row.
    #[inline]
    fn first_column(self) -> Set {
        const FIRST_CELLS: [Set; CELLS + 1] = {
            let (mut all, mut cols) = ([0; CELLS + 1], 1);
            while cols <= CELLS {
                let mut cell = 0;
                while cell < CELLS {
                    all[cols] |= 1 << cell;
                    cell += cols;
                }
                cols += 1;
            }
            all
        };
        FIRST_CELLS[self.cols] & self.all()
    }

    #[inline(always)]
    fn around_by_rows(self, set: Set, first_column: Set) -> Set {
        let last_column = first_column << (self.cols - 1);
        let sideways = (set & !last_column) << 1 | (set & !first_column) >> 1;
        (set << self.cols | set >> self.cols | sideways) & self.all()
    }

    /// The cells that a blank in `cell` can come to without moving what
    /// occupies a set of others.
    #[inline]
    pub(in crate::pdb) fn region(self, occupied: Set, cell: usize) -> Set {
        let (mut region, first_column) = (1 << cell, self.first_column());
        loop {
            let larger = region | self.around_by_rows(region, first_column) & !occupied;
            if larger == region {
                return region;
            }
            region = larger;
        }
    }

    /// The cells of one colour of the chessboard.
    pub(in crate::pdb) fn white(self) -> Set {
        cells_of(self.all())
            .filter(|cell| (cell / self.cols + cell % self.cols) % 2 == 1)
            .fold(0, |s, c| s | 1 << c)
    }
}

/// The cells of a set, the first one first.
pub(in crate::pdb) fn cells_of(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        cell
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_laid_in_all_ways_and_neighbours_stay_neighbours() {
        for (rows, cols, ways) in [(4, 4, 8), (3, 3, 8), (2, 5, 4), (5, 2, 4), (3, 4, 4), (5, 5, 8)] {
            let size = Size::new(rows, cols).unwrap();
            let frame = Frame::new(size).unwrap();
            let layings = frame.layings(size);
            assert_eq!(layings.len(), ways);
            for (i, laying) in layings.iter().enumerate() {
                assert_eq!(laying.set(frame.all()), frame.all());
                assert!(layings[..i].iter().all(|other| other != laying));
                for cell in 0..rows * cols - 1 {
                    let beside = cell % cols + 1 < cols;
                    let (a, b) = (laying.0[cell] as usize, laying.0[cell + 1] as usize);
                    assert!(!beside || frame.around(1 << a) >> b & 1 == 1);
                }
            }
        }
        assert!(Frame::new(Size::new(4, 7).unwrap()).is_none());
    }

    #[test]
    fn regions_end_at_what_is_occupied() {
        let frame = Frame { rows: 4, cols: 4 };
        assert_eq!(frame.region(0b0000_0000_0011_0010, 0), 1);
        assert_eq!(frame.region(0b0000_0000_1111_0000, 2), 0b1111);
        assert_eq!(frame.region(0, 7), 0xffff);
        assert_eq!(frame.white(), 0b0101_1010_0101_1010);
    }
}
