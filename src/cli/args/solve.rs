//! Arguments of `solve`, and their conversion into [`Options`].

use super::{Destination, PdbDir, forms::form_names};
use crate::cli::{Screen, When};
use crate::memory::limits;
use crate::options::{Algorithm, HeuristicChoice, Options, Quality};
use crate::output::{Format, Notation, Style};
use crate::pdb::{NotAPartition, Partition};
use crate::puzzle::{tiles, trays};
use crate::quantity::{parse_duration, parse_size};
use anyhow::{bail, ensure};
use clap::{Args, ColorChoice, ValueEnum};
use std::{path::PathBuf, thread, time::Duration};

/// Default weight of weighted A*.
const WEIGHT: f64 = 1.5;

/// Unit of solution length
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, ValueEnum)]
pub enum MetricChoice {
    /// Boards: one tile, one cell
    Tile,
    /// Boards: a run of tiles in a line, pushed at once
    Line,
    /// Trays: one block, one cell
    Step,
    /// Trays: one block, straight, any number of cells
    Slide,
    /// Trays: one block along any path of empty cells
    Piece,
}

impl MetricChoice {
    /// Returns the metric for tile boards, if this is one.
    fn of_tiles(self) -> Option<tiles::Metric> {
        match self {
            Self::Tile => Some(tiles::Metric::Tile),
            Self::Line => Some(tiles::Metric::Line),
            Self::Step | Self::Slide | Self::Piece => None,
        }
    }

    /// Returns the metric for trays, if this is one.
    fn of_trays(self) -> Option<trays::Metric> {
        match self {
            Self::Step => Some(trays::Metric::Step),
            Self::Slide => Some(trays::Metric::Slide),
            Self::Piece => Some(trays::Metric::Piece),
            Self::Tile | Self::Line => None,
        }
    }
}

/// Destination of the summary
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, ValueEnum)]
pub enum SummaryTarget {
    /// A few lines on stderr
    Stderr,
    /// The last record of JSON Lines
    Record,
    /// Nowhere
    None,
}

/// Arguments of `solve`.
#[derive(Clone, Debug, Args)]
pub struct SolveArgs {
    /// Puzzle files; '-' is standard input, .gz and .zst are decompressed
    /// [default: standard input, if something is piped into it]
    #[arg(value_name = "FILE", value_parser = super::file_name())]
    pub files: Vec<String>,

    /// Required quality of solutions
    #[arg(long, value_enum, value_name = "QUALITY", default_value_t, help_heading = "Solving")]
    pub quality: Quality,

    /// Search algorithm
    #[arg(short, long, value_enum, value_name = "NAME", default_value_t, help_heading = "Solving")]
    pub algorithm: Algorithm,

    /// Lower bound that guides the search
    ///
    /// auto, misplaced, manhattan, linear-conflict, walking-distance, or pdb for
    /// pattern databases; pdb:PARTITION chooses the partition of the tiles, e.g.
    /// pdb:7-8. Trays: matching, nearest; total only with greedy or beam search or
    /// --quality fast.
    #[arg(long, value_name = "NAME", value_parser = parse_heuristic, default_value = "auto", help_heading = "Solving")]
    pub heuristic: (HeuristicChoice, Option<Partition>),

    #[command(flatten)]
    #[allow(missing_docs)]
    pub pdb: PdbDir,

    /// Unit of solution length [default: tile for boards, piece for trays]
    #[arg(long, value_enum, value_name = "METRIC", help_heading = "Solving")]
    pub metric: Option<MetricChoice>,

    /// wastar: maximum ratio of solution length to the shortest [default: 1.5]
    #[arg(long, value_name = "W", value_parser = parse_weight, help_heading = "Solving")]
    pub weight: Option<f64>,

    /// beam: states kept per level [default: as many as fit in memory]
    #[arg(long, value_name = "K", value_parser = parse_width, help_heading = "Solving")]
    pub beam_width: Option<usize>,

    /// Goal of tile boards: blank-last, blank-first, snail, or a board
    ///
    /// A board is given on one line, such as '1 2 3/8 0 4/7 6 5'. '@goal' in a file
    /// overrides this option.
    #[arg(long, value_name = "GOAL", default_value = "blank-last", help_heading = "Solving")]
    pub goal: String,

    /// Worker threads; may exceed the number of cores [default: available cores]
    #[arg(short, long, visible_short_alias = 'j', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = "Limits")]
    pub threads: Option<u32>,

    /// Hard cap on the memory of the whole process, such as 64MiB or 2G
    ///
    /// Peak resident memory (VmHWM, resident file pages included) stays below it.
    /// K, M, G and KiB, MiB, GiB are powers of 1024; KB, MB, GB are powers of 1000.
    /// [default: 3/4 of what this process may use: the smallest of control group
    /// limit, address-space limit and available memory]
    #[arg(short, long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    pub memory: Option<u64>,

