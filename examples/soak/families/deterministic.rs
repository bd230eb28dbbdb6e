//! `--deterministic`: the same moves and node counts for all threads and caps.

use crate::results::compare::{Promise, compare, expected};
use crate::results::{Format, rows};
use crate::round::Round;
use crate::run::Run;
use crate::truth::record::{Mix, status, text};
use anyhow::{Result, ensure};
use serde_json::Value;

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let metric = super::batch::random_metric(round);
    let more = round.random.pick(&[
        &[][..],
        &["--algorithm", "astar"],
        &["--algorithm", "bfs"],
        &["--algorithm", "greedy"],
        &["--quality", "fast"],
        &["--max-nodes", "500"],
    ]);
    // Searches that hold all states are for small boards.
    let mix = Mix {
        metric,
        large: !more.contains(&"--algorithm"),
        trays: true,
        malformed: true,
        odd_ids: false,
        goals: true,
    };
    let count = round.random.between(1, 120);
    let records = round.records(count, mix);
    round.workspace.write("puzzles.txt", text(&records))?;
    let limited = more.contains(&"500");
    let promise = Promise { optimal: more.is_empty(), decided: false, metric, tile_notation: false };
    let mut first: Option<Vec<Value>> = None;
    for _ in 0..round.random.between(2, 3) {
        let cap = round.random.pick(&[160, 256, 512]);
        let threads = round.threads();
        let run = Run::new(["solve", "puzzles.txt", "--deterministic", "--format", "jsonl"]).args(more);
        let outcome = round.run(&run.args(metric.arguments()).args(threads).cap(cap))?;
        let invalid = status(&records);
        outcome.expect(if limited && invalid == 0 { &[0, 1] } else { &[0, 1, 2] })?;
        ensure!(outcome.status() == 2 || invalid == 0, "status {} with invalid records", outcome.status());
        let results = rows::read(Format::JsonLines, &outcome.stdout, &[])?;
        round.figures.results += results.len() as u64;
        compare(&results, &expected(Some("puzzles.txt"), &records), promise)?;
        let values = without_times(outcome.text()?)?;
        let Some(first) = &first else {
            first = Some(values);
            continue;
        };
        for (one, other) in first.iter().zip(&values) {
            ensure!(one == other, "two runs differ: {one}\nand: {other}\ncommand: {}", outcome.command);
        }
    }
    Ok(())
}

fn without_times(text: &str) -> Result<Vec<Value>> {
    let mut values = Vec::new();
    for line in text.lines() {
        let mut value: Value = serde_json::from_str(line)?;
        if value["type"] == "result" {
            value.as_object_mut().map(|fields| fields.remove("time_us"));
            values.push(value);
        }
    }
    Ok(values)
}
