//! Arguments of `experiment`.

use crate::cli::{Screen, When};
use crate::memory::limits;
use crate::puzzle::tiles::Size;
use crate::quantity::parse_size;
use crate::tools::experiment::{Design, Means, Method, Preset, presets};
use anyhow::ensure;
use clap::{Args, ColorChoice};
use std::{path::PathBuf, thread};

/// Examples at the end of the help.
const EXAMPLES: &str = "\
Examples:
  batch-solve experiment max-nodes
  batch-solve experiment queues --moves 1..30 --count 50 -o report
  batch-solve experiment heuristics --boards mine.txt --max-nodes 5000
  batch-solve experiment grid --methods bfs,astar:h2,beam:50 --max-nodes 1000,10000

Methods are NAME, NAME:HEURISTIC, NAME:NUMBER or NAME:HEURISTIC:NUMBER with the
names of solve's --algorithm and --heuristic (h1 is misplaced, h2 is manhattan and
the default); the number is a beam width or a weight.

Writes NAME.csv with one row per run, NAME.md with the tables, the command and
the version, and NAME.svg and NAME.png to the folder; the tables also go to
stdout. Every run uses one thread and a fixed amount of memory, so all figures
but times are reproducible, under any cap and with any number of threads.";

/// Arguments of `experiment`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExperimentArgs {
    /// Experiment to run
    #[arg(value_enum, value_name = "NAME")]
    pub preset: Preset,

    /// Sizes of the boards, such as 3x3 or 3x3,4x4
    #[arg(short, long, value_name = "RxC", value_delimiter = ',', help_heading = "Boards")]
    pub size: Vec<Size>,

    /// Random moves from the goal, such as 40, 10,20,30 or 1..40
    #[arg(long, value_name = "N", value_parser = parse_numbers, help_heading = "Boards")]
    pub moves: Option<Numbers>,

    /// Number of boards for each size and number of moves
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Boards")]
    pub count: Option<u64>,

    /// Seed; equal seeds give equal boards on every machine
    #[arg(long, value_name = "N", help_heading = "Boards")]
    pub seed: Option<u64>,

    /// Use the boards of a puzzle file instead of random ones
    #[arg(long, value_name = "FILE", value_parser = super::file_name(), conflicts_with_all = ["size", "moves", "count", "seed"], help_heading = "Boards")]
    pub boards: Option<String>,

    /// Searches, such as astar:h1,astar:h2,beam:100
    #[arg(long, value_name = "METHOD", value_delimiter = ',', help_heading = "Searches")]
    pub methods: Vec<Method>,

    /// Limits on the states that a search generates and stores
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..), help_heading = "Searches")]
    pub max_nodes: Vec<u64>,

    /// Concurrent runs [default: available cores]
    #[arg(short, long, visible_short_alias = 'j', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = "Limits")]
    pub threads: Option<u32>,

    /// Hard cap on the memory of the process, such as 512MiB or 2G; a small cap
    /// reduces the number of concurrent runs
    /// [default: 3/4 of what this process may use]
    #[arg(short, long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    pub memory: Option<u64>,

    /// Memory per search on tile boards, independent of the cap [default: 64MiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    pub run_memory: Option<u64>,

    /// Output folder
    #[arg(short, long, value_name = "FOLDER", default_value = "experiments", help_heading = "Output")]
    pub output: PathBuf,

    /// Overwrite files of an earlier experiment of this name
    #[arg(long, help_heading = "Output")]
    pub force: bool,

    /// When to show progress
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, help_heading = "On stderr")]
    pub progress: When,

    /// Print errors only
    #[arg(short, long, help_heading = "On stderr")]
    pub quiet: bool,
}

/// List of numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbers(pub Vec<u64>);

/// Maximum number of values in a range.
const MOST_NUMBERS: u64 = 10_000;

impl ExperimentArgs {
    /// Returns the preset's design with the given arguments substituted.
    pub fn design(&self) -> anyhow::Result<Design> {
        let mut design = presets::design(self.preset);
        fn replace<T: Clone>(place: &mut Vec<T>, given: &[T]) {
            if !given.is_empty() {
                *place = given.to_vec();
            }
        }
        replace(&mut design.sizes, &self.size);
        replace(&mut design.methods, &self.methods);
        replace(&mut design.limits, &self.max_nodes);
        if let Some(Numbers(moves)) = &self.moves {
            design.moves.clone_from(moves);
        }
        design.count = self.count.unwrap_or(design.count);
        design.seed = self.seed.unwrap_or(design.seed);
        design.boards.clone_from(&self.boards);
        ensure!(
            self.preset != Preset::Queues || self.boards.is_none(),
            "queues compares boards by their random moves, which those of a file do not have"
        );
        let weighted =
            !design.methods.is_empty() && design.methods.iter().all(|method| method.weight.is_some());
        ensure!(
            self.preset != Preset::Weights || weighted,
            "weights compares methods that have a weight, such as wastar:h2:1.5"
        );
        if self.preset == Preset::Trays {
            let own = "trays has searches and trays of its own: --methods, --moves, --boards and --run-memory \
                       are for tiles";
            let for_tiles = !self.methods.is_empty() || self.moves.is_some() || self.boards.is_some();
            ensure!(!for_tiles && self.run_memory.is_none(), own);
        }
        let curves = matches!(self.preset, Preset::MaxNodes | Preset::Grid | Preset::Trays);
        ensure!(
            curves || design.limits.len() == 1,
            "{} takes one limit of nodes; max-nodes and grid compare several",
            self.preset.name()
        );
        Ok(design)
    }

    /// Default memory per search.
    pub const RUN_MEMORY: u64 = 64 << 20;

    /// Returns the resources of the runs.
    pub fn means(&self) -> Means {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.map_or_else(cores, |threads| threads as usize);
        Means {
            threads,
            memory: limits::cap(self.memory, threads),
            run_memory: self.run_memory.unwrap_or(Self::RUN_MEMORY),
        }
    }

    /// Returns the screen for messages.
    pub fn screen(&self) -> Screen {
        Screen::new(ColorChoice::Auto, self.quiet)
    }

    /// Returns when to show progress.
    pub fn progress(&self) -> When {
        if self.quiet { When::Never } else { self.progress }
    }
}

fn parse_numbers(text: &str) -> Result<Numbers, String> {
    let wrong = || format!("'{text}' is not a number, a list such as 10,20 or a range such as 1..40");
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    if let Some((first, last)) = text.split_once("..") {
        let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
        if first > last || last - first >= MOST_NUMBERS {
            return Err(wrong());
        }
        return Ok(Numbers((first..=last).collect()));
    }
    text.split(',').map(number).collect::<Result<_, _>>().map(Numbers)
}
