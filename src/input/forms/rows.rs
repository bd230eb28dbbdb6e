//! Grids without a header: consecutive lines with equally many numbers that together form one
//! board.
//!
//! A line of 4, 9, 16, … numbers may also be a record by itself, so lines are rows only if they
//! share no number: two boards of the same size share all numbers, two rows of one board none. The
//! decision depends on the text alone, never on how it arrives.
//!
//! 1. [`is_record`] recognises lines of files of one-line records without reading the next line.
//!    Such a file is read at full speed, and a program that waits for each answer gets it.
//! 2. [`classify`] compares a line with the following lines. Rows without a common number are a
//!    grid up to the end of the paragraph; a square grid also ends where the next row repeats its
//!    numbers.
//! 3. Rows that form a grid but not a board are one invalid record.

use super::one_line::OneLine;
use super::word::{Words, comment, is_tile_gap};
use super::{paragraph, plain};
use crate::input::context::Context;
use crate::puzzle::tiles::Size;
use memchr::memchr;

/// Maximum number of rows and columns of a board.
const MOST: usize = 256;

/// Minimum number of tiles of a one-line board that is recognised without the next line.
const TELLING: usize = 9;

/// Kind of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::input) enum LineKind {
    /// A record on one line.
    Record,
    /// The first row of a grid of `bytes` bytes in `lines` lines.
    Grid { bytes: usize, lines: u64 },
    /// The text ends too early to decide.
    More,
}

/// Returns whether a line is certainly a board by itself: one of its numbers is 0, and all are
/// below their count. Hardly any row of a larger board is like that, unless it is very short.
#[inline]
pub(in crate::input) fn is_record(line: &[u8], context: &Context) -> bool {
    let (mut words, mut first, mut largest) = (0, 0, 0);
    let mut has_zero = false;
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        let mut number = u32::from(byte.wrapping_sub(b'0'));
        at += 1;
        if number > 9 {
            if !matches!(byte, b' ' | b'\t' | b',' | b'\r') {
                return false;
            }
            continue;
        }
        while let Some(digit) = line.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit <= 9) {
            number = number.wrapping_mul(10).wrapping_add(digit.into());
            at += 1;
        }
        if words == 0 {
            first = number;
        } else {
            largest = largest.max(number);
        }
        has_zero |= number == 0;
        words += 1;
    }
    let fits = |cells: usize| {
        (words == cells && first.max(largest) < cells as u32)
            || (words == cells + 1 && largest < cells as u32)
    };
    has_zero
        && match context.size {
            Ok(Some(size)) => fits(size.cells()),
            _ => words >= TELLING && fits(words.isqrt() * words.isqrt()),
        }
}

/// Classifies the line at the start of `text`. `whole` means that no more text follows.
pub(in crate::input) fn classify(text: &[u8], whole: bool, context: &Context) -> LineKind {
    let mut lines = Lines { text, at: 0, number: 0, whole };
    let Some((line, bytes)) = lines.line() else { return LineKind::More };
    lines.consume(bytes);
    let Some(first) = Row::read(line).filter(|row| row.is_tiles && (2..=MOST).contains(&row.width)) else {
        return LineKind::Record;
    };
    let width = first.width;
    let second = match lines.next_row() {
        Next::Row(line) => Row::read(line).filter(|row| row.width == width),
        Next::End => None,
        Next::More => return LineKind::More,
    };
    let Some(second) = second else { return LineKind::Record };
    let mut seen = Numbers::default();
    if !(seen.add(&first) && seen.add(&second)) {
        let is_small = first.largest.max(second.largest) as usize <= width;
        return if is_record_width(width, context) || is_small {
            LineKind::Record
        } else {
            lines.rest(context)
        };
    }
    let mut rows = 2;
    loop {
        let grid = lines.grid();
        let line = match lines.next_row() {
            Next::Row(line) => line,
            Next::End => return grid,
            Next::More => return LineKind::More,
        };
        match Row::read(line).filter(|row| row.width == width) {
            Some(row) if rows < MOST && seen.add(&row) => rows += 1,
            Some(row) if rows == width && seen.are_board(rows * width) && row.can_be_of(rows * width) => {
                return grid;
            }
            None if is_board(line, context) && seen.are_board(rows * width) => return grid,
            _ => return lines.rest(context),
        }
    }
}

/// Returns whether a line of `words` numbers can be a record by itself.
pub(in crate::input) fn is_record_width(words: usize, context: &Context) -> bool {
    match context.size {
        Ok(Some(size)) => words == size.cells() || words == size.cells() + 1,
        _ => Size::square_of(words).or_else(|| Size::square_of(words - 1)).is_some(),
    }
}

