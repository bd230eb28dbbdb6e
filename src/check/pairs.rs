//! Visits records together with their checked results, for commands that continue from results.

use super::outcome::{Claim, Moves};
use super::{CheckError, CheckEvent, CheckOptions, visit_each};
use crate::input::Reader;
use crate::model::report::Instance;
use crate::puzzle::tiles::Direction;
use std::io::BufRead;

/// A valid record with a correct result.
pub struct Pair<'a> {
    /// Number of the record in its file.
    pub n: u64,
    /// The record's own id, or its number.
    pub id: &'a str,
    /// Line where the record starts.
    pub line: u64,
    /// The puzzle.
    pub instance: &'a Instance,
    /// Usable content of the result.
    pub result: UsableResult<'a>,
}

/// Usable content of a result.
pub enum UsableResult<'a> {
    /// A solution of a tile board.
    Solution(&'a [Direction]),
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
                Claim::Solved(solved) => match &solved.moves {
                    Moves::Letters(moves) => UsableResult::Solution(moves),
                    Moves::Blocks(_) => UsableResult::Nothing,
                },
                Claim::Unsolvable => UsableResult::Unsolvable,
                _ => UsableResult::Nothing,
            };
            visit(Pair { n: puzzle.n, id: &puzzle.id, line: puzzle.line, instance, result });
        }
        CheckEvent::Wrong(what) => report_problem(&what),
        CheckEvent::Missing(name) => report_problem(&format!("{name}: no result")),
        CheckEvent::Summary { .. } => {}
    })?;
    Ok(())
}
