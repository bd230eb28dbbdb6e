//! Options that make no sense are refused with status 2; a cap that is too
//! small names one that is not.

use crate::conditions::input::{gzip, zstd};
use crate::round::Round;
use crate::run::Run;
use anyhow::{Context, Result, ensure};

/// Arguments that are refused before anything is written.
const REFUSED: [&[&str]; 22] = [
    &["--shard", "0/3"],
    &["--shard", "4/3"],
    &["--shard", "1/0"],
    &["--shard", "-1/3"],
    &["--shard", "1"],
    &["--threads", "0"],
    &["--threads", "-1"],
    &["--memory", "0"],
    &["--memory", "lots"],
    &["--memory", "64XiB"],
    &["--weight", "0.5"],
    &["--weight", "nan"],
    &["--beam-width", "0"],
    &["--goal", "1 2 3"],
    &["--goal", "1 1 2 3 4 5 6 7 0"],
    &["--timeout", "soon"],
    &["--deadline", "-1s"],
    &["--heuristic", "pdb:99"],
    &["--heuristic", "guess"],
    &["--algorithm", "magic"],
    &["--quality", "optimal", "--algorithm", "greedy"],
    &["--resume"],
];

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    round.workspace.write("one.txt", "1 2 3 4 5 6 7 0 8\n")?;
    if round.random.one_in(2) {
        let options = round.random.pick(&REFUSED);
        let outcome = round.run(&Run::new(["solve", "one.txt"]).args(options))?;
        outcome.expect(&[2])?;
        ensure!(outcome.stdout.is_empty(), "results in spite of {options:?}");
        return Ok(());
    }
    small_cap(round)
}

/// Whatever cap the message names is enough, the first time.
fn small_cap(round: &mut Round<'_>) -> Result<()> {
    round.workspace.write("one.gz", gzip(b"1 2 3 4 5 6 7 0 8\n")?)?;
    round.workspace.write("one.zst", zstd(b"1 2 3 4 5 6 7 0 8\n"))?;
    let file = round.random.pick(&["one.txt", "one.gz", "one.zst"]);
    let threads = round.random.pick(&["1", "2", "16", "64", "200"]);
    let cap = round.random.between(1, 60) as u64;
    let first = round.run(
        &Run::new(["solve", file, "--threads", threads]).args(["--memory".to_owned(), format!("{cap}MiB")]),
    )?;
    if first.status() == 0 {
        return Ok(());
    }
    first.expect(&[2])?;
    let named = first
        .stderr
        .split_once("at least ")
        .and_then(|(_, rest)| rest.split(' ').next()?.parse::<u64>().ok());
    let named = named
        .with_context(|| format!("no size that would do: {}\ncommand: {}", first.stderr, first.command))?;
    let again = Run::new(["solve", file, "--threads", threads]);
    let second = round.run(&again.args(["--memory".to_owned(), format!("{named}MiB")]))?;
    second.expect(&[0]).with_context(|| format!("{cap} MiB were refused, and then the size that would do"))
}
