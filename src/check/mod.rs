//! Replays solutions, independently of the code that found them.
//!
//! [`check`] reads puzzles and results side by side, finds the record of each result, and judges
//! the result:
//!
//! - a solution must lead to the goal in the number of moves that it claims;
//! - an unsolvable board must be unsolvable by parity, an unsolvable tray as far as a plain search
//!   can prove it;
//! - an invalid record must be invalid;
//! - each record must have exactly one result.
//!
//! Invariant: nothing here calls the search or the code that writes results.
//!
//! If results are in the order of the input, memory use is constant, whatever their number.

mod csv;
mod in_order;
mod jsonl;
mod limited;
mod matching;
mod outcome;
mod pairs;
mod puzzles;
mod results;
mod states;
mod tally;
mod text;
mod tray_states;
mod trays;
mod verdict;

use crate::input::InputError;
use crate::model::report::Instance;
use crate::output::{Format, Notation};
use crate::puzzle::tiles::Direction;
pub use in_order::in_order;
use matching::{Match, Matching, Missing};
use outcome::{Claim, Moves, Outcome};
pub use pairs::{Pair, UsableResult, pairs};
pub use puzzles::PuzzleFile;
use puzzles::{Puzzle, Puzzles};
use results::ResultItem;
use std::{fmt, io, io::BufRead};
use tally::Tally;
use verdict::{Judgement, judge};

/// Maximum number of problems kept as text; further ones are only counted.
const SHOWN: usize = 20;

/// Maximum number of characters shown of a problem.
const LONGEST: usize = 1000;

/// Options for reading results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// Format of the results; detected from the first line if `None`.
    pub format: Option<Format>,
    /// Notation of move letters, for results that do not name it.
    pub notation: Notation,
    /// Maximum memory for reading, in bytes.
    pub room: u64,
}

/// Any format, and enough memory for any result.
impl Default for CheckOptions {
    fn default() -> Self {
        Self { format: None, notation: Notation::default(), room: 1 << 30 }
    }
}

impl CheckOptions {
    /// Returns the maximum length of a result in bytes. Its line, the text of its moves (twice) and
    /// its moves (up to four times as long) are in memory together.
    fn longest(&self) -> u64 {
        self.room / 12
    }

    /// Returns the maximum bytes of records read ahead, and also of records that wait for their
    /// results.
    fn waiting(&self) -> u64 {
        self.room / 8
    }
}

/// Reason why a check stops.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The puzzles cannot be read.
    #[error(transparent)]
    Puzzles(#[from] InputError),
    /// The results cannot be read.
    #[error("cannot read the results: {0}")]
    Results(#[from] io::Error),
    /// Too many records wait for their results.
    #[error("results are too far out of order to match within --memory")]
    Order,
    /// The results are in no known format.
    #[error("the results are not text, jsonl, csv or states as batch-solve writes them")]
    Format,
}

/// Counts and problems found by a check.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Records in the puzzle files.
    pub puzzles: u64,
    /// Correct solutions.
    pub solved: u64,
    /// Correct solutions that claim to be shortest.
    pub optimal: u64,
    /// Correct solutions as short as the known length of the record.
    pub as_known: u64,
    /// Correct solutions longer than the known length that do not claim to be shortest.
    pub longer: u64,
    /// Solutions that claim to be shortest, for records without a known length.
    pub unknown: u64,
    /// Boards correctly reported as unsolvable.
    pub unsolvable: u64,
    /// Trays reported as unsolvable with too many states to prove it again.
    pub unproved: u64,
    /// Undecided records.
    pub gave_up: u64,
    /// Records correctly reported as invalid.
    pub invalid: u64,
    /// Results that are wrong, unreadable, or without a record.
    pub wrong: u64,
    /// Records without a result.
    pub missing: u64,
    /// Whether the results contain a summary record.
    pub has_record: bool,
    /// The first problems, one line each.
    pub problems: Vec<String>,
}

impl Summary {
    /// Returns whether every record has exactly one result, and all results are correct.
    pub fn is_right(&self) -> bool {
        self.wrong == 0 && self.missing == 0
    }

