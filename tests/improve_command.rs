//! `batch-solve improve`, the real binary: results of every kind are kept or
//! shortened, and what is left out is named.

mod support;

use std::process::Output;
use support::work::{Work, told};

fn run(work: &Work, arguments: &[&str]) -> Output {
    work.command(arguments).env("XDG_CACHE_HOME", work.path("cache")).output().unwrap()
}

fn run_well(work: &Work, arguments: &[&str]) -> Output {
    let output = run(work, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", told(&output));
    output
}

/// Moves before and after, as the last lines of `improve` say.
fn moves(output: &Output) -> (u64, u64) {
    let told = told(output);
    let line = told.lines().find(|line| line.contains(" moves before, ")).expect(&told);
    let mut numbers = line.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// Solves puzzles in every format of results and improves them, without losing
/// or lengthening any.
fn assert_kept_or_shortened(puzzles: &[u8], count: usize, metric: &str) {
    for format in ["text", "csv", "jsonl", "states"] {
        let work = Work::new();
        work.write("p.txt", puzzles);
        let solve = ["p.txt", "--quality", "fast", "--format", format, "-o", "before", "--quiet"];
        run_well(&work, &[&solve[..], &["--metric", metric]].concat());
        let improve = ["improve", "p.txt", "before", "--format", format, "--timeout", "20ms", "-m", "64MiB"];
        // Text does not name the metric, and states name that of trays only.
        let is_open = metric == "line" && matches!(format, "text" | "states");
        let named: &[&str] = if is_open { &["--metric", metric] } else { &[] };
        let output = ["-o", "after.jsonl"];
        let (before, after) = moves(&run_well(&work, &[&improve[..], &output, named].concat()));
        assert!(0 < after && after <= before, "{format}: {before} moves, then {after}");
        assert_eq!(work.read("after.jsonl").matches(r#""status":"solved""#).count(), count, "{format}");
        let named = if format == "text" && matches!(metric, "slide" | "step") { "piece" } else { metric };
        let counted = format!(r#""metric":"{named}""#);
        assert_eq!(work.read("after.jsonl").matches(&counted).count(), count, "{format}");
        run_well(&work, &["check", "p.txt", "after.jsonl"]);
    }
}

#[test]
fn the_line_metric_is_kept() {
    let boards = run(&Work::new(), &["generate", "--size", "4x5", "--count", "3", "--seed", "4"]);
    assert_kept_or_shortened(&boards.stdout, 3, "line");
}

#[test]
fn boards_of_every_size_are_kept() {
    for size in ["2x2", "2x4", "3x3", "4x4", "6x7"] {
        let boards = run(&Work::new(), &["generate", "--size", size, "--count", "2", "--seed", "4"]);
        assert_kept_or_shortened(&boards.stdout, 2, "tile");
    }
}

#[test]
fn trays_are_kept() {
    let trays = "tray 3 3\n0 0 0 1\n1 0 1 0\n2 1 2 2\ngoal\n0 1 0 2\n2 0 2 0\n\n\
                 letters\nAAB\n...\ngoal\n...\n.AA\n";
    for metric in ["piece", "slide", "step"] {
        assert_kept_or_shortened(trays.as_bytes(), 2, metric);
    }
}

#[test]
fn a_detour_in_a_tray_is_cut() {
    let work = Work::new();
    work.write("p.txt", b"tray 3 3\n0 0 0 0\n2 2 2 2\ngoal\n2 0 2 0\n");
    work.write("r.txt", b"1\tsolved\t4\t2 2 1 2; 0 0 0 2; 0 2 0 0; 0 0 2 0\n");
    let output = run_well(&work, &["improve", "p.txt", "r.txt"]);
    assert_eq!(String::from_utf8(output.stdout.clone()).unwrap(), "1\tsolved\t1\t0 0 2 0\n");
    assert_eq!(moves(&output), (4, 1));
}

#[test]
fn a_tray_without_a_solution_is_named() {
    let work = Work::new();
    work.write("p.txt", b"tray 3 3\n0 0 0 0\n2 2 2 2\ngoal\n2 0 2 0\n");
    work.write("r.txt", b"1\tgave_up\t-\tnodes\n");
    let output = run(&work, &["improve", "p.txt", "r.txt"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("p.txt, record 1: skipped"), "{}", told(&output));
}