    /// Limit per puzzle on states generated and stored, including the start
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub max_nodes: Option<u64>,

    /// Time limit per puzzle, such as 250ms, 10s or 1h30m
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    /// Time limit for the whole run
    ///
    /// At the deadline reading stops and running searches end. Records that were not
    /// started get no result; the summary counts them, and the exit status is 1. With
    /// --output, a later run with --resume solves them.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Limits")]
    pub deadline: Option<Duration>,

    /// Save the progress of a long search to FILE, and continue from it
    ///
    /// For shortest solutions of boards with more than 16 cells and pattern databases.
    /// Progress is saved at intervals that grow to 20 seconds. To continue a killed
    /// search, run the same command again. Further boards of the input use FILE.HASH
    /// while FILE belongs to another board. The file is removed when its board is
    /// solved.
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    pub checkpoint: Option<PathBuf>,

    /// Make moves and node counts reproducible
    ///
    /// Uses one thread per puzzle and a fixed amount of memory, so moves and node
    /// counts do not depend on the machine. Pattern databases are chosen by the options
    /// and the puzzles alone. Time limits are refused.
    #[arg(long, conflicts_with_all = ["timeout", "deadline"], help_heading = "Solving")]
    pub deterministic: bool,

    /// Read all records in this form instead of detecting it
    #[arg(long, value_name = "FORM", value_parser = form_names(), help_heading = "Input")]
    pub input_format: Option<String>,

    /// Solve only records whose number is I modulo N, to split a file among machines
    #[arg(long, value_name = "I/N", value_parser = parse_shard, default_value = "1/1", help_heading = "Input")]
    pub shard: (u64, u64),

    #[command(flatten)]
    #[allow(missing_docs)]
    pub destination: Destination,

    /// Keep the results in FILE and solve the missing records
    ///
    /// Continues an earlier run, however it ended. Results that were cut short by a
    /// signal or by --deadline are solved again. Options that change results, and the
    /// puzzle files, must be unchanged; FILE.resume, kept beside FILE during a run,
    /// records them. If FILE.resume is missing, the results are compared with the
    /// records.
    #[arg(long, requires = "output", conflicts_with = "force", help_heading = "Output")]
    pub resume: bool,

    /// Format of results [default: by the extension of FILE, else text]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub format: Option<Format>,

    /// Whether move letters name the direction of the blank or of the tile
    #[arg(long, value_enum, value_name = "NOTATION", default_value_t, help_heading = "Output")]
    pub notation: Notation,

    /// Where to write the summary [default: stderr; with JSON Lines also a last record]
    #[arg(long, value_enum, value_name = "WHERE", help_heading = "Output")]
    pub summary: Option<SummaryTarget>,

    /// Explain the choice of algorithm, heuristic and memory
    #[arg(long, help_heading = "On stderr")]
    pub explain: bool,

    /// When to show progress
    ///
    /// auto shows it only if stderr is a terminal and stdout is not a pipe: the
    /// program at the other end of the pipe may write to the same terminal.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, help_heading = "On stderr")]
    pub progress: When,

    /// Print errors only
    #[arg(short, long, help_heading = "On stderr")]
    pub quiet: bool,

    /// When to use colour; NO_COLOR is respected
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, help_heading = "On stderr")]
    pub color: ColorChoice,
}