    /// Returns the number of problems that are not in `problems`.
    pub fn more_problems(&self) -> u64 {
        self.wrong + self.missing - self.problems.len() as u64
    }

    /// Returns one line that lists what was not checked.
    pub fn unchecked(&self) -> String {
        let mut unchecked = Vec::new();
        if self.unknown > 0 {
            let s = if self.unknown == 1 { "" } else { "s" };
            unchecked.push(format!("{} claim{s} of a shortest solution (no length is known)", self.unknown));
        }
        if self.unproved > 0 {
            let s = if self.unproved == 1 { "" } else { "s" };
            unchecked.push(format!("{} unsolvable tray{s} (too many arrangements)", self.unproved));
        }
        unchecked.push("times, node counts, algorithms and heuristics".into());
        if self.has_record {
            unchecked.push("of the summary record all but its counts".into());
        }
        format!("not checked: {}", unchecked.join("; "))
    }

    fn add_problem(&mut self, problem: impl FnOnce() -> String) {
        if self.problems.len() < SHOWN {
            let mut problem = problem();
            // An id may be as long as a record.
            if let Some((end, _)) = problem.char_indices().nth(LONGEST) {
                problem.truncate(end);
                problem.push('…');
            }
            self.problems.push(problem);
        }
    }

    fn add_wrong(&mut self, problem: String) {
        self.wrong += 1;
        self.add_problem(|| problem);
    }

    fn count(&mut self, judgement: &Judgement) {
        match *judgement {
            Judgement::Solved { optimal, known } => {
                self.solved += 1;
                self.optimal += u64::from(optimal);
                match known {
                    Some(true) => self.as_known += 1,
                    Some(false) => self.longer += 1,
                    None => self.unknown += u64::from(optimal),
                }
            }
            Judgement::Unsolvable { is_proved } => {
                self.unsolvable += 1;
                self.unproved += u64::from(!is_proved);
            }
            Judgement::GaveUp => self.gave_up += 1,
            Judgement::Invalid => self.invalid += 1,
        }
    }
}

/// `100 puzzles: 98 solved (98 optimal, 98 as short as known), …; all right`.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} puzzles: {} solved ({} optimal", self.puzzles, self.solved, self.optimal)?;
        if self.as_known > 0 {
            write!(f, ", {} as short as known", self.as_known)?;
        }
        if self.longer > 0 {
            write!(f, ", {} longer than known", self.longer)?;
        }
        write!(f, "), {} unsolvable, {} gave up, {} invalid; ", self.unsolvable, self.gave_up, self.invalid)?;
        match (self.wrong, self.missing) {
            (0, 0) => f.write_str("all right"),
            (wrong, missing) => write!(f, "{wrong} wrong, {missing} missing"),
        }
    }
}

/// A correct result, with its record.
#[derive(Clone, Copy, Debug)]
pub struct CorrectResult<'a> {
    /// The record's own id, or its number.
    pub id: &'a str,
    /// The puzzle; `None` if the record is invalid.
    pub instance: Option<&'a Instance>,
    /// Claim of the result.
    pub answer: CheckedAnswer<'a>,
}

/// Claim of a correct result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckedAnswer<'a> {
    /// Moves of the blank to the goal, and whether they claim to be shortest.
    Solved(&'a [Direction], bool),
    /// Row and column of a block's top-left cell before and after each move.
    Slid(&'a [[i64; 4]]),
    /// There is no solution.
    Unsolvable,
    /// Nothing was decided.
    Nothing,
}

/// Returns the claim of a correct result.
fn answer<'a>(judgement: &Judgement, claim: &'a Claim) -> CheckedAnswer<'a> {
    match (judgement, claim) {
        (Judgement::Solved { optimal, .. }, Claim::Solved(solved)) => match &solved.moves {
            Moves::Letters(moves) => CheckedAnswer::Solved(moves, *optimal),
            Moves::Blocks(blocks) => CheckedAnswer::Slid(&blocks.steps),
        },
        (Judgement::Unsolvable { .. }, _) => CheckedAnswer::Unsolvable,
        _ => CheckedAnswer::Nothing,
    }
}

