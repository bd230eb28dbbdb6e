//! States: every configuration from the start to the solution, as grids.
//!
//! ```text
//! puzzle 17: solved, 2 moves, optimal
//!
//! 0
//! 1 2 3
//! 4 _ 5
//! 7 8 6
//!
//! 1 R
//! 1 2 3
//! …
//! ```
//!
//! A blank line follows each grid and each heading. The blank is `_`, so that a grid can be read
//! back as a puzzle.

use super::{Notation, fragments, tray_states};
use crate::model::report::{Instance, Moves, Report, Verdict};
use crate::puzzle::tiles::{Board, Direction};

/// Hook that may flush the buffer. Returns whether to continue.
pub(super) type FlushHook<'s> = dyn FnMut(&mut Vec<u8>) -> bool + 's;

/// Appends a report's heading and, if it is solved, its configurations. Calls `flush` between
/// configurations.
pub(super) fn write(out: &mut Vec<u8>, report: &Report, notation: Notation, flush: &mut FlushHook<'_>) {
    heading(out, report);
    if let (Verdict::Solved(solution), Some(instance)) = (&report.verdict, &report.instance) {
        match (instance, &solution.moves) {
            (Instance::Tiles { board, .. }, Moves::Tiles(moves)) => {
                tiles(out, board, moves, notation, flush);
            }
            (Instance::Tray { tray, metric }, Moves::Tray(moves)) => {
                tray_states::write(out, tray, *metric, moves, flush);
            }
            _ => unreachable!("a solution that replays has its puzzle's moves"),
        }
    }
}

/// Appends `puzzle ID: STATUS, …` and a blank line.
fn heading(out: &mut Vec<u8>, report: &Report) {
    out.extend_from_slice(b"puzzle ");
    fragments::id(out, report);
    out.extend_from_slice(b": ");
    out.extend_from_slice(fragments::status(&report.verdict).as_bytes());
    out.extend_from_slice(b", ");
    match &report.verdict {
        Verdict::Solved(solution) => {
            moves(out, solution.length);
            if solution.optimal {
                out.extend_from_slice(b", optimal");
            } else if solution.bound > 0 {
                at_least(out, solution.bound);
            }
        }
        unsolved => {
            fragments::reason(out, report);
            if let Verdict::GaveUp { bound, .. } = *unsolved {
                at_least(out, bound);
            }
        }
    }
    out.extend_from_slice(b"\n\n");
}

/// Appends `, at least N moves`.
fn at_least(out: &mut Vec<u8>, bound: u32) {
    out.extend_from_slice(b", at least ");
    moves(out, bound);
}

/// Appends `1 move`, `2 moves` and so on.
fn moves(out: &mut Vec<u8>, count: u32) {
    fragments::number(out, count.into());
    out.extend_from_slice(if count == 1 { b" move" } else { b" moves" });
}

/// Appends a numbered grid for the start and for the board after each move.
fn tiles(
    out: &mut Vec<u8>,
    start: &Board,
    moves: &[Direction],
    notation: Notation,
    flush: &mut FlushHook<'_>,
) {
    let mut board = start.clone();
    out.extend_from_slice(b"0\n");
    grid(out, &board);
    for (number, &direction) in (1..).zip(moves) {
        if !flush(out) {
            return;
        }
        board.slide(direction);
        fragments::number(out, number);
        out.extend([b' ', fragments::letter(direction, notation), b'\n']);
        grid(out, &board);
    }
}

/// Appends a board's rows, its columns aligned, and a blank line.
fn grid(out: &mut Vec<u8>, board: &Board) {
    let width = (board.size().cells() - 1).ilog10() as usize + 1;
    for row in board.tiles().chunks(board.size().cols()) {
        for (col, &tile) in row.iter().enumerate() {
            let mut digits = itoa::Buffer::new();
            let name = if tile == 0 { "_" } else { digits.format(tile) };
            let gap = width - name.len() + usize::from(col > 0);
            out.extend(std::iter::repeat_n(b' ', gap));
            out.extend_from_slice(name.as_bytes());
        }
        out.push(b'\n');
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::report::samples;
    use crate::puzzle::tiles::{Goal, Size};

    fn text(report: &Report) -> String {
        let mut out = Vec::new();
        write(&mut out, report, Notation::Blank, &mut |_| true);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_configuration_of_a_solution() {
        assert_eq!(
            text(&samples::solved()),
            "puzzle 17: solved, 2 moves, optimal\n\n0\n1 2 3\n4 _ 6\n7 5 8\n\n\
             1 D\n1 2 3\n4 5 6\n7 _ 8\n\n2 R\n1 2 3\n4 5 6\n7 8 _\n\n"
        );
        assert!(text(&samples::suboptimal()).starts_with("puzzle 18: solved, 4 moves, at least 2 moves\n\n"));
    }

    #[test]
    fn the_other_verdicts() {
        assert_eq!(
            text(&samples::unsolvable()),
            "puzzle 4: unsolvable, parity; solvable for blank-first\n\n"
        );
        assert_eq!(text(&samples::gave_up()), "puzzle k3: gave_up, nodes, at least 20 moves\n\n");
        assert!(text(&samples::invalid()).starts_with("puzzle 9: invalid, tile 7 appears twice"));
    }

    #[test]
    fn columns_are_aligned() {
        let board = Goal::BlankFirst.board(Size::new(3, 5).unwrap()).unwrap().into_owned();
        let mut out = Vec::new();
        grid(&mut out, &board);
        assert_eq!(String::from_utf8(out).unwrap(), " _  1  2  3  4\n 5  6  7  8  9\n10 11 12 13 14\n\n");
    }
}
