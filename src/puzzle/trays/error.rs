//! Errors of trays.

use super::Rect;
use std::fmt;

/// One of the rectangles of a tray, by its number from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// A block of the start.
    Block(usize),
    /// A wall.
    Wall(usize),
    /// A rectangle of the goal.
    Goal(usize),
}

/// `block 3`, counted from 1.
impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block(index) => write!(f, "block {}", index + 1),
            Self::Wall(index) => write!(f, "wall {}", index + 1),
            Self::Goal(index) => write!(f, "goal {}", index + 1),
        }
    }
}

/// Reason why rectangles are not a tray.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TrayError {
    /// A side is shorter than 1 or longer than 256.
    #[error("a tray has 1 to 256 rows and columns, not {rows}x{cols}")]
    Size {
        /// Requested rows.
        rows: i64,
        /// Requested columns.
        cols: i64,
    },
    /// A rectangle is not inside the tray.
    #[error("{item}, {rect}, is not inside the {rows}x{cols} tray")]
    Outside {
        /// The invalid rectangle.
        item: Item,
        /// Its position.
        rect: Rect,
        /// The tray's rows.
        rows: usize,
        /// The tray's columns.
        cols: usize,
    },
    /// Two rectangles share a cell.
    #[error("{item} overlaps {other} at row {row}, column {col}")]
    Overlap {
        /// The second rectangle.
        item: Item,
        /// The rectangle that it overlaps.
        other: Item,
        /// Row of a shared cell.
        row: usize,
        /// Column of a shared cell.
        col: usize,
    },
    /// A rectangle of the goal is repeated.
    #[error("{item} is the same rectangle as {first}")]
    GoalTwice {
        /// The second rectangle.
        item: Item,
        /// The first rectangle.
        first: Item,
    },
    /// There is no goal.
    #[error("the goal is missing")]
    NoGoal,
}

impl TrayError {
    /// Returns the invalid rectangle, if the error has one.
    pub fn item(&self) -> Option<Item> {
        match *self {
            Self::Size { .. } | Self::NoGoal => None,
            Self::Outside { item, .. } | Self::Overlap { item, .. } | Self::GoalTwice { item, .. } => {
                Some(item)
            }
        }
    }
}

/// A rectangle of a goal that no block matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnmatchedGoal {
    /// Its position.
    pub rect: Rect,
    /// Whether it requires a certain block.
    pub is_marked: bool,
}

/// `goal 0 0 1 0 is 2x1, but no block is`.
impl fmt::Display for UnmatchedGoal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rect { height, width, .. } = self.rect;
        let label = if self.is_marked { " with its label" } else { "" };
        write!(f, "goal {} is {height}x{width}{label}, but no block is", self.rect)
    }
}
