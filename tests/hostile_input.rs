//! Any bytes whatever, through every door: what `fuzz/` does with libFuzzer is
//! done here on mutations of its corpus, by a stable compiler, the same ones
//! every time. And large files made to be slow.
//!
//! `HOSTILE_EXECUTIONS` says how many mutations each target gets. A profile with
//! overflow checks sees more: `cargo test --profile checked --test hostile_input`.

#[path = "../fuzz/src/lib.rs"]
#[allow(dead_code, unreachable_pub)]
mod fuzz;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// Mutations of each target's corpus.
fn executions() -> u64 {
    std::env::var("HOSTILE_EXECUTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000)
}

/// Words that mean something to one parser or another, and numbers that are
/// hard to count with.
const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "15",
    "255",
    "256",
    "257",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e400",
    "\n",
    "\r\n",
    "\n\n",
    "\t",
    " ",
    ",",
    ";",
    ":",
    "/",
    "|",
    "#",
    ".",
    "\u{feff}",
    "\u{2003}",
    "\u{1e}",
    "\0",
    "@goal ",
    "@size ",
    "@id ",
    "@length ",
    "@",
    "tray ",
    "letters\n",
    "goal\n",
    "goal labelled\n",
    "wall ",
    "lwrc",
    "starting positions for each tile:\n",
    "goal positions:\n",
    "blank-first",
    "snail",
    "2x3: ",
    "3x3",
    "256x256",
    "_",
    "b",
    "x",
    "puzzle ",
    ": solved, ",
    ": unsolvable, ",
    "0 tray piece\n",
    "{\"type\":\"result\"",
    "\"n\":",
    "\"moves\":[[0,0,0,1]]",
    "\"status\":\"solved\"",
    "\tsolved\t",
    "\tunsolvable\t-\tparity",
    "null",
    "setState ",
    "randomizeState ",
    "move up",
    "maxNodes ",
    "solve A-star h1",
    "solve beam ",
    "--memory",
    "--shard",
    "1/1",
    "64MiB",
    "1h30m",
    "7-8",
    "--goal",
    "generate",
    "trays",
    "trace",
    "\u{fffd}",
    "ÄÖ",
];

/// A few random changes to an input.
fn mutate(random: &mut Xoshiro256PlusPlus, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut below = |n: usize| (random.next_u64() >> 11) as usize % n.max(1);
    let mut input = seeds[below(seeds.len())].clone();
    for _ in 0..1 + below(6) {
        let (from, most) = (below(input.len() + 1), below(40));
        let len = below(1 + most);
        let to = (from + len).min(input.len());
        match below(8) {
            0 if from < input.len() => input[from] ^= 1 << below(8),
            1 if from < input.len() => input[from] = below(256) as u8,
            2 => drop(input.drain(from..to)),
            3 => {
                let copy = input[from..to].to_vec();
                let at = below(input.len() + 1);
                input.splice(at..at, copy);
            }
            4 => {
                let other = &seeds[below(seeds.len())];
                let start = below(other.len() + 1);
                let end = (start + below(60)).min(other.len());
                input.splice(from..to, other[start..end].iter().copied());
            }
            5 => input.truncate(from),
            _ => {
                let word = WORDS[below(WORDS.len())];
                let to = if below(2) == 0 { from } else { to };
                input.splice(from..to, word.bytes());
            }
        }
    }
    input.truncate(4096);
    input
}

/// The inputs that a target starts from.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Runs a target on the mutations of its corpus.
fn attack(name: &str) {
    let (_, target) = fuzz::TARGETS.into_iter().find(|(known, _)| *known == name).unwrap();
    let seeds = corpus(name);
    assert!(!seeds.is_empty());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mutations = (0..executions()).map(|_| mutate(&mut random, &seeds));
    for input in seeds.iter().cloned().chain(mutations) {
        if catch_unwind(AssertUnwindSafe(|| target(&input))).is_err() {
            panic!("{name}: b\"{}\"", input.escape_ascii());
        }
    }
}

#[test]
fn puzzle_files() {
    attack("puzzles");
}

#[test]
fn courses() {
    attack("course");
}

#[test]
fn conversions() {
    attack("convert");
}

#[test]
fn result_files() {
    attack("results");
}

#[test]
fn command_lines() {
    attack("arguments");
}

#[test]
fn sessions() {
    attack("shell");
}

#[test]
fn database_files() {
    attack("database");
}

#[test]
fn checkpoints() {
    attack("checkpoint");
}

#[test]
fn journals_and_results_that_are_gone_on_with() {
    attack("resume");
}

#[test]
fn compressed_files() {
    attack("packed");
}

/// A megabyte of a pattern, between a beginning and an end.
fn megabyte(before: &str, pattern: &str, after: &str) -> Vec<u8> {
    [before, &pattern.repeat((1 << 20) / pattern.len()), after].concat().into_bytes()
}

/// A megabyte of numbers, each once.
fn numbers(before: &str, gap: &str, after: &str) -> Vec<u8> {
    let numbers: Vec<String> = (1..150_000).map(|n: u32| n.to_string()).collect();
    [before, &numbers.join(gap), after].concat().into_bytes()
}

