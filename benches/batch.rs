//! FullPayload batches: boards a second from a file to its results, on one thread and
//! on two.

mod support;

use batch_solve::generate::{Kind, Request, write_line};
use batch_solve::input::InputError;
use batch_solve::model::interrupt::Interrupt;
use batch_solve::options::Options;
use batch_solve::output::{Format, Notation, Sink, Style};
use batch_solve::puzzle::tiles::Goal;
use batch_solve::run::resume::ResumeState;
use batch_solve::run::{self, Observer, RunOutcome};
use batch_solve::solve::counters::Counters;
use criterion::{BenchmarkId, Throughput};
use std::{io::Write, path::Path};
use tempfile::NamedTempFile;

fn main() {
    let mut criterion = support::criterion(2);
    let count = support::scale(200_000, 2_000) as u64;
    for (name, size, kind) in
        [("4x4, 12 moves", "4x4", Kind::Moves(12)), ("3x3, random", "3x3", Kind::Random)]
    {
        let size = size.parse().expect("a size");
        let request = Request { size, count, seed: 3, kind, goal: Goal::BlankLast };
        let mut text = Vec::new();
        for board in request.boards().expect("the goal has a name") {
            write_line(&mut text, &board).expect("room for a line");
        }
        let mut file = NamedTempFile::new().expect("a place for files");
        file.write_all(&text).expect("room for a file");
        let path = file.path().to_str().expect("a plain name");
        for threads in [1, 2] {
            let mut group = criterion.benchmark_group(format!("batch, {name}"));
            group.throughput(Throughput::Elements(count));
            group.bench_function(BenchmarkId::new("threads", threads), |bencher| {
                bencher.iter(|| assert_eq!(solve(path, threads), count, "all are solved, shortest"));
            });
            group.finish();
        }
    }
    criterion.final_summary();
}

/// Solves a file and says how many solutions are proved to be shortest.
fn solve(path: &str, threads: usize) -> u64 {
    let options = Options { files: vec![path.to_owned()], threads, memory: 256 << 20, ..Options::default() };
    let style = Style { format: Format::Text, notation: Notation::Blank };
    let mut sink = Sink::create(Path::new("/dev/null"), true, &options.files).expect("a place for nothing");
    let run = run::run(
        &options,
        style,
        &mut sink,
        ResumeState::default(),
        &Counters::default(),
        &Interrupt::new(),
        &Silent,
    );
    let RunOutcome { summary, unreadable, .. } = run.expect("a run without errors");
    assert_eq!((unreadable, summary.solved), (0, summary.puzzles));
    summary.optimal
}

/// Nobody listens.
struct Silent;

impl Observer for Silent {
    fn input_error(&self, _: &InputError) {}
    fn warn(&self, _: &str) {}
    fn explain(&self, _: &str) {}
}