/// Returns whether a line is a board by itself.
fn is_board(line: &[u8], context: &Context) -> bool {
    plain::read(line, context).is_some() || OneLine::new(line).is_ok_and(|line| line.board(context).is_ok())
}

/// Tiles of a line.
struct Row {
    tiles: Vec<u32>,
    width: usize,
    largest: u32,
    /// Whether every word is a tile of some board.
    is_tiles: bool,
}

impl Row {
    /// Parses a line, unless it contains parts that only a one-line record has.
    fn read(line: &[u8]) -> Option<Self> {
        let line = &line[..comment(line).unwrap_or(line.len())];
        if memchr::memchr3(b':', b'|', b'/', line).is_some() {
            return None;
        }
        let mut row = Self { tiles: Vec::new(), width: 0, largest: 0, is_tiles: true };
        for word in Words::tiles(line).take(MOST + 1) {
            row.width += 1;
            match word.tile() {
                Ok(tile) if tile as usize <= MOST * MOST => {
                    row.tiles.push(tile);
                    row.largest = row.largest.max(tile);
                }
                _ => row.is_tiles = false,
            }
        }
        Some(row)
    }
}

impl Row {
    /// Returns whether its tiles can belong to a board of `cells` cells.
    fn can_be_of(&self, cells: usize) -> bool {
        self.is_tiles && self.largest as usize <= cells
    }
}

/// Set of the numbers of the rows so far.
#[derive(Default)]
struct Numbers {
    /// One bit per number.
    bits: Vec<u64>,
    largest: u32,
}

impl Numbers {
    /// Adds the tiles of a row. Returns `false` and adds nothing if a tile is already present, or
    /// if a word of the row is not a tile.
    fn add(&mut self, row: &Row) -> bool {
        if !row.is_tiles {
            return false;
        }
        self.bits.resize(self.bits.len().max(row.largest as usize / 64 + 1), 0);
        for (index, &tile) in row.tiles.iter().enumerate() {
            let (word, bit) = (tile as usize / 64, 1 << (tile % 64));
            if self.bits[word] & bit != 0 {
                for &tile in &row.tiles[..index] {
                    self.bits[tile as usize / 64] &= !(1 << (tile % 64));
                }
                return false;
            }
            self.bits[word] |= bit;
        }
        self.largest = self.largest.max(row.largest);
        true
    }

    /// Returns whether the numbers, `cells` different ones, are those of a board.
    fn are_board(&self, cells: usize) -> bool {
        let has_zero = self.bits.first().is_some_and(|bits| bits & 1 != 0);
        (self.largest as usize) < cells + usize::from(!has_zero)
    }
}

/// Iterator over the lines of a text.
struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    number: u64,
    whole: bool,
}

/// The next row of a grid.
enum Next<'a> {
    Row(&'a [u8]),
    /// The paragraph ends.
    End,
    /// The text ends too early to decide.
    More,
}

impl<'a> Lines<'a> {
    /// Returns the lines consumed so far as a grid.
    fn grid(&self) -> LineKind {
        LineKind::Grid { bytes: self.at, lines: self.number }
    }

    /// Returns the line at `at` and the start of the next one.
    fn line(&self) -> Option<(&'a [u8], usize)> {
        let rest = &self.text[self.at..];
        match memchr(b'\n', rest) {
            Some(newline) => Some((&rest[..newline], newline + 1)),
            None if self.whole && !rest.is_empty() => Some((rest, rest.len())),
            None => None,
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes;
        self.number += 1;
    }

    /// Consumes the next line that is not a comment.
    fn next_row(&mut self) -> Next<'a> {
        for _ in 0..=MOST {
            let Some((line, bytes)) = self.line() else {
                return if self.whole { Next::End } else { Next::More };
            };
            if paragraph::is_end(line) || line.iter().all(|&byte| is_tile_gap(byte)) {
                return Next::End;
            }
            self.consume(bytes);
            if Words::tiles(line).next().is_some() {
                return Next::Row(line);
            }
        }
        Next::End
    }

