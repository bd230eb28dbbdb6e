//! Files of others under the names of drafts, and symlinks to them: they stay
//! as they are.

use crate::round::Round;
use crate::run::Run;
use crate::truth::record::{Mix, text};
use anyhow::{Result, ensure};
use std::fs;

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let records = round.records(30, Mix::SMALL);
    round.workspace.write("puzzles.txt", text(&records))?;
    round.workspace.write("precious", "precious")?;
    let name =
        round.random.pick(&["r.jsonl.resume.new", "r.jsonl.draft", "r.jsonl.new", "r.jsonl.tmp", "r.jsonl~"]);
    let link = round.random.one_in(2);
    if link {
        std::os::unix::fs::symlink("precious", round.workspace.path(name))?;
    } else {
        round.workspace.write(name, "precious")?;
    }
    let mut run = Run::new(["solve", "puzzles.txt", "--quiet", "-o", "r.jsonl"]).cap(64);
    if round.random.one_in(2) {
        run = run.args(["--resume"]);
    }
    let outcome = round.run(&run)?;
    outcome.expect(&[0, 2])?;
    for file in ["precious", name] {
        let text = fs::read(round.workspace.path(file)).unwrap_or_default();
        ensure!(
            text == b"precious",
            "the file {file} of somebody else was changed\ncommand: {}",
            outcome.command
        );
    }
    let found = fs::symlink_metadata(round.workspace.path(name))?;
    ensure!(found.is_symlink() == link, "{name} was replaced\ncommand: {}", outcome.command);
    Ok(())
}
