//! `batch-solve improve PUZZLES RESULTS`: shortens solutions that exist already.

use super::check;
use super::solve::close;
use crate::cli::Exit;
use crate::cli::args::ImproveArgs;
use crate::cli::terminal::signals;
use crate::input::max_zstd_window;
use crate::memory::limits;
use crate::output::{Format, Run};
use crate::run::UntilSignal;
use crate::run::improve::improve_results;
use std::io::BufReader;
use std::time::{Duration, Instant};

/// Improves every result of the file and says by how much.
pub(in crate::cli) fn run(args: &ImproveArgs) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let request = args.request();
    let interrupt = signals::listen()?;
    let (reader, mut results) = check::inputs(&args.input, max_zstd_window(request.memory))?;
    if args.input.results == "-" {
        // A silent writer must not keep a signal from ending the command.
        results = Box::new(BufReader::new(UntilSignal::stdin(&interrupt)?));
    }
    let screen = args.screen();
    let mut sink = args
        .destination
        .open_until(&[&args.input.puzzles, &args.input.results], signals::stop(&interrupt))?;
    let complain = |what: &str| screen.note(what);
    let improved = improve_results(&request, reader, results, &mut sink, &interrupt, &complain)?;
    let run = Run {
        elapsed: started.elapsed(),
        setup: Duration::ZERO,
        threads: request.threads,
        peak_memory: limits::peak_resident(),
        memory_cap: request.memory,
    };
    let has_record = request.style.format == Format::Jsonl;
    close(sink, has_record.then_some((&improved.summary, &run)))?;
    let (before, after) = improved.moves;
    let shorter = if before == 0 { 0.0 } else { 100.0 * (before - after) as f64 / before as f64 };
    screen.lines(&format!("{before} moves before, {after} after: {shorter:.1} % shorter"));
    screen.lines(&improved.summary.text(&run));
    let skipped = if improved.skipped > 0 { Exit::Undecided } else { Exit::Decided };
    let signal = interrupt.signal().map_or(Exit::Decided, Exit::Signal);
    Ok(Exit::of_summary(&improved.summary).and(skipped).and(signal))
}
