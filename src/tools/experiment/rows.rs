//! One row for each run.

use super::Method;
use super::method::name;
use crate::model::report::{Effort, Verdict};
use crate::puzzle::tiles::Size;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

/// What a run was and what it came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The board's number in the experiment, from 0.
    pub board: usize,
    /// The board itself, rows between slashes.
    pub tiles: Arc<str>,
    /// Its size.
    pub size: Size,
    /// Random moves it was made with, if so.
    pub moves: Option<u64>,
    /// The length of its shortest solution, where that is known.
    pub shortest: Option<u32>,
    /// The search.
    pub method: Method,
    /// The limit on stored states.
    pub limit: Option<u64>,
    /// What came of it.
    pub ran: Ran,
}

/// What a run came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Ran {
    /// `solved`, or why not: `nodes`, `beam`, `memory`, `unsolvable`.
    pub ending: &'static str,
    /// The length of the solution found.
    pub length: Option<u32>,
    /// Whether it was proved to be shortest.
    pub optimal: bool,
    /// States whose successors were generated.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    /// States stored.
    pub visited: u64,
    /// Time, in microseconds.
    pub time_us: f64,
}

impl Deref for Row {
    type Target = Ran;

    fn deref(&self) -> &Ran {
        &self.ran
    }
}

impl Ran {
    /// What is kept of a verdict: all but the solution itself.
    pub(super) fn new(verdict: &Verdict, effort: &Effort) -> Self {
        let (ending, length, optimal) = match verdict {
            Verdict::Solved(solution) => ("solved", Some(solution.length), solution.optimal),
            Verdict::GaveUp { reason, .. } => (reason.word(), None, false),
            Verdict::Unsolvable { .. } | Verdict::Invalid { .. } => ("unsolvable", None, false),
        };
        let Effort { expanded, generated, visited, time, .. } = *effort;
        Self {
            ending,
            length,
            optimal,
            expanded,
            generated,
            visited,
            time_us: time.as_nanos() as f64 / 1000.0,
        }
    }

    /// Whether the board was solved.
    pub fn is_solved(&self) -> bool {
        self.length.is_some()
    }
}

/// The columns.
const HEADER: [&str; 18] = [
    "board",
    "tiles",
    "size",
    "moves",
    "shortest",
    "method",
    "algorithm",
    "heuristic",
    "beam_width",
    "weight",
    "max_nodes",
    "ending",
    "length",
    "optimal",
    "expanded",
    "generated",
    "visited",
    "time_us",
];

/// Writes rows under a header.
pub fn write_csv(rows: &[Row], out: impl io::Write) -> csv::Result<()> {
    fn optional(value: Option<impl ToString>) -> String {
        value.map_or(String::new(), |value| value.to_string())
    }
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(HEADER)?;
    for row in rows {
        let method = &row.method;
        csv.write_record([
            row.board.to_string(),
            row.tiles.to_string(),
            row.size.to_string(),
            optional(row.moves),
            optional(row.shortest),
            method.to_string(),
            name(&method.algorithm),
            if method.is_informed() { name(&method.heuristic) } else { String::new() },
            optional(method.width),
            optional(method.weight),
            optional(row.limit),
            row.ending.to_owned(),
            optional(row.length),
            row.is_solved().then_some(row.optimal).map_or(String::new(), |optimal| optimal.to_string()),
            row.expanded.to_string(),
            row.generated.to_string(),
            row.visited.to_string(),
            format!("{:.1}", row.time_us),
        ])?;
    }
    csv.flush()?;
    Ok(())
}
