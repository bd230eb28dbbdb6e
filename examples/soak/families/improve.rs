//! `improve`: never longer, never wrong, nothing lost.

use crate::results::compare::{Promise, compare, expected};
use crate::results::{Format, rows};
use crate::round::Round;
use crate::run::Run;
use crate::truth::record::{Metric, Mix, text};
use anyhow::{Context, Result, ensure};

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let metric = if round.random.one_in(3) { Metric::Line } else { Metric::Default };
    let count = round.random.between(1, 25);
    let mix = Mix { metric, large: true, trays: round.random.one_in(3), goals: true, ..Mix::SMALL };
    let records = round.records(count, mix);
    round.workspace.write("puzzles.txt", text(&records))?;
    let format = round.random.pick(&Format::ALL);
    let cap = round.random.pick(&[64, 100, 256]);
    let fast =
        Run::new(["solve", "puzzles.txt", "--quality", "fast", "--format", format.word(), "-o", "before"]);
    round.run(&fast.args(metric.arguments()).cap(cap))?.expect(&[0])?;
    let timeout = format!("{}ms", round.random.between(0, 60));
    let run = Run::new(["improve", "puzzles.txt", "before", "--output-format", "jsonl", "-o", "after"]);
    let run = run.args(["--timeout", &timeout, "--format", format.word()]).args(metric.arguments());
    let threads = round.threads();
    let outcome = round.run(&run.args(threads).cap(cap))?;
    outcome.expect(&[0])?;
    let places = expected(None, &records);
    let ids: Vec<String> = places.iter().map(|place| place.id()).collect();
    let before = rows::read(format, &round.workspace.read("before")?, &ids)?;
    let after = rows::read(Format::JsonLines, &round.workspace.read("after")?, &ids)?;
    round.figures.results += after.len() as u64;
    let promise = Promise { optimal: false, decided: true, metric, tile_notation: false };
    compare(&after, &places, promise).with_context(|| format!("command: {}", outcome.command))?;
    for (old, new) in before.iter().zip(&after) {
        ensure!(new.length <= old.length, "longer: {old:?}\nnow: {new:?}\ncommand: {}", outcome.command);
    }
    let check = Run::new(["check", "puzzles.txt", "after"]);
    round.run(&check)?.expect(&[0])
}
