//! `batch-solve check PUZZLES RESULTS`: replays every solution.
//!
//! What a check finds is its result, so it goes to stdout: a line for each
//! problem, then the summary. Only what keeps it from checking goes to stderr.

use crate::check::{CheckError, CheckOptions, Summary, check};
use crate::cli::Exit;
use crate::cli::args::CheckArgs;
use crate::files::name::path_of;
use crate::input::{Compression, Defaults, Reader, max_zstd_window};
use crate::memory::budget::{Budget, OutOfBudget, PROGRAM, least_cap};
use crate::memory::limits;
use crate::output::{Sink, SinkError};
use anyhow::{Context, bail, ensure};
use std::{
    fmt::Write,
    fs::File,
    io::{self, BufRead, BufReader},
};

/// How much of the results is read at a time.
const BUFFER: usize = 256 << 10;

/// Checks the results and says what is wrong with them.
pub(in crate::cli) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    let (window, room) = room(args.memory, &[&args.puzzles])?;
    let (reader, results) = inputs(args, window)?;
    let options = CheckOptions { format: args.format, notation: args.notation, room };
    let summary = match check(vec![reader], results, &options) {
        Ok(summary) => summary,
        Err(CheckError::Puzzles(error)) => return Err(error.into()),
        Err(error) => return Err(error).with_context(|| args.results.clone()),
    };
    // The status must say that something is wrong even where nobody reads the
    // lines.
    let exit = if summary.is_right() { Exit::Decided } else { Exit::Undecided };
    match say(&summary, args.quiet) {
        Err(SinkError::Closed) => Ok(exit),
        said => said.map(|()| exit).map_err(Into::into),
    }
}

/// Opens the puzzles and the results.
pub(in crate::cli) fn inputs(args: &CheckArgs, window: u64) -> anyhow::Result<(Reader, Box<dyn BufRead>)> {
    ensure!(
        args.puzzles != "-" || args.results != "-",
        "only one of PUZZLES and RESULTS can be standard input"
    );
    let defaults = Defaults { zstd_window: Some(window), ..args.defaults() };
    Ok((Reader::open(&args.puzzles, defaults)?, open(&args.results)?))
}

/// How large the window of a compressed file may be, and what is left of the
/// memory for results.
pub(in crate::cli) fn room(memory: Option<u64>, files: &[impl AsRef<str>]) -> anyhow::Result<(u64, u64)> {
    const OTHERS: u64 = 4 << 20;
    const LEAST: u64 = 8 << 20;
    let cap = limits::cap(memory, 0);
    let (budget, window) = (Budget::new(cap), max_zstd_window(cap));
    let fixed = PROGRAM + Reader::FOOTPRINT as u64 + BUFFER as u64 + OTHERS + LEAST;
    let needs = |cap| fixed + Compression::footprint_of(files, cap);
    let reserved = budget.reserve(needs(cap));
    reserved.map_err(|short| OutOfBudget { needed: least_cap(needs), ..short }).context("--memory")?;
    Ok((window, LEAST + budget.left()))
}

/// Opens the results; `-` is standard input.
pub(in crate::cli) fn open(name: &str) -> anyhow::Result<Box<dyn BufRead>> {
    if name == "-" {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, io::stdin())));
    }
    let file = File::open(path_of(name)).with_context(|| format!("cannot open {name}"))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        bail!("{name} is a directory, not a file of results");
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER, file)))
}

/// Writes the problems and, unless told otherwise, the summary.
fn say(summary: &Summary, quiet: bool) -> Result<(), SinkError> {
    let mut text = String::new();
    for problem in &summary.problems {
        let _ = writeln!(text, "{problem}");
    }
    if summary.more_problems() > 0 {
        let _ = writeln!(text, "and {} more", summary.more_problems());
    }
    if !quiet {
        let _ = writeln!(text, "{}\n{summary}", summary.unchecked());
    }
    Sink::stdout(&[] as &[&str])?.write_all(text.as_bytes())
}
