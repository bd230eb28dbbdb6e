//! Pattern databases on disk and in memory.

pub(crate) mod registry;
pub(crate) mod store;
