//! How much of a file of results can be kept.
//!
//! Results are counted from the beginning, up to the first that is not there as
//! a whole, or that was left undecided only because the run ended. The journal
//! says where that is ([`super::Journal::cut`]), whatever the format; and so do the
//! results themselves: `gave_up` with `interrupted`, or with `time` where no puzzle
//! has a limit on its own time.

use crate::model::report::GiveUp;
use crate::output::{Decision, Format, ParsedResult, Style, Summary};
use crate::run::resume::parse::{Formed, Look};
use crate::run::resume::split::Pieces;
use std::io::{self, BufRead};

/// The beginning of a file of results.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) records: u64,
    /// Where it ends.
    pub(crate) end: u64,
    /// What these results come to.
    pub(crate) summary: Summary,
}

/// What is wanted of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) style: Style,
    /// Whether what ran out of time should be tried again.
    pub(crate) redo_time: bool,
    /// Whether a solution without a proof that it is shortest should be.
    pub(crate) redo_unproved: bool,
    /// So many results were marked as written, and as so many bytes.
    pub(crate) sure: u64,
    pub(crate) bytes: u64,
    /// So many may be kept.
    pub(crate) most: u64,
}

/// Counts what can be kept; or the line that is no result, where one was sure
/// to be.
pub(crate) fn scan(results: impl BufRead, wanted: Wanted) -> io::Result<Result<Kept, u64>> {
    let format = wanted.style.format;
    let mut pieces = Pieces::new(results, format == Format::Csv);
    let mut look = Look::new(wanted.style);
    let mut kept = Kept::default();
    // Of states: a result whose end is not known yet.
    let mut open: Option<ParsedResult> = None;
    while let Some(piece) = pieces.next()? {
        match look.at(piece) {
            Formed::Heading => kept.end = pieces.end,
            Formed::Part if open.is_some() => {}
            Formed::Result(told) if format == Format::States => {
                if let Some(told) = open.take()
                    && !kept.take(&told, pieces.start, wanted)
                {
                    return Ok(Ok(kept));
                }
                open = Some(told);
            }
            Formed::Result(told) if kept.take(&told, pieces.end, wanted) => {}
            Formed::Result(_) | Formed::Summary => return Ok(Ok(kept)),
            Formed::Part | Formed::Other if kept.records < wanted.sure.min(wanted.most) => {
                return Ok(Err(pieces.line));
            }
            Formed::Part | Formed::Other => break,
        }
    }
    // Whether the last result of states is whole is known from a mark only.
    if let Some(told) = open
        && (kept.records + 1, pieces.end) == (wanted.sure, wanted.bytes)
    {
        kept.take(&told, pieces.end, wanted);
    }
    Ok(Ok(kept))
}

impl Kept {
    /// Keeps a result, unless it is one too many or should be tried again.
    fn take(&mut self, told: &ParsedResult, end: u64, wanted: Wanted) -> bool {
        let again = match told.decision {
            Decision::GaveUp(GiveUp::Interrupted) => true,
            Decision::GaveUp(GiveUp::Time) => wanted.redo_time,
            Decision::Solved { optimal } => wanted.redo_unproved && optimal != Some(true),
            _ => false,
        };
        if again || self.records == wanted.most {
            return false;
        }
        self.summary.add_previous(told);
        self.records += 1;
        self.end = end;
        true
    }
}
