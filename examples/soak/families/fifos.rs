//! FIFOs in all places where the program opens a file.

use crate::results::compare::{Promise, compare, expected};
use crate::results::{Format, rows};
use crate::round::Round;
use crate::run::Run;
use crate::system::make_fifo;
use crate::truth::record::{Mix, text};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::os::unix::fs::FileTypeExt;

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    match round.random.below(4) {
        0 => beside_results(round),
        1 => as_results(round),
        2 => as_database(round),
        _ => as_checkpoint(round),
    }
}

/// A FIFO has the name of the journal or of a draft.
fn beside_results(round: &mut Round<'_>) -> Result<()> {
    let records = round.records(20, Mix::SMALL);
    round.workspace.write("puzzles.txt", text(&records))?;
    let name = round.random.pick(&["r.jsonl.resume", "r.jsonl.resume.new", "r.jsonl.draft", "r.jsonl.new"]);
    make_fifo(&round.workspace.path(name))?;
    let mut run = Run::new(["solve", "puzzles.txt", "--quiet", "-o", "r.jsonl"]).cap(64).patience(60);
    if round.random.one_in(2) {
        run = run.args(["--resume"]);
    }
    let outcome = round.run(&run).with_context(|| format!("with a FIFO called {name}"))?;
    outcome.expect(&[0, 2])?;
    let kind = fs::symlink_metadata(round.workspace.path(name)).map(|found| found.file_type().is_fifo());
    ensure!(kind.unwrap_or(false), "the FIFO {name} was removed or replaced\ncommand: {}", outcome.command);
    if outcome.status() == 0 {
        let results = rows::read(Format::JsonLines, &round.workspace.read("r.jsonl")?, &[])?;
        compare(&results, &expected(None, &records), Promise::DEFAULT)?;
    }
    Ok(())
}

/// Results go into a FIFO whose reader stays or leaves.
fn as_results(round: &mut Round<'_>) -> Result<()> {
    let count = round.random.between(1, 800);
    let records = round.records(count, Mix::SMALL);
    round.workspace.write("puzzles.txt", text(&records))?;
    let path = round.workspace.path("out.jsonl");
    make_fifo(&path)?;
    let most = if round.random.one_in(2) { usize::MAX } else { round.random.below(100_000) };
    let mut run =
        Run::new(["solve", "puzzles.txt", "--quiet", "-o", "out.jsonl", "--force"]).cap(64).patience(60);
    run.drain = Some((path.clone(), most));
    // A reader that leaves at once may be gone before the FIFO is opened.
    if most < 1000 {
        run = run.signal(libc::SIGTERM, std::time::Duration::from_secs(5));
    }
    let outcome = round.run(&run)?;
    ensure!(
        outcome.interrupted || [0, 2].contains(&outcome.status()),
        "{:?}: {}",
        outcome.end,
        outcome.command
    );
    ensure!(fs::symlink_metadata(&path)?.file_type().is_fifo(), "the FIFO was replaced: {}", outcome.command);
    Ok(())
}

/// A FIFO has the name of a pattern database.
fn as_database(round: &mut Round<'_>) -> Result<()> {
    let records = round.records(5, Mix::SMALL);
    round.workspace.write("puzzles.txt", text(&records))?;
    let solve = ["solve", "puzzles.txt", "--pdb-dir", "databases", "--heuristic", "pdb", "--format", "jsonl"];
    round.run(&Run::new(solve).cap(100))?.expect(&[0])?;
    let folder = round.workspace.path("databases");
    let Ok(found) = fs::read_dir(&folder) else { return Ok(()) };
    let mut replaced = 0;
    for entry in found {
        let path = entry?.path();
        fs::remove_file(&path)?;
        make_fifo(&path)?;
        replaced += 1;
    }
    round.workspace.note(&format!("# {replaced} databases were replaced by FIFOs here"));
    let run = if round.random.one_in(2) {
        Run::new(solve).cap(100)
    } else {
        Run::new(["pdb", round.random.pick(&["list", "verify"]), "--pdb-dir", "databases"])
    };
    let outcome = round.run(&run.patience(60)).context("with FIFOs as databases")?;
    outcome.expect(&[0, 1, 2])
}

/// A FIFO is the checkpoint.
fn as_checkpoint(round: &mut Round<'_>) -> Result<()> {
    let easy = "5x5: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 0 23 24\n";
    round.workspace.write("wide.txt", easy)?;
    let name = round.random.pick(&["state", "state.draft"]);
    make_fifo(&round.workspace.path(name))?;
    let run =
        Run::new(["solve", "wide.txt", "--quality", "optimal", "--checkpoint", "state", "--timeout", "20s"]);
    let outcome =
        round.run(&run.cap(256).patience(45)).with_context(|| format!("with a FIFO called {name}"))?;
    outcome.expect(&[0, 1, 2])
}
