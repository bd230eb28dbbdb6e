//! A reader that leaves early: a quiet end with status 0.

use crate::round::Round;
use crate::run::{Run, Stdout};
use crate::truth::record::{Mix, text};
use anyhow::{Result, ensure};

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let records = round.records(1500, Mix::SMALL);
    round.workspace.write("puzzles.txt", text(&records))?;
    let commands: [&[&str]; 6] = [
        &["solve", "puzzles.txt", "--quiet"],
        &["solve", "puzzles.txt", "--quiet", "--format", "states"],
        &["solve", "puzzles.txt", "--quiet", "--format", "jsonl"],
        &["generate", "--count", "100000"],
        &["convert", "puzzles.txt", "--to", "grid"],
        &["trace", "V", "F", "V", "8 6 7/2 5 4/3 0 1"],
    ];
    let most = round.random.below(40_000);
    let run = Run::new(round.random.pick(&commands)).stdout(Stdout::Leaves(most));
    let outcome = round.run(&run)?;
    outcome.expect(&[0])?;
    ensure!(outcome.stderr.is_empty() || !outcome.stderr.contains("error"), "not quiet: {}", outcome.stderr);
    Ok(())
}
