//! Thousands of files as arguments: their names are within the cap.

use crate::round::Round;
use crate::run::Run;
use anyhow::{Result, ensure};
use std::fs;

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let count = round.random.between(2000, 30_000);
    let folder = round.workspace.path("many");
    fs::create_dir(&folder)?;
    let mut names = Vec::with_capacity(count);
    for number in 0..count {
        // Links to one file: names are what matters.
        let name = format!("many/a file with a name that is not short {number}.txt");
        names.push(name);
    }
    round.workspace.write("one.txt", "1 2 3 4 5 6 7 0 8\n")?;
    for name in &names {
        fs::hard_link(round.workspace.path("one.txt"), round.workspace.path(name))
            .or_else(|_| fs::write(round.workspace.path(name), "1 2 3 4 5 6 7 0 8\n"))?;
    }
    let mut run = Run::new(["solve", "--quiet"]).cap(48).args(&names);
    let into_file = round.random.one_in(2);
    if into_file {
        run = run.args(["-o", "r.txt"]);
    }
    let outcome = round.run(&run).map_err(|error| {
        let text: String = format!("{error:#}").chars().take(400).collect();
        anyhow::anyhow!("{count} files: {text}")
    })?;
    ensure!(
        outcome.status() == 0,
        "{count} files: {:?}: {}",
        outcome.end,
        crate::run::shorten(&outcome.stderr)
    );
    let results = if into_file { round.workspace.read("r.txt")? } else { outcome.stdout };
    let lines = results.iter().filter(|&&byte| byte == b'\n').count();
    ensure!(lines == count, "{lines} results of {count} files");
    round.figures.results += count as u64;
    Ok(())
}
