//! Pattern databases for boards of up to 16 cells: lookup, payloads, batches of successors.

pub(crate) mod batch;
pub(crate) mod lookup;
pub(crate) mod payload;
