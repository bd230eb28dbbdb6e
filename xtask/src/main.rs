//! Tools for the maintainers of `batch-solve`, run as `cargo xtask COMMAND`.

mod compare;

use anyhow::{Result, bail};
use std::{env, process::ExitCode};

const HELP: &str = "\
Tools for the maintainers of batch-solve

Usage: cargo xtask compare OLD NEW [counts] [instructions] [times]

compare    Compare two builds of the program on the same puzzles:
             counts        node counts, lengths and moves of every record are equal
             instructions  instructions executed (valgrind's callgrind), new / old
             times         wall time, ten pairs in turn, median of new / old
           All three where none is named. OLD and NEW are paths of the program.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs the command of `arguments`; false if a comparison found a difference.
fn run(arguments: &[String]) -> Result<bool> {
    match arguments {
        [command, old, new, parts @ ..] if command == "compare" => {
            compare::run(old.as_ref(), new.as_ref(), parts)
        }
        [] => {
            print!("{HELP}");
            Ok(true)
        }
        [help] if ["help", "--help", "-h"].contains(&help.as_str()) => {
            print!("{HELP}");
            Ok(true)
        }
        _ => bail!("unknown command; see cargo xtask --help"),
    }
}
