//! The conditions of a run: names of files, how input arrives, where output
//! goes.

pub(crate) mod input;
pub(crate) mod names;
pub(crate) mod output;
