//! The arguments of `check`.

use crate::output::{Format, Notation};
use clap::Args;

/// Examples at the end of the help.
const EXAMPLES: &str = "\
Examples:
  batch-solve check puzzles.txt results.jsonl
  batch-solve puzzles.txt --format jsonl | batch-solve check puzzles.txt -

Exit status: 0 all right, 1 a wrong or missing result, 2 an unreadable file.";

/// What `check` can be told.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    /// The puzzle file; '-' is standard input
    #[arg(value_name = "PUZZLES")]
    pub puzzles: String,

    /// The results to replay; '-' is standard input
    #[arg(value_name = "RESULTS")]
    pub results: String,

    /// What a letter in the moves says, where the results do not
    #[arg(long, value_enum, value_name = "NOTATION", default_value_t)]
    pub notation: Notation,

    /// How the results are laid out [default: detect]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,

    /// Where the tiles should end: blank-last, blank-first, snail, or a board
    #[arg(long, value_name = "GOAL", default_value = "blank-last")]
    pub goal: String,

    /// Read all puzzles as this form instead of detecting it
    #[arg(long, value_name = "FORM")]
    pub input_format: Option<String>,

    /// No summary, errors and wrong results only
    #[arg(long)]
    pub quiet: bool,
}
