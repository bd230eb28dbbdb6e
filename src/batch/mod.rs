//! Which search for which puzzle under which budget; the workers.

pub mod counters;
pub mod interrupt;
pub mod settings;
