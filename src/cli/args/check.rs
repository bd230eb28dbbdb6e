//! The arguments of `check`.

use super::forms::form;
use crate::{
    input::{Defaults, Form, GoalError, parse_goal},
    output::{Format, Notation},
    puzzle::tiles::{Goal, Metric},
    quantity::parse_size,
};
use clap::Args;

/// Examples at the end of the help.
const EXAMPLES: &str = "\
Examples:
  batch-solve check puzzles.txt results.jsonl
  batch-solve puzzles.txt --format jsonl | batch-solve check puzzles.txt -

Every problem is a line on stdout that names the record (the first 20; the rest
are counted), then comes what was not checked, and a summary is the last line.

Exit status: 0 all right, 1 a wrong or missing result, 2 an unreadable file.";

/// What `check` can be told.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    /// The puzzle file; '-' is standard input
    #[arg(value_name = "PUZZLES", value_parser = super::file_name())]
    pub puzzles: String,

    /// The results to replay; '-' is standard input
    #[arg(value_name = "RESULTS", value_parser = super::file_name())]
    pub results: String,

    /// What a letter in the moves says, where the results do not
    #[arg(long, value_enum, value_name = "NOTATION", default_value_t)]
    pub notation: Notation,

    /// What counts as one move, where the results do not say it
    #[arg(long, value_enum, value_name = "METRIC", default_value_t)]
    pub metric: Metric,

    /// How the results are laid out [default: detect]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,

    /// Where the tiles should end: blank-last, blank-first, snail, or a board
    ///
    /// A directive in the puzzle file overrides it. A board is given in any
    /// one-line form; it is square unless a prefix such as 2x3: says otherwise.
    #[arg(long, value_name = "GOAL", value_parser = any_goal, default_value = "blank-last")]
    pub goal: Goal,

    /// Read all puzzles as this form instead of detecting it
    #[arg(long, value_name = "FORM", value_parser = form())]
    pub input_format: Option<Form>,

    /// Hard cap on the memory of the whole process, such as 64MiB or 2G
    /// [default: 3/4 of what this process may use]
    #[arg(short, long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    /// No summary, problems only
    #[arg(short, long)]
    pub quiet: bool,
}

impl CheckArgs {
    /// What the puzzle file's records start with.
    pub fn defaults(&self) -> Defaults {
        Defaults {
            goal: self.goal.clone(),
            form: self.input_format,
            tile_metric: self.metric,
            ..Defaults::default()
        }
    }
}

fn any_goal(text: &str) -> Result<Goal, GoalError> {
    parse_goal(text, None)
}
