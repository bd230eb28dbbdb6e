//! Arguments of `check`.

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

Prints one line per problem (the first 20; further ones are counted), then a
line that lists what was not checked, and a summary as the last line.

Exit status: 0 all results correct, 1 a wrong or missing result, 2 an unreadable
file.";

/// Arguments of `check`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    /// Puzzle file; '-' is standard input
    #[arg(value_name = "PUZZLES", value_parser = super::file_name())]
    pub puzzles: String,

    /// Results to replay; '-' is standard input
    #[arg(value_name = "RESULTS", value_parser = super::file_name())]
    pub results: String,

    /// Whether move letters name the direction of the blank or of the tile, if the results
    /// do not say
    #[arg(long, value_enum, value_name = "NOTATION", default_value_t)]
    pub notation: Notation,

    /// Unit of solution length, if the results do not say
    #[arg(long, value_enum, value_name = "METRIC", default_value_t)]
    pub metric: Metric,

    /// Format of the results [default: detect]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,

    /// Goal of tile boards: blank-last, blank-first, snail, or a board
    ///
    /// '@goal' in the puzzle file overrides this option. A board is given in any
    /// one-line form; it is square unless a prefix such as 2x3: says otherwise.
    #[arg(long, value_name = "GOAL", value_parser = any_goal, default_value = "blank-last")]
    pub goal: Goal,

    /// Read all puzzles in this form instead of detecting it
    #[arg(long, value_name = "FORM", value_parser = form())]
    pub input_format: Option<Form>,

    /// Hard cap on the memory of the whole process, such as 64MiB or 2G
    /// [default: 3/4 of what this process may use]
    #[arg(short, long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    /// Print problems only
    #[arg(short, long)]
    pub quiet: bool,
}

impl CheckArgs {
    /// Returns the defaults for the records of the puzzle file.
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
