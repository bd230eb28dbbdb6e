//! Stream of results: detects the format and yields one result after the other.

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

/// An item of the results.
pub(super) enum ResultItem {
    Outcome(Box<Outcome>),
    /// The summary; no result should follow it.
    Summary {
        line: u64,
        counts: Counts,
    },
    /// Malformed text that cannot be assigned to a record.
    Malformed {
        line: u64,
        what: String,
    },
}

/// Maximum bytes of the first line used to detect the format.
const FIRST: u64 = 64 << 10;

/// Returns an iterator over the results, or `None` if their format is unknown.
pub(super) fn open<'a>(
    mut results: impl BufRead + 'a,
    options: &CheckOptions,
) -> io::Result<Option<Box<dyn Iterator<Item = io::Result<ResultItem>> + 'a>>> {
    // The first line, or as much of it as is needed to detect the format.
    let mut first = Vec::new();
    results.by_ref().take(FIRST).read_until(b'\n', &mut first)?;
    let tile_letters = options.notation == Notation::Tile;
    let Some(format) = options.format.or_else(|| detect(&String::from_utf8_lossy(&first))) else {
        return Ok(None);
    };
    let results = Limited::new(io::Cursor::new(first).chain(results), options.longest());
    let max_bytes = options.longest();
    Ok(Some(match format {
        Format::Csv => Box::new(csv::Rows::new(results, tile_letters)?),
        _ => Box::new(Lines {
            results,
            max_bytes,
            format,
            tile_letters,
            number: 0,
            line: Vec::new(),
            section: None,
        }),
    }))
}

/// Detects the format from the first line. An empty file counts as text: every record's result is
/// missing.
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

/// Results separated by line ends.
struct Lines<R> {
    results: Limited<R>,
    /// Maximum size of a result, in bytes.
    max_bytes: u64,
    format: Format,
    tile_letters: bool,
    number: u64,
    line: Vec<u8>,
    section: Option<Section>,
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<ResultItem>;

    fn next(&mut self) -> Option<io::Result<ResultItem>> {
        loop {
            self.line.clear();
            self.results.begin();
            match self.results.read_until(b'\n', &mut self.line) {
                Ok(0) => return self.section.take().map(|section| Ok(section.found())),
                Ok(_) => self.number += 1,
                Err(error) => return Some(Err(error)),
            }
            if let Some(found) = self.finish_line() {
                return Some(Ok(found));
            }
        }
    }
}

impl<R> Lines<R> {
    /// Returns the result that the current line completes, if it does.
    fn finish_line(&mut self) -> Option<ResultItem> {
        let line = self.number;
        let Ok(text) = std::str::from_utf8(&self.line) else {
            return Some(ResultItem::Malformed { line, what: "not UTF-8".into() });
        };
        let text = text.trim_end_matches(['\r', '\n']);
        if self.format == Format::States {
            return match (Section::new(text, line), &mut self.section) {
                (None, Some(section)) => {
                    section.line(text, self.max_bytes);
                    None
                }
                (None, None) if text.is_empty() => None,
                (None, None) => Some(ResultItem::Malformed { line, what: "not a heading".into() }),
                (Some(next), section) => section.replace(next).map(Section::found),
            };
        }
        if text.is_empty() {
            return None;
        }
        if self.format == Format::Text {
            return Some(ResultItem::Outcome(Box::new(text::outcome(text, line, self.tile_letters))));
        }
        Some(match jsonl::record(text, line, self.tile_letters) {
            Ok(jsonl::Record::Result(outcome)) => ResultItem::Outcome(outcome),
            Ok(jsonl::Record::Summary(counts)) => ResultItem::Summary { line, counts },
            Err(what) => ResultItem::Malformed { line, what },
        })
    }
}

impl Section {
    fn found(self) -> ResultItem {
        ResultItem::Outcome(Box::new(self.finish()))
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
