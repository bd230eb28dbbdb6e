//! Visits records together with their checked results, for commands that continue from results.

use super::outcome::{Claim, Moves};
use super::{CheckError, CheckEvent, CheckOptions, visit_each};
use crate::input::Reader;
use crate::model::report::Instance;
use crate::puzzle::tiles::{self, Direction};
use crate::puzzle::trays::{Place, Shift};
use std::io::BufRead;

/// A valid record with a correct result.
pub struct Pair<'a> {
    /// Number of the record in its file.
    pub n: u64,
    /// The record's own id, or its number.
    pub id: &'a str,
    /// Line where the record starts.
    pub line: u64,
    /// The puzzle, in the metric of its result where that names one.
    pub instance: &'a Instance,
    /// Usable content of the result.
    pub result: UsableResult<'a>,
}

/// Usable content of a result.
pub enum UsableResult<'a> {
    /// A solution of a tile board.
    Solution(&'a [Direction]),
    /// A solution of a tray.
    Shifts {
        /// The shifts; some formats show one move as several.
        shifts: Vec<Shift>,
        /// How many moves they are.
        length: u64,
    },
    /// The puzzle has no solution.
    Unsolvable,
    /// Nothing usable.
    Nothing,
}

/// Calls `visit` with every valid record of a file whose result is correct, in the order of the
/// results, and `report_problem` with each wrong or missing result.
pub fn pairs(
    reader: Reader,
    results: impl BufRead,
    options: &CheckOptions,
    mut visit: impl FnMut(Pair<'_>),
    mut report_problem: impl FnMut(&str),
) -> Result<(), CheckError> {
    visit_each(vec![reader.into()], results, options, |event| match event {
        CheckEvent::Correct { puzzle, outcome, .. } => {
            let Ok(instance) = &puzzle.instance else { return };
            let result = match &outcome.claim {
                Claim::Solved(solved) => match (&solved.moves, instance) {
                    (Moves::Letters(moves), Instance::Tiles { .. }) => UsableResult::Solution(moves),
                    (Moves::Blocks(blocks), Instance::Tray { .. }) => {
                        let shifts = blocks.steps.iter().map(shift).collect();
                        UsableResult::Shifts { shifts, length: solved.length }
                    }
                    // Without moves, the kind of them is open.
                    (_, Instance::Tiles { .. }) => UsableResult::Solution(&[]),
                    (_, Instance::Tray { .. }) => UsableResult::Shifts { shifts: Vec::new(), length: 0 },
                },
                Claim::Unsolvable => UsableResult::Unsolvable,
                _ => UsableResult::Nothing,
            };
            let instance = &in_metric_of(&outcome.claim, instance);
            visit(Pair { n: puzzle.n, id: &puzzle.id, line: puzzle.line, instance, result });
        }
        CheckEvent::Wrong(what) => report_problem(&what),
        CheckEvent::Missing(name) => report_problem(&format!("{name}: no result")),
        CheckEvent::Summary { .. } => {}
    })?;
    Ok(())
}

/// Returns a puzzle in the metric in which a result counts its moves.
fn in_metric_of(claim: &Claim, instance: &Instance) -> Instance {
    let mut instance = instance.clone();
    if let Claim::Solved(solved) = claim {
        match &mut instance {
            Instance::Tiles { metric, .. } => match solved.counts_runs {
                Some(true) => *metric = tiles::Metric::Line,
                Some(false) => *metric = tiles::Metric::Tile,
                None => {}
            },
            Instance::Tray { metric, .. } => *metric = solved.metric.unwrap_or(*metric),
        }
    }
    instance
}

/// Returns a step that was replayed as a shift.
fn shift(&[from_row, from_col, to_row, to_col]: &[i64; 4]) -> Shift {
    let place = |row: i64, col: i64| Place::new(row as u16, col as u16);
    Shift { from: place(from_row, from_col), to: place(to_row, to_col) }
}
