//! Slashes between the rows, so that the record shows its own shape:
//! `8 2 0/4 6 1/3 7 5`, the form of the speed-sliding community.

use super::{
    error::Fault,
    one_line::OneLine,
    word::{Word, Words, board, junk},
};
use crate::puzzle::tiles::{Board, Size};

/// The rows and where each starts in the whole line.
fn rows<'a>(line: &OneLine<'a>) -> impl Iterator<Item = (usize, &'a [u8])> + Clone + use<'a> {
    let mut at = line.at;
    line.body.split(|&b| b == b'/').map(move |row| {
        let start = at;
        at += row.len() + 1;
        (start, row)
    })
}

/// Reads a board.
pub(super) fn parse(line: &OneLine<'_>) -> Result<Board, Fault> {
    let words =
        rows(line).flat_map(|(at, row)| Words::new(row).map(move |word| Word { at: word.at + at, ..word }));
    let cols = rows(line).next().map_or(0, |(_, row)| Words::new(row).count());
    for (number, (at, row)) in rows(line).enumerate() {
        let tiles = Words::new(row).count();
        if tiles != cols {
            let what = format!("row {} has {tiles} tiles, the first row has {cols}", number + 1);
            return Err(junk(words).unwrap_or(Fault::at(at, what)));
        }
    }
    let size = Size::new(rows(line).count(), cols)
        .map_err(|error| junk(words.clone()).unwrap_or(Fault::whole(error.to_string())))?;
    match line.size {
        Some(said) if said != size => {
            Err(Fault::whole(format!("the rows make a board of {size}, not {said}")))
        }
        _ => board(size, words),
    }
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
    fn faults_name_the_row_or_the_word() {
        assert_eq!(read("1 2/3"), Err(Fault::at(4, "row 2 has 1 tiles, the first row has 2")));
        assert_eq!(read("1 2/3 0/"), Err(Fault::at(8, "row 3 has 0 tiles, the first row has 2")));
        assert_eq!(read("a: 1 2/3 3"), Err(Fault::at(9, "tile 3 appears twice")));
        assert_eq!(read("1 2/y"), Err(Fault::at(4, "'y' is not a number")));
        assert_eq!(read("1 2 3 0").unwrap_err().what, "a board has 2 to 256 rows and columns, not 1x4");
        assert_eq!(read("3x2: 1 2 3/4 5 0").unwrap_err().what, "the rows make a board of 2x3, not 3x2");
    }
}
