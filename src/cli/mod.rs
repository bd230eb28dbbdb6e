//! The command line: arguments, one file a command, and everything that a
//! person sees on the terminal. Only this room prints.

pub mod args;
mod check;
mod completions;
mod convert;
mod error_list;
mod exit;
mod experiment;
mod generate;
mod generate_trays;
mod improve;
mod man;
mod pdb;
mod progress;
mod screen;
mod shell;
mod signals;
mod solve;
mod status_line;
mod trace;
mod tray;

pub use exit::Exit;
pub use progress::{Progress, When};
pub use screen::Screen;
pub use signals::{listen, report_file_size_limit};

use crate::batch::RunError;
use crate::output::SinkError;
use crate::trace::TraceError;
use args::{Cli, Command};
use clap::Parser;
use std::ffi::OsString;

/// Reads the arguments, does what they ask for and says how it went.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let command = match Cli::try_parse_from(arguments).and_then(Cli::into_command) {
        Ok(command) => command,
        Err(usage) => {
            // Nothing can be said where the terminal has gone.
            let _ = usage.print();
            return if usage.use_stderr() { Exit::Failed } else { Exit::Decided };
        }
    };
    let result = match &command {
        Command::Solve(args) => solve::run(args),
        Command::Tray(args) => tray::run(args, command.screen()),
        Command::Check(args) => check::run(args),
        Command::Improve(args) => improve::run(args),
        Command::Generate(args) => generate::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Experiment(args) => experiment::run_experiment(args),
        Command::Trace(args) => trace::run(args),
        Command::Pdb(args) => pdb::run(args),
        Command::Shell(args) => shell::run(args),
        Command::Completions { shell } => completions::run(*shell),
        Command::Man { command } => man::run(command.as_deref()),
    };
    result.unwrap_or_else(|error| match sink_error(&error) {
        Some(SinkError::Closed) => Exit::Decided,
        // Nobody reads, and the signal says why it ends.
        Some(SinkError::Unread) => signals::received().map_or(Exit::Failed, Exit::Signal),
        _ => {
            command.screen().error(&message(&error));
            Exit::Failed
        }
    })
}

/// The failure to write results, where that is what went wrong.
fn sink_error(error: &anyhow::Error) -> Option<&SinkError> {
    let of_run = || match error.downcast_ref()? {
        RunError::Output(error) => Some(error),
        _ => None,
    };
    let of_trace = || match error.downcast_ref()? {
        TraceError::Output(error) => Some(error),
        _ => None,
    };
    error.downcast_ref().or_else(of_run).or_else(of_trace)
}

/// An error and its causes, without those that it has told already.
fn message(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |told, cause| match told.as_str() {
        "" => cause,
        told if told.contains(&cause) => told.to_owned(),
        told => format!("{told}: {cause}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_once() {
        let error = anyhow::anyhow!("no space");
        assert_eq!(message(&error), "no space");
        assert_eq!(message(&anyhow::anyhow!("no space").context("out.txt: no space")), "out.txt: no space");
        assert_eq!(message(&error.context("out.txt")), "out.txt: no space");
    }
}
