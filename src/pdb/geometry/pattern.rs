//! A pattern: some tiles, which count, among others, which do not.

use crate::pdb::geometry::canonical::{Frame, Set, Symmetry};
use crate::pdb::geometry::permutation::MOST_TILES;

/// The tiles of a pattern by the cells where they belong, and the blank's place
/// among the rest.
///
/// Databases of patterns that are mirror images of each other are the same, so
/// there is one that stands for all of them: see `canonical`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pattern {
    pub(in crate::pdb) frame: Frame,
    /// Where the tiles belong.
    pub(in crate::pdb) homes: Set,
    /// The first cell of the region in which the blank belongs.
    pub(in crate::pdb) blank: u8,
}

impl Pattern {
    /// The pattern of the tiles that belong into `homes`, with the blank where
    /// it belongs; none if there are too many, or none.
    pub(in crate::pdb) fn new(frame: Frame, homes: Set, blank: usize) -> Option<Self> {
        let tiles = homes.count_ones() as usize;
        let sound = (1..=MOST_TILES).contains(&tiles)
            && homes & !frame.all() == 0
            && blank < frame.cells()
            && homes >> blank & 1 == 0;
        sound.then(|| Self { frame, homes, blank: frame.region(homes, blank).trailing_zeros() as u8 })
    }

    /// How many tiles it has.
    pub fn tiles(self) -> usize {
        self.homes.count_ones() as usize
    }

    /// The pattern that stands for all mirror images of this one, and how this
    /// one is laid on it.
    pub(in crate::pdb) fn canonical(self) -> (Self, Symmetry) {
        let images = self.frame.symmetries().into_iter().map(|symmetry| {
            let homes = symmetry.set(self.homes);
            let blank =
                self.frame.region(homes, symmetry.0[self.blank as usize].into()).trailing_zeros() as u8;
            (Self { frame: self.frame, homes, blank }, symmetry)
        });
        images.min_by_key(|(image, _)| (image.homes, image.blank)).expect("a frame can be laid on itself")
    }
}

/// As `4x4-00ff` with the homes in hexadecimal; with the blank's region added
/// where that is not the one with the last cell.
impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Frame { rows, cols } = self.frame;
        let digits = self.frame.cells().div_ceil(4);
        write!(f, "{rows}x{cols}-{:0digits$x}-{}", self.homes, self.blank)
    }
}
