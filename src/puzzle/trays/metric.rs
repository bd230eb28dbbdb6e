//! Metrics of trays.

use super::Place;
use std::fmt;

/// Unit of solution length in trays.
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
    /// All metrics, finest first.
    pub const ALL: [Self; 3] = [Self::Step, Self::Slide, Self::Piece];

    /// Returns the name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Slide => "slide",
            Self::Piece => "piece",
        }
    }
}

/// A move: the block with top-left cell `from` moves to `to`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shift {
    /// Top-left cell of the block before the move.
    pub from: Place,
    /// Top-left cell of the block after the move.
    pub to: Place,
}

impl Shift {
    /// Returns the reverse move.
    pub const fn reversed(self) -> Self {
        Self { from: self.to, to: self.from }
    }

    /// Returns the number of cells of a straight move; `None` if it is not straight or empty.
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