impl SolveArgs {
    /// Returns the options of the run, or an error if arguments contradict each other.
    pub fn options(&self) -> anyhow::Result<Options> {
        let (quality, algorithm) = (self.quality, self.algorithm);
        let not_optimal =
            [Algorithm::Wastar, Algorithm::Greedy, Algorithm::Dfs, Algorithm::Beam, Algorithm::Staged];
        if quality == Quality::Optimal && not_optimal.contains(&algorithm) {
            bail!("this algorithm does not guarantee shortest solutions, which --quality optimal requires");
        }
        if quality == Quality::Improve && algorithm != Algorithm::Auto {
            bail!("--quality improve chooses its own algorithms: omit --algorithm");
        }
        if self.deterministic && quality == Quality::Improve {
            bail!("--quality improve depends on time and cannot be combined with --deterministic");
        }
        if self.weight.is_some() && !matches!(algorithm, Algorithm::Auto | Algorithm::Wastar) {
            bail!("--weight is for --algorithm wastar");
        }
        if self.beam_width.is_some() && algorithm != Algorithm::Beam {
            bail!("--beam-width is for --algorithm beam");
        }
        let any_solution = match algorithm {
            Algorithm::Greedy | Algorithm::Beam => true,
            Algorithm::Auto => quality == Quality::Fast,
            _ => false,
        };
        if self.heuristic.0 == HeuristicChoice::Total && !any_solution {
            bail!(
                "--heuristic total is a priority, not a lower bound: use it with --algorithm greedy, \
                 --algorithm beam or --quality fast"
            );
        }
        if self.checkpoint.is_some() && (quality != Quality::Optimal && algorithm == Algorithm::Auto) {
            bail!("--checkpoint is for --quality optimal: other searches do not take that long");
        }
        let has_databases = matches!(self.heuristic.0, HeuristicChoice::Auto | HeuristicChoice::Pdb);
        if self.checkpoint.is_some() && !has_databases {
            bail!("--checkpoint needs pattern databases: --heuristic auto or pdb");
        }
        let single_steps = [
            HeuristicChoice::Misplaced,
            HeuristicChoice::Manhattan,
            HeuristicChoice::LinearConflict,
            HeuristicChoice::Pdb,
        ];
        let tile_metric = self.metric.and_then(MetricChoice::of_tiles).unwrap_or_default();
        let tray_metric = self.metric.and_then(MetricChoice::of_trays).unwrap_or_default();
        if tile_metric == tiles::Metric::Line && single_steps.contains(&self.heuristic.0) {
            bail!("--metric line supports only --heuristic walking-distance: the others count single steps");
        }
        if self.summary == Some(SummaryTarget::Record) && self.style().format != Format::Jsonl {
            bail!("--summary record needs --format jsonl");
        }
        let standard_inputs = self.files.iter().filter(|file| *file == "-").count();
        ensure!(standard_inputs <= 1, "standard input ('-') can be read only once");
        let threads = self.threads.map_or_else(cores, |threads| threads as usize);
        Ok(Options {
            files: self.files.clone(),
            threads,
            memory: limits::cap(self.memory, threads),
            quality,
            algorithm,
            heuristic: self.heuristic.0,
            partition: self.heuristic.1.clone(),
            store: self.pdb.store(),
            tile_metric,
            tray_metric,
            checkpoint: self.checkpoint.clone(),
            weight: self.weight.unwrap_or(WEIGHT),
            beam_width: self.beam_width,
            goal: self.goal.clone(),
            max_nodes: self.max_nodes,
            timeout: self.timeout,
            deadline: self.deadline,
            input_format: self.input_format.clone(),
            shard: self.shard,
            deterministic: self.deterministic,
            explain: self.explain,
        })
    }

    /// Returns the format and notation of results: as given, or by the file's extension.
    pub fn style(&self) -> Style {
        let by_extension = || self.destination.path().and_then(Format::of_path);
        Style { format: self.format.or_else(by_extension).unwrap_or_default(), notation: self.notation }
    }

    /// Returns whether the summary is the last record of the results.
    pub fn has_summary_record(&self) -> bool {
        self.style().format == Format::Jsonl && matches!(self.summary, None | Some(SummaryTarget::Record))
    }

    /// Returns whether the summary is shown on stderr.
    pub fn shows_summary(&self) -> bool {
        matches!(self.summary, None | Some(SummaryTarget::Stderr))
    }

    /// Returns the screen for messages.
    pub fn screen(&self) -> Screen {
        Screen::new(self.color, self.quiet)
    }

    /// Returns when to show progress.
    pub fn progress(&self) -> When {
        if self.quiet { When::Never } else { self.progress }
    }
}

/// Returns the number of cores that this process may use.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn parse_heuristic(text: &str) -> Result<(HeuristicChoice, Option<Partition>), String> {
    if let Some(partition) = text.strip_prefix("pdb:") {
        let partition = partition.parse().map_err(|error: NotAPartition| error.to_string())?;
        return Ok((HeuristicChoice::Pdb, Some(partition)));
    }
    HeuristicChoice::from_str(text, false).map(|choice| (choice, None)).map_err(|_| {
        let names = HeuristicChoice::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        format!("[possible values: {}, or pdb:PARTITION, e.g. pdb:7-8]", names.join(", "))
    })
}

fn parse_weight(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(weight) if weight >= 1.0 && weight.is_finite() => Ok(weight),
        _ => Err("a weight is a number from 1 up, such as 1.5".into()),
    }
}

fn parse_width(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(width @ 1..) => Ok(width),
        _ => Err("a width is a number of states, from 1 up".into()),
    }
}

fn parse_shard(text: &str) -> Result<(u64, u64), String> {
    let parts: Option<(u64, u64)> =
        text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
    match parts {
        Some((index, shards)) if (1..=shards).contains(&index) => Ok((index, shards)),
        _ => Err("a shard is I/N with I from 1 to N, such as 2/8".into()),
    }
}
