//! The forms in which students keep their boards: grids without a header,
//! lists of Python and JSON, rows with semicolons, hexadecimal digits.

use crate::results::compare::{Promise, compare, expected};
use crate::results::{Format, rows};
use crate::round::Round;
use crate::run::Run;
use crate::truth::board::{Board, GoalName};
use crate::truth::exact;
use crate::truth::record::{Answer, Puzzle, Record};
use anyhow::{Context, Result};

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let side = round.random.between(3, 4);
    let goal = GoalName::BlankLast;
    let moves = round.random.below(20);
    let start = goal.board(side, side).walk(&mut round.random, moves);
    let length =
        exact::shortest(&start, &goal.board(side, side), moves as u32).context("a scrambled board")?;
    let text = write(round, &start);
    let puzzle = Puzzle::Board { start, goal };
    let record = Record { text, id: None, puzzle, answer: Answer::Length(length), states: None };
    round.workspace.write("board.txt", &record.text)?;
    let outcome = round.run(&Run::new(["solve", "board.txt", "--format", "jsonl"]).cap(100))?;
    let context = || format!("{:?}\ncommand: {}", record.text, outcome.command);
    let found = rows::read(Format::JsonLines, &outcome.stdout, &[]).with_context(context)?;
    round.figures.results += 1;
    let records = [record.clone()];
    compare(&found, &expected(None, &records), Promise::DEFAULT).with_context(context)?;
    outcome.expect(&[0])
}

fn write(round: &mut Round<'_>, board: &Board) -> String {
    let join = |between: &str, rows_between: &str| {
        let row = |row: &[u16]| row.iter().map(u16::to_string).collect::<Vec<_>>().join(between);
        board.tiles.chunks(board.cols).map(row).collect::<Vec<_>>().join(rows_between)
    };
    match round.random.below(8) {
        0 | 1 => format!("{}\n", join(" ", "\n")),
        2 => format!("[{}]\n", join(", ", ", ")),
        3 => format!("[[{}]]\n", join(", ", "], [")),
        4 => format!("{}\n", join(" ", "; ")),
        5 => format!("{0}x{0}\n{1}\n", board.rows, join(" ", "\n")),
        6 => format!("// a comment\n{}\n", join(" ", " / ")),
        _ if board.rows == 3 => format!("{}\n", join("", "/")),
        _ => board.tiles.iter().map(|tile| format!("{tile:X}")).collect::<String>() + "\n",
    }
}
