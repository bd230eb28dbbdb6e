//! Replays solutions, independently of the code that found them.
//!
//! [`check`] reads puzzles and results side by side, finds for each result its
//! record, and judges it: a solution must lead to the goal in as many moves as
//! it says, an unsolvable board must be one by parity (a tray, as far as a plain
//! search can tell), an invalid record must
//! be invalid, and each record must have exactly one result. Nothing here calls
//! the search, or the code that writes results.
//!
//! Where results stand in the order of the input, memory stays flat however
//! many there are.

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
pub use pairs::{Known, Pair, pairs};
pub use puzzles::PuzzleFile;
use puzzles::{Puzzle, Puzzles};
use results::Found;
use std::{fmt, io, io::BufRead};
use tally::Tally;
use verdict::{Judgement, judge};

/// So many problems are kept word for word; the rest are counted.
const SHOWN: usize = 20;

/// So many characters of a problem are shown.
const LONGEST: usize = 1000;

/// How results are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// Their format; recognised by their first line if not given.
    pub format: Option<Format>,
    /// What a letter says in results that do not say it themselves.
    pub notation: Notation,
    /// Bytes of memory that reading them may take, whatever they are.
    pub room: u64,
}

/// Any format, and as much memory as any result needs.
impl Default for CheckOptions {
    fn default() -> Self {
        Self { format: None, notation: Notation::default(), room: 1 << 30 }
    }
}

impl CheckOptions {
    /// The longest result in bytes: its line, the text of its moves, twice, and its
    /// moves, which are up to four times as long, are there at once.
    fn longest(&self) -> u64 {
        self.room / 12
    }

    /// Bytes of records that are looked at ahead, and as many that wait for their
    /// results.
    fn waiting(&self) -> u64 {
        self.room / 8
    }
}

/// What stops a check.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The puzzles cannot be read.
    #[error(transparent)]
    Puzzles(#[from] InputError),
    /// The results cannot be read.
    #[error("cannot read the results: {0}")]
    Results(#[from] io::Error),
    /// Too many records wait for their results.
    #[error("the results are too far from the order of the records: --memory has no room for all that wait")]
    Order,
    /// The results are in no known format.
    #[error("the results are not text, jsonl, csv or states as batch-solve writes them")]
    Format,
}

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Records in the puzzle files.
    pub puzzles: u64,
    /// Solutions that are right.
    pub solved: u64,
    /// Of these, those that claim to be shortest.
    pub optimal: u64,
    /// Of these, those as short as the length known for the record.
    pub as_known: u64,
    /// Of these, those longer than the length known, without claiming to be
    /// shortest.
    pub longer: u64,
    /// Solutions that claim to be shortest, of which nothing is known to compare
    /// the claim with.
    pub unknown: u64,
    /// Boards rightly said to be unsolvable.
    pub unsolvable: u64,
    /// Of these, trays with too many arrangements to prove it again.
    pub believed: u64,
    /// Records left undecided.
    pub gave_up: u64,
    /// Records rightly said to be invalid.
    pub invalid: u64,
    /// Results that are wrong, unreadable, or of no record.
    pub wrong: u64,
    /// Records without a result.
    pub missing: u64,
    /// Whether a summary record came with the results.
    pub has_record: bool,
    /// The first problems, each one line.
    pub problems: Vec<String>,
}

impl Summary {
    /// Whether every record has its one result, and all are right.
    pub fn is_right(&self) -> bool {
        self.wrong == 0 && self.missing == 0
    }

    /// How many problems there are besides those in `problems`.
    pub fn more_problems(&self) -> u64 {
        self.wrong + self.missing - self.problems.len() as u64
    }

    /// What was not checked, in one line.
    pub fn unchecked(&self) -> String {
        let mut unchecked = Vec::new();
        if self.unknown > 0 {
            let s = if self.unknown == 1 { "" } else { "s" };
            unchecked.push(format!("{} claim{s} of a shortest solution (no length is known)", self.unknown));
        }
        if self.believed > 0 {
            let s = if self.believed == 1 { "" } else { "s" };
            unchecked.push(format!("{} unsolvable tray{s} (too many arrangements)", self.believed));
        }
        unchecked.push("times, node counts, algorithms and heuristics".into());
        if self.has_record {
            unchecked.push("of the summary record all but its counts".into());
        }
        format!("not checked: {}", unchecked.join("; "))
    }

