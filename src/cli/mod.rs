//! The command line: arguments, one file a command, and everything that a
//! person sees on the terminal. Only this room prints.

pub mod args;
pub(crate) mod commands;
mod exit;
pub(crate) mod terminal;

pub use crate::cli::terminal::progress::{Progress, When};
pub use crate::cli::terminal::screen::Screen;
pub use crate::cli::terminal::signals::{listen, report_file_size_limit};
pub use exit::Exit;

use crate::output::SinkError;
use crate::run::RunError;
use crate::tools::trace::TraceError;
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
        Command::Solve(args) => crate::cli::commands::solve::run(args),
        Command::Tray(args) => crate::cli::commands::tray::run(args, command.screen()),
        Command::Check(args) => crate::cli::commands::check::run(args),
        Command::Improve(args) => crate::cli::commands::improve::run(args),
        Command::Generate(args) => crate::cli::commands::generate::run(args),
        Command::Convert(args) => crate::cli::commands::convert::run(args),
        Command::Experiment(args) => crate::cli::commands::experiment::run_experiment(args),
        Command::Trace(args) => crate::cli::commands::trace::run(args),
        Command::Pdb(args) => crate::cli::commands::pdb::run(args),
        Command::Shell(args) => crate::cli::commands::shell::run(args),
        Command::Completions { shell } => crate::cli::commands::completions::run(*shell),
        Command::Man { command } => crate::cli::commands::man::run(command.as_deref()),
    };
    result.unwrap_or_else(|error| match sink_error(&error) {
        Some(SinkError::Closed) => Exit::Decided,
        // Nobody reads, and the signal says why it ends.
        Some(SinkError::Unread) => {
            crate::cli::terminal::signals::received().map_or(Exit::Failed, Exit::Signal)
        }
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
