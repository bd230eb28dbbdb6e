//! How far a run is, on stderr, while it runs.
//!
//! Workers only add to [`Counters`]; a thread of its own looks at them ten
//! times a second and draws. Where stderr is no terminal nothing is shown,
//! unless the user insists: then a plain line appears every few seconds.

use super::margin::WithMargin;
use crate::{
    batch::counters::{Counted, Counters, Deepening},
    memory::limits,
    quantity::{Bytes, Count, Span},
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How often the bar is drawn, and how often a plain line is written.
const TICK: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(2);

/// How often a long search says how far it is where nobody may be looking.
const RARE_LINE: Duration = Duration::from_secs(60);

/// Drawing a line takes little stack.
const STACK: usize = 256 << 10;

/// When to show something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum When {
    /// If stderr is a terminal
    #[default]
    Auto,
    /// Also into a file or a pipe
    Always,
    /// Not at all
    Never,
}

/// Progress on the screen; it vanishes when this is dropped.
#[derive(Debug)]
pub struct Progress {
    ticker: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins to show the counters. `total` is the size of all inputs in bytes,
    /// where it is known, and `cap` the memory cap.
    pub fn start(when: When, counters: Arc<Counters>, total: Option<u64>, cap: u64) -> Self {
        let terminal = io::stderr().is_terminal();
        if when == When::Never {
            return Self { ticker: None };
        }
        // Into a file or a pipe only what takes long says how far it is, unless
        // the user insists.
        let patient = when == When::Auto && !terminal;
        let (stop, stopped) = mpsc::channel();
        let view = View { counters, total, cap, started: Instant::now(), last: None, pace: Pace::default() };
        let show = move || if terminal { view.bar(&stopped) } else { view.plain(&stopped, patient) };
        // Without the thread there is no progress to see, and that is all.
        let thread = thread::Builder::new().name("progress".into()).stack_size(STACK).spawn(show);
        Self { ticker: thread.ok().map(|thread| (stop, thread)) }
    }

    /// Takes the progress off the screen.
    pub fn finish(self) {}
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.ticker.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

/// What the ticker looks at.
struct View {
    counters: Arc<Counters>,
    total: Option<u64>,
    cap: u64,
    started: Instant,
    last: Option<(Instant, Counted)>,
    pace: Pace,
}

/// Records and nodes a second, as of the last seconds.
#[derive(Clone, Copy, Default)]
struct Pace {
    records: f64,
    nodes: f64,
}

impl View {
    /// Draws a bar until the run ends.
    fn bar(mut self, stopped: &mpsc::Receiver<()>) {
        let target = ProgressDrawTarget::term_like(Box::new(WithMargin::stderr()));
        let bar = ProgressBar::with_draw_target(self.total, target);
        let template =
            if self.total.is_some() { "{bar:24} {percent:>3} %  {msg}" } else { "{spinner} {msg}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        while !ended(stopped, TICK) {
            let now = self.observe();
            bar.set_message(self.describe(now));
            bar.set_position(now.bytes);
            bar.tick();
        }
        bar.finish_and_clear();
    }

    /// Writes a line now and then until the run ends.
    fn plain(mut self, stopped: &mpsc::Receiver<()>, patient: bool) {
        while !ended(stopped, if patient { RARE_LINE } else { LINE }) {
            let now = self.observe();
            if patient && now.search.is_none() {
                continue;
            }
            let line = format!("progress: {}\n", self.describe(now));
            let _ = io::stderr().lock().write_all(line.as_bytes());
        }
    }

    /// Reads the counters and follows the pace, smoothed over about two seconds.
    fn observe(&mut self) -> Counted {
        let (now, moment) = (self.counters.read(), Instant::now());
        let (before, then) = self.last.map_or((self.started, Counted::default()), |last| last);
        let seconds = moment.duration_since(before).as_secs_f64();
        if seconds > 0.0 {
            let share = if self.last.is_none() { 1.0 } else { 1.0 - (-seconds / 2.0).exp() };
            let blend = |old: f64, count: u64| old + share * (count as f64 / seconds - old);
            self.pace.records = blend(self.pace.records, now.records - then.records);
            self.pace.nodes = blend(self.pace.nodes, now.nodes - then.nodes);
        }
        self.last = Some((moment, now));
        now
    }

