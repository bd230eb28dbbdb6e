//! Command-line arguments: one table for help, manual page and completions.
//!
//! Arguments are validated here and converted into the types of the rest of the program:
//! [`SolveArgs`] into [`Options`], and so on.
//!
//! [`Options`]: crate::options::Options

mod check;
mod convert;
mod experiment;
mod first;
mod forms;
mod generate;
mod generate_trays;
mod improve;
mod pdb;
mod shell;
mod solve;
mod trace;
mod tray;

pub use check::CheckArgs;
pub use convert::{Conversion, ConvertArgs};
pub use experiment::{ExperimentArgs, Numbers};
pub use generate::{Family, GenerateArgs};
pub use generate_trays::GenerateTraysArgs;
pub use improve::ImproveArgs;
pub use pdb::{BuildArgs, PdbArgs, PdbCommand, PdbDir};
pub use shell::ShellArgs;
pub use solve::{MetricChoice, SolveArgs};
pub use trace::{TraceArgs, Verbosity};
pub use tray::TrayArgs;

use super::Screen;
use crate::cli::terminal::status_line;
use crate::files::name::text_of;
use crate::output::{Sink, SinkError, Stop};
use crate::run::resume::ResumeState;
use clap::builder::{OsStringValueParser, Styles, TypedValueParser};
use clap::{Args, ColorChoice, CommandFactory, Parser, Subcommand, error::ErrorKind};
use std::path::{Path, PathBuf};

/// Returns a parser for the name of an input file of any bytes, as [text](crate::files::name).
fn file_name() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|name| text_of(&name))
}

/// Examples at the end of the program's help.
const EXAMPLES: &str = "\
Examples:
  batch-solve puzzles.txt                        every puzzle, on all cores
  batch-solve hard.txt --threads 16 -m 2G        sixteen workers inside 2 GiB
  batch-solve puzzles.txt -o results.jsonl       one JSON object for each puzzle
  batch-solve game.txt --format states           every state of the solution
  batch-solve big.txt --quality fast             any solution, quickly
  batch-solve generate --size 4x4 --count 100 | batch-solve
  batch-solve check puzzles.txt results.jsonl    replay every solution
  batch-solve experiment max-nodes               compare searches; tables and plots

Exit status: 0 every puzzle decided, 1 some not decided within their limits,
2 an error or an invalid record. See 'batch-solve COMMAND --help' for a command.
To read a file named like a command, write ./check.";

/// Solve files of sliding puzzles inside a fixed memory budget, on all cores
///
/// Reads files of sliding puzzles, solves each inside a fixed memory budget on all
/// cores, and reports speed and peak memory. Results go to stdout in the order of
/// the input; everything else goes to stderr.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "batch-solve",
    version,
    styles = Styles::styled(),
    after_help = EXAMPLES,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "batch-solve [solve] FILE... [OPTIONS]\n       batch-solve COMMAND ..."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    solve: SolveArgs,
}

/// Commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Solve every puzzle of some files; the word 'solve' may be left out
    #[command(after_help = EXAMPLES)]
    Solve(SolveArgs),
    /// Solve one tray in the two-file course form
    Tray(TrayArgs),
    /// Replay every solution of a results file, independently of the search
    Check(CheckArgs),
    /// Shorten the solutions of a results file
    Improve(ImproveArgs),
    /// Generate puzzles; equal seeds give equal puzzles everywhere
    Generate(GenerateArgs),
    /// Write puzzles in another form, or results in the forms of other tools
    Convert(ConvertArgs),
    /// Compare searches over many boards: tables, CSV and plots
    Experiment(ExperimentArgs),
    /// List the order in which a FIFO or a priority search visits states
    Trace(TraceArgs),
    /// Build, list and check the pattern databases on disk
    Pdb(PdbArgs),
    /// Move and solve an 8-puzzle by commands, from a prompt, a pipe or a file
    Shell(ShellArgs),
    /// Print a script that completes these arguments in a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or that of one command
    Man {
        /// The command
        command: Option<String>,
    },
}

