//! Writes checked results in the forms of other tools and courses.

use super::puzzles::grid;
use crate::check::{CheckedAnswer, CorrectResult};
use crate::model::report::Instance;
use crate::puzzle::tiles::{Board, Direction};
use std::fmt::{self, Write};

/// A form of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answers {
    /// The board with slashes between rows, a tab, and the moves of the tiles with counted
    /// repetitions, such as `R2UL3`.
    Runs,
    /// `Minimum number of moves = N`, then every board of the solution.
    Course,
}

/// Appends a result as whole lines. Undecided and invalid records are omitted.
pub fn write(out: &mut impl Write, form: Answers, result: CorrectResult<'_>) -> fmt::Result {
    let board = match result.instance {
        Some(Instance::Tiles { board, .. }) => board,
        Some(Instance::Tray { .. }) => return tray(out, result.answer),
        None => return Ok(()),
    };
    match (form, result.answer) {
        (_, CheckedAnswer::Nothing | CheckedAnswer::Slid(_)) => Ok(()),
        (Answers::Runs, CheckedAnswer::Solved(moves, _)) => writeln!(out, "{board}\t{}", runs(moves)),
        (Answers::Runs, CheckedAnswer::Unsolvable) => writeln!(out, "{board}\tunsolvable"),
        (Answers::Course, CheckedAnswer::Solved(moves, optimal)) => course(out, board, moves, optimal),
        (Answers::Course, CheckedAnswer::Unsolvable) => out.write_str("No solution possible\n\n"),
    }
}

/// Appends the answer for a tray in the course form: one line per move, and a blank line at the
/// end.
fn tray(out: &mut impl Write, answer: CheckedAnswer<'_>) -> fmt::Result {
    if let CheckedAnswer::Slid(moves) = answer {
        for [row, col, to_row, to_col] in moves {
            writeln!(out, "{row} {col} {to_row} {to_col}")?;
        }
    }
    out.write_str("\n")
}

/// Returns the moves of the tiles with counts, such as `R2UL3`.
fn runs(moves: &[Direction]) -> String {
    let mut text = String::new();
    for run in moves.chunk_by(|a, b| a == b) {
        text.push(char::from(run[0].opposite().letter()));
        if run.len() > 1 {
            text += &run.len().to_string();
        }
    }
    text
}

/// Appends the number of moves, called the minimum only if that was proved; then every board, each
/// below its size, followed by a blank line.
fn course(out: &mut impl Write, start: &Board, moves: &[Direction], optimal: bool) -> fmt::Result {
    let least = if optimal { "Minimum number" } else { "Number" };
    writeln!(out, "{least} of moves = {}", moves.len())?;
    let mut board = start.clone();
    let mut text = String::new();
    let mut show = |board: &Board| {
        text.clear();
        grid(&mut text, board);
        text.push('\n');
        out.write_str(&text)
    };
    show(&board)?;
    for &direction in moves {
        board.slide(direction);
        show(&board)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Down, Left, Right as East, Up};

    #[test]
    fn runs_are_counted_in_the_notation_of_tiles() {
        assert_eq!(runs(&[]), "");
        assert_eq!(runs(&[Up, Up, Left, Down, East, East, East]), "D2RUL3");
    }
}
