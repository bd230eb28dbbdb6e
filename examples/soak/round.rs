//! What a round works with.

use crate::random::Random;
use crate::run::{Outcome, Run};
use crate::truth::Truth;
use crate::truth::record::{Mix, Record, records};
use crate::workspace::Workspace;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// A round in progress.
pub(crate) struct Round<'t> {
    pub(crate) random: Random,
    pub(crate) workspace: Workspace,
    pub(crate) truth: &'t mut Truth,
    pub(crate) figures: &'t mut Figures,
    skip: &'t BTreeSet<String>,
}

/// What all rounds came to.
#[derive(Default)]
pub(crate) struct Figures {
    /// Rounds of each family.
    pub(crate) rounds: BTreeMap<&'static str, u64>,
    pub(crate) runs: u64,
    /// Runs that a signal reached, by the signal's number.
    pub(crate) signals: BTreeMap<i32, u64>,
    /// Results that were compared with what is known.
    pub(crate) results: u64,
    /// The largest part of a cap that was used, in percent.
    pub(crate) cap_used: u64,
}

impl<'t> Round<'t> {
    pub(crate) fn new(
        random: Random,
        workspace: Workspace,
        truth: &'t mut Truth,
        figures: &'t mut Figures,
        skip: &'t BTreeSet<String>,
    ) -> Self {
        Self { random, workspace, truth, figures, skip }
    }

    /// Makes a run in the round's folder.
    pub(crate) fn run(&mut self, run: &Run) -> Result<Outcome> {
        let outcome = run.go(&mut self.workspace)?;
        if let (true, Some((signal, _))) = (outcome.interrupted, run.signal) {
            *self.figures.signals.entry(signal).or_default() += 1;
        }
        if let Some(cap) = run.cap {
            self.figures.cap_used = self.figures.cap_used.max(outcome.peak * 100 / (cap << 20));
        }
        Ok(outcome)
    }

    /// Makes records.
    pub(crate) fn records(&mut self, count: usize, mix: Mix) -> Vec<Record> {
        records(self.truth, &mut self.random, count, mix)
    }

    /// Whether a condition was switched off by `--skip`.
    pub(crate) fn skips(&self, condition: &str) -> bool {
        self.skip.contains(condition)
    }

    /// Returns a random cap in MiB.
    pub(crate) fn cap(&mut self) -> u64 {
        self.random.pick(&[48, 64, 100, 256])
    }

    /// Returns random arguments for the number of threads.
    pub(crate) fn threads(&mut self) -> [String; 2] {
        ["--threads".into(), self.random.pick(&[1, 2, 3, 4, 8, 16, 33]).to_string()]
    }
}
