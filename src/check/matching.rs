//! Finds the record of each result.
//!
//! Results that name their file and number are matched by these; others by order and id. Records
//! that were overtaken by a result are stored until theirs arrives. If results are in input order
//! there are none, so memory grows only with records that are out of order or missing.

use super::{
    CheckError,
    outcome::{Outcome, short},
    puzzles::{Puzzle, Puzzles},
};
use crate::input::InputError;
use std::collections::{HashMap, VecDeque};

/// Maximum number of records searched ahead for an id.
const AHEAD: usize = 1000;

/// Overhead of a waiting record beside its content, in bytes.
const WAITING: u64 = 512;

/// The record of a result, or the reason why there is none.
pub(super) enum Match {
    Puzzle(Box<Puzzle>),
    None(String),
}

/// Number of records, and of records without a result.
pub(super) struct Missing {
    pub(super) puzzles: u64,
    pub(super) without_result: u64,
}

/// Key of a waiting record.
#[derive(PartialEq, Eq, Hash)]
enum Handle {
    Place(usize, u64),
    Id(Box<str>),
}

/// Records without a result so far.
pub(super) struct Matching {
    puzzles: Puzzles,
    /// Records not yet reached, in order.
    ahead: VecDeque<Puzzle>,
    /// Records overtaken by a result.
    waiting: HashMap<Handle, VecDeque<Puzzle>>,
    /// Number of records read from each file.
    read: Vec<u64>,
    /// Bytes of the records ahead and of the waiting records, and the limit of each.
    held: (u64, u64),
    room: u64,
}

impl Matching {
    pub(super) fn new(puzzles: Puzzles, room: u64) -> Self {
        let read = vec![0; puzzles.files().len()];
        let (ahead, waiting, held) = (VecDeque::new(), HashMap::new(), (0, 0));
        Self { puzzles, ahead, waiting, read, held, room }
    }

    /// Returns the record's name for messages.
    pub(super) fn name(&self, puzzle: &Puzzle) -> String {
        let file = self.puzzles.files().nth(puzzle.file).unwrap_or("");
        let id =
            if *puzzle.id == *puzzle.n.to_string() { String::new() } else { format!(" ({})", puzzle.id) };
        format!("{file}, line {}, record {}{id}", puzzle.line, puzzle.n)
    }

    /// Returns the record of a result.
    pub(super) fn find(&mut self, outcome: &Outcome) -> Result<Match, CheckError> {
        let found = match &outcome.place {
            Some((file, n)) => self.find_by_place(file, *n),
            None => self.find_by_order(outcome),
        }?;
        if self.held.1 > self.room { Err(CheckError::Order) } else { Ok(found) }
    }

    fn find_by_place(&mut self, name: &str, n: u64) -> Result<Match, InputError> {
        // A single file may have another name in the results: it may have been read from standard
        // input, or have been moved.
        let file = if self.read.len() == 1 { Some(0) } else { self.puzzles.files().position(|f| f == name) };
        let Some(file) = file else {
            return Ok(Match::None(format!("no puzzles come from a file '{}'", short(name))));
        };
        while let Some(next) = self.look_ahead(0)?.map(|puzzle| (puzzle.file, puzzle.n)) {
            // If too many records wait, `find` returns the error.
            if next > (file, n) || self.held.1 > self.room {
                break;
            }
            if let Some(puzzle) = self.pop() {
                if next == (file, n) {
                    return Ok(Match::Puzzle(puzzle.into()));
                }
                self.wait(Handle::Place(next.0, next.1), puzzle);
            }
        }
        Ok(self.take_waiting(Handle::Place(file, n)).unwrap_or_else(|| {
            let what = if (1..=self.read[file]).contains(&n) { "a second result for" } else { "there is no" };
            Match::None(format!("{what} record {n} of {}", self.puzzles.files().nth(file).unwrap_or("")))
        }))
    }

    fn find_by_order(&mut self, outcome: &Outcome) -> Result<Match, InputError> {
        let mut index = 0;
        while let Some(puzzle) = self.look_ahead(index)? {
            if outcome.is_named(&puzzle.id) {
                for _ in 0..index {
                    if let Some(overtaken) = self.pop() {
                        self.wait(Handle::Id(overtaken.id.clone()), overtaken);
                    }
                }
                if let Some(puzzle) = self.pop() {
                    return Ok(Match::Puzzle(puzzle.into()));
                }
            }
            index += 1;
            if index == AHEAD || self.held.0 > self.room {
                break;
            }
        }
        let id = outcome.id.as_deref().unwrap_or("");
        let mut ids = std::iter::once(id).chain(outcome.other_ids.iter().map(String::as_str));
        Ok(ids
            .find_map(|id| self.take_waiting(Handle::Id(id.into())))
            .unwrap_or_else(|| Match::None(format!("no record '{}' without a result", short(id)))))
    }

    /// Returns the record `index` places ahead.
    fn look_ahead(&mut self, index: usize) -> Result<Option<&Puzzle>, InputError> {
        while self.ahead.len() <= index {
            let Some(puzzle) = self.puzzles.next()? else { return Ok(None) };
            self.read[puzzle.file] += 1;
            self.held.0 += puzzle.bytes();
            self.ahead.push_back(puzzle);
        }
        Ok(self.ahead.get(index))
    }

    /// Removes and returns the next record.
    fn pop(&mut self) -> Option<Puzzle> {
        let puzzle = self.ahead.pop_front()?;
        self.held.0 -= puzzle.bytes();
        Some(puzzle)
    }

    fn wait(&mut self, handle: Handle, puzzle: Puzzle) {
        self.held.1 += WAITING + puzzle.bytes();
        self.waiting.entry(handle).or_default().push_back(puzzle);
    }

    fn take_waiting(&mut self, handle: Handle) -> Option<Match> {
        let puzzles = self.waiting.get_mut(&handle)?;
        let puzzle = puzzles.pop_front()?;
        self.held.1 -= WAITING + puzzle.bytes();
        if puzzles.is_empty() {
            self.waiting.remove(&handle);
        }
        Some(Match::Puzzle(puzzle.into()))
    }

    /// Calls `missing` with the name of each record without a result.
    pub(super) fn finish(mut self, mut missing: impl FnMut(String)) -> Result<Missing, InputError> {
        let mut waiting: Vec<Puzzle> = std::mem::take(&mut self.waiting).into_values().flatten().collect();
        waiting.sort_unstable_by_key(|puzzle| (puzzle.file, puzzle.n));
        let mut without_result = waiting.len() as u64;
        waiting.iter().for_each(|puzzle| missing(self.name(puzzle)));
        while self.look_ahead(0)?.is_some() {
            if let Some(puzzle) = self.pop() {
                without_result += 1;
                missing(self.name(&puzzle));
            }
        }
        Ok(Missing { puzzles: self.read.iter().sum(), without_result })
    }
}
