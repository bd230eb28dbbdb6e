//! Line form: the tiles row by row, with an optional number before them that is the record's id.

use super::one_line::OneLine;
use super::word::{board, junk, wrong_count};
use crate::input::context::Context;
use crate::input::error::Fault;
use crate::puzzle::tiles::{Board, Size};

/// Returns the board's size, and whether an id precedes its tiles.
fn shape(line: &OneLine<'_>, context: &Context) -> Result<(Size, bool), Fault> {
    let words = line.words().count();
    let id_may_come = line.name.is_none();
    let size = match line.size {
        None => context.size()?,
        size => size,
    };
    if let Some(size) = size {
        return match words.checked_sub(size.cells()) {
            Some(0) => Ok((size, false)),
            Some(1) if id_may_come => Ok((size, true)),
            _ => Err(wrong_count(size, words)),
        };
    }
    if let Some(size) = Size::square_of(words) {
        return Ok((size, false));
    }
    match words.checked_sub(1).and_then(Size::square_of) {
        Some(size) if id_may_come => Ok((size, true)),
        _ => Err(Fault::whole(format!(
            "{words} {} no square board (4, 9, 16, 25, …): other shapes need @size or a prefix such as 2x3:",
            if words == 1 { "number makes" } else { "numbers make" },
        ))),
    }
}

/// Returns whether the first word is an id.
pub(in crate::input) fn has_id(line: &OneLine<'_>, context: &Context) -> bool {
    shape(line, context).is_ok_and(|(_, has_id)| has_id)
}

/// Parses a board.
pub(in crate::input) fn parse(line: &OneLine<'_>, context: &Context) -> Result<Board, Fault> {
    let mut words = line.words();
    let (size, has_id) = shape(line, context).map_err(|fault| junk(line.words()).unwrap_or(fault))?;
    if has_id && let Some(id) = words.next() {
        id.number().map_err(|what| Fault::at(id.at, what))?;
    }
    board(size, words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Defaults;

    fn read(text: &str, size: Option<&str>) -> Result<String, String> {
        let size = size.map(|s| s.parse().unwrap());
        let context = Context::from(Defaults { size, ..Defaults::default() });
        let line = OneLine::new(text.as_bytes()).unwrap();
        let id = line.id(&context).map_or(String::new(), |id| format!("{id}: "));
        parse(&line, &context).map(|board| format!("{id}{board}")).map_err(|fault| fault.what)
    }

    #[test]
    fn squares_and_ids() {
        assert_eq!(read("3 1 2 0", None).unwrap(), "3 1/2 0");
        assert_eq!(read("7 3 1 2 0", None).unwrap(), "7: 3 1/2 0");
        assert_eq!(read("10, 8 7 6 5 4 3 2 1 0", None).unwrap(), "10: 8 7 6/5 4 3/2 1 0");
        assert_eq!(read("a: 3 1 2 0", None).unwrap(), "a: 3 1/2 0");
        assert!(read("a: 7 3 1 2 0", None).is_err());
    }

    #[test]
    fn rectangles_need_their_size() {
        assert!(read("1 2 3 4 5 0", None).unwrap_err().starts_with("6 numbers make no square board"));
        assert_eq!(read("1 2 3 4 5 0", Some("2x3")).unwrap(), "1 2 3/4 5 0");
        assert_eq!(read("3x2: 1 2 3 4 5 0", Some("2x3")).unwrap(), "1 2/3 4/5 0");
        assert_eq!(read("9 1 2 3 4 5 0", Some("2x3")).unwrap(), "9: 1 2 3/4 5 0");
        assert_eq!(read("1 2 3 0", Some("2x3")).unwrap_err(), "too few tiles: 2x3 needs 6, not 4");
        assert_eq!(read("2x2: 0 1 2 3 4 5", None).unwrap_err(), "too many tiles: 2x2 needs 4, not 6");
    }

    #[test]
    fn junk_is_named_before_the_count() {
        assert_eq!(read("1 2 three", None).unwrap_err(), "'three' is not a number");
        assert_eq!(read("p 3 1 2 0", None).unwrap_err(), "'p' is not a number");
    }
}
