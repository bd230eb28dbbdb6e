//! What the progress line says.

use crate::memory::limits;
use crate::quantity::{Bytes, Count, Span};
use crate::solve::counters::{CounterSnapshot, Counters, DatabaseProgress, SearchProgress};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Follows the counters of a run and puts them into words.
pub(super) struct View {
    counters: Arc<Counters>,
    /// Bytes of all inputs, where that is known.
    total: Option<u64>,
    cap: u64,
    /// When the counters were read last, and what they were.
    last: (Instant, CounterSnapshot),
    /// Time since the start that was spent on solving, without set-up.
    solving: Duration,
    pace: Pace,
}

/// Records and nodes a second, as of the last seconds.
#[derive(Clone, Copy, Default)]
struct Pace {
    records: f64,
    nodes: f64,
}

impl View {
    pub(super) fn new(counters: Arc<Counters>, total: Option<u64>, cap: u64) -> Self {
        let last = (Instant::now(), counters.read());
        Self { counters, total, cap, last, solving: Duration::ZERO, pace: Pace::default() }
    }

    /// Reads the counters, and follows the pace over about two seconds. Time of set-up is
    /// no part of it.
    pub(super) fn observe(&mut self) -> CounterSnapshot {
        let (now, moment) = (self.counters.read(), Instant::now());
        let (before, then) = std::mem::replace(&mut self.last, (moment, now));
        if now.solving && now.databases.is_none() {
            self.follow(then, now, moment.duration_since(before));
        }
        now
    }

    /// Blends what was counted in a span of solving into the pace.
    fn follow(&mut self, then: CounterSnapshot, now: CounterSnapshot, span: Duration) {
        let is_first = self.solving.is_zero();
        self.solving += span;
        let seconds = span.as_secs_f64();
        if seconds > 0.0 {
            let share = if is_first { 1.0 } else { 1.0 - (-seconds / 2.0).exp() };
            let blend = |old: f64, count: u64| old + share * (count as f64 / seconds - old);
            self.pace.records = blend(self.pace.records, now.records - then.records);
            self.pace.nodes = blend(self.pace.nodes, now.nodes - then.nodes);
        }
    }

    /// How much is done, once something is.
    pub(super) fn percent(&self, now: CounterSnapshot) -> Option<u64> {
        if let Some(making) = now.databases {
            return Some(making.percent);
        }
        let total = self.total.filter(|&total| total > 0 && now.bytes > 0)?;
        // A file may have grown.
        Some((now.bytes * 100 / total).min(100))
    }

    /// `1200 puzzles, 322/s, 12 s left, 1.2 M nodes/s, 71.2 MiB of 512 MiB`: what
    /// matters most comes first, for where the line is cut off.
    pub(super) fn describe(&self, now: CounterSnapshot) -> String {
        let memory = format!("{} of {}", Bytes(limits::resident()), Bytes(self.cap));
        if let Some(DatabaseProgress { number, of, .. }) = now.databases {
            return format!("making pattern databases: {number} of {of}, {memory}");
        }
        if !now.solving {
            return format!("setting up, {memory}");
        }
        if let Some(search) = now.search {
            return format!("{}, {memory}", self.deepening(now, search));
        }
        let Pace { records, nodes } = self.pace;
        let left = match self.left(now) {
            Some(left) => format!("{} left", Span(left)),
            None => format!("after {}", Span(Duration::from_secs(self.solving.as_secs()))),
        };
        let nodes = Count(nodes.round());
        format!("{} puzzles, {}/s, {left}, {nodes} nodes/s, {memory}", now.records, Count(records.round()))
    }

    /// `84 moves: 1.2 G nodes of about 6.5 G, 17 min left, 5.1 M nodes/s; before
    /// that 1.1 G nodes`. Each total cost takes about as many times more nodes than
    /// the last as that did.
    fn deepening(&self, now: CounterSnapshot, search: SearchProgress) -> String {
        let SearchProgress { bound: cost, nodes_before: before, last_iterations: [last, last_but_one] } =
            search;
        let here = now.nodes.saturating_sub(before);
        let mut text = format!("{cost} moves: {} nodes", Count(here as f64));
        let expected = last as f64 * (last as f64 / last_but_one.max(1) as f64);
        if last_but_one > 0 && expected > here as f64 {
            text += &format!(" of about {}", Count(expected.round()));
            let left = ((expected - here as f64) / self.pace.nodes).ceil();
            if let Ok(left) = Duration::try_from_secs_f64(left) {
                text += &format!(", {} left", Span(left));
            }
        }
        text += &format!(", {} nodes/s", Count(self.pace.nodes.round()));
        if last > 0 {
            text += &format!("; before that {} nodes", Count(last as f64));
        }
        text
    }

    /// The time that the rest of the input will take at the pace of solving so far.
    fn left(&self, now: CounterSnapshot) -> Option<Duration> {
        let rest = self.total?.saturating_sub(now.bytes);
        let pace = now.bytes as f64 / self.solving.as_secs_f64();
        // Before the first record the pace is 0 and nothing can be said.
        Duration::try_from_secs_f64((rest as f64 / pace).ceil()).ok()
    }
}

/// Says how many of `all` steps are done.
pub(super) fn steps(done: u64, all: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64() * (all - done) as f64 / done as f64;
    let left = Duration::try_from_secs_f64(seconds.ceil()).ok().filter(|_| done > 0);
    let left = left.map_or(String::new(), |left| format!(", {} left", Span(left)));
    format!("{done} of {all} runs{left}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A view whose run began so long ago, all of it set-up.
    fn view(total: Option<u64>, seconds: u64) -> View {
        let mut view = View::new(Arc::default(), total, 512 << 20);
        view.last.0 -= Duration::from_secs(seconds);
        view
    }

    #[test]
    fn the_line_says_how_far_and_how_fast() {
        let mut view = view(Some(1000), 10);
        view.counters.begin_solving();
        view.counters.add_records(50, 250);
        view.counters.add_nodes(12_000_000);
        let now = view.observe();
        let text = view.describe(now);
        assert!(text.starts_with("50 puzzles, 5/s, 3"), "{text}");
        assert!(text.contains(" s left, 1.2 M nodes/s, ") && text.ends_with(" of 512 MiB"), "{text}");
        assert_eq!(view.percent(now), Some(25));
    }

    #[test]
    fn set_up_does_not_count_for_the_pace() {
        let mut view = view(Some(1000), 100);
        let now = view.observe();
        assert!(view.describe(now).starts_with("setting up, "));
        assert_eq!(view.solving, Duration::ZERO);
        view.counters.begin_solving();
        view.counters.add_records(50, 500);
        view.last.0 -= Duration::from_secs(10);
        let now = view.observe();
        let left = view.left(now).unwrap().as_secs();
        assert!((10..=11).contains(&left), "{left}");
        assert!(view.describe(now).starts_with("50 puzzles, 5/s, 1"), "{}", view.describe(now));
    }

    #[test]
    fn nothing_is_promised_without_a_total_or_a_pace() {
        let now = CounterSnapshot { bytes: 250, ..CounterSnapshot::default() };
        let mut view = view(None, 0);
        view.solving = Duration::from_secs(10);
        assert_eq!(view.left(now), None);
        view.total = Some(1000);
        assert_eq!(view.left(CounterSnapshot::default()), None);
        assert_eq!(view.percent(CounterSnapshot::default()), None);
        assert_eq!(view.left(now), Some(Duration::from_secs(30)));
        assert_eq!(view.percent(now), Some(25));
    }
}
