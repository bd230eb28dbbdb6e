//! Grid form of the courses: the side, or rows and columns, on a separate line; then the rows. The
//! first line may be missing.

use super::word::{Word, Words, board, junk, wrong_count};
use crate::input::error::Fault;
use crate::puzzle::tiles::{Board, Size};
use memchr::memchr;

/// Returns whether a line is one or two short numbers, or a size such as `3x3`, and nothing else.
/// No one-line record is, so it must be the first line of a grid.
#[inline]
pub(in crate::input) fn is_header(line: &[u8]) -> bool {
    // Nearly all lines are records of many tiles; their first few bytes decide.
    let mut words = Words::new(line);
    let short = |word: Word<'_>| word.text.len() <= 3 && word.text.iter().all(u8::is_ascii_digit);
    match words.next() {
        Some(word) if short(word) => words.next().is_none_or(short) && words.next().is_none(),
        Some(word) => sides(word).is_some() && words.next().is_none(),
        None => false,
    }
}

/// Parses rows and columns of a word such as `3x3`.
fn sides(word: Word<'_>) -> Option<[Word<'_>; 2]> {
    let cross = word.text.iter().position(|byte| matches!(byte, b'x' | b'X'))?;
    let sides = [&word.text[..cross], &word.text[cross + 1..]];
    let is_short = |side: &&[u8]| matches!(side.len(), 1..=3) && side.iter().all(u8::is_ascii_digit);
    let [rows, cols] = sides;
    sides
        .iter()
        .all(is_short)
        .then_some([Word { text: rows, ..word }, Word { at: word.at + cross + 1, text: cols }])
}

/// Returns the lines that have words, each with its offset in the text.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> + Clone {
    let mut at = 0;
    text.split(|&b| b == b'\n')
        .map(move |line| {
            let start = at;
            at += line.len() + 1;
            (start, line)
        })
        .filter(|(_, line)| Words::tiles(line).next().is_some())
}

/// Returns the words of a line, with offsets in the whole text.
fn words((at, line): (usize, &[u8])) -> impl Iterator<Item = Word<'_>> + Clone {
    Words::tiles(line).map(move |word| Word { at: word.at + at, ..word })
}

/// Parses the size in a header.
pub(in crate::input) fn header(line: &[u8]) -> Result<(usize, usize), Fault> {
    let number = |word: Word<'_>| word.number().map_err(|what| Fault::at(word.at, what));
    let mut words = Words::new(line);
    let first = words.next();
    if let Some([rows, cols]) = first.and_then(sides) {
        return Ok((number(rows)? as usize, number(cols)? as usize));
    }
    let first = first.map(number).transpose()?.unwrap_or(0) as usize;
    let second = words.next().map(number).transpose()?.map_or(first, |second| second as usize);
    Ok((first, second))
}

/// Parses a grid with a header. A first line of three or more numbers is a row; this occurs only if
/// grids are requested. If the lines are not valid after a header of two numbers, the header may be
/// the first row as well.
pub(in crate::input) fn parse(text: &[u8]) -> Result<Board, Fault> {
    let (at, first) = lines(text).next().unwrap_or_default();
    if Words::tiles(first).count() > 2 {
        return parse_rows(text);
    }
    let headed = header(first).map_err(|fault| fault.shifted(at)).and_then(|(height, width)| {
        let size = Size::new(height, width).map_err(|error| Fault::at(at, error.to_string()))?;
        read(size, lines(text).skip(1))
    });
    headed.or_else(|fault| parse_rows(text).map_err(|_| fault))
}

/// Parses a grid without a header: its first row gives the width.
pub(in crate::input) fn parse_rows(text: &[u8]) -> Result<Board, Fault> {
    let rows = lines(text);
    let (at, first) = rows.clone().next().unwrap_or_default();
    let (height, width) = (rows.clone().count(), Words::tiles(first).count());
    let size = Size::new(height, width).map_err(|error| Fault::at(at, error.to_string()))?;
    read(size, rows)
}

/// Parses the rows of a grid.
fn read<'a>(size: Size, rows: impl Iterator<Item = (usize, &'a [u8])> + Clone) -> Result<Board, Fault> {
    let (height, width) = (size.rows(), size.cols());
    let tiles = rows.clone().flat_map(words);
    let cells = tiles.clone().count();
    for (number, row) in rows.enumerate() {
        let found = words(row).count();
        let what = if number == height {
            format!("more than {height} rows: a blank line ends a grid")
        } else if found != width {
            format!("row {} has {found} tiles instead of {width}", number + 1)
        } else {
            continue;
        };
        return Err(junk(tiles).unwrap_or(Fault::at(row.0, what)));
    }
    if cells != size.cells() {
        return Err(junk(tiles).unwrap_or(wrong_count(size, cells)));
    }
    board(size, tiles)
}

