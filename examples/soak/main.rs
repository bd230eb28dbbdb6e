//! Runs the real program for a while under random conditions and compares what
//! it says with the truth: a test tool, not part of what is installed.
//!
//! ```text
//! cargo run --release --example soak -- SECONDS [SEED] [PROGRAM]
//! ```
//!
//! Each round makes a file of puzzles of all families, malformed ones among
//! them, whose answers are known (`truth.rs`), and runs the program on it with
//! random options, threads and cap; kills it now and then, by any signal, and
//! goes on with `--resume` (`trial.rs`). Then every record must have its one
//! result, in order, and a right one. One line of figures at the end; exit
//! status 1, and the round's files are kept, if anything was wrong.

mod trial;
mod truth;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use trial::{Figures, Trial};
use truth::Truth;

/// A number below a bound.
fn below(random: &mut Xoshiro256PlusPlus, bound: u64) -> u64 {
    (random.next_u64() >> 11) % bound
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| arguments.get(at).map_or(Ok(default), |text| text.parse());
    let (Ok(seconds), Ok(seed)) = (number(0, 60), number(1, 1)) else {
        eprintln!("soak SECONDS [SEED] [PROGRAM]");
        return ExitCode::from(2);
    };
    let program = arguments.get(2).map_or_else(beside_this, PathBuf::from);
    let truth = Truth::new();
    let started = Instant::now();
    let mut figures = Figures::default();
    for round in 0.. {
        if started.elapsed() >= Duration::from_secs(seconds) {
            break;
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(1_000_003) + round);
        let trial = Trial::new(&program, &truth, &mut random);
        if let Err(wrong) = trial.run(&mut random, &mut figures) {
            eprintln!("seed {seed}, round {round}: {wrong}");
            eprintln!("the files are in {}", trial.keep().display());
            return ExitCode::FAILURE;
        }
    }
    println!("soak: {} s, seed {seed}: {figures}", started.elapsed().as_secs());
    ExitCode::SUCCESS
}

/// The program that was built together with this one.
fn beside_this() -> PathBuf {
    let own = std::env::current_exe().expect("a program knows where it is");
    own.ancestors().nth(2).expect("examples have a folder of their own").join("batch-solve")
}
