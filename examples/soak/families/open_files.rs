//! A limit on open files (`ulimit -n`), with more files than that.

use crate::results::compare::{Promise, compare, expected};
use crate::results::{Format, rows};
use crate::round::Round;
use crate::run::Run;
use crate::system::Limit;
use crate::truth::record::{Mix, Record, text};
use anyhow::{Context, Result, ensure};

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let files = round.random.between(1, 200);
    // The system needs one descriptor to load the program, beside the standard three.
    let limit = Limit::OpenFiles(round.random.between(4, 64) as u64);
    // With this many the program must not run short.
    let enough = limit == Limit::OpenFiles(0) || matches!(limit, Limit::OpenFiles(count) if count >= 24);
    let mut parts: Vec<(String, Vec<Record>)> = Vec::new();
    for number in 0..files {
        let records = round.records(1, Mix::SMALL);
        let name = format!("{number}.txt");
        round.workspace.write(&name, text(&records))?;
        parts.push((name, records));
    }
    let names: Vec<&String> = parts.iter().map(|(name, _)| name).collect();
    let statuses: &[i32] = if enough { &[0] } else { &[0, 2] };
    if round.random.one_in(3) {
        let run = Run::new(["convert", "--to", "slashes"]).args(&names).limit(limit);
        let outcome = round.run(&run)?;
        outcome.expect(statuses)?;
        ensure!(
            outcome.status() != 0 || outcome.text()?.lines().count() >= files,
            "boards are missing: {}",
            outcome.command
        );
        return Ok(());
    }
    let mut run = Run::new(["solve", "--format", "jsonl"]).args(&names).cap(64).limit(limit);
    let into_file = round.random.one_in(2);
    if into_file {
        run = run.args(["-o", "r.jsonl"]);
    }
    let outcome = round.run(&run)?;
    outcome.expect(statuses)?;
    if outcome.status() == 0 {
        let bytes = if into_file { round.workspace.read("r.jsonl")? } else { outcome.stdout };
        let places: Vec<_> = parts.iter().flat_map(|(name, records)| expected(Some(name), records)).collect();
        let results = rows::read(Format::JsonLines, &bytes, &[])?;
        round.figures.results += results.len() as u64;
        compare(&results, &places, Promise::DEFAULT)
            .with_context(|| format!("command: {}", outcome.command))?;
    }
    Ok(())
}