/// Returns whether `rest` has more rows of the grid `text`. `text` is the first record of a file,
/// ended by a blank line, and `rest` is all that follows. Such a file holds a single board with
/// blank lines between its rows.
pub(in crate::input) fn has_more_rows(text: &[u8], rest: &[u8]) -> bool {
    if !is_unfinished(text) {
        return false;
    }
    let Ok((height, width)) = header(&text[..memchr(b'\n', text).unwrap_or(text.len())]) else {
        return false;
    };
    let mut rows = lines(text).skip(1).chain(lines(rest));
    // Rows of two numbers could be headers of other grids, unless they complete the board.
    rows.clone().all(|row| words(row).count() == width && words(row).all(|word| word.tile().is_ok()))
        && (width > 2 || rows.clone().count() == height)
        && rows.next().is_some()
}

/// Returns whether a grid has fewer rows than its header says.
pub(in crate::input) fn is_unfinished(text: &[u8]) -> bool {
    let first = &text[..memchr(b'\n', text).unwrap_or(text.len())];
    is_header(first)
        && header(first).is_ok_and(|(height, _)| lines(text).count() <= height)
        && parse_rows(text).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, Fault> {
        parse(text.as_bytes()).map(|board| board.to_string())
    }

    #[test]
    fn headers_are_one_or_two_short_numbers() {
        for header in ["3", " 3 ", "4 4", "10,20 # comment", "1", "3x3", "10X4 // size"] {
            assert!(is_header(header.as_bytes()), "{header}");
        }
        for other in ["", "1 2 3", "3x3: 1", "123456780", "# 3", "a", "3 b", "3: 1 2", "3x", "3x3 1", "3xb"] {
            assert!(!is_header(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn squares_rectangles_comments_and_gaps() {
        assert_eq!(read("3\n 8  2 0\r\n4 6 1 # middle\n# more\n\n3,7,5\n").unwrap(), "8 2 0/4 6 1/3 7 5");
        assert_eq!(read("2 3\n1 2 3\n4 5 0").unwrap(), "1 2 3/4 5 0");
        assert_eq!(read("1 2 3\n4 5 _").unwrap(), "1 2 3/4 5 0");
        assert_eq!(read("2x3\n1 2 3\n4 5 .").unwrap(), "1 2 3/4 5 0");
        assert_eq!(read("3 2\n1 0").unwrap(), "3 2/1 0");
        assert_eq!(parse_rows(b"[[1, 2, 3],\n [4, 5, 0]]\n").unwrap().to_string(), "1 2 3/4 5 0");
    }

    #[test]
    fn faults_name_the_row_or_the_word() {
        assert_eq!(read("2\n1 2\n3\n"), Err(Fault::at(6, "row 2 has 1 tiles instead of 2")));
        assert_eq!(read("2\n1 2\n"), Err(Fault::whole("too few tiles: 2x2 needs 4, not 2")));
        assert_eq!(
            read("2\n1 2\n3 0\n2\n"),
            Err(Fault::at(10, "more than 2 rows: a blank line ends a grid"))
        );
        assert_eq!(read("2\n1 2\n3 3\n"), Err(Fault::at(8, "tile 3 appears twice")));
        assert_eq!(read("2\n1 2\n3 y\n"), Err(Fault::at(8, "'y' is not a number")));
        assert_eq!(read("1\n0\n"), Err(Fault::at(0, "a board has 2 to 256 rows and columns, not 1x1")));
    }

    #[test]
    fn a_file_of_a_single_board_may_have_blank_lines_between_rows() {
        assert!(has_more_rows(b"3\n1 2 3\n", b"\n4 5 6\n\n# end\n7 8 0\n"));
        assert!(has_more_rows(b"3\n", b"1 2 3\n4 5 6\n7 8 0\n"));
        assert!(has_more_rows(b"2\n1 2\n", b"3 0\n"));
        assert!(!has_more_rows(b"2 2\n1 2\n", b"2 2\n1 2\n3 0\n"));
        assert!(!has_more_rows(b"3\n1 2 3\n", b"3\n1 2 3\n"));
        assert!(!has_more_rows(b"2\n1 2\n3 0", b"1 2\n3 0\n"));
        assert!(!has_more_rows(b"3\n1 2 3\n", b"@id a\n4 5 6\n"));
        assert!(!has_more_rows(b"3 2\n1 0\n", b"2 1\n3 0\n"));
    }
}
