//! Files of all kinds of records under all conditions, interrupted and
//! resumed.

use super::job::{Job, check};
use crate::conditions::input::Input;
use crate::conditions::output::Output;
use crate::results::Format;
use crate::results::compare::Promise;
use crate::round::Round;
use crate::run::Run;
use crate::truth::record::{Answer, Metric, Mix};
use anyhow::{Context, Result};
use batch_solve::puzzle::trays::Metric as TrayMetric;

/// Returns a random metric, mostly the default.
pub(crate) fn random_metric(round: &mut Round<'_>) -> Metric {
    round.random.pick(&[
        Metric::Default,
        Metric::Default,
        Metric::Default,
        Metric::Line,
        Metric::Trays(TrayMetric::Step),
        Metric::Trays(TrayMetric::Slide),
        Metric::Trays(TrayMetric::Piece),
    ])
}

/// Returns random options that change no answer, and what they promise.
pub(crate) fn random_options(round: &mut Round<'_>, metric: Metric) -> (Run, Promise) {
    let cap = round.cap();
    let threads = round.threads();
    let mut run = Run::new(["solve"]).cap(cap).args(threads).args(metric.arguments());
    let tile_notation = round.random.one_in(4);
    if tile_notation {
        run = run.args(["--notation", "tile"]);
    }
    if round.random.one_in(2) {
        run = run.args(["--quiet"]);
    }
    if round.random.one_in(6) {
        run = run.args(["--progress", "always"]);
    }
    (run, Promise { metric, tile_notation, ..Promise::DEFAULT })
}

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let metric = random_metric(round);
    let odd_ids = !round.skips("odd-ids");
    let mix = Mix { metric, large: true, trays: true, malformed: true, odd_ids, goals: true };
    let count =
        if round.random.one_in(3) { round.random.between(1, 5) } else { round.random.between(1, 600) };
    let records = round.records(count, mix);
    let input = Input::new(round, records)?;
    let (base, promise) = random_options(round, metric);
    let format = round.random.pick(&Format::ALL);
    let output = Output::new(round, 0, format)?;
    let job = Job { base, input: &input, output: &output, format, promise, expected: input.expected() };
    let bytes = if round.random.one_in(4) {
        // Results on standard output.
        let outcome = round.run(&input.connect(job.base.clone().args(["--format", format.word()])))?;
        let invalid = job.expected.iter().any(|place| place.record.answer == Answer::Invalid);
        outcome.expect(if invalid { &[2] } else { &[0] })?;
        job.compare_bytes(round, &outcome.stdout).with_context(|| format!("command: {}", outcome.command))?;
        outcome.stdout
    } else {
        job.disturb(round)?;
        job.finish(round)?;
        round.workspace.read(&output.name)?
    };
    check(round, &input, format, &bytes, promise)
}
