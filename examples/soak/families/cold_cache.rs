//! An empty cache folder, and runs killed while they make databases in it:
//! later runs are right, and the databases are whole.

use super::job::SIGNALS;
use crate::results::compare::{Promise, compare, expected};
use crate::results::{Format, rows};
use crate::round::Round;
use crate::run::Run;
use crate::truth::record::{Mix, Puzzle, text};
use anyhow::{Context, Result};

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let mut records = round.records(40, Mix { large: true, goals: true, ..Mix::SMALL });
    // Larger boards have no databases in so little memory.
    let small = |puzzle: &Puzzle| matches!(puzzle, Puzzle::Board { start, .. } if start.tiles.len() <= 16);
    records.retain(|record| small(&record.puzzle));
    round.workspace.write("puzzles.txt", text(&records))?;
    let folder = round.workspace.path("cache");
    let cap = round.random.pick(&[64, 100]);
    let run =
        Run::new(["solve", "puzzles.txt", "--heuristic", "pdb", "--algorithm", "ida", "--format", "jsonl"]);
    let run = run.cap(cap).cache(folder.clone());
    for _ in 0..round.random.below(4) {
        let (signal, after) = (round.random.pick(&SIGNALS), round.random.moment(2_000_000));
        round.run(&run.clone().signal(signal, after))?;
    }
    let outcome = round.run(&run)?;
    outcome.expect(&[0])?;
    let results = rows::read(Format::JsonLines, &outcome.stdout, &[])?;
    round.figures.results += results.len() as u64;
    compare(
        &results,
        &expected(Some("puzzles.txt"), &records),
        Promise { optimal: false, ..Promise::DEFAULT },
    )
    .with_context(|| format!("command: {}", outcome.command))?;
    round.run(&Run::new(["pdb", "verify"]).cache(folder))?.expect(&[0])
}
