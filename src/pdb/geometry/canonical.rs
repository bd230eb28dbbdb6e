//! Canonical board of a database (*frame*), and the orientations that map a puzzle onto it.
//!
//! A frame is never wider than high: the fewer columns, the fewer cells lie between two rows
//! in row-major order, and the fewer tiles a vertical move jumps over.

use crate::puzzle::tiles::Size;

/// Maximum number of cells of a frame.
pub(in crate::pdb) const CELLS: usize = 25;

/// Set of cells, one bit per cell.
pub(in crate::pdb) type CellSet = u32;

/// Canonical board: at least as high as wide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    pub(in crate::pdb) rows: usize,
    pub(in crate::pdb) cols: usize,
}

/// Map from the cells of one board to the cells of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::pdb) struct Symmetry(pub(in crate::pdb) [u8; CELLS]);

impl Symmetry {
    /// Returns the composition: this map, then `other`.
    pub(in crate::pdb) fn then(self, other: Self) -> Self {
        Self(self.0.map(|cell| other.0[cell as usize]))
    }

    /// Returns the image of `set`.
    pub(in crate::pdb) fn image(&self, set: CellSet) -> CellSet {
        cells_of(set).fold(0, |image, cell| image | 1 << self.0[cell])
    }
}

impl Frame {
    /// Returns the frame for boards of `size`; `None` if they are too large.
    pub fn new(size: Size) -> Option<Self> {
        let (rows, cols) = (size.rows().max(size.cols()), size.rows().min(size.cols()));
        (rows * cols <= CELLS).then_some(Self { rows, cols })
    }

    /// Returns the number of cells.
    pub fn cells(self) -> usize {
        self.rows * self.cols
    }

    /// Returns the set of all cells.
    pub(in crate::pdb) fn all(self) -> CellSet {
        (1 << self.cells()) - 1
    }

    /// Returns all maps of a board of `size` onto its frame.
    pub(in crate::pdb) fn orientations(self, size: Size) -> Vec<Symmetry> {
        let (rows, cols) = (size.rows(), size.cols());
        let mut all = Vec::new();
        for transposed in [false, true] {
            let fits = if transposed { cols == self.rows } else { rows == self.rows };
            for flips in (0..4usize).filter(|_| fits) {
                let mut map = [0; CELLS];
                for (cell, to) in map.iter_mut().enumerate().take(rows * cols) {
                    let (mut row, mut col) = (cell / cols, cell % cols);
                    if transposed {
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

    /// Returns all symmetries of the frame.
    pub(in crate::pdb) fn symmetries(self) -> Vec<Symmetry> {
        Size::new(self.rows, self.cols).map(|size| self.orientations(size)).unwrap_or_default()
    }

    /// Returns the cells adjacent to a cell of `set`.
    #[inline]
    pub(in crate::pdb) fn adjacent(self, set: CellSet) -> CellSet {
        self.adjacent_by_rows(set, self.first_column())
    }

    /// Returns the first cell of every row.
    #[inline]
    fn first_column(self) -> CellSet {
        const FIRST_CELLS: [CellSet; CELLS + 1] = {
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
    fn adjacent_by_rows(self, set: CellSet, first_column: CellSet) -> CellSet {
        let last_column = first_column << (self.cols - 1);
        let sideways = (set & !last_column) << 1 | (set & !first_column) >> 1;
        (set << self.cols | set >> self.cols | sideways) & self.all()
    }

    /// Returns the region of a blank in `cell`: the cells that it reaches without moving a
    /// tile in `occupied`.
    #[inline]
    pub(in crate::pdb) fn region(self, occupied: CellSet, cell: usize) -> CellSet {
        let (mut region, first_column) = (1 << cell, self.first_column());
        loop {
            let larger = region | self.adjacent_by_rows(region, first_column) & !occupied;
            if larger == region {
                return region;
            }
            region = larger;
        }
    }

    /// Returns the cells of odd colour of the chessboard.
    pub(in crate::pdb) fn odd_cells(self) -> CellSet {
        cells_of(self.all())
            .filter(|cell| (cell / self.cols + cell % self.cols) % 2 == 1)
            .fold(0, |s, c| s | 1 << c)
    }
}

/// Returns the cells of a set in ascending order.
pub(in crate::pdb) fn cells_of(mut set: CellSet) -> impl Iterator<Item = usize> {
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
    fn orientations_are_distinct_and_preserve_adjacency() {
        for (rows, cols, ways) in [(4, 4, 8), (3, 3, 8), (2, 5, 4), (5, 2, 4), (3, 4, 4), (5, 5, 8)] {
            let size = Size::new(rows, cols).unwrap();
            let frame = Frame::new(size).unwrap();
            let orientations = frame.orientations(size);
            assert_eq!(orientations.len(), ways);
            for (i, orientation) in orientations.iter().enumerate() {
                assert_eq!(orientation.image(frame.all()), frame.all());
                assert!(orientations[..i].iter().all(|other| other != orientation));
                for cell in 0..rows * cols - 1 {
                    let beside = cell % cols + 1 < cols;
                    let (a, b) = (orientation.0[cell] as usize, orientation.0[cell + 1] as usize);
                    assert!(!beside || frame.adjacent(1 << a) >> b & 1 == 1);
                }
            }
        }
        assert!(Frame::new(Size::new(4, 7).unwrap()).is_none());
    }

    #[test]
    fn regions_end_at_occupied_cells() {
        let frame = Frame { rows: 4, cols: 4 };
        assert_eq!(frame.region(0b0000_0000_0011_0010, 0), 1);
        assert_eq!(frame.region(0b0000_0000_1111_0000, 2), 0b1111);
        assert_eq!(frame.region(0, 7), 0xffff);
        assert_eq!(frame.odd_cells(), 0b0101_1010_0101_1010);
    }
}
