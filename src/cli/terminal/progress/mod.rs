//! How far a run is, on stderr, while it runs.
//!
//! Workers only add to [`Counters`]; a thread of its own looks at them ten times a
//! second and draws the status line. Where stderr is no terminal nothing is shown,
//! unless the user insists: then a plain line appears every few seconds.

mod view;

use super::status_line::{self, StatusLine};
use crate::solve::counters::Counters;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    fs::File,
    io::{self, IsTerminal, Write},
    os::{fd::AsFd, unix::fs::FileTypeExt},
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use view::View;

/// How often the counters are read and the line is drawn, and how often a plain line
/// is written.
const TICK: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(2);

/// How often a long search says how far it is where nobody may be looking.
const RARE_LINE: Duration = Duration::from_secs(60);

/// Drawing a line takes little stack.
const STACK: usize = 256 << 10;

/// When to show something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum When {
    /// If stderr is a terminal, and stdout is no pipe
    #[default]
    Auto,
    /// Also into a file or a pipe
    Always,
    /// Not at all
    Never,
}

impl When {
    /// Whether a status line is drawn. What comes out at the other end of a pipe may be
    /// written to the same terminal, without regard to the line.
    fn draws(self) -> bool {
        io::stderr().is_terminal() && (self == Self::Always || (self == Self::Auto && !is_stdout_a_pipe()))
    }
}

fn is_stdout_a_pipe() -> bool {
    let file = io::stdout().as_fd().try_clone_to_owned().map(File::from);
    file.and_then(|file| file.metadata()).is_ok_and(|metadata| metadata.file_type().is_fifo())
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
        let mut view = View::new(counters, total, cap);
        Self::show(when, move || {
            let now = view.observe();
            let (percent, words) = (view.percent(now), view.describe(now));
            Status { percent, words, is_long_search: now.search.is_some() }
        })
    }

    /// Begins to show what `status` returns.
    fn show(when: When, status: impl FnMut() -> Status + Send + 'static) -> Self {
        if when == When::Never {
            return Self { ticker: None };
        }
        let draws = when.draws();
        // Into a file or a pipe only what takes long says how far it is, unless the
        // user insists.
        let is_rare = when == When::Auto;
        let (stop, stopped) = mpsc::channel();
        let show = move || if draws { draw(status, &stopped) } else { write(status, &stopped, is_rare) };
        // Without the thread there is no progress to see, and that is all.
        let thread = thread::Builder::new().name("progress".into()).stack_size(STACK).spawn(show);
        Self { ticker: thread.ok().map(|thread| (stop, thread)) }
    }

    /// Begins to show how many of `all` steps are done, as `done` tells.
    pub fn of_steps(when: When, all: u64, done: impl Fn() -> u64 + Send + 'static) -> Self {
        let started = Instant::now();
        Self::show(when, move || {
            let done = done().min(all);
            let words = view::steps(done, all, started.elapsed());
            Status { percent: Some(done * 100 / all.max(1)), words, is_long_search: false }
        })
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

/// How far the run is at one moment.
struct Status {
    /// How much is done, where that is known.
    percent: Option<u64>,
    words: String,
    /// Whether one search takes so long that it reports its progress.
    is_long_search: bool,
}

/// Columns of the bar, and the part of the terminal that it takes at most.
const BAR: usize = 24;
const PART: usize = 4;

/// Draws the status line until the run ends.
fn draw(mut status: impl FnMut() -> Status, stopped: &mpsc::Receiver<()>) {
    let target = ProgressDrawTarget::term_like_with_hz(Box::new(StatusLine::default()), u8::MAX);
    let bar = ProgressBar::with_draw_target(Some(100), target);
    while !ended(stopped) {
        let Status { percent, words, .. } = status();
        let columns = BAR.min(status_line::columns() / PART);
        let template = match percent {
            Some(_) => format!("{{bar:{columns}}} {{percent:>3}} %  {{msg}}"),
            None => "{msg}".into(),
        };
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("█░"));
        }
        bar.set_message(words);
        bar.set_position(percent.unwrap_or(0).min(100));
        bar.tick();
    }
    bar.finish_and_clear();
    status_line::erase();
}

/// Writes a line now and then until the run ends.
fn write(mut status: impl FnMut() -> Status, stopped: &mpsc::Receiver<()>, is_rare: bool) {
    let mut last = Instant::now();
    while !ended(stopped) {
        let Status { percent, words, is_long_search } = status();
        if last.elapsed() < if is_rare { RARE_LINE } else { LINE } {
            continue;
        }
        last = Instant::now();
        if is_long_search || !is_rare {
            let percent = percent.map_or(String::new(), |percent| format!("{percent} %  "));
            let text = format!("progress: {percent}{words}\n");
            status_line::without(|| io::stderr().write_all(text.as_bytes())).unwrap_or_default();
        }
    }
}

/// Waits for the next tick; whether the run has ended in it.
fn ended(stopped: &mpsc::Receiver<()>) -> bool {
    stopped.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_ends_promptly() {
        let started = Instant::now();
        Progress::start(When::Always, Arc::default(), Some(1), 1).finish();
        Progress::start(When::Never, Arc::default(), None, 1).finish();
        assert!(started.elapsed() < Duration::from_secs(1));
    }
}
