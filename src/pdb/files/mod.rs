//! Pattern databases in memory (`registry`) and in files (`store`).

pub(crate) mod registry;
pub(crate) mod store;
