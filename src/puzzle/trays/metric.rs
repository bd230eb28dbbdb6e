//! What counts as one move of a block.

use super::Place;
use std::fmt;

/// What counts as one move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Metric {
    /// One block, one cell.
    Step,
    /// One block, straight, any number of cells.
    Slide,
    /// One block along any path of empty cells.
    #[default]
    Piece,
}

impl Metric {
    /// All of them, the finest first.
    pub const ALL: [Self; 3] = [Self::Step, Self::Slide, Self::Piece];

    /// The word on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Slide => "slide",
            Self::Piece => "piece",
        }
    }
}

/// One move: the block whose top-left cell is `from` goes to `to`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shift {
    /// Where the block's top-left cell was.
    pub from: Place,
    /// Where it is then.
    pub to: Place,
}

impl Shift {
    /// The way back.
    pub const fn reversed(self) -> Self {
        Self { from: self.to, to: self.from }
    }

    /// The cells it passes if it is straight; none if it is not, or goes
    /// nowhere.
    pub const fn straight(self) -> Option<u16> {
        match (self.from.row.abs_diff(self.to.row), self.from.col.abs_diff(self.to.col)) {
            (0, 0) => None,
            (0, cells) | (cells, 0) => Some(cells),
            _ => None,
        }
    }
}

/// `3 1 4 1`.
impl fmt::Display for Shift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.from, self.to)
    }
}
