//! What a whole run did: counted along, said last.
//!
//! Each worker can keep a [`Summary`] of its own; they merge into one. What
//! only the whole process knows ([`Run`]) joins when it is written: as the last
//! record of JSON Lines, and as a few lines for people.

mod jsonl;
mod text;

use crate::model::report::{GiveUp, Report, Verdict};
use hdrhistogram::Histogram;
use std::{sync::Arc, time::Duration};

/// How many of the slowest puzzles are remembered.
const SLOWEST: usize = 5;

/// The longest time that the histogram tells apart: about eleven days.
const LONGEST_NS: u64 = 1_000_000_000_000_000;

/// Counts over all puzzles so far.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Records, the invalid ones included.
    pub puzzles: u64,
    /// Puzzles with a solution.
    pub solved: u64,
    /// Of these, with one that is proved to be shortest.
    pub optimal: u64,
    /// Puzzles proved to have no solution.
    pub unsolvable: u64,
    /// Records that are no puzzles.
    pub invalid: u64,
    /// Records without a result because the deadline passed before they were
    /// begun; none if it is not known how many they are.
    pub not_begun: Option<u64>,
    /// States expanded.
    pub expanded: u64,
    /// States generated.
    pub generated: u64,
    /// Searches that ran out of memory and went on depth-first.
    pub fallbacks_to_ida: u64,
    /// Puzzles not decided, by the limit that ended them.
    gave_up: [u64; GiveUp::ALL.len()],
    /// Nanoseconds for each valid puzzle, to two digits.
    times: Histogram<u64>,
    /// The slowest puzzles, the slowest first.
    slowest: Vec<Slow>,
    /// Results of an earlier run that are counted here, too.
    kept: u64,
    /// States that the earlier run generated for them.
    generated_before: u64,
    /// Of these, solutions that do not say whether they are shortest.
    unproved: u64,
    /// The longest time that one of these took.
    longest_before: Duration,
}

/// What a result that is there already says of its puzzle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ParsedResult {
    /// What was found out.
    pub decision: Decision,
    /// States expanded, where the format says so.
    pub expanded: u64,
    /// States generated, where the format says so.
    pub generated: u64,
    /// The time it took, where the format says so.
    pub time: Option<Duration>,
}

/// What was found out of a puzzle, without the solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// A solution.
    Solved {
        /// Whether it is proved to be shortest, where the format says so.
        optimal: Option<bool>,
    },
    /// There is none.
    Unsolvable,
    /// It is not known, for a reason.
    GaveUp(GiveUp),
    /// It is no puzzle.
    Invalid,
}

impl ParsedResult {
    /// A decision without figures.
    pub fn of(decision: Decision) -> Self {
        Self { decision, expanded: 0, generated: 0, time: None }
    }
}

/// A puzzle that took long.
#[derive(Clone, PartialEq, Debug)]
struct Slow {
    time: Duration,
    file: Arc<str>,
    n: u64,
    id: Option<Box<str>>,
}

/// What only the whole process knows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Run {
    /// From the start of the run to its end.
    pub elapsed: Duration,
    /// Of this, the time before the first puzzle: making and reading pattern databases.
    pub setup: Duration,
    /// Workers.
    pub threads: usize,
    /// The largest resident memory, in bytes.
    pub peak_memory: u64,
    /// The cap on it, in bytes.
    pub memory_cap: u64,
}

impl Run {
    /// The time without set-up.
    fn solving(&self) -> Duration {
        self.elapsed.saturating_sub(self.setup)
    }

    /// A count for each second of solving.
    fn rate(&self, count: u64) -> f64 {
        let seconds = self.solving().as_secs_f64();
        if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
    }
}

impl Default for Summary {
    fn default() -> Self {
        Self::new()
    }
}

impl Summary {
    /// A summary of nothing.
    pub fn new() -> Self {
        Self {
            puzzles: 0,
            solved: 0,
            optimal: 0,
            unsolvable: 0,
            invalid: 0,
            not_begun: Some(0),
            expanded: 0,
            generated: 0,
            fallbacks_to_ida: 0,
            gave_up: Default::default(),
            times: Histogram::new_with_bounds(1, LONGEST_NS, 2).expect("the bounds are in order"),
            slowest: Vec::with_capacity(SLOWEST + 1),
            kept: 0,
            generated_before: 0,
            unproved: 0,
            longest_before: Duration::ZERO,
        }
    }

    /// Counts one result.
    pub fn add(&mut self, report: &Report) {
        self.puzzles += 1;
        match &report.verdict {
            Verdict::Solved(solution) => {
                self.solved += 1;
                self.optimal += u64::from(solution.optimal);
            }
            Verdict::Unsolvable { .. } => self.unsolvable += 1,
            Verdict::GaveUp { reason, .. } => self.gave_up[*reason as usize] += 1,
            Verdict::Invalid { .. } => {
                self.invalid += 1;
                return;
            }
        }
        let effort = &report.effort;
        self.expanded += effort.expanded;
        self.generated += effort.generated;
        self.fallbacks_to_ida += u64::from(effort.fell_back);
        self.times.saturating_record((effort.time.as_nanos() as u64).max(1));
        if self.is_among_slowest(effort.time) {
            let (file, id) = (report.file.clone(), report.id.clone());
            self.remember(Slow { time: effort.time, file, n: report.n, id });
        }
    }

