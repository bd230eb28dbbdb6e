//! Compares results with what is known.

use super::rows::Row;
use crate::truth::board::opposite;
use crate::truth::record::{Answer, Metric, Puzzle, Record};
use anyhow::{Result, bail, ensure};

/// What a run promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Promise {
    /// Shortest solutions, where they are known.
    pub(crate) optimal: bool,
    /// Every puzzle is decided.
    pub(crate) decided: bool,
    pub(crate) metric: Metric,
    /// Letters name the way of the tile.
    pub(crate) tile_notation: bool,
}

impl Promise {
    /// What the default options promise.
    pub(crate) const DEFAULT: Self =
        Self { optimal: true, decided: true, metric: Metric::Default, tile_notation: false };
}

/// A record with its place: the file's name if that can be told, and its
/// number in the file.
#[derive(Clone)]
pub(crate) struct Expected<'r> {
    pub(crate) file: Option<String>,
    pub(crate) n: u64,
    pub(crate) record: &'r Record,
}

impl Expected<'_> {
    /// Returns the id that the result must have.
    pub(crate) fn id(&self) -> String {
        self.record.id.clone().unwrap_or_else(|| self.n.to_string())
    }

    /// Returns whether a result is of this record.
    fn has(&self, row: &Row) -> bool {
        let same_file = row.file.is_none() || self.file.is_none() || row.file == self.file;
        same_file && row.n.is_none_or(|n| n == self.n) && row.id == self.id()
    }

    /// Checks the result of this record.
    fn check(&self, row: &Row, promise: Promise) -> Result<()> {
        check_row(row, self.record, promise).map_err(|error| {
            error.context(format!("record {} of {:?}: {:?}", self.n, self.file, self.record.text))
        })
    }
}

/// Returns `records` with their places in a file.
pub(crate) fn expected<'r>(file: Option<&str>, records: &'r [Record]) -> Vec<Expected<'r>> {
    records.iter().zip(1..).map(|(record, n)| Expected { file: file.map(str::to_owned), n, record }).collect()
}

/// Checks that every record has its one result, in order, and a right one.
pub(crate) fn compare(rows: &[Row], expected: &[Expected<'_>], promise: Promise) -> Result<()> {
    for (row, place) in rows.iter().zip(expected) {
        ensure!(place.has(row), "record {} of {:?} has another's result: {row:?}", place.n, place.file);
        place.check(row, promise)?;
    }
    ensure!(rows.len() == expected.len(), "{} results of {} records", rows.len(), expected.len());
    Ok(())
}

/// Checks the results of a run that was cut short: in order, right, and without
/// a gap before the first result that says so. Returns how many there are
/// before that.
pub(crate) fn compare_start(rows: &[Row], expected: &[Expected<'_>], promise: Promise) -> Result<usize> {
    ensure!(rows.len() <= expected.len(), "{} results of {} records", rows.len(), expected.len());
    let cut = |row: &Row| matches!(row.reason.as_deref(), Some("interrupted" | "time"));
    let whole = rows.iter().position(cut).unwrap_or(rows.len());
    compare(&rows[..whole], &expected[..whole], promise)?;
    let mut places = expected[whole..].iter();
    for row in &rows[whole..] {
        let Some(place) = places.find(|place| place.has(row)) else {
            // Without numbers of records they cannot be told apart behind a gap.
            ensure!(row.n.is_none(), "out of order: {row:?}");
            break;
        };
        if row.n.is_some() {
            place.check(row, promise)?;
        }
    }
    Ok(whole)
}

/// Checks one result.
pub(crate) fn check_row(row: &Row, record: &Record, promise: Promise) -> Result<()> {
    let decided = row.status == "solved" || row.status == "unsolvable";
    if row.status == "gave_up" && !promise.decided {
        ensure!(record.answer != Answer::Invalid, "gave up on a malformed record: {row:?}");
        return Ok(());
    }
    let right = match record.answer {
        Answer::Unsolvable => row.status == "unsolvable",
        Answer::Invalid => row.status == "invalid",
        Answer::Decided => decided,
        Answer::Length(_) | Answer::AtMost(_) | Answer::Solvable => row.status == "solved",
    };
    ensure!(right, "should be {:?}, not {row:?}", record.answer);
    if row.status == "solved" {
        check_solution(row, record, promise)?;
    }
    Ok(())
}

fn check_solution(row: &Row, record: &Record, promise: Promise) -> Result<()> {
    let Some(length) = row.length else { bail!("solved without a length: {row:?}") };
    let line = promise.metric.is_line();
    match record.answer {
        Answer::Length(known) => {
            let known = u64::from(known);
            ensure!(length >= known, "shorter than the shortest, {known}: {row:?}");
            ensure!(
                length == known || row.optimal != Some(true),
                "claims a proof, but {known} is shortest: {row:?}"
            );
            ensure!(length == known || !promise.optimal, "{known} is shortest: {row:?}");
            ensure!(!promise.optimal || row.optimal != Some(false), "shortest, but without a proof: {row:?}");
        }
        Answer::AtMost(most) if promise.optimal || row.optimal == Some(true) => {
            ensure!(length <= u64::from(most), "longer than {most}: {row:?}");
        }
        _ => {}
    }
    if let (Puzzle::Board { start, goal }, Some(letters)) = (&record.puzzle, &row.letters) {
        let of_blank: String =
            if promise.tile_notation { letters.chars().map(opposite).collect() } else { letters.clone() };
        let replayed = start.replay(&of_blank, &goal.board(start.rows, start.cols), line);
        ensure!(replayed == Some(length), "replayed to {replayed:?}: {row:?}");
    }
    Ok(())
}
