//! `batch-solve solve`: opens what a run needs, runs it, and says how it went.

use crate::cli::args::SolveArgs;
use crate::cli::terminal::signals;
use crate::cli::{Exit, Progress, Screen};
use crate::files::name::path_of;
use crate::input::{Compression, InputError};
use crate::memory::limits;
use crate::output::{Run, Sink, SinkError, Summary};
use crate::quantity::Bytes;
use crate::run::resume::ResumeState;
use crate::run::{self, Observer, RunError, RunOutcome};
use crate::solve::counters::Counters;
use anyhow::{anyhow, bail};
use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

/// Solves every puzzle of the files.
pub(in crate::cli) fn run(args: &SolveArgs) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let (options, style, screen) = (args.options()?, args.style(), args.screen());
    let limited = args.memory.filter(|&asked| options.memory < asked).map(|asked| {
        let (left, asked) = (Bytes(options.memory), Bytes(asked));
        format!("the address-space limit (ulimit -v) leaves {left} of --memory {asked}")
    });
    if let Some(note) = &limited {
        screen.note(note);
    }
    let interrupt = signals::listen()?;
    let (mut sink, mut resume_state) = match args.destination.path() {
        Some(path) if args.resume => ResumeState::resume(path, &options, style)?,
        Some(path) => {
            let sink = args
                .destination
                .open_until(&options.files, signals::stop(&interrupt))
                .map_err(|error| existing(error, path))?;
            let resume_state = ResumeState::begin(path, &sink, &options, style);
            (sink, resume_state)
        }
        None if args.resume => bail!("--resume goes on with a file: say which one with --output"),
        None => {
            (args.destination.open_until(&options.files, signals::stop(&interrupt))?, ResumeState::default())
        }
    };
    if let Some(note) = resume_state.note.take() {
        screen.note(&note);
    }
    let counters = Arc::new(Counters::default());
    let progress = Progress::start(args.progress(), counters.clone(), total(&options.files), options.memory);

    let named_output = args.destination.path();
    let observer = OnScreen { screen: &screen, output: named_output, invalid: AtomicU64::new(0) };
    let before = started.elapsed();
    let finished = match run::run(&options, style, &mut sink, resume_state, &counters, &interrupt, &observer)
    {
        Ok(finished) => finished,
        Err(error) => {
            drop(sink);
            args.destination.path().into_iter().for_each(ResumeState::remove_orphaned_journal);
            let is_short = matches!(error, RunError::Memory(_));
            let error = anyhow::Error::from(error);
            return Err(match limited.filter(|_| is_short) {
                Some(limited) => error.context(limited),
                None => error,
            });
        }
    };
    let RunOutcome { summary, unreadable, resume_state, setup } = finished;

    progress.finish();
    let run = Run {
        elapsed: started.elapsed(),
        setup: before + setup,
        threads: options.threads,
        peak_memory: limits::peak_resident(),
        memory_cap: options.memory,
    };
    let written = close(sink, args.has_summary_record().then_some((&summary, &run)));
    if args.shows_summary() && !matches!(written, Err(SinkError::Closed)) {
        screen.lines(&summary.text(&run));
    }
    written?;
    let complete = unreadable == 0 && !interrupt.is_raised() && summary.is_complete();
    if let (true, Some(path)) = (resume_state.finish(complete, args.resume), named_output) {
        let how = if args.resume { "repeat the command" } else { "repeat the command with --resume" };
        screen.note(&format!("{}: not all is solved; {how} to solve the rest", path.display()));
    }
    let signal = interrupt.signal().map_or(Exit::Decided, Exit::Signal);
    let read = if unreadable > 0 { Exit::Failed } else { Exit::Decided };
    Ok(Exit::of_summary(&summary).and(read).and(signal))
}

/// What a run tells, on stderr.
struct OnScreen<'s> {
    screen: &'s Screen,
    /// The file with the results.
    output: Option<&'s Path>,
    /// Invalid records so far.
    invalid: AtomicU64,
}

/// Invalid records that are named on stderr where the results go to a file.
const NAMED: u64 = 5;

impl Observer for OnScreen<'_> {
    fn input_error(&self, error: &InputError) {
        self.screen.error(&error.to_string());
    }

    fn invalid_record(&self, what: &str) {
        let Some(output) = self.output else { return };
        match self.invalid.fetch_add(1, Relaxed) {
            0..NAMED => self.screen.error(what),
            NAMED => self.screen.error(&format!("more records are invalid: see {}", output.display())),
            _ => {}
        }
    }

    fn warn(&self, what: &str) {
        self.screen.note(what);
    }

    fn explain(&self, reason: &str) {
        self.screen.lines(reason);
    }
}

/// Names `--resume` where a file exists that it could continue.
fn existing(error: SinkError, path: &Path) -> anyhow::Error {
    match error {
        SinkError::Exists(_) if ResumeState::can_resume(path) => anyhow!(
            "{}: exists already, from a run that --resume continues (--force overwrites it)",
            path.display()
        ),
        error => error.into(),
    }
}

/// Writes the summary as the last record, where it should be one, and ends the output.
pub(in crate::cli) fn close(mut sink: Sink, record: Option<(&Summary, &Run)>) -> Result<(), SinkError> {
    if let Some((summary, run)) = record {
        let mut line = Vec::new();
        summary.jsonl(&mut line, run);
        sink.write_all(&line)?;
    }
    sink.finish()
}

/// The size of all inputs in bytes, if every one is a file of text.
fn total(files: &[String]) -> Option<u64> {
    if files.iter().any(|file| Compression::of(file).is_some()) {
        return None;
    }
    files
        .iter()
        .map(|file| fs::metadata(path_of(file)).ok().filter(fs::Metadata::is_file).map(|m| m.len()))
        .sum()
}
