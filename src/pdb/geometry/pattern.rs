//! Patterns: the subset of tiles whose moves a database counts.

use crate::pdb::geometry::canonical::{CellSet, Frame, Symmetry};
use crate::pdb::geometry::permutation::MAX_TILES;

/// Tiles of a pattern, given by their goal cells, and the goal region of the blank.
///
/// Patterns that are mirror images of each other have the same database; `canonical` returns
/// their representative.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pattern {
    pub(in crate::pdb) frame: Frame,
    /// Goal cells of the tiles.
    pub(in crate::pdb) homes: CellSet,
    /// First cell of the goal region of the blank.
    pub(in crate::pdb) blank: u8,
}

impl Pattern {
    /// Returns the pattern of the tiles with goal cells `homes` and the blank with goal cell
    /// `blank`; `None` if there are no tiles or too many, or if a cell is invalid.
    pub(in crate::pdb) fn new(frame: Frame, homes: CellSet, blank: usize) -> Option<Self> {
        let tiles = homes.count_ones() as usize;
        let is_valid = (1..=MAX_TILES).contains(&tiles)
            && homes & !frame.all() == 0
            && blank < frame.cells()
            && homes >> blank & 1 == 0;
        is_valid.then(|| Self { frame, homes, blank: frame.region(homes, blank).trailing_zeros() as u8 })
    }

    /// Returns the number of tiles.
    pub fn tiles(self) -> usize {
        self.homes.count_ones() as usize
    }

    /// Returns the representative of all mirror images of this pattern, and the symmetry that
    /// maps this pattern onto it.
    pub(in crate::pdb) fn canonical(self) -> (Self, Symmetry) {
        let images = self.frame.symmetries().into_iter().map(|symmetry| {
            let homes = symmetry.image(self.homes);
            let blank =
                self.frame.region(homes, symmetry.0[self.blank as usize].into()).trailing_zeros() as u8;
            (Self { frame: self.frame, homes, blank }, symmetry)
        });
        images.min_by_key(|(image, _)| (image.homes, image.blank)).expect("the identity is a symmetry")
    }
}

/// Formats as `4x4-00ff-15`: goal cells in hexadecimal, then the first cell of the blank's
/// region.
impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Frame { rows, cols } = self.frame;
        let digits = self.frame.cells().div_ceil(4);
        write!(f, "{rows}x{cols}-{:0digits$x}-{}", self.homes, self.blank)
    }
}
