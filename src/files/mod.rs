//! Files on disk: creation that follows no links and replaces nothing foreign; names of any bytes.

pub(crate) mod disk;
pub mod name;
