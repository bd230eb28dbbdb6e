//! Metrics of tile boards.

use super::Direction;
use clap::ValueEnum;

/// Unit of solution length on tile boards
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, ValueEnum)]
pub enum Metric {
    /// One tile, one cell
    #[default]
    Tile,
    /// A run of tiles in a line, pushed one cell at once
    Line,
}

impl Metric {
    /// Returns the name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tile => "tile",
            Self::Line => "line",
        }
    }

    /// Returns the length of a solution, given as single steps of the blank.
    pub fn length(self, steps: &[Direction]) -> usize {
        match self {
            Self::Tile => steps.len(),
            Self::Line => steps.chunk_by(|one, next| one == next).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_runs_count_once() {
        use Direction::{Down, Left, Right, Up};
        let steps = [Up, Up, Left, Left, Up, Down, Right];
        assert_eq!((Metric::Tile.length(&steps), Metric::Line.length(&steps)), (7, 5));
        assert_eq!((Metric::Tile.length(&[]), Metric::Line.length(&[])), (0, 0));
    }
}
