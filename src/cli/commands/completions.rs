//! `batch-solve completions SHELL`: a script that completes our arguments.

use crate::cli::Exit;
use crate::cli::args::Cli;
use crate::output::Sink;
use clap::CommandFactory;
use clap_complete::Shell;

/// Prints the script for a shell.
pub(in crate::cli) fn run(shell: Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "batch-solve", &mut script);
    Sink::stdout(&[] as &[&str])?.write_all(&script)?;
    Ok(Exit::Decided)
}
