//! Arguments of `improve`.

use super::{CheckArgs, Destination};
use crate::check::CheckOptions;
use crate::cli::Screen;
use crate::memory::limits;
use crate::output::{Format, Style};
use crate::quantity::parse_duration;
use crate::run::improve::{Request, max_result_bytes};
use clap::{Args, ColorChoice};
use std::time::Duration;

/// Examples at the end of the help.
const EXAMPLES: &str = "\
Examples:
  batch-solve improve puzzles.txt results.jsonl -o shorter.jsonl --timeout 10s
  batch-solve big.txt --format jsonl | batch-solve improve big.txt -

Results are replayed first. Wrong or missing ones, and trays without a solution,
are skipped and named on stderr. Solutions that could not be shortened are
written unchanged.

Exit status: 0 every record improved or kept, 1 some skipped, 2 an error.";

/// Arguments of `improve`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ImproveArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: CheckArgs,

    /// Time limit per puzzle, such as 250ms, 10s or 1h30m [default: 1s]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    /// Threads per puzzle [default: available cores]
    #[arg(short, long, visible_short_alias = 'j', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = "Limits")]
    pub threads: Option<u32>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub destination: Destination,

    /// Format of the improved results [default: by the extension of FILE, else text]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub output_format: Option<Format>,
}

impl ImproveArgs {
    /// Returns the screen for messages.
    pub fn screen(&self) -> Screen {
        Screen::new(ColorChoice::Auto, self.input.quiet)
    }

    /// Returns the request.
    pub fn request(&self) -> Request {
        let by_extension = || self.destination.path().and_then(Format::of_path);
        let format = self.output_format.or_else(by_extension).unwrap_or_default();
        let threads = self.threads.map_or_else(super::solve::cores, |threads| threads as usize);
        let memory = limits::cap(self.input.memory, threads);
        Request {
            threads,
            memory,
            timeout: self.timeout,
            options: CheckOptions {
                format: self.input.format,
                notation: self.input.notation,
                room: max_result_bytes(memory),
            },
            style: Style { format, notation: self.input.notation },
        }
    }
}
