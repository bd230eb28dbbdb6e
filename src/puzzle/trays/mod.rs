//! Trays: rectangular blocks that slide in a tray of up to 256×256 cells, with goal positions for
//! some of them (Klotski and similar puzzles).
//!
//! A [`Tray`] is always valid: its constructor rejects overlaps and blocks outside. Blocks of one
//! [`Class`] (shape, and mark if the goal requires a certain block) are interchangeable. A state
//! lists its [`Block`]s by class and position, so two states are equal exactly if their lists are.
//! A [`Shift`] is one move, in any [`Metric`]; a [`Layout`] applies moves one by one. [`oracle`] is
//! the slow, obvious solver that fast solvers are tested against.

pub mod dense;
mod error;
mod layout;
mod lists;
mod metric;
pub mod oracle;
mod packed;
mod rect;
mod tray;

pub use error::{Item, TrayError, UnmatchedGoal};
pub use layout::Layout;
pub use lists::{Lists, Moved, View};
pub use metric::{Metric, Shift};
pub use packed::{CLASSES, CellKey, Mask, Packed, PackedMoves, PackedState, packed_key_bits};
pub use rect::{Place, Rect, RectError};
pub use tray::{Block, Class, Piece, Tray};
