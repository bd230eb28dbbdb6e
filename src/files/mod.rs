//! Files on disk: safe creation and replacement (`disk`), and names that are not UTF-8 (`name`).

pub(crate) mod disk;
pub mod name;
