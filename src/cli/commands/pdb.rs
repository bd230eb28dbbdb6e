//! `batch-solve pdb`: the pattern databases on disk.

use crate::cli::args::{BuildArgs, PdbArgs, PdbCommand, PdbDir};
use crate::cli::terminal::signals;
use crate::cli::{Exit, Progress, Screen, When};
use crate::memory::budget::OutOfBudget;
use crate::memory::limits;
use crate::output::Sink;
use crate::pdb::{BuildError, Damage, Event, Library, Needs, Store};
use crate::quantity::{Bytes, Span};
use crate::solve::counters::Counters;
use anyhow::{Context, bail, ensure};
use std::{
    fmt::Write,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Instant,
};

/// What the program takes beside the databases.
const PROGRAM: u64 = 9 << 20;

/// Does what was asked for.
pub(in crate::cli) fn run(args: &PdbArgs) -> anyhow::Result<Exit> {
    match &args.command {
        PdbCommand::Build(args) => build(args),
        PdbCommand::List(folder) => list(&store(folder)?),
        PdbCommand::Verify(folder) => verify(&store(folder)?),
        PdbCommand::Path(folder) => print(&format!("{}\n", store(folder)?.folder().display())),
    }
}

fn store(folder: &PdbDir) -> anyhow::Result<Store> {
    folder.store().context("there is no home folder to keep databases in: say --pdb-dir")
}

fn print(text: &str) -> anyhow::Result<Exit> {
    let mut sink = Sink::stdout(&[] as &[&str])?;
    sink.write_all(text.as_bytes())?;
    sink.finish()?;
    Ok(Exit::Decided)
}

/// Makes the databases of a partition.
fn build(args: &BuildArgs) -> anyhow::Result<Exit> {
    let screen = Screen::default();
    let (partition, blank) = args.request()?;
    let store = store(&args.folder)?;
    let mut library = Library::new(Some(store.clone()));
    let Some(Needs { peak, states, .. }) = library.needs(&partition, args.size, blank) else {
        bail!("{partition} does not divide the {} tiles of a {} board", args.size.cells() - 1, args.size);
    };
    let cap = limits::cap(args.memory, 0);
    let needed = peak + PROGRAM;
    ensure!(needed <= cap, OutOfBudget { cap, needed });
    let interrupt = signals::listen()?;
    let counters = Arc::new(Counters::default());
    let progress = Progress::start(When::Auto, counters.clone(), None, cap);
    let lost = AtomicBool::new(false);
    let listener = |event: Event<'_>| {
        match event {
            Event::Damaged(pattern, damage) => screen.note(&format!("{pattern} {damage}; it is rebuilt")),
            Event::NotSaved(pattern, error) => {
                lost.store(true, Relaxed);
                screen.error(&format!("{pattern} could not be written: {error}"));
            }
            Event::Saved(..) => {}
            Event::Progress(_, made) => counters.set_database_progress((&made).into()),
        }
        !interrupt.is_raised()
    };
    let threads =
        args.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), |n| n as usize);
    let started = Instant::now();
    let fetched = library.fetch(&partition, args.size, blank, threads, &listener);
    progress.finish();
    match fetched {
        Err(BuildError::Stopped) => return Ok(interrupt.signal().map_or(Exit::Failed, Exit::Signal)),
        fetched => ensure!(fetched?, "{partition} does not fit a {} board", args.size),
    }
    screen.lines(&format!(
        "{}: {} states searched in {}, peak memory {}, in {}",
        partition.name(),
        states,
        Span(started.elapsed()),
        Bytes(limits::peak_resident()),
        store.folder().display(),
    ));
    Ok(if lost.into_inner() { Exit::Failed } else { Exit::Decided })
}

/// Lists the files.
fn list(store: &Store) -> anyhow::Result<Exit> {
    let mut text = String::new();
    for listed in store.list()? {
        let name = listed.path.file_name().unwrap_or_default().display();
        let bytes = listed.bytes;
        match listed.content {
            Ok(_) if listed.is_draft() => writeln!(text, "{name}\t{}\tunfinished", Bytes(bytes))?,
            Ok((pattern, counts)) => {
                let all: u64 = counts.iter().sum();
                let sum: f64 =
                    counts.iter().zip(0..).map(|(&count, distance)| count as f64 * f64::from(distance)).sum();
                writeln!(
                    text,
                    "{name}\t{}\t{} tiles\t{all} states\tmean {:.2}\tmost {}",
                    Bytes(bytes),
                    pattern.tiles(),
                    sum / all as f64,
                    counts.len() - 1
                )?;
            }
            Err(damage) => writeln!(text, "{name}\t{}\t{damage}", Bytes(bytes))?,
        }
    }
    print(&text)
}

/// Reads and checks all files.
fn verify(store: &Store) -> anyhow::Result<Exit> {
    let mut text = String::new();
    let mut sound = true;
    for listed in store.list()? {
        let name = listed.path.file_name().unwrap_or_default().display();
        if listed.is_draft() {
            writeln!(text, "{name}\tunfinished; it can be deleted")?;
            continue;
        }
        let path = &listed.path;
        let checked = listed.content.and_then(|(pattern, _)| match store.path(pattern) == *path {
            true => Library::verify(store, pattern),
            false => Err(Damage::Foreign),
        });
        match checked {
            Ok(()) => writeln!(text, "{name}\tsound")?,
            Err(damage) => {
                sound = false;
                writeln!(text, "{name}\t{damage}")?;
            }
        }
    }
    print(&text)?;
    Ok(if sound { Exit::Decided } else { Exit::Undecided })
}
