//! The puzzles and options that two builds are compared with.

use anyhow::{Context, Result, ensure};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;

/// A run of the program: puzzles and options.
pub(crate) struct Workload {
    /// The name in the report.
    pub(crate) name: &'static str,
    /// The file of puzzles, in the scratch folder.
    pub(crate) puzzles: &'static str,
    /// Options of `solve`, separated by spaces.
    pub(crate) options: &'static str,
}

const fn workload(name: &'static str, puzzles: &'static str, options: &'static str) -> Workload {
    Workload { name, puzzles, options }
}

/// Runs whose node counts must not change.
pub(crate) const COUNTED: [Workload; 14] = [
    workload("korf100, 1 GiB", "korf100.txt", "--threads 1 --memory 1GiB"),
    workload("korf100, 48 MiB", "korf100.txt", "--threads 1 --memory 48MiB"),
    workload("hard, 1 GiB", "hard.txt", "--threads 1 --memory 1GiB"),
    workload("hardest15, 1 GiB", "hardest15.txt", "--threads 1 --memory 1GiB"),
    workload("1,000 random 4x4", "random15.txt", "--threads 1 --memory 1GiB"),
    workload("10,000 random 3x3", "random8.txt", "--threads 1 --memory 256MiB"),
    workload("10,000 trays", "trays.txt", "--threads 1 --memory 1GiB"),
    workload("hard trays", "hard-trays.txt", "--threads 1 --memory 1GiB"),
    workload("24-puzzles 38, 40, 44, 25", "korf24.txt", "--threads 1 --memory 4GiB --quality optimal"),
    workload("9x9, fast", "nine.txt", "--threads 1 --memory 256MiB"),
    workload("3x3, line metric", "random8.txt", "--threads 1 --memory 256MiB --metric line --shard 1/20"),
    workload(
        "deterministic, 1 thread",
        "korf100.txt",
        "--deterministic --memory 1GiB --threads 1 --shard 1/4",
    ),
    workload(
        "deterministic, 2 threads",
        "korf100.txt",
        "--deterministic --memory 1GiB --threads 2 --shard 1/4",
    ),
    workload(
        "deterministic, 9 threads",
        "korf100.txt",
        "--deterministic --memory 1GiB --threads 9 --shard 1/4",
    ),
];

/// Runs whose instructions and times are compared.
pub(crate) const MEASURED: [Workload; 6] = [
    workload("A*, 7-8 databases, 40 boards", "forty.txt", "--threads 1 --memory 1GiB --heuristic pdb:7-8"),
    workload(
        "IDA*, Manhattan, korf100 #4",
        "fourth.txt",
        "--threads 1 --memory 64MiB -a ida --heuristic manhattan",
    ),
    workload("24-puzzle #40", "korf24-40.txt", "--threads 1 --memory 1GiB --quality optimal"),
    workload("10,000 random 3x3", "random8.txt", "--threads 1 --memory 256MiB"),
    workload("100 trays", "few-trays.txt", "--threads 1 --memory 256MiB"),
    workload("20 9x9 boards, fast", "nine.txt", "--threads 1 --memory 256MiB"),
];

/// A folder with the puzzles of all workloads, and a cache of databases that both builds share.
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Copies fixtures and generates puzzles with `program`.
    pub(crate) fn new(program: &Path) -> Result<Self> {
        let scratch = Self { folder: tempfile::tempdir()? };
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
        for (from, to) in [
            ("korf100.txt", "korf100.txt"),
            ("hard.txt", "hard.txt"),
            ("hardest15.txt", "hardest15.txt"),
            ("trays/hard.txt", "hard-trays.txt"),
        ] {
            fs::copy(fixtures.join(from), scratch.path(to)).with_context(|| from.to_owned())?;
        }
        scratch.select(&fixtures.join("korf100.txt"), &["4"], "fourth.txt")?;
        scratch.select(&fixtures.join("korf24.txt"), &["38", "40", "44", "25"], "korf24.txt")?;
        scratch.select(&fixtures.join("korf24.txt"), &["40"], "korf24-40.txt")?;
        for (arguments, to) in [
            ("--size 4x4 --count 1000 --seed 7", "random15.txt"),
            ("--size 4x4 --count 40 --seed 1", "forty.txt"),
            ("--size 3x3 --count 10000 --seed 7", "random8.txt"),
            ("--size 9x9 --count 20 --seed 7", "nine.txt"),
            ("trays --count 10000 --seed 7", "trays.txt"),
            ("trays --count 100 --seed 8", "few-trays.txt"),
        ] {
            let mut command = scratch.command(program);
            run(command.arg("generate").args(arguments.split(' ')).arg("-o").arg(scratch.path(to)))?;
        }
        Ok(scratch)
    }

    /// Writes the directives of `from` and its records with these ids to the file `to`.
    fn select(&self, from: &Path, ids: &[&str], to: &str) -> Result<()> {
        let text = fs::read_to_string(from)?;
        let wanted =
            |line: &&str| line.starts_with('@') || ids.contains(&line.split(' ').next().unwrap_or(""));
        let lines: Vec<&str> = text.lines().filter(wanted).collect();
        Ok(fs::write(self.path(to), lines.join("\n") + "\n")?)
    }

    /// A file of the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command with a cache folder of its own.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    /// The arguments that solve a workload into the file `results`.
    pub(crate) fn solve(&self, command: &mut Command, workload: &Workload, results: &Path) {
        command.arg("solve").arg(workload.puzzles).args(workload.options.split(' '));
        command.args(["--quiet", "--force", "-o"]).arg(results);
    }
}

/// Runs a command; statuses 0 and 1 (some puzzle not decided) are fine.
pub(crate) fn run(command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let is_fine = matches!(output.status.code(), Some(0 | 1));
    ensure!(is_fine, "{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    Ok(output)
}
