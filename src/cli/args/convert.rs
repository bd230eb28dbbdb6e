//! Arguments of `convert`.

use super::{Destination, forms::form};
use crate::{
    convert::{Written, results::Answers},
    input::{Defaults, Form, parse_goal},
    output::Notation,
    quantity::parse_size,
};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

/// Examples at the end of the help.
const EXAMPLES: &str = "\
Examples:
  batch-solve convert puzzles.txt --to slashes
  batch-solve convert *.txt --to grid -o course.txt
  batch-solve puzzles.txt -o results.jsonl
  batch-solve convert puzzles.txt --results results.jsonl --to runs
  batch-solve convert puzzles.txt --results results.jsonl --to answer
  batch-solve convert klotski.txt --to init -o klotski.init
  batch-solve convert course/ --to tray -o course.txt     NAME with NAME.goal

Ids, known lengths, sizes and goals are kept. Records that are invalid or cannot
be written in the form are skipped and named on stderr (the first 20; further
ones are counted). Results are replayed first; wrong ones are skipped.

Exit status: 0 everything was converted, 2 something was skipped.";

/// Arguments of `convert`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ConvertArgs {
    /// Puzzle files; '-' is standard input. If FILE.goal exists, FILE is read as a tray
    /// in the two-file course form; a folder holds such files
    #[arg(value_name = "FILE", required = true, value_parser = super::file_name())]
    pub files: Vec<String>,

    /// Form to write
    #[arg(long, value_enum, value_name = "FORM")]
    pub to: Target,

    /// Results of these puzzles, as written by solve; for runs and answer
    #[arg(long, value_name = "RESULTS", value_parser = super::file_name())]
    pub results: Option<String>,

    /// Whether move letters name the direction of the blank or of the tile, if the results
    /// do not say
    #[arg(long, value_enum, value_name = "NOTATION", default_value_t, requires = "results")]
    pub notation: Notation,

    /// Goal of tile boards, unless a file sets it: blank-last, blank-first, snail, or a
    /// board
    #[arg(long, value_name = "GOAL", default_value = "blank-last")]
    pub goal: String,

    /// Read all puzzles in this form instead of detecting it
    #[arg(long, value_name = "FORM", value_parser = form())]
    pub input_format: Option<Form>,

    /// Hard cap on the memory of the whole process, such as 64MiB or 2G
    /// [default: 3/4 of what this process may use]
    #[arg(short, long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub destination: Destination,
}

/// Form to write
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Target {
    /// Tiles row by row on one line
    Line,
    /// Slashes between rows
    Slashes,
    /// One character per tile: 142 3b5 678, and 4x4 as 123456789ABCDEF0
    Compact,
    /// Size, then the rows
    Grid,
    /// The cell of each tile, in the start and in the goal
    Positions,
    /// Tray with size, blocks and goal
    Tray,
    /// Tray and goal as pictures, one letter per block
    Letters,
    /// First file of the two-file course form of a tray: size and blocks
    Init,
    /// Second file of the two-file course form: the goal
    Goal,
    /// Results: slashes, a tab, and the moves of tiles with counts: R2UL3
    Runs,
    /// Results: 'Minimum number of moves = N', then every board
    Answer,
}

/// Source and target of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conversion<'a> {
    /// Puzzles into a form.
    Puzzles(Written),
    /// Results, from this file, into a form.
    Results(&'a str, Answers),
}

impl ConvertArgs {
    /// Returns the requested conversion, or an error if arguments contradict each other.
    pub fn conversion(&self) -> anyhow::Result<Conversion<'_>> {
        let inputs = self.files.iter().chain(&self.results);
        if inputs.filter(|name| *name == "-").count() > 1 {
            bail!("standard input ('-') can be read only once");
        }
        let form = match self.to {
            Target::Line => Written::Form(Form::Line),
            Target::Slashes => Written::Form(Form::Slashes),
            Target::Compact => Written::Form(Form::Compact),
            Target::Grid => Written::Form(Form::Grid),
            Target::Positions => Written::Form(Form::Positions),
            Target::Tray => Written::Form(Form::Tray),
            Target::Letters => Written::Form(Form::Letters),
            Target::Init => Written::Init,
            Target::Goal => Written::Goal,
            Target::Runs | Target::Answer => {
                let answers = if self.to == Target::Runs { Answers::Runs } else { Answers::Course };
                let results = self.results.as_deref();
                let results = results.context("this is a form of results: --results says where they are")?;
                return Ok(Conversion::Results(results, answers));
            }
        };
        if self.results.is_some() {
            bail!("--results needs --to runs or --to answer; the other forms are for puzzles");
        }
        Ok(Conversion::Puzzles(form))
    }

    /// Returns the defaults for the records of a file.
    pub fn defaults(&self) -> anyhow::Result<Defaults> {
        let goal = parse_goal(&self.goal, None).context("--goal")?;
        Ok(Defaults { goal, form: self.input_format, ..Defaults::default() })
    }
}