/// Judges every result of the puzzles in `files`. `files` are in the order in which the solver read
/// them.
pub fn check(
    files: Vec<impl Into<PuzzleFile>>,
    results: impl BufRead,
    options: &CheckOptions,
) -> Result<Summary, CheckError> {
    check_each(files, results, options, |_| {})
}

/// Judges every result like [`check`], and calls `visit` with each correct one.
pub fn check_each(
    files: Vec<impl Into<PuzzleFile>>,
    results: impl BufRead,
    options: &CheckOptions,
    mut visit: impl FnMut(CorrectResult<'_>),
) -> Result<Summary, CheckError> {
    let mut summary = Summary::default();
    let visit = |event: CheckEvent<'_>| match event {
        CheckEvent::Correct { puzzle, outcome, judgement } => {
            summary.count(&judgement);
            let answer = answer(&judgement, &outcome.claim);
            visit(CorrectResult { id: &puzzle.id, instance: puzzle.instance.as_ref().ok(), answer });
        }
        CheckEvent::Wrong(what) => summary.add_wrong(what),
        CheckEvent::Missing(name) => summary.add_problem(|| format!("{name}: no result")),
        CheckEvent::Summary { line, wrong } => {
            summary.has_record = true;
            wrong.into_iter().for_each(|what| summary.add_wrong(format!("results line {line}: {what}")));
        }
    };
    let files = files.into_iter().map(Into::into).collect();
    let missing = visit_each(files, results, options, visit)?;
    summary.missing = missing.without_result;
    summary.puzzles = missing.puzzles;
    Ok(summary)
}

/// An item that [`visit_each`] reports.
enum CheckEvent<'a> {
    /// A correct result, and its record.
    Correct { puzzle: &'a Puzzle, outcome: &'a Outcome, judgement: Judgement },
    /// Problem of a result that is wrong, unreadable, or without a record.
    Wrong(String),
    /// Name of a record without a result.
    Missing(String),
    /// The summary record: its line, and its errors.
    Summary { line: u64, wrong: Vec<String> },
}

/// Calls `visit` with every result, and with every record without a result.
fn visit_each(
    files: Vec<PuzzleFile>,
    results: impl BufRead,
    options: &CheckOptions,
    mut visit: impl FnMut(CheckEvent<'_>),
) -> Result<Missing, CheckError> {
    let mut matching = Matching::new(Puzzles::new(files), options.waiting());
    let (mut tally, mut is_over) = (Tally::default(), false);
    let Some(results) = results::open(results, options)? else { return Err(CheckError::Format) };
    for found in results {
        let outcome = match found? {
            ResultItem::Outcome(outcome) => *outcome,
            ResultItem::Malformed { line, what } => {
                visit(CheckEvent::Wrong(format!("results line {line}: {what}")));
                continue;
            }
            ResultItem::Summary { line, counts } => {
                let mut wrong = tally.compare(&counts);
                if std::mem::replace(&mut is_over, true) {
                    wrong = vec!["a second summary".into()];
                }
                visit(CheckEvent::Summary { line, wrong });
                continue;
            }
        };
        tally.add(&outcome);
        if is_over {
            visit(CheckEvent::Wrong(format!("results line {}: a result after the summary", outcome.line)));
        }
        match matching.find(&outcome)? {
            Match::Puzzle(puzzle) => match judge(&puzzle, &outcome) {
                Ok(judgement) => visit(CheckEvent::Correct { puzzle: &puzzle, outcome: &outcome, judgement }),
                Err(what) => visit(CheckEvent::Wrong(format!("{}: {what}", matching.name(&puzzle)))),
            },
            Match::None(what) => visit(CheckEvent::Wrong(format!("results line {}: {what}", outcome.line))),
        }
    }
    Ok(matching.finish(|name| visit(CheckEvent::Missing(name)))?)
}
