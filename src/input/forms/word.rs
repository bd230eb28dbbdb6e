//! Words of a record, separated by spaces, tabs and commas, and the tiles that they denote.
//!
//! `0`, `_`, `b`, `x`, `.`, `-` and `*` denote the blank. If none of them is present, the number of
//! cells does: people who count from 1 write the blank of a 3×3 board as 9.
//!
//! Among tiles, brackets, quotes and semicolons also separate words, so that lists of Python and
//! JSON and quoted CSV need no separate parser.

use crate::input::error::Fault;
use crate::puzzle::tiles::{Board, Size};

/// Maximum number of cells of boards whose words need no allocation.
const FEW: usize = 64;

/// Returns whether a byte only separates words.
pub(in crate::input) const fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',' | b'\r' | b'\n' | 0x0b | 0x0c)
}

/// Returns whether a byte only separates tiles: a gap, or a mark of lists and quoted CSV.
pub(in crate::input) const fn is_tile_gap(byte: u8) -> bool {
    is_gap(byte) || is_list_mark(byte)
}

/// Returns whether a byte belongs to the notation of lists and of quoted CSV.
pub(in crate::input) const fn is_list_mark(byte: u8) -> bool {
    matches!(byte, b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'"' | b'\'' | b';')
}

/// Returns the start of a line's comment: a `#`, or a `//` at the start of a word.
pub(in crate::input) fn comment(line: &[u8]) -> Option<usize> {
    let hash = memchr::memchr(b'#', line);
    let mut slashes = memchr::memchr_iter(b'/', line)
        .filter(|&at| line.get(at + 1) == Some(&b'/') && (at == 0 || is_gap(line[at - 1])));
    match (hash, slashes.next()) {
        (Some(hash), Some(slashes)) => Some(hash.min(slashes)),
        (hash, slashes) => hash.or(slashes),
    }
}

/// Returns the text without gaps at its ends.
pub(in crate::input) fn trim(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&b| !is_gap(b)).unwrap_or(text.len());
    let end = text.iter().rposition(|&b| !is_gap(b)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// A word and its offset.
#[derive(Clone, Copy)]
pub(in crate::input) struct Word<'a> {
    pub(in crate::input) at: usize,
    pub(in crate::input) text: &'a [u8],
}

impl Word<'_> {
    /// Returns the tile that the word denotes, 0 for the blank.
    #[inline]
    pub(in crate::input) fn tile(self) -> Result<u32, Fault> {
        if let [b'_' | b'b' | b'x' | b'B' | b'X' | b'.' | b'-' | b'*'] = self.text {
            return Ok(0);
        }
        self.number().map_err(|what| Fault::at(self.at, what))
    }

    /// Returns the number that the word denotes, or an error.
    #[inline]
    pub(in crate::input) fn number(self) -> Result<u32, String> {
        let mut number = 0;
        for &byte in self.text {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return Err(format!("{} is not a number", quote(self.text)));
            }
            number = number * 10 + u64::from(digit);
            if number > u64::from(u32::MAX) {
                return Err(format!("{} is too large a number", quote(self.text)));
            }
        }
        Ok(number as u32)
    }
}

/// Returns a word for messages: short, printable, in quotes.
pub(in crate::input) fn quote(text: &[u8]) -> String {
    const SHOWN: usize = 24;
    let shown: String = String::from_utf8_lossy(&text[..text.len().min(SHOWN)])
        .chars()
        .flat_map(|c| {
            let escaped: Box<dyn Iterator<Item = char>> =
                if c.is_control() { Box::new(c.escape_default()) } else { Box::new(std::iter::once(c)) };
            escaped
        })
        .collect();
    format!("'{shown}{}'", if text.len() > SHOWN { "…" } else { "" })
}

/// Iterator over the words of a text. Comments, from a `#` or a `//` at the start of a word to the
/// end of the line, are skipped.
#[derive(Clone)]
pub(in crate::input) struct Words<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether marks of lists are gaps.
    lists: bool,
}

