//! Runs the real program under random conditions and compares what it says
//! with the truth: a test tool, not part of what is installed.
//!
//! ```text
//! cargo run --release --example soak -- SECONDS [SEED] [PROGRAM]
//! ```
//!
//! 1. Each round has a random stream of its own, made of the seed and the
//!    round's number, and chooses a family of tests (`families`).
//! 2. The family makes puzzles whose answers are known (`truth`), runs the
//!    program in a folder of its own under random conditions (`conditions`,
//!    `run`), and compares the results with the answers (`results`).
//! 3. A finding prints the seed, the round and the command line. The round's
//!    files stay, with all its commands in `commands.txt`. `--round N` with the
//!    same seed makes the round again.
//!
//! `--skip NAME` leaves out a family or a condition (`--list` prints the
//! names), `--only NAME` runs one family. Exit status 1 if there was a finding.

mod conditions;
mod families;
mod feed;
mod random;
mod results;
mod round;
mod run;
mod system;
mod truth;
mod workspace;

use clap::Parser;
use families::{CONDITIONS, FAMILIES, Family};
use random::Random;
use round::{Figures, Round};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use truth::Truth;
use workspace::Workspace;

/// Run batch-solve under random conditions and compare it with the truth.
#[derive(Parser)]
struct Arguments {
    /// How long to go on
    #[arg(default_value_t = 60)]
    seconds: u64,
    /// The same seed makes the same rounds
    #[arg(default_value_t = 1)]
    seed: u64,
    /// The program [default: the one built together with this]
    program: Option<PathBuf>,
    /// Leave out a family or a condition; may be repeated
    #[arg(long, value_name = "NAME")]
    skip: Vec<String>,
    /// Run these families only; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Make this round only
    #[arg(long, value_name = "N")]
    round: Option<u64>,
    /// Go on after a finding
    #[arg(long)]
    keep_going: bool,
    /// Print the names of families and conditions
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.list {
        for family in FAMILIES {
            println!("{:18} {}", family.name, family.about);
        }
        for (name, about) in CONDITIONS {
            println!("{name:18} condition: {about}");
        }
        return ExitCode::SUCCESS;
    }
    let known = |name: &String| {
        FAMILIES.iter().any(|family| family.name == name)
            || CONDITIONS.iter().any(|condition| condition.0 == name)
    };
    if let Some(name) = arguments.skip.iter().chain(&arguments.only).find(|name| !known(name)) {
        eprintln!("soak: no family or condition is called {name} (--list prints the names)");
        return ExitCode::from(2);
    }
    let program = arguments.program.clone().unwrap_or_else(program_beside);
    let Ok(program) = program.canonicalize() else {
        eprintln!("soak: {}: no such program", program.display());
        return ExitCode::from(2);
    };
    soak(&arguments, &program)
}

fn soak(arguments: &Arguments, program: &Path) -> ExitCode {
    let seed = arguments.seed;
    let skip: BTreeSet<String> = arguments.skip.iter().cloned().collect();
    let folder = std::env::temp_dir().join(format!("batch-solve-soak-{}", std::process::id()));
    let cache = std::env::temp_dir().join("batch-solve-soak-cache");
    let (mut truth, mut figures) = (Truth::default(), Figures::default());
    let (started, mut findings) = (Instant::now(), 0u64);
    for number in arguments.round.unwrap_or(0).. {
        let single = arguments.round.is_some_and(|round| round != number);
        if single || started.elapsed() >= Duration::from_secs(arguments.seconds) {
            break;
        }
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let family = choose(&mut random, &arguments.only);
        if skip.contains(family.name) {
            continue;
        }
        let root = folder.join(format!("round-{number}"));
        let workspace =
            Workspace::new(root, cache.clone(), program.to_owned()).expect("a folder for the round");
        let mut round = Round::new(random, workspace, &mut truth, &mut figures, &skip);
        let result = (family.run)(&mut round);
        let workspace = round.workspace;
        figures.runs += workspace.runs();
        *figures.rounds.entry(family.name).or_default() += 1;
        let Err(error) = result else {
            workspace.remove();
            continue;
        };
        findings += 1;
        println!("FINDING seed {seed}, round {number}, family {}: {error:#}", family.name);
        println!("  files: {}", workspace.root().display());
        let mut names: String = arguments.only.iter().map(|name| format!(" --only {name}")).collect();
        names.extend(arguments.skip.iter().map(|name| format!(" --skip {name}")));
        println!("  again: soak 600 {seed} {} --round {number}{names}\n", program.display());
        if !arguments.keep_going {
            break;
        }
    }
    print_figures(&figures, started.elapsed(), seed, findings);
    if findings == 0 {
        let _ = std::fs::remove_dir_all(&folder);
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}

/// Chooses a family by its weight.
fn choose(random: &mut Random, only: &[String]) -> &'static Family {
    let mut place = random.below(FAMILIES.iter().map(|family| family.weight).sum());
    if !only.is_empty() {
        let some: Vec<&Family> =
            FAMILIES.iter().filter(|family| only.iter().any(|name| name == family.name)).collect();
        return some.get(place % some.len().max(1)).copied().unwrap_or(&FAMILIES[0]);
    }
    for family in FAMILIES {
        if place < family.weight {
            return family;
        }
        place -= family.weight;
    }
    unreachable!("the place is below the sum of the weights")
}

fn print_figures(figures: &Figures, elapsed: Duration, seed: u64, findings: u64) {
    let Figures { rounds, runs, signals, results, cap_used } = figures;
    let total: u64 = rounds.values().sum();
    let sent: Vec<String> =
        signals.iter().map(|(signal, count)| format!("{count} by signal {signal}")).collect();
    println!(
        "soak: {} s, seed {seed}: {total} rounds, {runs} runs (interrupted: {}), {results} results compared, at most \
         {cap_used} % of the cap, {findings} findings",
        elapsed.as_secs(),
        if sent.is_empty() { "none".to_owned() } else { sent.join(", ") },
    );
    let families: Vec<String> = rounds.iter().map(|(name, count)| format!("{name} {count}")).collect();
    println!("soak: rounds by family: {}", families.join(", "));
}

/// Returns the program that was built together with this one.
fn program_beside() -> PathBuf {
    let own = std::env::current_exe().expect("the path of this program");
    own.ancestors().nth(2).expect("examples have a folder of their own").join("batch-solve")
}
