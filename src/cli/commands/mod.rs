//! The commands, one file each.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod experiment;
pub(crate) mod generate;
pub(crate) mod generate_trays;
pub(crate) mod improve;
pub(crate) mod man;
pub(crate) mod pdb;
pub(crate) mod shell;
pub(crate) mod solve;
pub(crate) mod trace;
pub(crate) mod tray;
