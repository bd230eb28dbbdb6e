//! Determines how much of a file of results can be kept.
//!
//! Results are counted from the beginning, up to the first that is incomplete or provisional. A
//! result is provisional if the journal says so ([`super::Journal::set_provisional_from`]), in any
//! format, or if its own text does: `gave_up` with `interrupted`, or with `time` where no puzzle has
//! a time limit of its own.

use super::parse::{Classifier, LineKind};
use super::split::Splitter;
use crate::model::report::GiveUp;
use crate::output::{Decision, Format, ParsedResult, Style, Summary};
use std::io::{self, BufRead};

/// The results at the beginning of a file that can be kept.
#[derive(Debug, Default)]
pub(crate) struct ValidPrefix {
    pub(crate) records: u64,
    /// Offset of its end.
    pub(crate) end: u64,
    /// Summary of these results.
    pub(crate) summary: Summary,
}

/// Which results a scan admits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScanOptions {
    pub(crate) style: Style,
    /// Whether puzzles that ran out of time are solved again.
    pub(crate) redo_time: bool,
    /// Whether puzzles are solved again whose solution is not proved to be shortest.
    pub(crate) redo_unproved: bool,
    /// Number of results that the journal recorded as written.
    pub(crate) recorded: u64,
    /// Length of these results in bytes.
    pub(crate) recorded_bytes: u64,
    /// Maximum number of results to keep.
    pub(crate) max_records: u64,
}

impl ScanOptions {
    /// Admits all complete results of a file without a journal.
    pub(crate) fn new(style: Style) -> Self {
        Self {
            style,
            redo_time: false,
            redo_unproved: false,
            recorded: 0,
            recorded_bytes: 0,
            max_records: u64::MAX,
        }
    }
}

/// Returns the results that can be kept, or the number of a line that is malformed although the
/// journal recorded it.
pub(crate) fn scan(results: impl BufRead, options: ScanOptions) -> io::Result<Result<ValidPrefix, u64>> {
    let format = options.style.format;
    let mut lines = Splitter::new(results, format == Format::Csv);
    let mut classifier = Classifier::new(options.style);
    let mut prefix = ValidPrefix::default();
    // Format `states`: the last result, whose end is not found yet.
    let mut open: Option<ParsedResult> = None;
    while let Some(line) = lines.next()? {
        match classifier.classify(line) {
            LineKind::Heading => prefix.end = lines.end,
            LineKind::Continuation if open.is_some() => {}
            LineKind::Result(result) if format == Format::States => {
                if let Some(previous) = open.take()
                    && !prefix.admit(&previous, lines.start, options)
                {
                    return Ok(Ok(prefix));
                }
                open = Some(result);
            }
            LineKind::Result(result) if prefix.admit(&result, lines.end, options) => {}
            LineKind::Result(_) | LineKind::Summary => return Ok(Ok(prefix)),
            LineKind::Continuation | LineKind::Other
                if prefix.records < options.recorded.min(options.max_records) =>
            {
                return Ok(Err(lines.line));
            }
            LineKind::Continuation | LineKind::Other => break,
        }
    }
    // In format `states`, only the journal tells whether the last result is complete.
    if let Some(result) = open
        && (prefix.records + 1, lines.end) == (options.recorded, options.recorded_bytes)
    {
        prefix.admit(&result, lines.end, options);
    }
    Ok(Ok(prefix))
}

impl ValidPrefix {
    /// Appends a result that ends at offset `end`. Returns `false` if it must be solved again or
    /// exceeds `max_records`.
    fn admit(&mut self, result: &ParsedResult, end: u64, options: ScanOptions) -> bool {
        let redo = match result.decision {
            Decision::GaveUp(GiveUp::Interrupted) => true,
            Decision::GaveUp(GiveUp::Time) => options.redo_time,
            Decision::Solved { optimal } => options.redo_unproved && optimal != Some(true),
            _ => false,
        };
        if redo || self.records == options.max_records {
            return false;
        }
        self.summary.add_previous(result);
        self.records += 1;
        self.end = end;
        true
    }
}