    fn note(&mut self, problem: impl FnOnce() -> String) {
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

    fn wrong(&mut self, problem: String) {
        self.wrong += 1;
        self.note(|| problem);
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
                self.believed += u64::from(!is_proved);
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

/// A result that was found right, with its record.
#[derive(Clone, Copy, Debug)]
pub struct Right<'a> {
    /// The record's own id, or its number.
    pub id: &'a str,
    /// The puzzle, unless the record is invalid.
    pub instance: Option<&'a Instance>,
    /// What the result says.
    pub says: Says<'a>,
}

/// What a result that is right says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Says<'a> {
    /// The blank's moves to the goal, and whether they claim to be shortest.
    Solved(&'a [Direction], bool),
    /// Row and column of a block's top-left cell before and after each move.
    Slid(&'a [[i64; 4]]),
    /// There is no solution.
    Unsolvable,
    /// Nothing was decided.
    Nothing,
}

/// What a claim that was found right says.
fn says<'a>(judgement: &Judgement, claim: &'a Claim) -> Says<'a> {
    match (judgement, claim) {
        (Judgement::Solved { optimal, .. }, Claim::Solved(solved)) => match &solved.moves {
            Moves::Letters(moves) => Says::Solved(moves, *optimal),
            Moves::Blocks(blocks) => Says::Slid(&blocks.steps),
        },
        (Judgement::Unsolvable { .. }, _) => Says::Unsolvable,
        _ => Says::Nothing,
    }
}

/// Judges every result of the puzzles in `files`, in the order in which they
/// were given to the solver.
pub fn check(
    files: Vec<impl Into<PuzzleFile>>,
    results: impl BufRead,
    options: &CheckOptions,
) -> Result<Summary, CheckError> {
    check_each(files, results, options, |_| {})
}

/// The same, and shows each result that is right to `visit`.
pub fn check_each(
    files: Vec<impl Into<PuzzleFile>>,
    results: impl BufRead,
    options: &CheckOptions,
    mut visit: impl FnMut(Right<'_>),
) -> Result<Summary, CheckError> {
    let mut summary = Summary::default();
    let visit = |met: Met<'_>| match met {
        Met::Right { puzzle, outcome, judgement } => {
            summary.count(&judgement);
            let says = says(&judgement, &outcome.claim);
            visit(Right { id: &puzzle.id, instance: puzzle.instance.as_ref().ok(), says });
        }
        Met::Wrong(what) => summary.wrong(what),
        Met::Missing(name) => summary.note(|| format!("{name}: no result")),
        Met::Summary { line, wrong } => {
            summary.has_record = true;
            wrong.into_iter().for_each(|what| summary.wrong(format!("results line {line}: {what}")));
        }
    };
    let files = files.into_iter().map(Into::into).collect();
    let missing = each(files, results, options, visit)?;
    summary.missing = missing.without_result;
    summary.puzzles = missing.puzzles;
    Ok(summary)
}

/// What one meets in a file of results.
enum Met<'a> {
    /// A result that is right, and its record.
    Right { puzzle: &'a Puzzle, outcome: &'a Outcome, judgement: Judgement },
    /// One that is wrong, unreadable, or of no record.
    Wrong(String),
    /// The name of a record without one.
    Missing(String),
    /// The summary record: its line, and what is wrong with it.
    Summary { line: u64, wrong: Vec<String> },
}

/// Calls `visit` with every result, and with every record that has none.
fn each(
    files: Vec<PuzzleFile>,
    results: impl BufRead,
    options: &CheckOptions,
    mut visit: impl FnMut(Met<'_>),
) -> Result<Missing, CheckError> {
    let mut matching = Matching::new(Puzzles::new(files), options.waiting());
    let (mut tally, mut is_over) = (Tally::default(), false);
    let Some(results) = results::open(results, options)? else { return Err(CheckError::Format) };
    for found in results {
        let outcome = match found? {
            Found::Outcome(outcome) => *outcome,
            Found::Malformed { line, what } => {
                visit(Met::Wrong(format!("results line {line}: {what}")));
                continue;
            }
            Found::Summary { line, counts } => {
                let mut wrong = tally.compare(&counts);
                if std::mem::replace(&mut is_over, true) {
                    wrong = vec!["a second summary".into()];
                }
                visit(Met::Summary { line, wrong });
                continue;
            }
        };
        tally.add(&outcome);
        if is_over {
            visit(Met::Wrong(format!("results line {}: a result after the summary", outcome.line)));
        }
        match matching.find(&outcome)? {
            Match::Puzzle(puzzle) => match judge(&puzzle, &outcome) {
                Ok(judgement) => visit(Met::Right { puzzle: &puzzle, outcome: &outcome, judgement }),
                Err(what) => visit(Met::Wrong(format!("{}: {what}", matching.name(&puzzle)))),
            },
            Match::None(what) => visit(Met::Wrong(format!("results line {}: {what}", outcome.line))),
        }
    }
    Ok(matching.finish(|name| visit(Met::Missing(name)))?)
}