impl Cli {
    /// Returns the command; `solve` if none is given.
    pub fn into_command(self) -> Result<Command, clap::Error> {
        let (mut solve, is_named) = match self.command {
            Some(Command::Solve(solve)) => (solve, true),
            Some(command) => return Ok(command),
            None => (self.solve, false),
        };
        let program = Self::command();
        let fail = |kind, hint: String| Err(Self::command().error(kind, hint));
        match solve.files.first().map(String::as_str) {
            _ if is_named => {}
            // After an option, a command's name is parsed as a file.
            Some("solve") => drop(solve.files.remove(0)),
            Some(name) if program.find_subcommand(name).is_some() => {
                let hint = format!(
                    "the command '{name}' must precede its options; to read a file of that name, write ./{name}"
                );
                return fail(ErrorKind::ArgumentConflict, hint);
            }
            Some(word) => {
                let commands = program.get_subcommands().map(clap::Command::get_name);
                if let Some(command) = first::mistyped(word, commands) {
                    let hint = format!("there is no file '{word}'; did you mean the command '{command}'?");
                    return fail(ErrorKind::InvalidSubcommand, hint);
                }
            }
            None => {}
        }
        if solve.files.is_empty() {
            if !first::is_stdin_piped() {
                let hint = "the following required arguments were not provided:\n  <FILE>...";
                return fail(ErrorKind::MissingRequiredArgument, hint.into());
            }
            solve.files.push("-".into());
        }
        Ok(Command::Solve(solve))
    }
}

impl Command {
    /// Returns the screen for messages.
    pub fn screen(&self) -> Screen {
        match self {
            Self::Solve(args) => args.screen(),
            Self::Experiment(args) => args.screen(),
            Self::Check(args) => Screen::new(ColorChoice::Auto, args.quiet),
            Self::Improve(args) => args.screen(),
            _ => Screen::default(),
        }
    }
}

/// Destination of a command's output.
#[derive(Clone, Debug, Args)]
pub struct Destination {
    /// Write to FILE instead of stdout
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Overwrite FILE if it exists
    #[arg(long, requires = "output", help_heading = "Output")]
    pub force: bool,
}

impl Destination {
    /// Opens the destination, unless it is one of the inputs. Deletes the journal of an earlier
    /// run.
    pub fn open(&self, inputs: &[impl AsRef<str>]) -> Result<Sink, SinkError> {
        self.open_until(inputs, Stop::default())
    }

    /// Opens the destination like `open`. Writes to a pipe without a reader are abandoned on
    /// `stop`.
    pub fn open_until(&self, inputs: &[impl AsRef<str>], stop: Stop) -> Result<Sink, SinkError> {
        match self.path() {
            Some(path) => Sink::create_until(path, self.force, inputs, stop)
                .inspect(|_| ResumeState::remove_journal(path)),
            None => Ok(Sink::stdout(inputs)?.with_stop(stop)),
        }
        .map(status_line::guard)
    }

