//! Trays: rectangular blocks that slide in a tray of up to 256×256 cells, with
//! a goal that names where some of them must end (Klotski and its kin).
//!
//! A [`Tray`] is always valid: its constructor refuses overlaps, blocks outside
//! and goals of shapes that do not exist. Blocks of one [`Class`] (shape, and
//! mark where the goal asks for a certain block) are interchangeable; every
//! arrangement lists its [`Block`]s by class and place, so two arrangements are
//! the same exactly when their lists are. A [`Shift`] is one move, in any
//! [`Metric`]; a [`Layout`] makes them one by one. [`oracle`] is the slow, obvious solver that fast ones are
//! tested against.

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
