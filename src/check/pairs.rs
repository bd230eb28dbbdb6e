//! Records and the results that are known for them, for whoever goes on from
//! there.

use super::outcome::{Claim, Moves};
use super::{CheckError, CheckOptions, Met, each};
use crate::input::Reader;
use crate::model::report::Instance;
use crate::puzzle::tiles::Direction;
use std::io::BufRead;

/// A valid record with a result that is right.
pub struct Pair<'a> {
    /// The record's number in its file.
    pub n: u64,
    /// Its own id, or its number.
    pub id: &'a str,
    /// The line where it starts.
    pub line: u64,
    /// The puzzle.
    pub instance: &'a Instance,
    /// What is known.
    pub known: Known<'a>,
}

/// What is known of a puzzle.
pub enum Known<'a> {
    /// A solution of a tile board.
    Solution(&'a [Direction]),
    /// That it has none.
    Unsolvable,
    /// Nothing that could be used.
    Nothing,
}

/// Calls `visit` with every valid record of a file whose result is right, in the
/// order of the results, and `complain` with what is wrong or missing.
pub fn pairs(
    reader: Reader,
    results: impl BufRead,
    options: &CheckOptions,
    mut visit: impl FnMut(Pair<'_>),
    mut complain: impl FnMut(&str),
) -> Result<(), CheckError> {
    each(vec![reader.into()], results, options, |met| match met {
        Met::Right { puzzle, outcome, .. } => {
            let Ok(instance) = &puzzle.instance else { return };
            let known = match &outcome.claim {
                Claim::Solved(solved) => match &solved.moves {
                    Moves::Letters(moves) => Known::Solution(moves),
                    Moves::Blocks(_) => Known::Nothing,
                },
                Claim::Unsolvable => Known::Unsolvable,
                _ => Known::Nothing,
            };
            visit(Pair { n: puzzle.n, id: &puzzle.id, line: puzzle.line, instance, known });
        }
        Met::Wrong(what) => complain(&what),
        Met::Missing(name) => complain(&format!("{name}: no result")),
        Met::Summary { .. } => {}
    })?;
    Ok(())
}