    /// Returns the path of the file, or `None` for standard output.
    pub fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Algorithm, HeuristicChoice, Options, Quality};
    use crate::output::{Format, Notation};
    use std::time::Duration;

    fn parse(line: &str) -> Result<Command, clap::Error> {
        let arguments = std::iter::once("batch-solve").chain(line.split_whitespace());
        Cli::try_parse_from(arguments).and_then(Cli::into_command)
    }

    fn solve(line: &str) -> SolveArgs {
        match parse(line) {
            Ok(Command::Solve(args)) => args,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn options(line: &str) -> Options {
        solve(line).options().unwrap()
    }

    #[test]
    fn the_argument_table_is_valid() {
        Cli::command().debug_assert();
    }

    #[test]
    fn solve_is_the_default_command() {
        for line in
            ["a.txt b.txt -j 3", "solve a.txt b.txt -t 3", "-t 3 solve a.txt b.txt", "-t 3 a.txt b.txt"]
        {
            let options = options(line);
            assert_eq!(options.files, ["a.txt", "b.txt"], "{line}");
            assert_eq!(options.threads, 3);
        }
        assert_eq!(options("./check").files, ["./check"]);
        assert_eq!(options("a.txt check").files, ["a.txt", "check"]);
        assert_eq!(options("-").files, ["-"]);
        assert!(matches!(parse("check a b"), Ok(Command::Check(_))));
        let error = parse("-t 3 check a b").unwrap_err().to_string();
        assert!(error.contains("the command 'check' must precede its options"), "{error}");
    }

    #[test]
    fn defaults() {
        let options = options("a.txt");
        assert_eq!(options.quality, Quality::Auto);
        assert_eq!(options.algorithm, Algorithm::Auto);
        assert_eq!(options.heuristic, HeuristicChoice::Auto);
        assert_eq!((options.weight, options.goal.as_str(), options.shard), (1.5, "blank-last", (1, 1)));
        assert_eq!((options.max_nodes, options.timeout, options.deadline), (None, None, None));
        assert!(options.threads > 0 && options.memory > 0 && !options.explain);
        assert!((1..10).all(|n| options.is_in_shard(n)));
        assert_eq!(solve("a.txt").style(), Default::default());
    }

    #[test]
    fn every_option() {
        let options = options(
            "a.txt -m 1.5G --quality fast -a wastar --heuristic linear-conflict --weight 2 --goal snail --max-nodes 9 \
             --timeout 250ms --deadline 1h30m --shard 2/3 --input-format line --explain",
        );
        assert_eq!((options.memory, options.quality), (3 << 29, Quality::Fast));
        assert_eq!((options.algorithm, options.weight), (Algorithm::Wastar, 2.0));
        assert_eq!(options.heuristic, HeuristicChoice::LinearConflict);
        assert_eq!((options.goal.as_str(), options.max_nodes), ("snail", Some(9)));
        assert_eq!(options.timeout, Some(Duration::from_millis(250)));
        assert_eq!(options.deadline, Some(Duration::from_secs(5400)));
        assert_eq!(options.input_format.as_deref(), Some("line"));
        assert!(options.explain);
        let included: Vec<u64> = (1..=8).filter(|&n| options.is_in_shard(n)).collect();
        assert_eq!(included, [2, 5, 8]);
    }

    #[test]
    fn the_format_is_named_or_comes_from_the_extension() {
        assert_eq!(solve("a -o r.jsonl").style().format, Format::Jsonl);
        assert_eq!(solve("a -o r.jsonl --format csv").style().format, Format::Csv);
        assert_eq!(solve("a -o r").style().format, Format::Text);
        assert_eq!(solve("a -o - --notation tile").style().notation, Notation::Tile);
        assert_eq!(solve("a -o -").destination.path(), None);
    }

    #[test]
    fn bad_values_are_refused_with_a_reason() {
        let cases = [
            ("a --threads 0", "0 is not in 1..=4096"),
            ("a --threads many", "invalid digit"),
            ("a --memory 12QB", "'12QB' is not a size such as 64MiB"),
            ("a --timeout soon", "'soon' is not a duration such as 250ms"),
            ("a --weight 0.5", "a weight is a number from 1 up"),
            ("a --weight nan", "a weight is a number from 1 up"),
            ("a --shard 4/3", "a shard is I/N with I from 1 to N"),
            ("a --shard 0/0", "a shard is I/N with I from 1 to N"),
            ("a --shard 0/3", "a shard is I/N with I from 1 to N"),
            ("a --max-nodes 0", "0 is not in 1.."),
            ("a --quality best", "[possible values: auto, optimal, improve, fast]"),
            (
                "a --algorithm dijkstra",
                "[possible values: auto, astar, wastar, greedy, bfs, dfs, beam, ida, staged]",
            ),
            ("a --format xml", "[possible values: text, jsonl, csv, states]"),
            ("a --force", "--output <FILE>"),
            ("a --no-such", "unexpected argument '--no-such'"),
            ("check a", "<RESULTS>"),
            ("generate --size 1x9", "a board has 2 to 256 rows and columns"),
            ("generate --moves 5 --unsolvable", "cannot be used with"),
            ("completions cobol", "[possible values: bash"),
            ("a --input-format rows", "[possible values: line, slashes, compact, grid, "),
            ("check a b --input-format rows", "[possible values: line, slashes, compact, grid, "),
            ("chek a b", "did you mean the command 'check'?"),
        ];
        for (line, reason) in cases {
            let error = parse(line).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
            assert!(error.to_string().contains(reason), "{line}: {error}");
        }
    }

    #[test]
    fn arguments_that_do_not_fit_together() {
        let error = |line| solve(line).options().unwrap_err().to_string();
        assert!(error("a --quality optimal -a greedy").contains("does not guarantee shortest"));
        assert_eq!(error("a -a ida --weight 2"), "--weight is for --algorithm wastar");
        assert_eq!(error("- a -"), "standard input ('-') can be read only once");
    }
}
