//! The stream of results: which format it has, and one result after the other.

use super::{
    CheckOptions, csv, jsonl,
    limited::Limited,
    outcome::Outcome,
    states::{self, Section},
    tally::Counts,
    text,
};
use crate::output::{Format, Notation};
use std::io::{self, BufRead, Read};

/// What came next in the results.
pub(super) enum Found {
    Outcome(Box<Outcome>),
    /// The summary, behind which no result should come.
    Summary {
        line: u64,
        counts: Counts,
    },
    /// Something that belongs to no record that one could tell.
    Malformed {
        line: u64,
        what: String,
    },
}

/// So much of the first line is looked at.
const FIRST: u64 = 64 << 10;

/// The results, one by one; `None` if their format is not known.
pub(super) fn open<'a>(
    mut results: impl BufRead + 'a,
    options: &CheckOptions,
) -> io::Result<Option<Box<dyn Iterator<Item = io::Result<Found>> + 'a>>> {
    // The first line, or as much of it as tells the format.
    let mut first = Vec::new();
    results.by_ref().take(FIRST).read_until(b'\n', &mut first)?;
    let tile_letters = options.notation == Notation::Tile;
    let Some(format) = options.format.or_else(|| detect(&String::from_utf8_lossy(&first))) else {
        return Ok(None);
    };
    let results = Limited::new(io::Cursor::new(first).chain(results), options.longest());
    let most = options.longest();
    Ok(Some(match format {
        Format::Csv => Box::new(csv::Rows::new(results, tile_letters)?),
        _ => Box::new(Lines {
            results,
            most,
            format,
            tile_letters,
            number: 0,
            line: Vec::new(),
            section: None,
        }),
    }))
}

/// The format that a first line shows. No results at all are text: every
/// record's is missing.
fn detect(line: &str) -> Option<Format> {
    let line = line.trim_end_matches(['\r', '\n']);
    if line.is_empty() || text::fits(line) {
        Some(Format::Text)
    } else if line.starts_with('{') {
        Some(Format::Jsonl)
    } else if csv::fits(line) {
        Some(Format::Csv)
    } else {
        states::fits(line).then_some(Format::States)
    }
}

/// Results in lines.
struct Lines<R> {
    results: Limited<R>,
    /// The room for a result, in bytes.
    most: u64,
    format: Format,
    tile_letters: bool,
    number: u64,
    line: Vec<u8>,
    section: Option<Section>,
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Found>;

    fn next(&mut self) -> Option<io::Result<Found>> {
        loop {
            self.line.clear();
            self.results.begin();
            match self.results.read_until(b'\n', &mut self.line) {
                Ok(0) => return self.section.take().map(|section| Ok(section.found())),
                Ok(_) => self.number += 1,
                Err(error) => return Some(Err(error)),
            }
            if let Some(found) = self.take_line() {
                return Some(Ok(found));
            }
        }
    }
}

impl<R> Lines<R> {
    /// What the line completes, if it does.
    fn take_line(&mut self) -> Option<Found> {
        let line = self.number;
        let Ok(text) = std::str::from_utf8(&self.line) else {
            return Some(Found::Malformed { line, what: "not UTF-8".into() });
        };
        let text = text.trim_end_matches(['\r', '\n']);
        if self.format == Format::States {
            return match (Section::new(text, line), &mut self.section) {
                (None, Some(section)) => {
                    section.line(text, self.most);
                    None
                }
                (None, None) if text.is_empty() => None,
                (None, None) => Some(Found::Malformed { line, what: "not a heading".into() }),
                (Some(next), section) => section.replace(next).map(Section::found),
            };
        }
        if text.is_empty() {
            return None;
        }
        if self.format == Format::Text {
            return Some(Found::Outcome(Box::new(text::outcome(text, line, self.tile_letters))));
        }
        Some(match jsonl::record(text, line, self.tile_letters) {
            Ok(jsonl::Record::Result(outcome)) => Found::Outcome(outcome),
            Ok(jsonl::Record::Summary(counts)) => Found::Summary { line, counts },
            Err(what) => Found::Malformed { line, what },
        })
    }
}

impl Section {
    fn found(self) -> Found {
        Found::Outcome(Box::new(self.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_shows_the_format() {
        assert_eq!(detect("1\tsolved\t0\t\n"), Some(Format::Text));
        assert_eq!(detect("puzzle 1: solved, \tsolved\t0\t"), Some(Format::Text));
        assert_eq!(detect(""), Some(Format::Text));
        assert_eq!(detect("{\"type\":\"summary\"}\r\n"), Some(Format::Jsonl));
        assert_eq!(detect("type,v,file,n,id,status\n"), Some(Format::Csv));
        assert_eq!(detect("puzzle 17: solved, 2 moves\n"), Some(Format::States));
        assert_eq!(detect("1 2 3 4 5 6 7 8 0\n"), None);
    }
}
