//! `--max-nodes`, `--timeout` and `--deadline`: results that say what ended
//! them, the exit status that goes with it, and a resumed run that makes up
//! for the deadline.

use super::job::Job;
use crate::conditions::input::Input;
use crate::conditions::output::Output;
use crate::results::compare::{Expected, Promise, compare, compare_start};
use crate::results::{Format, rows};
use crate::round::Round;
use crate::truth::record::{Metric, Mix};
use anyhow::{Context, Result, ensure};
use std::time::Duration;

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let metric = Metric::Default;
    let mix = Mix {
        metric,
        large: true,
        trays: true,
        malformed: round.random.one_in(3),
        odd_ids: false,
        goals: true,
    };
    let count = round.random.between(1, 400);
    let records = round.records(count, mix);
    let input = Input::new(round, records)?;
    let (mut base, promise) = super::batch::random_options(round, metric);
    let promise = Promise { optimal: false, decided: false, ..promise };
    let format = round.random.pick(&[Format::JsonLines, Format::Csv]);
    let output = Output::new(round, 0, format)?;
    let nodes = round.random.one_in(2).then(|| round.random.between(1, 2000) as u64);
    if let Some(nodes) = nodes {
        base = base.args(["--max-nodes".to_owned(), nodes.to_string()]);
        base = base.args(["--algorithm", round.random.pick(&["astar", "bfs", "auto"])]);
    }
    if round.random.one_in(3) {
        base = base.args(["--timeout".to_owned(), format!("{}ms", round.random.below(50))]);
    }
    let deadline = round.random.one_in(2).then(|| round.random.below(300) as u64);
    let mut limited = base.clone();
    if let Some(deadline) = deadline {
        limited = limited.args(["--deadline".to_owned(), format!("{deadline}ms")]);
    }
    let job =
        Job { base: limited, input: &input, output: &output, format, promise, expected: input.expected() };
    let outcome = round.run(&job.run())?;
    let most = Duration::from_secs(20) + Duration::from_millis(deadline.unwrap_or(0));
    ensure!(
        deadline.is_none() || outcome.elapsed < most,
        "{:?} with a deadline: {}",
        outcome.elapsed,
        outcome.command
    );
    let ids: Vec<String> = job.expected.iter().map(Expected::id).collect();
    let rows = rows::read(format, &round.workspace.read(&output.name)?, &ids)?;
    round.figures.results += rows.len() as u64;
    // At the deadline reading stops, so that results may be missing.
    ensure!(
        rows.len() <= ids.len() && (deadline.is_some() || rows.len() == ids.len()),
        "{} results",
        rows.len()
    );
    let context = || format!("command: {}", outcome.command);
    if deadline.is_some() {
        compare_start(&rows, &job.expected, promise).with_context(context)?;
    } else {
        compare(&rows, &job.expected, promise).with_context(context)?;
    }
    for row in &rows {
        let reason = row.reason.as_deref().unwrap_or("");
        let known = match reason {
            "nodes" => nodes.is_some(),
            "time" => true,
            "memory" => true,
            _ => row.status != "gave_up",
        };
        ensure!(known, "no limit explains this: {row:?}\ncommand: {}", outcome.command);
        let visited = row.visited.unwrap_or(0);
        ensure!(
            nodes.is_none_or(|nodes| visited <= nodes),
            "over --max-nodes: {row:?}\ncommand: {}",
            outcome.command
        );
    }
    let invalid = rows.iter().any(|row| row.status == "invalid");
    let undecided = rows.len() < ids.len() || rows.iter().any(|row| row.status == "gave_up");
    outcome.expect(&[if invalid { 2 } else { i32::from(undecided) }])?;
    if deadline.is_some() && input.repeatable {
        // Without the deadline the run is made whole.
        let job = Job { base, input: &input, output: &output, format, promise, expected: input.expected() };
        let outcome = round.run(&job.run())?;
        outcome.expect(&[0, 1, 2])?;
        job.compare(round).with_context(|| format!("command: {}", outcome.command))?;
    }
    Ok(())
}
