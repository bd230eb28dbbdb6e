//! Puzzle files replaced between a run and its `--resume` by others of the
//! same size, perhaps with the same time.

use super::job::{Job, SIGNALS};
use crate::conditions::input::{Input, Part};
use crate::conditions::output::Output;
use crate::results::Format;
use crate::results::compare::Promise;
use crate::round::Round;
use crate::run::Run;
use crate::truth::board::{Board, GoalName};
use crate::truth::record::{Answer, Puzzle, Record};
use anyhow::{Context, Result, ensure};
use std::fs;

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let count = round.random.between(1, 400);
    let old = boards(round, count);
    let new = boards(round, count);
    let path = round.workspace.path("puzzles.txt");
    fs::write(&path, text_of(&old))?;
    let time = fs::metadata(&path)?.modified()?;
    let old = Input::file(Part { name: "puzzles.txt".into(), records: old });
    let new = Input::file(Part { name: "puzzles.txt".into(), records: new });
    let format = round.random.pick(&Format::ALL);
    let output = Output::new(round, 0, format)?;
    let base = Run::new(["solve", "--quiet"]).cap(64);
    let job = Job {
        base,
        input: &old,
        output: &output,
        format,
        promise: Promise::DEFAULT,
        expected: old.expected(),
    };
    let mut first = job.run();
    let killed = round.random.one_in(2);
    if killed {
        first = first.signal(round.random.pick(&SIGNALS), round.random.moment(100_000));
    }
    round.run(&first)?;
    let before = if output.exists(round) { round.workspace.read(&output.name)? } else { Vec::new() };
    fs::write(&path, text_of(&new.parts[0].records))?;
    if round.random.one_in(2) {
        fs::File::options().write(true).open(&path)?.set_modified(time)?;
    }
    round.workspace.note("# puzzles.txt was replaced here by another of the same size");
    let outcome = round.run(&job.run())?;
    let after = if output.exists(round) { round.workspace.read(&output.name)? } else { Vec::new() };
    if outcome.status() == 2 && after == before {
        return Ok(());
    }
    // A run that had answered nothing yet may begin again with the new file.
    ensure!(killed, "a replaced input was not refused: {:?}\ncommand: {}", outcome.end, outcome.command);
    outcome.expect(&[0])?;
    let job = Job { expected: new.expected(), input: &new, ..job };
    job.compare(round)
        .with_context(|| format!("a replaced input was not noticed\ncommand: {}", outcome.command))
}

/// Boards whose lines all have the same length.
fn boards(round: &mut Round<'_>, count: usize) -> Vec<Record> {
    let goal = GoalName::BlankLast;
    let mut records = Vec::new();
    for _ in 0..count {
        let mut start = Board::random(&mut round.random, 3, 3);
        if !start.is_solvable(&goal.board(3, 3)) {
            start.exchange_tiles();
        }
        let distance = round.truth.distance(&start, goal, false).expect("a solvable board");
        let text = start.tiles.iter().map(u16::to_string).collect::<Vec<_>>().join(" ") + "\n";
        let puzzle = Puzzle::Board { start, goal };
        records.push(Record { text, id: None, puzzle, answer: Answer::Length(distance), states: None });
    }
    records
}

fn text_of(records: &[Record]) -> String {
    crate::truth::record::text(records)
}
