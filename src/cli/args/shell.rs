//! Arguments of `shell`.

use crate::{puzzle::tiles::Size, quantity::parse_size};
use clap::Args;

/// Examples at the end of the help.
const EXAMPLES: &str = "\
Examples:
  batch-solve shell                     a prompt, with history and completion
  batch-solve shell session.txt         the commands of a file
  echo 'randomizeState 30
  solve A-star h2' | batch-solve shell --seed 7

Commands:
  setState b12 345 678, randomizeState n, printState, move up|down|left|right,
  maxNodes n, solve A-star h1|h2, solve beam k, help, quit; # starts a comment.
  The goal has the blank first. A line that fails prints an error that
  names it, and the session continues.

Exit status: 0 every line succeeded, 1 some search found no solution,
2 some line is not a command, or the file cannot be read.";

/// Arguments of `shell`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ShellArgs {
    /// Script with one command per line; '-' is standard input [default: a prompt, or
    /// standard input if it is not a terminal]
    #[arg(value_name = "SCRIPT", value_parser = super::file_name())]
    pub script: Option<String>,

    /// Rows and columns
    #[arg(short, long, value_name = "RxC", default_value = "3x3")]
    pub size: Size,

    /// Seed; equal seeds give equal random states on every machine
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Hard cap on the memory of the process, such as 64MiB or 2G
    ///
    /// Node counts of a session are reproducible for equal values.
    #[arg(short, long, value_name = "SIZE", value_parser = parse_size, default_value = "512MiB")]
    pub memory: u64,
}
