//! Compact form, one character per tile: `142 3b5 678` or `1423b5678` for 3×3 boards, and
//! hexadecimal digits for 4×4: `123456789ABCDEF0`.

use super::one_line::OneLine;
use super::word::{Word, board, quote};
use crate::input::error::Fault;
use crate::puzzle::tiles::{Board, Size};

/// Maximum number of cells of a board with one character per tile.
pub(in crate::input) const MOST_CELLS: usize = 16;

/// Maximum number of cells of a board with decimal digits, so that `b` can be the blank.
const MOST_DECIMAL: usize = 10;

/// Hexadecimal digits as words.
const TILES: [&[u8]; 16] =
    [b"0", b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"9", b"10", b"11", b"12", b"13", b"14", b"15"];

/// Returns the size of a board written as one word of all its characters or one word per row. No
/// other one-line form has this shape.
fn size<'a>(mut words: impl Iterator<Item = Word<'a>> + Clone) -> Option<Size> {
    let all = words.clone();
    let mut length = || words.next().map_or(0, |word| word.text.len());
    match [length(), length(), length(), length(), length()] {
        [9, 0, ..] | [3, 3, 3, 0, ..] => Size::square_of(9),
        // Four numbers of four digits are not tiles of this form: sixteen different tiles need
        // letters.
        [4, 4, 4, 4, 0] if !has_letter(all.clone()) => None,
        [16, 0, ..] | [4, 4, 4, 4, 0] => {
            Size::square_of(16).filter(|_| all.flat_map(|word| word.text).all(is_hex))
        }
        _ => None,
    }
}

fn is_hex(byte: &u8) -> bool {
    byte.is_ascii_hexdigit() || matches!(byte, b'_' | b'x' | b'X' | b'.' | b'-' | b'*')
}

fn has_letter<'a>(words: impl Iterator<Item = Word<'a>>) -> bool {
    words.flat_map(|word| word.text).any(u8::is_ascii_alphabetic)
}

/// Returns whether the words are a compact board.
pub(in crate::input) fn fits<'a>(words: impl Iterator<Item = Word<'a>> + Clone) -> bool {
    size(words).is_some()
}

/// Parses a board.
pub(in crate::input) fn parse(line: &OneLine<'_>) -> Result<Board, Fault> {
    let Some(size) = size(line.words()) else {
        return Err(Fault::whole(format!(
            "{} is not a compact board: nine characters, three groups of three, or sixteen hexadecimal digits",
            quote(line.body.trim_ascii())
        )));
    };
    match line.size {
        Some(said) if said != size => {
            Err(Fault::whole(format!("the characters make a board of {size}, not {said}")))
        }
        _ => board_of(size, line.words()),
    }
}

/// Parses a board of words with one character per tile.
pub(in crate::input) fn board_of<'a>(
    size: Size,
    words: impl Iterator<Item = Word<'a>> + Clone,
) -> Result<Board, Fault> {
    let is_hex = size.cells() > MOST_DECIMAL;
    let tiles = words.flat_map(move |word| {
        word.text.chunks(1).enumerate().map(move |(index, text)| {
            let digit = (text[0] as char).to_digit(16).filter(|_| is_hex);
            Word { at: word.at + index, text: digit.map_or(text, |digit| TILES[digit as usize]) }
        })
    });
    board(size, tiles)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, Fault> {
        parse(&OneLine::new(text.as_bytes()).unwrap()).map(|board| board.to_string())
    }

    #[test]
    fn groups_and_nine_characters() {
        for text in
            ["142 3b5 678", "1423b5678", "142 305 678", "142 395 678", "a: 142,3_5,678 | 3", "\"1423-5678\""]
        {
            assert_eq!(read(text).unwrap(), "1 4 2/3 0 5/6 7 8", "{text}");
        }
    }

    #[test]
    fn hexadecimal_digits() {
        for text in ["123456789ABCDEF0", "123456789abcdef.", "1234 5678 9ABC DEF_", "4x4: 123456789AbCdEfx"] {
            assert_eq!(read(text).unwrap(), "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0", "{text}");
        }
        assert_eq!(read("123456789ABCDEFF"), Err(Fault::at(15, "tile 15 appears twice")));
    }

    #[test]
    fn faults_name_the_character() {
        assert_eq!(read("142 3b5 672"), Err(Fault::at(10, "tile 2 appears twice")));
        assert_eq!(read("142 3b5 67y"), Err(Fault::at(10, "'y' is not a number")));
        assert!(read("1423b567").unwrap_err().what.starts_with("'1423b567' is not a compact board"));
        assert!(read("1234 5678 9012 3456").unwrap_err().what.contains("is not a compact board"));
        assert!(read("4x4: 1423b5678").is_err());
    }
}
