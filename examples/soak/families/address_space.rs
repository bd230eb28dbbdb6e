//! A small address space (`ulimit -v`): less is done at once, or the run ends
//! with a message, but never by an abort.

use super::job::Job;
use crate::conditions::input::Input;
use crate::conditions::output::Output;
use crate::results::Format;
use crate::results::compare::Promise;
use crate::round::Round;
use crate::run::Run;
use crate::system::Limit;
use crate::truth::record::{Answer, Metric, Mix, text};
use anyhow::{Context, Result, ensure};

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let named = round.random.one_in(3);
    let mix = Mix {
        metric: Metric::Default,
        large: !named,
        trays: true,
        malformed: false,
        odd_ids: false,
        goals: true,
    };
    let count = round.random.between(1, 200);
    let records = round.records(count, mix);
    let limit = Limit::AddressSpace(round.random.between(24, 400) as u64 * 1024 * 1024);
    if round.random.one_in(4) {
        return other_commands(round, &text(&records), limit);
    }
    let input = Input::new(round, records)?;
    let threads = round.threads();
    let mut base = Run::new(["solve"]).args(threads).limit(limit);
    if round.random.one_in(2) {
        let cap = round.random.pick(&[48, 100, 256, 1024]);
        base = base.cap(cap);
    }
    if named {
        base = base.args(["--algorithm", round.random.pick(&["astar", "bfs", "greedy", "ida"])]);
        base = base.args(["--timeout", "5s"]);
    }
    let format = round.random.pick(&Format::ALL);
    let output = Output::new(round, 0, format)?;
    let promise = Promise { optimal: false, decided: false, ..Promise::DEFAULT };
    let job = Job { base, input: &input, output: &output, format, promise, expected: input.expected() };
    let outcome = round.run(&job.run())?;
    outcome.expect(&[0, 1, 2])?;
    if outcome.status() == 2 {
        ensure!(
            job.expected.iter().all(|place| place.record.answer != Answer::Invalid),
            "no record is invalid"
        );
        ensure!(outcome.stderr.contains("error"), "status 2 without an error: {}", outcome.stderr);
        if output.exists(round) {
            job.check_prefix(round).with_context(|| format!("command: {}", outcome.command))?;
        }
        return Ok(());
    }
    job.compare(round).with_context(|| format!("command: {}", outcome.command))
}

/// Commands other than solve in a small address space.
fn other_commands(round: &mut Round<'_>, puzzles: &str, limit: Limit) -> Result<()> {
    round.workspace.write("puzzles.txt", puzzles)?;
    let solve = round.run(&Run::new(["solve", "puzzles.txt", "--quiet", "-o", "r.jsonl"]))?;
    solve.expect(&[0, 1])?;
    let commands: [&[&str]; 6] = [
        &["check", "puzzles.txt", "r.jsonl"],
        &["improve", "puzzles.txt", "r.jsonl", "--timeout", "10ms"],
        &["convert", "puzzles.txt", "--to", "slashes"],
        &["convert", "puzzles.txt", "--results", "r.jsonl", "--to", "runs"],
        &["generate", "--size", "20x20", "--count", "50"],
        &["trace", "S", "F", "Q", "1 2 3/4 0 5/7 8 6"],
    ];
    let command = round.random.pick(&commands);
    let outcome = round.run(&Run::new(command).limit(limit))?;
    outcome.expect(&[0, 1, 2])
}
