//! Experiments: methods × limits over sets of boards; rows, tables and plots.
//!
//! A [`Design`] is everything that an experiment is made of, spelled out, so
//! that the same design gives the same rows (but for times) anywhere.
//! [`conduct`] does the runs, in parallel, each by one thread. The [`presets`]
//! know how to fill a design in and how to look at the rows: as tables, and as
//! figures of [`plot`](crate::tools::plot). [`trays`] has searches of its own.

mod design;
mod means;
mod method;
pub mod presets;
mod rows;
mod run;
mod statistics;
mod table;
pub mod trays;

pub use design::{Design, Preset};
pub use means::{Means, Runs};
pub use method::{Method, MethodError};
pub use rows::{Row, write_csv};
pub use run::{Case, ExperimentError, boards_of, count, run};
pub use table::Table;

use crate::model::interrupt::Interrupt;
use presets::Findings;
use std::sync::atomic::AtomicU64;

/// What an experiment came to.
#[derive(Clone, Debug)]
pub struct Conducted {
    /// How many runs were done.
    pub runs: usize,
    /// How they were done.
    pub by: Runs,
    /// A row for each of them, as CSV.
    pub csv: Vec<u8>,
    /// Tables and figures.
    pub findings: Findings,
}

/// Does an experiment. `begin` is told how many runs there will be, before the
/// first; `done` counts along.
pub fn conduct(
    design: &Design,
    means: &Means,
    interrupt: &Interrupt,
    done: &AtomicU64,
    begin: impl FnOnce(u64),
) -> Result<Conducted, ExperimentError> {
    let mut csv = Vec::new();
    let written = "a buffer takes every row";
    if design.preset == Preset::Trays {
        let budget = trays::budget(design, means)?;
        let trays = trays::trays_of(design, &budget, interrupt)?;
        begin(trays::count(design, &trays));
        let (rows, by) = trays::run(design, &trays, means, &budget, interrupt, done)?;
        trays::write_csv(&rows, &mut csv).expect(written);
        return Ok(Conducted { runs: rows.len(), by, csv, findings: trays::look(design, &rows) });
    }
    let budget = means.budget(run::TABLES, means.run_memory)?;
    let cases = boards_of(design, &budget)?;
    begin(count(design, &cases));
    let (rows, by) = run(design, &cases, means, &budget, interrupt, done)?;
    write_csv(&rows, &mut csv).expect(written);
    Ok(Conducted { runs: rows.len(), by, csv, findings: presets::look(design, &rows) })
}
