//! A solve that is interrupted a few times, resumed, and compared with the
//! truth.

use crate::conditions::input::Input;
use crate::conditions::output::Output;
use crate::results::compare::{Expected, Promise, compare, compare_start};
use crate::results::{Format, rows};
use crate::round::Round;
use crate::run::{Outcome, Run};
use crate::truth::record::{Answer, text};
use anyhow::{Context, Result};
use std::ffi::OsString;

/// Signals that end a run; the first is the commonest.
pub(crate) const SIGNALS: [i32; 5] =
    [libc::SIGKILL, libc::SIGKILL, libc::SIGTERM, libc::SIGINT, libc::SIGHUP];

/// What to solve, and how.
pub(crate) struct Job<'j> {
    /// Options without inputs and output.
    pub(crate) base: Run,
    pub(crate) input: &'j Input,
    pub(crate) output: &'j Output,
    pub(crate) format: Format,
    pub(crate) promise: Promise,
    /// The records that this job solves.
    pub(crate) expected: Vec<Expected<'j>>,
}

impl Job<'_> {
    /// Returns the run, with `--resume` if it can be.
    pub(crate) fn run(&self) -> Run {
        let mut run = self.base.clone().args(self.output.arguments(self.format));
        if self.input.repeatable {
            run = run.args(["--resume"]);
        }
        self.input.connect(run)
    }

    /// Interrupts the run a few times at random moments.
    pub(crate) fn disturb(&self, round: &mut Round<'_>) -> Result<()> {
        if !self.input.repeatable || round.skips("kills") {
            return Ok(());
        }
        for _ in 0..round.random.below(5) {
            let signal = round.random.pick(&SIGNALS);
            let after = round.random.moment(400_000);
            round.run(&self.run().signal(signal, after))?;
            if signal != libc::SIGKILL && self.output.exists(round) {
                self.check_prefix(round).context("after an interruption")?;
            }
        }
        Ok(())
    }

    /// Checks that the results so far are whole lines, in order, and right.
    /// Returns how many there are before the first that was cut short.
    pub(crate) fn check_prefix(&self, round: &mut Round<'_>) -> Result<usize> {
        let ids: Vec<String> = self.expected.iter().map(Expected::id).collect();
        let rows = rows::read(self.format, &round.workspace.read(&self.output.name)?, &ids)?;
        let promise = Promise { optimal: false, decided: false, ..self.promise };
        compare_start(&rows, &self.expected, promise)
    }

    /// Runs to the end, and compares all results with the truth.
    pub(crate) fn finish(&self, round: &mut Round<'_>) -> Result<Outcome> {
        let outcome = round.run(&self.run())?;
        let invalid = self.expected.iter().any(|place| place.record.answer == Answer::Invalid);
        outcome.expect(if invalid { &[2] } else { &[0] })?;
        self.compare(round).with_context(|| format!("command: {}", outcome.command))?;
        self.output.check_link(round)?;
        Ok(outcome)
    }

    /// Compares all results with the truth.
    pub(crate) fn compare(&self, round: &mut Round<'_>) -> Result<()> {
        let bytes = round.workspace.read(&self.output.name)?;
        self.compare_bytes(round, &bytes)
    }

    /// Compares the bytes of results with the truth.
    pub(crate) fn compare_bytes(&self, round: &mut Round<'_>, bytes: &[u8]) -> Result<()> {
        let ids: Vec<String> = self.expected.iter().map(Expected::id).collect();
        let rows = rows::read(self.format, bytes, &ids)?;
        round.figures.results += rows.len() as u64;
        compare(&rows, &self.expected, self.promise)
    }
}

/// Runs `check` on results of all records of an input; every result must be
/// right. Several files are checked one by one where lines can be told apart.
pub(crate) fn check(
    round: &mut Round<'_>,
    input: &Input,
    format: Format,
    bytes: &[u8],
    promise: Promise,
) -> Result<()> {
    let mut options: Vec<OsString> = vec!["check".into(), "--format".into(), format.word().into()];
    if promise.metric.is_line() {
        options.extend(["--metric".into(), "line".into()]);
    }
    if promise.tile_notation {
        options.extend(["--notation".into(), "tile".into()]);
    }
    let parts = input.parts.len();
    if parts > 1 && !matches!(format, Format::Text | Format::JsonLines) {
        return Ok(());
    }
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let mut first = 0;
    for (part, number) in input.parts.iter().zip(0..) {
        let (puzzles, results) = (format!("puzzles-{number}"), format!("results-{number}"));
        round.workspace.write(&puzzles, text(&part.records))?;
        let next = if parts > 1 { first + part.records.len() } else { lines.len() };
        round.workspace.write(&results, lines[first..next].concat())?;
        first = next;
        let cap = round.cap();
        let run = Run::new(&options).cap(cap).args([&puzzles, &results]);
        let outcome = round.run(&run)?;
        let said = String::from_utf8_lossy(&outcome.stdout).into_owned();
        outcome.expect(&[0]).with_context(|| format!("check refuses right results: {said}"))?;
    }
    Ok(())
}