    /// Consumes the rows of a grid that is not a board: up to the end of the paragraph or to a line
    /// that is a board by itself, and not many more than a board has.
    fn rest(&mut self, context: &Context) -> LineKind {
        for _ in 0..MOST {
            let place = self.grid();
            match self.next_row() {
                Next::Row(line) if is_board(line, context) => return place,
                Next::Row(_) => {}
                Next::End => return place,
                Next::More => return LineKind::More,
            }
        }
        self.grid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Defaults;

    fn found(text: &str) -> LineKind {
        let context = Context::from(Defaults::default());
        let all = classify(text.as_bytes(), true, &context);
        // The decision does not depend on how much of the text is present.
        for end in 0..text.len() {
            let part = classify(&text.as_bytes()[..end], false, &context);
            assert!(part == LineKind::More || part == all, "{text:?} up to {end}: {part:?}, not {all:?}");
        }
        all
    }

    fn grid(text: &str) -> u64 {
        match found(text) {
            LineKind::Grid { lines, .. } => lines,
            other => panic!("{text:?}: {other:?}"),
        }
    }

    #[test]
    fn rows_that_are_one_board() {
        assert_eq!(grid("1 2 3\n4 5 6\n7 8 0\n"), 3);
        assert_eq!(grid("1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 0\n\n1 2 3 0\n"), 4);
        assert_eq!(grid("1 2 3 4\n# half\n5 6 7 8\n9 10 11 12\n13 14 15 16\n@id x\n"), 5);
        assert_eq!(grid("0 1 2 3\n4 5 6 7\n"), 2);
        assert_eq!(grid("_ 1\n2 3"), 2);
        assert_eq!(grid("[[1, 2, 3],\n [4, 5, 6],\n [7, 8, 0]]\n"), 3);
        assert_eq!(grid("\"1\";\"2\";\"3\"\n4;5;6\n7;8;*\n"), 3);
        // Taller than wide, though its first three rows are a board.
        assert_eq!(grid("1 2 3\n4 5 6\n7 8 0\n9 10 11\n"), 4);
    }

    #[test]
    fn square_boards_follow_each_other_without_a_blank_line() {
        assert_eq!(grid("1 2 3\n4 5 6\n7 8 0\n1 2 3\n4 5 6\n7 0 8\n"), 3);
        assert_eq!(grid("1 2 3\n4 5 6\n7 8 0\n1 2 3 4 5 6 7 0 8\n"), 3);
    }

    #[test]
    fn records_on_one_line() {
        for text in [
            "1 2 3 0\n1 2 0 3\n",
            "1 2 3 4\n2 1 3 4\n",
            "1 2 3 0\n",
            "1 2 3 0\n\n5 6 7 8\n",
            "1 2 3 0\n1 2 2 3\n",
            "1 2 3 4 5 6 7 8 9\n2 1 3 4 5 6 7 8 9\n",
            "1 2 3 4 5 6\n2 1 3 4 5 6\n",
            "a: 1 2 3 0\n4 5 6 7 8\n",
            "1 2 3\n1 2 2 0\n",
        ] {
            assert_eq!(found(text), LineKind::Record, "{text:?}");
        }
    }

    #[test]
    fn an_invalid_grid_ends_where_a_board_begins() {
        assert_eq!(grid("1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 15\n"), 4);
        assert_eq!(grid("1 2 3\n1 5 6\n7 8 0\n"), 3);
        assert_eq!(grid("1 2 3\n4 5 6\n7 8 y\n"), 3);
        assert_eq!(grid("1 2 3\n4 5 6\n7 8\n1 2 3 4 5 6 7 8 0\n"), 3);
        assert_eq!(grid(&"1 2 3\n4 5 6\n7 8 9\n10 11 11\n".repeat(500)), 4 + MOST as u64);
    }

    #[test]
    fn lines_recognised_without_the_next_line() {
        let context = Context::from(Defaults::default());
        for line in ["1 2 3 4 5 6 0 7 8", "3,1,2\t4 5 6 7 8 0\r", "77 8 7 6 5 4 3 2 1 0"] {
            assert!(is_record(line.as_bytes(), &context), "{line}");
        }
        for line in ["3 1 2 0", "9 1 2 3 4 5 6 7 8", "8 0 1 2 3 4 5 6 70", "a: 3 1 2 4 5 6 7 8 0", ""] {
            assert!(!is_record(line.as_bytes(), &context), "{line}");
        }
        let context = Context::from(Defaults { size: "2x3".parse().ok(), ..Defaults::default() });
        assert!(is_record(b"0 1 2 3 4 5", &context) && is_record(b"9 0 1 2 3 4 5", &context));
        assert!(!is_record(b"0 1 2 3 4 6", &context) && !is_record(b"3 1 2 4 5 6 7 8 0", &context));
    }
}
