//! `batch-solve solve`: opens what a run needs, runs it, and says how it went.

use super::{Exit, Progress, args::SolveArgs, signals};
use crate::{
    batch::{counters::Counters, interrupt::Interrupt, settings::Settings},
    memory::limits,
    output::{Format, Run, Sink, SinkError, Style, Summary},
};
use std::{fs, sync::Arc, time::Instant};

/// Solves every puzzle of the files.
pub(super) fn run(args: &SolveArgs) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let (settings, style, screen) = (args.settings()?, args.style(), args.screen());
    let interrupt = signals::listen()?;
    let mut sink = args.destination.open(&settings.files)?;
    let counters = Arc::new(Counters::default());
    let progress =
        Progress::start(args.progress(), counters.clone(), total(&settings.files), settings.memory);

    let summary = batch(&settings, style, &mut sink, &counters, &interrupt)?;

    progress.finish();
    let run = Run {
        elapsed: started.elapsed(),
        threads: settings.threads,
        peak_memory: limits::peak_resident(),
        memory_cap: settings.memory,
    };
    let written = close(sink, style, &summary, &run);
    if !matches!(written, Err(SinkError::Closed)) {
        screen.lines(&summary.text(&run));
    }
    written?;
    let signal = interrupt.signal().map_or(Exit::Decided, Exit::Signal);
    Ok(Exit::of_summary(&summary).and(signal))
}

/// The batch itself.
fn batch(
    _settings: &Settings,
    _style: Style,
    _sink: &mut Sink,
    _counters: &Arc<Counters>,
    _interrupt: &Interrupt,
) -> anyhow::Result<Summary> {
    anyhow::bail!("solve is not connected yet")
}

/// Writes the summary where results have one, and ends the output.
fn close(mut sink: Sink, style: Style, summary: &Summary, run: &Run) -> Result<(), SinkError> {
    if style.format == Format::Jsonl {
        let mut line = Vec::new();
        summary.jsonl(&mut line, run);
        sink.write_all(&line)?;
    }
    sink.finish()
}

/// The size of all inputs in bytes, if every one is a file.
fn total(files: &[String]) -> Option<u64> {
    files.iter().map(|file| fs::metadata(file).ok().filter(fs::Metadata::is_file).map(|m| m.len())).sum()
}
