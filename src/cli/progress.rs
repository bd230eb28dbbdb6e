//! How far a run is, on stderr, while it runs.
//!
//! Workers only add to [`Counters`]; a thread of its own looks at them ten times a
//! second and draws the status line. Where stderr is no terminal nothing is shown,
//! unless the user insists: then a plain line appears every few seconds.

mod view;

use super::status_line;
use crate::batch::counters::Counters;
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
        let line = move |columns| {
            let now = view.observe();
            Drawn { is_long_search: now.search.is_some(), line: view.line(now, columns) }
        };
        Self::show(when, line)
    }

    /// Begins to show lines that `line` makes for so many columns.
    fn show(when: When, line: impl FnMut(usize) -> Drawn + Send + 'static) -> Self {
        if when == When::Never {
            return Self { ticker: None };
        }
        let draws = when.draws();
        // Into a file or a pipe only what takes long says how far it is, unless the
        // user insists.
        let is_rare = when == When::Auto;
        let (stop, stopped) = mpsc::channel();
        let show = move || if draws { draw(line, &stopped) } else { write(line, &stopped, is_rare) };
        // Without the thread there is no progress to see, and that is all.
        let thread = thread::Builder::new().name("progress".into()).stack_size(STACK).spawn(show);
        Self { ticker: thread.ok().map(|thread| (stop, thread)) }
    }

    /// Begins to show how many of `all` steps are done, as `done` tells.
    pub fn of_steps(when: When, all: u64, done: impl Fn() -> u64 + Send + 'static) -> Self {
        let started = Instant::now();
        let line = move |columns| {
            let line = view::steps(done().min(all), all, started.elapsed(), columns);
            Drawn { is_long_search: false, line }
        };
        Self::show(when, line)
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

/// What is shown at one moment.
struct Drawn {
    /// Whether one search takes so long that it says how far it is.
    is_long_search: bool,
    line: String,
}

/// Draws the status line until the run ends.
fn draw(mut line: impl FnMut(usize) -> Drawn, stopped: &mpsc::Receiver<()>) {
    while !ended(stopped) {
        status_line::draw(&line(status_line::columns()).line);
    }
    status_line::erase();
}

/// Writes a line now and then until the run ends.
fn write(mut line: impl FnMut(usize) -> Drawn, stopped: &mpsc::Receiver<()>, is_rare: bool) {
    let mut last = Instant::now();
    while !ended(stopped) {
        let Drawn { is_long_search, line } = line(0);
        if last.elapsed() < if is_rare { RARE_LINE } else { LINE } {
            continue;
        }
        last = Instant::now();
        if is_long_search || !is_rare {
            let text = format!("progress: {}\n", line.trim_start());
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
