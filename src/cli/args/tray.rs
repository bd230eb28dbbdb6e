//! Arguments of `tray`.

use crate::input::Lines;
use crate::memory::limits;
use crate::options::{Options, Quality};
use crate::puzzle::trays::Metric;
use crate::quantity::{parse_duration, parse_size};
use clap::Args;
use std::time::Duration;

/// Examples at the end of the help.
const EXAMPLES: &str = "\
INIT is 'rows columns', then a line for each block. GOAL has lines only. A line
is 'r1 c1 r2 c2', a block's first and last cell, or 'height width row column'.

Prints 'r c r' c'' for each straight slide of a block: its top-left cell before
and after. Exit status: 0 solved (no output if the goal is already met), 1 proved
impossible, 2 anything else.

Examples:
  batch-solve tray init.txt goal.txt
  batch-solve tray init.txt goal.txt --quality optimal";

/// Arguments of `tray`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TrayArgs {
    /// Size and blocks of the tray
    #[arg(value_name = "INIT", value_parser = super::file_name())]
    pub init: String,

    /// Goal positions of some blocks
    #[arg(value_name = "GOAL", value_parser = super::file_name())]
    pub goal: String,

    /// Meaning of the four numbers of a line [default: detect]
    #[arg(long, value_enum, value_name = "LINES")]
    pub input_format: Option<Lines>,

    /// Required quality of the solution
    #[arg(long, value_enum, value_name = "QUALITY", default_value = "fast")]
    pub quality: Quality,

    /// Hard cap on the memory of the process, such as 64MiB or 2G
    #[arg(short, long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    /// Time limit for the search, such as 250ms or 10s
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
}

impl TrayArgs {
    /// Returns the options of the search.
    pub fn options(&self) -> Options {
        Options {
            files: vec![self.init.clone()],
            memory: limits::cap(self.memory, 1),
            quality: self.quality,
            tray_metric: Metric::Slide,
            timeout: self.timeout,
            ..Options::default()
        }
    }
}
