//! The lines of a file of results, or its rows of CSV, one at a time.
//!
//! A line may be as long as the moves of the largest board; what is held of it is
//! its beginning and its end, between which there is nothing but moves.

use std::io::{self, BufRead};

/// So much is held of the beginning, where an id may be long, and of the end.
const HEAD: usize = 2 << 20;
const TAIL: usize = 4 << 10;

/// What is read of a file.
pub(crate) struct Pieces<R> {
    reader: R,
    /// Whether a line feed in quotes does not end a piece.
    quotes: bool,
    text: Vec<u8>,
    /// Where the last piece began and ended, and on which line it began.
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) line: u64,
    lines: u64,
}

impl<R: BufRead> Pieces<R> {
    pub(crate) fn new(reader: R, quotes: bool) -> Self {
        Self { reader, quotes, text: Vec::new(), start: 0, end: 0, line: 1, lines: 0 }
    }

    /// The next piece without its line feed; none if there is none that is whole.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.text.clear();
        self.start = self.end;
        self.line += std::mem::take(&mut self.lines);
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
                self.lines += 1;
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
    fn only_whole_pieces_count() {
        let mut pieces = Pieces::new(&b"one\n\"a\nb\"\nthr"[..], false);
        for (text, start, end, line) in [("one", 0, 4, 1), ("\"a", 4, 7, 2), ("b\"", 7, 10, 3)] {
            assert_eq!(pieces.next().unwrap(), Some(text.as_bytes()));
            assert_eq!((pieces.start, pieces.end, pieces.line), (start, end, line));
        }
        assert_eq!(pieces.next().unwrap(), None);
        assert_eq!(pieces.end, 10);
        let mut rows = Pieces::new(&b"one\n\"a\nb\"\n\"c\n"[..], true);
        assert_eq!(rows.next().unwrap(), Some(&b"one"[..]));
        assert_eq!(rows.next().unwrap(), Some(&b"\"a\nb\""[..]));
        assert_eq!(rows.next().unwrap(), None);
        assert_eq!((rows.end, rows.line), (10, 4));
    }

    #[test]
    fn of_a_long_line_both_ends_are_held() {
        let mut text = b"begin".to_vec();
        text.resize(20 << 20, b'x');
        text.extend_from_slice(b"end\nnext\n");
        let mut pieces = Pieces::new(io::BufReader::new(&text[..]), false);
        let first = pieces.next().unwrap().unwrap();
        assert!(first.starts_with(b"beginx") && first.ends_with(b"xend") && first.len() < 5 << 20);
        assert_eq!(pieces.next().unwrap(), Some(&b"next"[..]));
        assert_eq!(pieces.end, text.len() as u64);
    }
}
