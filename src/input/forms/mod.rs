//! The forms of puzzle records, one parser each.

pub(crate) mod compact;
pub(crate) mod course;
pub(crate) mod grid;
pub(crate) mod letters;
pub(crate) mod line;
pub(crate) mod one_line;
pub(crate) mod paragraph;
pub(crate) mod plain;
pub(crate) mod positions;
pub(crate) mod rows;
pub(crate) mod slashes;
pub(crate) mod tray;
pub(crate) mod word;