    /// `1200 puzzles, 322/s, 1.2 M nodes/s, 71.2 MiB of 512 MiB, 12 s left`.
    fn describe(&self, now: Counted) -> String {
        if let Some(percent) = now.prepared {
            let memory = Bytes(limits::resident());
            return format!("making pattern databases: {percent} %, {memory} of {}", Bytes(self.cap));
        }
        if let Some(search) = now.search {
            return format!(
                "{}, {} of {}",
                self.deepening(now, search),
                Bytes(limits::resident()),
                Bytes(self.cap)
            );
        }
        let Pace { records, nodes } = self.pace;
        let left = self.left(now).map_or(String::new(), |left| format!(", {} left", Span(left)));
        format!(
            "{} puzzles, {}/s, {} nodes/s, {} of {}{left}",
            now.records,
            Count(records.round()),
            Count(nodes.round()),
            Bytes(limits::resident()),
            Bytes(self.cap),
        )
    }

    /// `84 moves: 1.2 G nodes of about 6.5 G, 5.1 M nodes/s, 17 min left; 82
    /// moves took 1.1 G`. Each total cost takes about as many times more nodes
    /// than the last as that did.
    fn deepening(&self, now: Counted, search: Deepening) -> String {
        let Deepening { cost, before, took: [last, last_but_one] } = search;
        let here = now.nodes.saturating_sub(before);
        let mut text = format!("{cost} moves: {} nodes", Count(here as f64));
        let expected = last as f64 * (last as f64 / last_but_one.max(1) as f64);
        let known = last_but_one > 0 && expected > here as f64;
        if known {
            text += &format!(" of about {}", Count(expected.round()));
        }
        text += &format!(", {} nodes/s", Count(self.pace.nodes.round()));
        let left = Duration::try_from_secs_f64(((expected - here as f64) / self.pace.nodes).ceil());
        if let (true, Ok(left)) = (known, left) {
            text += &format!(", {} left", Span(left));
        }
        if last > 0 {
            text += &format!("; before that {} nodes", Count(last as f64));
        }
        text
    }

    /// The time that the rest of the input will take at the pace so far.
    fn left(&self, now: Counted) -> Option<Duration> {
        let rest = self.total?.saturating_sub(now.bytes);
        let pace = now.bytes as f64 / self.started.elapsed().as_secs_f64();
        let seconds = (rest as f64 / pace).ceil();
        // Before the first record the pace is 0 and nothing can be said.
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// Waits for a while; whether the run has ended in it.
fn ended(stopped: &mpsc::Receiver<()>, wait: Duration) -> bool {
    stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(total: Option<u64>) -> View {
        let started = Instant::now() - Duration::from_secs(10);
        View { counters: Arc::default(), total, cap: 512 << 20, started, last: None, pace: Pace::default() }
    }

    #[test]
    fn the_line_says_how_far_and_how_fast() {
        let mut view = view(Some(1000));
        view.counters.add_records(50, 250);
        view.counters.add_nodes(12_000_000);
        let now = view.observe();
        let text = view.describe(now);
        assert!(text.starts_with("50 puzzles, 5/s, 1.2 M nodes/s, "), "{text}");
        assert!(text.contains(" of 512 MiB, 3"), "{text}");
        assert!(text.ends_with(" s left"), "{text}");
    }

    #[test]
    fn nothing_is_promised_without_a_total_or_a_pace() {
        let now = Counted { bytes: 250, ..Counted::default() };
        assert_eq!(view(None).left(now), None);
        assert_eq!(view(Some(1000)).left(Counted::default()), None);
        let left = view(Some(1000)).left(now).unwrap().as_secs();
        assert!((30..=31).contains(&left), "{left}");
    }

    #[test]
    fn progress_ends_promptly() {
        let started = Instant::now();
        Progress::start(When::Always, Arc::default(), Some(1), 1).finish();
        Progress::start(When::Never, Arc::default(), None, 1).finish();
        assert!(started.elapsed() < Duration::from_secs(1));
    }
}
