//! Programs around the solver: experiments, plots, traces, the 8-puzzle shell.

pub mod experiment;
pub mod plot;
pub mod shell;
pub mod trace;
