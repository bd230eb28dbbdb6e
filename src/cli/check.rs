//! `batch-solve check PUZZLES RESULTS`: replays every solution.
//!
//! What a check finds is its result, so it goes to stdout: a line for each
//! problem, then the summary. Only what keeps it from checking goes to stderr.

use super::{Exit, args::CheckArgs};
use crate::{
    check::{CheckError, Options, Summary, check},
    input::Reader,
    output::{Sink, SinkError},
};
use anyhow::{Context, bail, ensure};
use std::{
    fmt::Write,
    fs::File,
    io::{self, BufRead, BufReader},
};

/// How much of the results is read at a time.
const BUFFER: usize = 256 << 10;

/// Checks the results and says what is wrong with them.
pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    ensure!(
        args.puzzles != "-" || args.results != "-",
        "only one of PUZZLES and RESULTS can be standard input"
    );
    let reader = Reader::open(&args.puzzles, args.defaults())?;
    let results = open(&args.results)?;
    let options = Options { format: args.format, notation: args.notation };
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

/// Opens the results; `-` is standard input.
pub(super) fn open(name: &str) -> anyhow::Result<Box<dyn BufRead>> {
    if name == "-" {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, io::stdin())));
    }
    let file = File::open(name).with_context(|| format!("cannot open {name}"))?;
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
        let _ = writeln!(text, "{summary}");
    }
    Sink::stdout(&[] as &[&str])?.write_all(text.as_bytes())
}