    /// Counts a result of an earlier run.
    pub fn add_previous(&mut self, result: &ParsedResult) {
        self.puzzles += 1;
        self.kept += 1;
        match result.decision {
            Decision::Solved { optimal } => {
                self.solved += 1;
                self.optimal += u64::from(optimal == Some(true));
                self.unproved += u64::from(optimal.is_none());
            }
            Decision::Unsolvable => self.unsolvable += 1,
            Decision::GaveUp(reason) => self.gave_up[reason as usize] += 1,
            Decision::Invalid => self.invalid += 1,
        }
        self.expanded += result.expanded;
        self.generated += result.generated;
        self.generated_before += result.generated;
        if let Some(time) = result.time {
            self.times.saturating_record((time.as_nanos() as u64).max(1));
            self.longest_before = self.longest_before.max(time);
        }
    }

    /// Adds what another summary counted.
    pub fn merge(&mut self, other: &Self) {
        self.puzzles += other.puzzles;
        self.solved += other.solved;
        self.optimal += other.optimal;
        self.unsolvable += other.unsolvable;
        self.invalid += other.invalid;
        self.not_begun = self.not_begun.zip(other.not_begun).map(|(mine, theirs)| mine + theirs);
        self.expanded += other.expanded;
        self.generated += other.generated;
        self.fallbacks_to_ida += other.fallbacks_to_ida;
        self.kept += other.kept;
        self.generated_before += other.generated_before;
        self.unproved += other.unproved;
        self.longest_before = self.longest_before.max(other.longest_before);
        for (mine, theirs) in self.gave_up.iter_mut().zip(other.gave_up) {
            *mine += theirs;
        }
        self.times.add(&other.times).expect("all histograms have the same bounds");
        for slow in &other.slowest {
            self.remember(slow.clone());
        }
    }

    /// Whether every record was begun.
    pub fn is_complete(&self) -> bool {
        self.not_begun == Some(0)
    }

    /// Puzzles not decided within their limits.
    pub fn gave_up(&self) -> u64 {
        self.gave_up.iter().sum()
    }

    /// Puzzles not decided for one reason.
    pub fn gave_up_for(&self, reason: GiveUp) -> u64 {
        self.gave_up[reason as usize]
    }

    /// The time within which so many of a hundred puzzles were decided.
    pub fn percentile(&self, percent: f64) -> Duration {
        let nanos = self.times.value_at_quantile(percent / 100.0);
        // A bucket's upper end may lie above every time that was measured.
        let longest = self.slowest.first().map_or(Duration::ZERO, |slow| slow.time);
        Duration::from_nanos(nanos).min(longest.max(self.longest_before))
    }

    fn is_among_slowest(&self, time: Duration) -> bool {
        self.slowest.len() < SLOWEST || self.slowest.last().is_some_and(|slow| time > slow.time)
    }

    /// Inserts a puzzle in its place and drops the fastest of too many. Of
    /// equally slow ones the earlier stays before the later.
    fn remember(&mut self, slow: Slow) {
        let at = self.slowest.partition_point(|other| other.time >= slow.time);
        self.slowest.insert(at, slow);
        self.slowest.truncate(SLOWEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::report::samples;

    /// A run of two seconds on two threads.
    pub(super) const RUN: Run = Run {
        elapsed: Duration::from_millis(310),
        setup: Duration::ZERO,
        threads: 2,
        peak_memory: 74_711_040,
        memory_cap: 536_870_912,
    };

    /// A hundred puzzles: 94 solved in 1 … 94 ms, the rest otherwise.
    pub(super) fn hundred() -> Summary {
        let mut summary = Summary::new();
        for n in 1..=94 {
            let mut report = samples::solved();
            report.n = n;
            report.effort.time = Duration::from_millis(n);
            report.effort.fell_back = n <= 3;
            summary.add(&report);
        }
        summary.add(&samples::suboptimal());
        summary.add(&samples::unsolvable());
        summary.add(&samples::gave_up());
        summary.add(&samples::gave_up());
        summary.add(&samples::invalid());
        summary.add(&samples::invalid());
        summary
    }

    #[test]
    fn counts_add_up() {
        let summary = hundred();
        let all = summary.solved + summary.unsolvable + summary.gave_up() + summary.invalid;
        assert_eq!((summary.puzzles, all), (100, 100));
        assert_eq!((summary.solved, summary.optimal), (95, 94));
        assert_eq!((summary.gave_up_for(GiveUp::Nodes), summary.gave_up_for(GiveUp::Time)), (2, 0));
        assert_eq!(summary.fallbacks_to_ida, 3);
        let slowest: Vec<u64> = summary.slowest.iter().map(|slow| slow.n).collect();
        assert_eq!(slowest, [94, 93, 92, 91, 90]);
    }

    #[test]
    fn percentiles_are_within_two_digits() {
        let summary = hundred();
        let millis = |percent: f64| summary.percentile(percent).as_secs_f64() * 1e3;
        assert!((millis(50.0) - 45.0).abs() <= 1.0, "{}", millis(50.0));
        assert!((millis(90.0) - 85.0).abs() <= 1.5, "{}", millis(90.0));
        assert!(millis(100.0) <= 94.0);
        assert_eq!(Summary::new().percentile(50.0), Duration::ZERO);
    }

    #[test]
    fn merging_is_the_same_as_adding() {
        let (mut left, mut right, mut whole) = (Summary::new(), Summary::new(), Summary::new());
        for n in 0..50u64 {
            let mut report = if n % 7 == 0 { samples::gave_up() } else { samples::solved() };
            report.n = n;
            report.effort.time = Duration::from_micros(n * n % 37);
            if n < 20 { &mut left } else { &mut right }.add(&report);
            whole.add(&report);
        }
        left.merge(&right);
        let text = |summary: &Summary| {
            let mut out = Vec::new();
            summary.jsonl(&mut out, &RUN);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(&left), text(&whole));
    }
}