/// Whatever is quadratic in a megabyte takes longer than anybody waits. The limit
/// is far above what any machine needs for what is not.
#[test]
fn a_megabyte_of_anything_is_read_in_time() {
    let mut inputs: Vec<(&str, Vec<u8>)> = Vec::new();
    for gap in [" ", ",", "/", "\n", " \n", "\n\n"] {
        inputs.push(("puzzles", numbers("7", gap, "\n")));
        inputs.push(("convert", numbers("", gap, "\n")));
    }
    for pattern in [
        "1 2 3 0\n",
        "@id a\n",
        "@goal 1 2/3 0\n",
        "@size 2x3\n",
        "#",
        "#\n",
        "2\n",
        "2\n1 2\n3 0\n\n",
        "\r",
        "a: ",
        "|",
    ] {
        inputs.push(("puzzles", megabyte("7", pattern, "\n1 2 3 0\n")));
        inputs.push(("convert", megabyte("", pattern, "\n1 2 3 0\n")));
    }
    for (before, pattern) in [
        ("7tray 256 256\n", "0 0 0 0\n"),
        ("7tray 256 256\ngoal\n", "0 0 0 0\n"),
        ("7tray 256 256\n", "wall 0 0 255 255\n"),
        ("7letters\n", "A"),
        ("7letters\n", "AB\n"),
        ("7letters\n", "AAAABBBB....CCCC\n"),
        ("74 4\nstarting positions for each tile:\n", "1\n"),
        ("5", "tray 2 2\n0 0 0 0\ngoal\n1 1 1 1\n\n"),
    ] {
        inputs.push(("puzzles", megabyte(before, pattern, "")));
    }
    let cells: Vec<String> =
        (0..65_535).map(|cell| format!("{0} {1} {0} {1}", cell / 256, cell % 256)).collect();
    let tray = format!("tray 256 256\n{}\ngoal\n255 255 255 255\n", cells.join("\n"));
    inputs.push(("puzzles", format!("7{tray}").into_bytes()));
    inputs.push(("convert", tray.clone().into_bytes()));
    let course = format!("256 256\n{}\n\u{1e}255 255 255 255\n", cells.join("\n"));
    inputs.push(("course", course.into_bytes()));
    inputs.push(("course", megabyte("256 256\n", "0 0 0 0\n", "\u{1e}0 0 0 0\n")));
    inputs.push(("course", megabyte("256 256\n0 0 0 0\n\u{1e}", "0 0 0 0\n", "")));
    for (before, pattern) in [
        ("5", "1\tsolved\t1\tR\n"),
        ("5k2\tsolved\t1\t", "UD"),
        ("0", "x\n"),
        ("1", "{\"type\":\"result\",\"n\":1,\"status\":\"invalid\"}\n"),
        ("1{\"type\":\"result\",\"n\":1,\"x\":", "["),
        ("1{\"type\":\"result\",\"n\":6,\"status\":\"solved\",\"length\":1,\"moves\":[", "[0,0,0,1],"),
        ("2n,status,moves\n", "1,solved,R\n"),
        ("2n,status,", "a,"),
        ("2n,status\n", "\""),
        ("3", "puzzle 1: solved, 1 move\n"),
        ("3puzzle ", ": solved, "),
        ("3puzzle 1: solved, 1 move\n\n0\n", "1 2\n"),
        ("3puzzle 1: solved, 1 move\n\n0\n", "0 "),
        ("3puzzle first: solved, 1 move\n\n0 tray step\n", "A.\n"),
        ("3puzzle first: solved, 1 move\n\n0 tray step\n", "0 tray\n\n"),
    ] {
        inputs.push(("results", megabyte(before, pattern, "\n")));
    }
    inputs
        .push(("results", numbers("3puzzle first: solved, 1 move\n\n0 tray step\n", " ", "\n\n1\n1 2\n\n")));
    inputs.push(("results", numbers("3puzzle 1: solved, 1 move\n\n0\n", " ", "\n\n")));
    let claim = |moves: &str| format!("0{tray}\u{1e}1\t{}\n", moves).into_bytes();
    inputs.push(("results", claim("unsolvable\t-\texhausted")));
    inputs.push((
        "results",
        claim(&format!("solved\t1\t{}", "255 254 255 255; 255 255 255 254; ".repeat(30_000))),
    ));
    for pattern in ["move up\n", "setState 1", "#", "randomizeState 99999999999999999\n"] {
        inputs.push(("shell", megabyte("", pattern, "\n")));
    }
    for pattern in ["1 2 3 ", "1h", "9", "-", "a\n"] {
        inputs.push(("arguments", megabyte("", pattern, "\n")));
    }
    for (name, input) in inputs {
        let (_, target) = fuzz::TARGETS.into_iter().find(|(known, _)| *known == name).unwrap();
        let shown: String = String::from_utf8_lossy(&input).chars().take(60).collect();
        let (done, wait) = mpsc::channel();
        std::thread::spawn(move || {
            target(&input);
            done.send(()).unwrap();
        });
        let started = std::time::Instant::now();
        wait.recv_timeout(Duration::from_secs(60))
            .unwrap_or_else(|error| panic!("{name}, {shown:?}…: {error}"));
        if std::env::var_os("HOSTILE_TIMES").is_some() {
            eprintln!("{:8.1} ms  {name} {shown:?}", started.elapsed().as_secs_f64() * 1e3);
        }
    }
}
