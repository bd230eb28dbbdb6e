//! A limit on the size of files, as a full disk: a message, status 2, whole
//! lines; and resumed without the limit all results are there.

use super::job::Job;
use crate::conditions::input::Input;
use crate::conditions::output::Output;
use crate::results::Format;
use crate::results::compare::{Expected, Promise, compare};
use crate::results::rows;
use crate::round::Round;
use crate::run::Run;
use crate::system::Limit;
use crate::truth::record::{Answer, Metric, Mix};
use anyhow::{Context, Result, ensure};

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let mix = Mix {
        metric: Metric::Default,
        large: true,
        trays: true,
        malformed: true,
        odd_ids: false,
        goals: true,
    };
    let count = round.random.between(1, 400);
    let records = round.records(count, mix);
    let input = Input::new(round, records)?;
    let threads = round.threads();
    let base = Run::new(["solve"]).args(threads).cap(100);
    let format = round.random.pick(&Format::ALL);
    let output = Output::new(round, 0, format)?;
    let most = round.random.pick(&[200, 2000, 20_000, 200_000]);
    let limit = Limit::FileSize(round.random.between(0, most) as u64);
    let promise = Promise::DEFAULT;
    let job = Job { base, input: &input, output: &output, format, promise, expected: input.expected() };
    if round.random.one_in(4) {
        return standard_output(round, &job, limit);
    }
    if round.random.one_in(4) {
        // A deadline cuts results short: the journal has to say so, or fail.
        let deadline = format!("{}ms", round.random.below(20));
        let run = job.run();
        let mut run = Run { limits: vec![limit], ..run };
        run.arguments.splice(1..1, ["--deadline".into(), deadline.into()]);
        round.run(&run)?.expect(&[0, 1, 2])?;
    } else {
        let outcome = round.run(&job.run().limit(limit))?;
        outcome.expect(&[0, 2])?;
        if output.exists(round) {
            let whole = job.check_prefix(round).with_context(|| format!("command: {}", outcome.command))?;
            let complete = whole == job.expected.len();
            ensure!(
                complete || outcome.status() == 2,
                "status 0, but only {whole} results: {}",
                outcome.command
            );
        } else {
            ensure!(outcome.status() == 2, "no results, but status 0: {}", outcome.command);
        }
    }
    if input.repeatable {
        job.finish(round).context("resumed without the limit")?;
    }
    Ok(())
}

fn standard_output(round: &mut Round<'_>, job: &Job<'_>, limit: Limit) -> Result<()> {
    let run = job.base.clone().args(["--format", job.format.word()]).limit(limit);
    let outcome = round.run(&job.input.connect(run))?;
    outcome.expect(&[0, 2])?;
    let ids: Vec<String> = job.expected.iter().map(Expected::id).collect();
    let rows = rows::read(job.format, &outcome.stdout, &ids)
        .with_context(|| format!("command: {}", outcome.command))?;
    let invalid = job.expected.iter().any(|place| place.record.answer == Answer::Invalid);
    ensure!(outcome.status() == 2 || !invalid && rows.len() == ids.len(), "status 0: {}", outcome.command);
    compare(&rows, &job.expected[..rows.len().min(ids.len())], job.promise)
}
