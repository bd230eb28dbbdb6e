//! Splits a file of results into lines, or into rows of CSV.
//!
//! A line may be as long as the moves of the largest board. Only its beginning and its end are held
//! in memory; the part between them contains nothing but moves.

use std::io::{self, BufRead};

/// Bytes held of the beginning of a long line, where an id may be long.
const HEAD: usize = 2 << 20;

/// Bytes held of its end.
const TAIL: usize = 4 << 10;

/// An iterator over the lines of a file.
pub(crate) struct Splitter<R> {
    reader: R,
    /// Whether a line feed inside quotes belongs to the line (CSV).
    quotes: bool,
    text: Vec<u8>,
    /// Offset at which the last line began.
    pub(crate) start: u64,
    /// Offset at which it ended.
    pub(crate) end: u64,
    /// Line number at which it began, from 1.
    pub(crate) line: u64,
    /// Number of line feeds in it.
    line_feeds: u64,
}

impl<R: BufRead> Splitter<R> {
    pub(crate) fn new(reader: R, quotes: bool) -> Self {
        Self { reader, quotes, text: Vec::new(), start: 0, end: 0, line: 1, line_feeds: 0 }
    }

    /// Returns the next line without its line feed; `None` if no complete line is left.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.text.clear();
        self.start = self.end;
        self.line += std::mem::take(&mut self.line_feeds);
        let mut at = self.end;
        let mut open = false;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(None);
            }
            let newline = memchr::memchr(b'\n', buffer);
            let taken = newline.map_or(buffer.len(), |newline| newline + 1);
            let part = &buffer[..taken];
            if self.quotes {
                open ^= memchr::memchr_iter(b'"', part).count() % 2 == 1;
            }
            self.text.extend_from_slice(part);
            self.reader.consume(taken);
            at += taken as u64;
            if newline.is_some() {
                self.line_feeds += 1;
                if !open {
                    break;
                }
            }
            if self.text.len() > 2 * HEAD {
                self.text.drain(HEAD..self.text.len() - TAIL);
            }
        }
        self.end = at;
        self.text.pop();
        Ok(Some(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_lines_count() {
        let mut lines = Splitter::new(&b"one\n\"a\nb\"\nthr"[..], false);
        for (text, start, end, line) in [("one", 0, 4, 1), ("\"a", 4, 7, 2), ("b\"", 7, 10, 3)] {
            assert_eq!(lines.next().unwrap(), Some(text.as_bytes()));
            assert_eq!((lines.start, lines.end, lines.line), (start, end, line));
        }
        assert_eq!(lines.next().unwrap(), None);
        assert_eq!(lines.end, 10);
        let mut rows = Splitter::new(&b"one\n\"a\nb\"\n\"c\n"[..], true);
        assert_eq!(rows.next().unwrap(), Some(&b"one"[..]));
        assert_eq!(rows.next().unwrap(), Some(&b"\"a\nb\""[..]));
        assert_eq!(rows.next().unwrap(), None);
        assert_eq!((rows.end, rows.line), (10, 4));
    }

    #[test]
    fn both_ends_of_a_long_line_are_held() {
        let mut text = b"begin".to_vec();
        text.resize(20 << 20, b'x');
        text.extend_from_slice(b"end\nnext\n");
        let mut lines = Splitter::new(io::BufReader::new(&text[..]), false);
        let first = lines.next().unwrap().unwrap();
        assert!(first.starts_with(b"beginx") && first.ends_with(b"xend") && first.len() < 5 << 20);
        assert_eq!(lines.next().unwrap(), Some(&b"next"[..]));
        assert_eq!(lines.end, text.len() as u64);
    }
}
