//! Tile positions, the inverse permutation: for each tile, the blank (0) first, the number of its
//! cell, counted from 0 row by row.
//!
//! ```text
//! 2 2
//! starting positions for each tile:
//! 3 0 1 2          (usually one per line)
//! goal positions:
//! 0 1 2 3
//! ```
//!
//! Programs that write this form put the width before the height. The goal positions are the
//! record's goal; without them the current goal applies.

use super::word::{Word, Words};
use crate::input::error::Fault;
use crate::puzzle::tiles::{Board, BoardError, Goal, Size};

const START: &str = "starting positions for each tile:";
const GOAL: &str = "goal positions:";

/// Returns whether a text that starts with two numbers continues in this form.
pub(in crate::input) fn fits(text: &[u8]) -> bool {
    Words::new(text).nth(2).is_some_and(|word| word.text.eq_ignore_ascii_case(b"starting"))
}

/// Parses a board, and its goal if present.
pub(in crate::input) fn parse(text: &[u8]) -> Result<(Board, Option<Goal>), Fault> {
    let mut words = Words::new(text);
    let (Some(width), Some(height)) = (words.next(), words.next()) else {
        return Err(Fault::whole("tile positions start with the width and the height"));
    };
    let side = |word: Word<'_>| word.number().map_err(|what| Fault::at(word.at, what));
    let size = Size::new(side(height)? as usize, side(width)? as usize)
        .map_err(|error| Fault::at(width.at, error.to_string()))?;
    keyword(&mut words, START)?;
    let board = arrangement(size, &mut words)?;
    if words.clone().next().is_none() {
        return Ok((board, None));
    }
    keyword(&mut words, GOAL)?;
    let goal = arrangement(size, &mut words)?;
    if let Some(word) = words.next() {
        return Err(Fault::at(word.at, "more goal positions than tiles"));
    }
    Ok((board, Some(named(goal))))
}

/// Consumes the words of a heading.
fn keyword(words: &mut Words<'_>, heading: &str) -> Result<(), Fault> {
    for expected in heading.split(' ') {
        let word = words.next();
        if !word.is_some_and(|word| word.text.eq_ignore_ascii_case(expected.as_bytes())) {
            let what = format!("'{heading}' is missing");
            return Err(Fault { at: word.map(|word| word.at), what });
        }
    }
    Ok(())
}

/// Consumes one position per tile and places the tiles.
fn arrangement(size: Size, words: &mut Words<'_>) -> Result<Board, Fault> {
    let cells = size.cells();
    let mut tiles = vec![u32::MAX; cells];
    for tile in 0..cells {
        let word = words
            .next()
            .filter(|word| word.text.first().is_some_and(u8::is_ascii_digit))
            .ok_or_else(|| Fault::whole(format!("too few positions: {size} needs {cells}, not {tile}")))?;
        let cell = word.number().map_err(|what| Fault::at(word.at, what))?;
        match tiles.get_mut(cell as usize) {
            Some(free) if *free == u32::MAX => *free = tile as u32,
            Some(taken) => {
                return Err(Fault::at(word.at, format!("tiles {taken} and {tile} are both in cell {cell}")));
            }
            None => {
                let what = format!("cell {cell} is out of range: the largest is {}", cells - 1);
                return Err(Fault::at(word.at, what));
            }
        }
    }
    Board::new(size, &tiles).map_err(|error: BoardError| Fault::whole(error.to_string()))
}

/// Returns a goal by its name if it has one: searches are specialised for named goals.
fn named(board: Board) -> Goal {
    [Goal::BlankLast, Goal::BlankFirst, Goal::Snail]
        .into_iter()
        .find(|goal| goal.board(board.size()).is_some_and(|goal| *goal == board))
        .unwrap_or_else(|| Goal::Given(board.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(String, Option<String>), Fault> {
        parse(text.as_bytes()).map(|(board, goal)| (board.to_string(), goal.map(|g| g.name().into_owned())))
    }

    #[test]
    fn positions_are_the_inverse() {
        let text = "2 2\nstarting positions for each tile:\n2\n3\n0\n1\ngoal positions:\n0\n1\n2\n3\n";
        assert!(fits(text.as_bytes()));
        assert_eq!(read(text).unwrap(), ("2 3/0 1".into(), Some("blank-first".into())));
        let wide = "3 2\nstarting positions for each tile:\n5 4 3 2 1 0";
        assert_eq!(read(wide).unwrap(), ("5 4 3/2 1 0".into(), None));
        let given = "2 2\nStarting positions for each tile:\n0 1 2 3\ngoal positions:\n0 3 2 1";
        assert_eq!(read(given).unwrap().1.unwrap(), "0 3/2 1");
    }

    #[test]
    fn faults() {
        let what = |text: &str| read(text).unwrap_err().what;
        let start = "2 2\nstarting positions for each tile:\n";
        assert_eq!(what(&format!("{start}0 1 2")), "too few positions: 2x2 needs 4, not 3");
        assert_eq!(what(&format!("{start}0 1 2 2")), "tiles 2 and 3 are both in cell 2");
        assert_eq!(what(&format!("{start}0 1 2 4")), "cell 4 is out of range: the largest is 3");
        assert_eq!(what(&format!("{start}0 1 2 3 4")), "'goal positions:' is missing");
        assert_eq!(
            what(&format!("{start}0 1 2 3 goal positions: 0 1 2")),
            "too few positions: 2x2 needs 4, not 3"
        );
        assert_eq!(what("2 2 starting now"), "'starting positions for each tile:' is missing");
        assert_eq!(what("2"), "tile positions start with the width and the height");
        assert_eq!(what("1 2 starting"), "a board has 2 to 256 rows and columns, not 2x1");
    }
}
