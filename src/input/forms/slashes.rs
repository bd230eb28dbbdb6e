//! Rows with separators, so that the record shows its shape: `8 2 0/4 6 1/3 7 5`, the form of the
//! speed-sliding community.
//!
//! Semicolons (`8 2 0; 4 6 1; 3 7 5`) and the ends of inner lists (`[[8, 2, 0], [4, 6, 1], [3, 7,
//! 5]]`) also separate rows. A row may be one word with one character per tile: `820/461/375`, in
//! hexadecimal digits for boards of more than ten cells.

use super::compact;
use super::one_line::OneLine;
use super::word::{Word, Words, board, is_gap, junk};
use crate::input::error::Fault;
use crate::puzzle::tiles::{Board, Size};

/// A row and its offset in the whole line.
type Row<'a> = (usize, &'a [u8]);

/// Returns whether a record is written as rows.
pub(in crate::input) fn fits(line: &OneLine<'_>) -> bool {
    if memchr::memchr(b'/', line.body).is_some() {
        return true;
    }
    // With one tile between semicolons, they separate tiles, not rows.
    memchr::memchr3(b';', b']', b'}', line.body).or_else(|| memchr::memchr(b')', line.body)).is_some()
        && rows(line).len() > 1
        && rows(line).iter().any(|(_, row)| Words::tiles(row).count() != 1)
}

/// Returns the rows of a record.
fn rows<'a>(line: &OneLine<'a>) -> Vec<Row<'a>> {
    let (body, mut start) = (line.body, 0);
    let mut rows = Vec::new();
    for at in 0..body.len() {
        if ends_row(body, at) {
            rows.push((line.at + start, &body[start..at]));
            start = at + 1;
        }
    }
    // The separator at the end of `1 2; 3 0;` starts no row.
    let last = &body[start..];
    let is_terminated = start > 0 && body[start - 1] != b'/';
    if !is_terminated || Words::tiles(last).next().is_some() {
        rows.push((line.at + start, last));
    }
    rows
}

/// Returns whether the byte at `at` separates two rows.
fn ends_row(body: &[u8], at: usize) -> bool {
    match body[at] {
        b'/' | b';' => true,
        b']' | b')' | b'}' => {
            let next = body[at + 1..].iter().find(|&&byte| !is_gap(byte));
            matches!(next, Some(b'[' | b'(' | b'{'))
        }
        _ => false,
    }
}

/// Returns the tiles of a row.
fn words<'a>(&(at, row): &Row<'a>) -> impl Iterator<Item = Word<'a>> + Clone + use<'a> {
    Words::tiles(row).map(move |word| Word { at: word.at + at, ..word })
}

/// Parses a board.
pub(in crate::input) fn parse(line: &OneLine<'_>) -> Result<Board, Fault> {
    let rows = rows(line);
    if let Some(size) = size_of_characters(&rows) {
        agree(line, size)?;
        return compact::board_of(size, rows.iter().flat_map(words));
    }
    let all = rows.iter().flat_map(words);
    let cols = rows.first().map_or(0, |row| words(row).count());
    for (number, row) in rows.iter().enumerate() {
        let tiles = words(row).count();
        if tiles != cols {
            let what = format!("row {} has {tiles} tiles, the first row has {cols}", number + 1);
            return Err(junk(all).unwrap_or(Fault::at(row.0, what)));
        }
    }
    let size = Size::new(rows.len(), cols)
        .map_err(|error| junk(all.clone()).unwrap_or(Fault::whole(error.to_string())))?;
    agree(line, size)?;
    board(size, all)
}

/// Compares the shape of the rows with the size before the record.
fn agree(line: &OneLine<'_>, size: Size) -> Result<(), Fault> {
    match line.size {
        Some(said) if said != size => {
            Err(Fault::whole(format!("the rows make a board of {size}, not {said}")))
        }
        _ => Ok(()),
    }
}

/// Returns the size of a board whose rows are single words with one character per tile. No other
/// board has this shape, as it would have one column.
fn size_of_characters(rows: &[Row<'_>]) -> Option<Size> {
    let length = |row: &Row<'_>| {
        let mut words = words(row);
        words.next().filter(|_| words.next().is_none()).map(|word| word.text.len())
    };
    let cols = length(rows.first()?)?;
    let is_even = rows.iter().all(|row| length(row) == Some(cols));
    Size::new(rows.len(), cols).ok().filter(|size| is_even && size.cells() <= compact::MOST_CELLS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, Fault> {
        parse(&OneLine::new(text.as_bytes()).unwrap()).map(|board| board.to_string())
    }

    #[test]
    fn squares_and_rectangles() {
        for board in ["8 2 0/4 6 1/3 7 5", "1 2 3/4 5 0", "1 2/3 4/5 0"] {
            assert_eq!(read(board).unwrap(), board);
        }
        assert_eq!(read("a: 2x3: 1 2 3 / 4 5 x | 0").unwrap(), "1 2 3/4 5 0");
    }

    #[test]
    fn semicolons_and_lists() {
        for text in [
            "1 2 3;4 5 0",
            "[1 2 3; 4 5 0];",
            "[[1,2,3],[4,5,0]]",
            "[[1, 2, 3], [4, 5, 0]],",
            "((1, 2, 3), (4, 5, 0))",
            "{{1,2,3},{4,5,0}};",
            "a: [1, 2, 3], [4, 5, 0] | 0",
            "[[\"1\",\"2\",\"3\"],[\"4\",\"5\",\"0\"]]",
        ] {
            assert_eq!(read(text).unwrap(), "1 2 3/4 5 0", "{text}");
        }
        assert_eq!(read("[[1,2,3],[4,5]]").unwrap_err().what, "row 2 has 2 tiles, the first row has 3");
    }

    #[test]
    fn one_character_per_tile() {
        assert_eq!(read("123/456/780").unwrap(), "1 2 3/4 5 6/7 8 0");
        assert_eq!(read("123/4b5").unwrap(), "1 2 3/4 0 5");
        assert_eq!(read("1234/5678/9abc/def0").unwrap(), "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0");
        assert_eq!(read("a: 4x4: 1234/5678/9ABC/DEF.").unwrap(), "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0");
        assert_eq!(read("123/456/788"), Err(Fault::at(10, "tile 8 appears twice")));
        assert_eq!(read("12/345").unwrap_err().what, "a board has 2 to 256 rows and columns, not 2x1");
    }

    #[test]
    fn faults_name_the_row_or_the_word() {
        assert_eq!(read("1 2/3"), Err(Fault::at(4, "row 2 has 1 tiles, the first row has 2")));
        assert_eq!(read("1 2/3 0/"), Err(Fault::at(8, "row 3 has 0 tiles, the first row has 2")));
        assert_eq!(read("a: 1 2/3 3"), Err(Fault::at(9, "tile 3 appears twice")));
        assert_eq!(read("1 2/y"), Err(Fault::at(4, "'y' is not a number")));
        assert_eq!(read("1 2 3 0").unwrap_err().what, "a board has 2 to 256 rows and columns, not 1x4");
        assert_eq!(read("3x2: 1 2 3/4 5 0").unwrap_err().what, "the rows make a board of 2x3, not 3x2");
    }
}
