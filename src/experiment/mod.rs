//! Experiments: methods × limits over sets of boards; rows, tables and plots.
//!
//! A [`Design`] is everything that an experiment is made of, spelled out, so
//! that the same design gives the same rows (but for times) anywhere. [`run`]
//! does the runs, in parallel, each by one thread. The [`presets`] know how to
//! fill a design in and how to look at the rows: as tables, and as figures of
//! [`plot`](crate::plot).

mod design;
mod method;
pub mod presets;
mod rows;
mod run;
mod statistics;
mod table;

pub use design::{Design, Preset};
pub use method::{Method, MethodError};
pub use rows::{Row, write_csv};
pub use run::{Case, ExperimentError, Runs, boards_of, count, run};
pub use table::Table;
