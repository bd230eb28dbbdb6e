//! The compact form of 3×3 boards, one character a tile: `142 3b5 678` or
//! `1423b5678`.

use super::{
    error::Fault,
    one_line::OneLine,
    word::{Word, board, quote},
};
use crate::puzzle::tiles::{Board, Size};

/// Whether the words are three of three characters, or one of nine. No other
/// one-line form has one word or three.
pub(super) fn fits<'a>(mut words: impl Iterator<Item = Word<'a>>) -> bool {
    let mut length = || words.next().map_or(0, |word| word.text.len());
    matches!([length(), length(), length(), length()], [9, 0, 0, 0] | [3, 3, 3, 0])
}

/// Reads a board.
pub(super) fn parse(line: &OneLine<'_>) -> Result<Board, Fault> {
    let size = Size::square_of(9).ok_or_else(|| Fault::whole("3x3 is no size"))?;
    if let Some(said) = line.size.filter(|&said| said != size) {
        return Err(Fault::whole(format!("the compact form is for 3x3 boards, not {said}")));
    }
    if !fits(line.words()) {
        return Err(Fault::whole(format!(
            "{} is not a compact board: nine characters, or three groups of three",
            quote(line.body.trim_ascii())
        )));
    }
    let tiles = line.words().flat_map(|word| {
        word.text.chunks(1).enumerate().map(move |(i, text)| Word { at: word.at + i, text })
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
        for text in ["142 3b5 678", "1423b5678", "142 305 678", "142 395 678", "a: 142,3_5,678 | 3"] {
            assert_eq!(read(text).unwrap(), "1 4 2/3 0 5/6 7 8", "{text}");
        }
    }

    #[test]
    fn faults_name_the_character() {
        assert_eq!(read("142 3b5 672"), Err(Fault::at(10, "tile 2 appears twice")));
        assert_eq!(read("142 3b5 67y"), Err(Fault::at(10, "'y' is not a number")));
        assert!(read("1423b567").unwrap_err().what.starts_with("'1423b567' is not a compact board"));
        assert!(read("4x4: 1423b5678").is_err());
    }
}
