//! 15-puzzles under memory budgets: the program itself, from a file to its
//! results, with pattern databases that are on disk already.
//!
//! `cargo bench --bench budgets` solves the published instances, random boards
//! and one of the hardest boards with 64 MiB to 4 GiB, on one thread and on two,
//! and prints a table; with `-- --svg FILE` it also draws the plot of
//! docs/benchmarks.md. Every answer must be proved, and the lengths must be the
//! same under every budget. Databases that are not there yet are made, so the
//! first run may show that in its set-up times.

mod support;

use batch_solve::generate::{Kind, Request, write_line};
use batch_solve::puzzle::tiles::Goal;
use batch_solve::tools::plot::{Axis, Figure, Panel, Point, Scale, Series};
use serde_json::Value;
use std::{io::Write, process::Command};
use tempfile::NamedTempFile;

/// What one run of the program showed.
struct Run {
    /// Milliseconds for each board, sorted.
    times: Vec<f64>,
    lengths: Vec<u64>,
    heuristic: String,
    seconds: f64,
    generated: f64,
    peak: f64,
    fallbacks: u64,
}

fn main() {
    let count = support::scale(1000, 2) as u64;
    let size = "4x4".parse().expect("a size");
    let request = Request { size, count, seed: 7, kind: Kind::Random, goal: Goal::BlankLast };
    let mut text = Vec::new();
    for board in request.boards().expect("the goal has a name") {
        write_line(&mut text, &board).expect("room for a line");
    }
    let mut random = NamedTempFile::new().expect("a place for files");
    random.write_all(&text).expect("room for a file");
    let random = random.path().to_str().expect("a plain name");
    let fixture = |name: &str| format!("{}/fixtures/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let published = fixture("korf100");
    // The other sixteen would take as long again, each of them.
    let hardest = std::fs::read_to_string(fixture("hardest15")).expect("the fixture is there");
    let first =
        hardest.lines().find(|line| !line.is_empty() && !line.starts_with(['#', '@'])).expect("a board");
    let mut hardest = NamedTempFile::new().expect("a place for files");
    writeln!(hardest, "{first}").expect("room for a file");
    let hardest = hardest.path().to_str().expect("a plain name");
    let mut works = vec![(format!("{count} random"), random)];
    if !support::is_test() {
        works.push(("100 published".into(), &*published));
        works.push(("one of the hardest".into(), hardest));
    }
    let budgets: &[u64] = if support::is_test() { &[64] } else { &[64, 128, 256, 1024, 4096] };
    println!(
        "| boards | memory | threads | databases | mean ms | median | 99 % | nodes a board | nodes/s | peak MiB | \
         set-up s | to IDA* |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut series = Vec::new();
    for (name, file) in &works {
        let mut lengths: Option<Vec<u64>> = None;
        let mut points = Vec::new();
        for (&mib, threads) in budgets.iter().flat_map(|mib| [(mib, 1), (mib, 2)]) {
            let run = Run::new(file, mib, threads);
            let (boards, sum) = (run.times.len(), run.times.iter().sum::<f64>());
            let known = lengths.get_or_insert_with(|| run.lengths.clone());
            assert_eq!(*known, run.lengths, "{name}, {mib} MiB, {threads} threads: other lengths");
            assert!(run.peak <= mib as f64, "{name}, {mib} MiB: {} MiB at the peak", run.peak);
            let (mean, spent) = (sum / boards as f64, sum / 1e3 / threads as f64);
            println!(
                "| {name} | {mib} MiB | {threads} | {} | {mean:.3} | {:.3} | {:.3} | {:.0} | {:.1} M | {:.0} | {:.2} | {} |",
                run.heuristic,
                run.times[boards / 2],
                run.times[boards * 99 / 100],
                run.generated / boards as f64,
                run.generated / spent / 1e6,
                run.peak,
                (run.seconds - spent).max(0.0),
                run.fallbacks,
            );
            if threads == 1 {
                points.push(Point { x: mib as f64, y: mean, band: None, limited: false });
            }
        }
        series.push(Series { name: name.clone(), points });
    }
    let mut arguments = std::env::args().skip_while(|argument| argument != "--svg").skip(1);
    if let Some(file) = arguments.next() {
        std::fs::write(file, figure(series, budgets).svg()).expect("the plot can be written");
    }
}

fn figure(series: Vec<Series>, budgets: &[u64]) -> Figure {
    let marks = budgets.iter().map(|&mib| mib as f64).collect();
    Figure {
        title: "15-puzzles under memory budgets, one thread".into(),
        panels: vec![Panel {
            title: String::new(),
            x: Axis { label: "--memory, MiB".into(), scale: Scale::Log, marks },
            y: Axis { label: "milliseconds a board".into(), scale: Scale::Log, marks: Vec::new() },
            series,
            limit: None,
        }],
        columns: 1,
        notes: vec!["Pattern databases on disk; reading them is left out.".into()],
    }
}

impl Run {
    fn new(file: &str, mib: u64, threads: usize) -> Self {
        let output = Command::new(env!("CARGO_BIN_EXE_batch-solve"))
            .args([file, "--format", "jsonl", "--progress", "never"])
            .args(["--memory", &format!("{mib}MiB"), "--threads", &threads.to_string()])
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut new = Self {
            times: Vec::new(),
            lengths: Vec::new(),
            heuristic: String::new(),
            seconds: 0.0,
            generated: 0.0,
            peak: 0.0,
            fallbacks: 0,
        };
        for line in String::from_utf8(output.stdout).expect("text").lines() {
            let line: Value = serde_json::from_str(line).expect("a line of JSON");
            let number = |name: &str| {
                let value = line.pointer(name).and_then(Value::as_f64);
                value.unwrap_or_else(|| panic!("{name} in {line}"))
            };
            if line["type"] == "summary" {
                new.seconds = number("/time_s");
                new.generated = number("/counts/generated");
                new.peak = number("/peak_memory_bytes") / f64::from(1 << 20);
                new.fallbacks = number("/counts/fallbacks_to_ida") as u64;
            } else {
                assert_eq!(line["optimal"], true, "{line}");
                new.times.push(number("/time_us") / 1e3);
                new.lengths.push(number("/length") as u64);
                new.heuristic = line["heuristic"].as_str().unwrap_or_default().into();
            }
        }
        new.times.sort_by(f64::total_cmp);
        new
    }
}