impl<'a> Words<'a> {
    pub(in crate::input) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, lists: false }
    }

    /// Returns the words of a text of tiles.
    pub(in crate::input) fn tiles(text: &'a [u8]) -> Self {
        Self { text, at: 0, lists: true }
    }

    #[inline]
    fn is_gap(&self, byte: u8) -> bool {
        is_gap(byte) || (self.lists && is_list_mark(byte))
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    #[inline]
    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            match *self.text.get(self.at)? {
                byte if byte == b'#' || (byte == b'/' && self.text.get(self.at + 1) == Some(&b'/')) => {
                    let rest = &self.text[self.at..];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                byte if self.is_gap(byte) => self.at += 1,
                _ => break,
            }
        }
        let at = self.at;
        while self.text.get(self.at).is_some_and(|&b| !self.is_gap(b) && b != b'#') {
            self.at += 1;
        }
        Some(Word { at, text: &self.text[at..self.at] })
    }
}

/// Returns the board with the tiles of `size.cells()` words.
pub(in crate::input) fn board<'a>(
    size: Size,
    words: impl Iterator<Item = Word<'a>> + Clone,
) -> Result<Board, Fault> {
    let (mut few, mut many) = ([0; FEW], Vec::new());
    let tiles = if size.cells() <= FEW {
        &mut few[..size.cells()]
    } else {
        many.resize(size.cells(), 0);
        &mut many[..]
    };
    let mut rest = words.clone();
    for (found, tile) in tiles.iter_mut().enumerate() {
        *tile = rest.next().ok_or_else(|| wrong_count(size, found))?.tile()?;
    }
    let blank = size.cells() as u32;
    if !tiles.contains(&0)
        && let Some(tile) = tiles.iter_mut().find(|tile| **tile == blank)
    {
        *tile = 0;
    }
    Board::new(size, tiles).map_err(|error| {
        let word = error.cell().and_then(|cell| words.clone().nth(cell));
        Fault { at: word.map(|word| word.at), what: error.to_string() }
    })
}

/// Returns a fault for the first word that is not a tile, for a record with other faults too: it
/// explains a wrong count better.
pub(in crate::input) fn junk<'a>(mut words: impl Iterator<Item = Word<'a>>) -> Option<Fault> {
    words.find_map(|word| word.tile().err())
}

/// Returns the fault for a number of tiles that does not fit the size.
pub(in crate::input) fn wrong_count(size: Size, found: usize) -> Fault {
    let what = if found < size.cells() { "few" } else { "many" };
    Fault::whole(format!("too {what} tiles: {size} needs {}, not {found}", size.cells()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, Fault> {
        let size = Size::new(2, 2).unwrap();
        board(size, Words::new(text.as_bytes())).map(|board| board.to_string())
    }

    #[test]
    fn words_stand_between_gaps_and_before_comments() {
        let words: Vec<_> = Words::new(b" 1,\t22 #3 4\n 5#6").map(|w| (w.at, w.text)).collect();
        assert_eq!(words, [(1, &b"1"[..]), (4, b"22"), (13, b"5")]);
        assert_eq!(trim(b" \t a b\r\n"), b"a b");
        assert_eq!(trim(b" ,"), b"");
    }

    #[test]
    fn every_way_to_write_the_blank() {
        for blank in ["0", "_", "b", "x", "B", "00", "4", ".", "-", "*"] {
            assert_eq!(read(&format!("1 2 {blank} 3")).unwrap(), "1 2/0 3", "{blank}");
        }
    }

    #[test]
    fn faults_name_the_word() {
        assert_eq!(read("1 2 0 4"), Err(Fault::at(6, "tile 4 is out of range: the largest is 3")));
        assert_eq!(read("1 2 2 0"), Err(Fault::at(4, "tile 2 appears twice")));
        assert_eq!(read("1 2 x 0"), Err(Fault::at(6, "the blank appears twice")));
        assert_eq!(read("1 -2 3 0"), Err(Fault::at(2, "'-2' is not a number")));
        assert_eq!(read("1 99999999999 3 0").unwrap_err().what, "'99999999999' is too large a number");
        assert_eq!(read("1 2 3").unwrap_err().what, "too few tiles: 2x2 needs 4, not 3");
        assert_eq!(quote(b"a\x00\xff"), "'a\\u{0}\u{fffd}'");
    }
}
