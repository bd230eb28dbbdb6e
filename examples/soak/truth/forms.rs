//! A board in the forms of puzzle files.

use super::board::Board;
use crate::random::Random;
use std::fmt::Write;

/// The forms that every version reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Line,
    Slashes,
    Compact,
    Grid,
    Positions,
}

impl Form {
    pub(crate) const ALL: [Self; 5] = [Self::Line, Self::Slashes, Self::Compact, Self::Grid, Self::Positions];

    /// Returns the word of `convert --to`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Slashes => "slashes",
            Self::Compact => "compact",
            Self::Grid => "grid",
            Self::Positions => "positions",
        }
    }

    /// Returns whether a board has this form.
    pub(crate) fn suits(self, board: &Board) -> bool {
        self != Self::Compact || (board.rows, board.cols) == (3, 3)
    }

    /// Returns whether it is one line.
    pub(crate) fn is_line(self) -> bool {
        !matches!(self, Self::Grid | Self::Positions)
    }

    /// Writes a board without an id; `goal` is for tile positions only.
    pub(crate) fn write(self, board: &Board, goal: &Board, random: &mut Random) -> String {
        let blank = if self == Self::Compact { "b" } else { "0" };
        let word = |&tile: &u16| if tile == 0 { blank.to_owned() } else { tile.to_string() };
        let rows: Vec<Vec<String>> =
            board.tiles.chunks(board.cols).map(|row| row.iter().map(word).collect()).collect();
        let join = |between: &str, rows_between: &str| {
            rows.iter().map(|row| row.join(between)).collect::<Vec<_>>().join(rows_between)
        };
        match self {
            Self::Line => format!(
                "{}x{}: {}\n",
                board.rows,
                board.cols,
                join(random.pick(&[" ", "\t", ", ", "  "]), " ")
            ),
            Self::Slashes => format!("{}\n", join(" ", random.pick(&["/", " / "]))),
            Self::Compact => format!("{}\n", join("", random.pick(&["", " "]))),
            Self::Grid => {
                let header = if board.rows == board.cols && random.one_in(2) {
                    board.rows.to_string()
                } else {
                    format!("{} {}", board.rows, board.cols)
                };
                format!("\n{header}\n{}\n\n", join(" ", random.pick(&["\n", "\r\n"])))
            }
            Self::Positions => {
                let mut text =
                    format!("\n{} {}\nstarting positions for each tile:\n", board.cols, board.rows);
                write_positions(&mut text, board);
                text.push_str("goal positions:\n");
                write_positions(&mut text, goal);
                text.push('\n');
                text
            }
        }
    }
}

fn write_positions(text: &mut String, board: &Board) {
    for tile in 0..board.tiles.len() as u16 {
        let _ = writeln!(text, "{}", board.tiles.iter().position(|&other| other == tile).expect("a tile"));
    }
}
