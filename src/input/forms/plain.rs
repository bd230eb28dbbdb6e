//! Fast path for the most common record: a line of numbers only.
//!
//! It parses a valid line in one pass over the bytes. It returns `None` for any other line, valid
//! or not; the general parser then handles the line and reports faults. A property test shows that
//! both parsers agree.

use super::word::is_gap;
use crate::input::Form;
use crate::input::context::Context;
use crate::puzzle::tiles::{Board, Size};

/// Maximum number of cells of a board parsed here.
const MOST: usize = 64;

/// A board, and the number before it that is the record's id.
pub(in crate::input) struct Plain<'a> {
    pub(in crate::input) id: Option<&'a str>,
    pub(in crate::input) board: Board,
}

/// Parses a line of numbers that form a board.
pub(in crate::input) fn read<'a>(text: &'a [u8], context: &Context) -> Option<Plain<'a>> {
    if !matches!(context.form, None | Some(Form::Line)) {
        return None;
    }
    let mut numbers = [0; MOST + 1];
    let mut count = 0;
    let mut first = 0..0;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let mut number = u32::from(byte.wrapping_sub(b'0'));
        if number > 9 {
            if !is_gap(byte) {
                return None;
            }
            at += 1;
            continue;
        }
        let start = at;
        loop {
            at += 1;
            match text.get(at) {
                // Longer numbers are ids, or not valid.
                Some(&byte) if byte.is_ascii_digit() && at - start > 8 => return None,
                Some(&byte) if byte.is_ascii_digit() => number = number * 10 + u32::from(byte - b'0'),
                Some(&byte) if !is_gap(byte) => return None,
                _ => break,
            }
        }
        if count == 0 {
            first = start..at;
        }
        *numbers.get_mut(count)? = number;
        count += 1;
    }
    let size_of = |cells: usize| match context.size {
        Ok(Some(size)) => Some(size).filter(|size| size.cells() == cells),
        Ok(None) => Size::square_of(cells),
        Err(_) => None,
    };
    // Nine digits may also be one word, or three: no board has so few cells.
    let (size, has_id) = match size_of(count) {
        Some(size) => (size, false),
        None => (size_of(count.checked_sub(1)?)?, true),
    };
    let tiles = &mut numbers[usize::from(has_id)..count];
    if !tiles.contains(&0) {
        *tiles.iter_mut().find(|tile| **tile as usize == size.cells())? = 0;
    }
    let board = Board::new(size, tiles).ok()?;
    let id = if has_id { Some(std::str::from_utf8(&text[first]).ok()?) } else { None };
    Some(Plain { id, board })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Defaults;
    use crate::input::forms::one_line::OneLine;
    use proptest::prelude::*;

    /// Returns whether the fast path agrees with the general parser.
    fn agrees(text: &str, size: Option<&str>) -> bool {
        let size = size.map(|size| size.parse().unwrap());
        let context = Context::from(Defaults { size, ..Defaults::default() });
        let Some(Plain { id, board }) = read(text.as_bytes(), &context) else { return false };
        let line = OneLine::new(text.as_bytes()).unwrap();
        assert_eq!(line.board(&context).unwrap(), board, "{text}");
        assert_eq!(line.id(&context), id, "{text}");
        true
    }

    #[test]
    fn plain_lines_are_read() {
        for text in ["3 1 2 0", " 3,1\t2  4 \r", "7 3 1 2 0", "10 8 7 6 5 4 3 2 1 0", "8 7 6 5 4 3 2 1 9"] {
            assert!(agrees(text, None), "{text}");
        }
        assert!(agrees("5 1 2 3 4 0", Some("2x3")) && agrees("17 5 1 2 3 4 0", Some("2x3")));
        for text in [
            "",
            "1 2 3",
            "3 1 2 b",
            "3 1 2 0 | 4",
            "a: 3 1 2 0",
            "3 1/2 0",
            "123 456 780",
            "3 1 2 2",
            "3 1 2 5",
            "3 1 2 4294967296",
            "9999999999 3 1 2 0",
        ] {
            assert!(!agrees(text, None), "{text}");
        }
        assert!(!agrees("3 1 2 0", Some("2x3")));
    }

    proptest! {
        #[test]
        fn nothing_is_read_otherwise(
            words in prop::collection::vec("_|00|123|[0-9]{1,2}|[0-9a-z:|#/ -]{0,3}", 0..18),
            wide in any::<bool>(),
        ) {
            agrees(&words.join(" "), wide.then_some("2x3"));
        }

        #[test]
        fn permutations_are_read(tiles in Just((0..16).collect::<Vec<u32>>()).prop_shuffle(), id in any::<bool>()) {
            let words: Vec<String> = id.then_some(99).into_iter().chain(tiles).map(|tile| tile.to_string()).collect();
            prop_assert!(agrees(&words.join(" "), None));
        }
    }
}
