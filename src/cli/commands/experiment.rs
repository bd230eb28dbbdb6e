//! `batch-solve experiment`: runs, tables, plots, and what they came from.

use crate::cli::args::ExperimentArgs;
use crate::cli::terminal::signals;
use crate::cli::{Exit, Progress};
use crate::model::interrupt::Interrupt;
use crate::output::Sink;
use crate::quantity::Bytes;
use crate::tools::experiment::{Conducted, Design, Means, Preset, conduct};
use anyhow::Context;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

/// Does an experiment and writes what came of it.
pub(in crate::cli) fn run_experiment(args: &ExperimentArgs) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let design = args.design()?;
    let screen = args.screen();
    let mut files = Files::new(&args.output, design.preset.name(), args.force)?;
    let interrupt = signals::listen()?;
    let means = args.means();
    let done = Arc::new(AtomicU64::new(0));
    let mut progress = None;
    let counter = done.clone();
    let begin = |all| {
        progress = Some(Progress::of_steps(args.progress(), all, move || counter.load(Relaxed)));
    };
    let conducted = conduct(&design, &means, &interrupt, &done, begin);
    drop(progress);
    let conducted = conducted?;
    if let Some(signal) = interrupt.signal()
        && conducted.runs == 0
    {
        screen.note("interrupted before the first run; nothing is written");
        return Ok(Exit::Signal(signal));
    }

    files.write("csv", "", &conducted.csv)?;
    let findings = &conducted.findings;
    files.write("md", "", report(&design, &conducted, &means, &interrupt).as_bytes())?;
    for (name, figure) in &findings.figures {
        files.write("svg", name, figure.svg().as_bytes())?;
        let png = figure.png().context("the figure is too large for a picture")?;
        files.write("png", name, &png)?;
    }
    let tables: Vec<String> = findings.tables.iter().map(ToString::to_string).collect();
    Sink::stdout(&[] as &[&str])?
        .with_stop(signals::stop(&interrupt))
        .write_all(tables.join("\n").as_bytes())?;
    let written: Vec<String> = files.written.iter().map(|path| path.display().to_string()).collect();
    if conducted.by.threads < means.threads {
        let (at_once, asked) = (conducted.by.threads, means.threads);
        screen.note(&format!("runs at once: {at_once} instead of {asked}, all that --memory has room for"));
    }
    screen.note(&format!(
        "{} runs in {:.1} s; written: {}",
        conducted.runs,
        started.elapsed().as_secs_f64(),
        written.join(", ")
    ));
    Ok(interrupt.signal().map_or(Exit::Decided, Exit::Signal))
}

/// The tables with what they came from.
fn report(design: &Design, conducted: &Conducted, means: &Means, interrupt: &Interrupt) -> String {
    let Conducted { findings, runs, by, .. } = conducted;
    let mut command = design.command();
    let mut memory = String::new();
    if design.preset != Preset::Trays {
        memory = format!(" with {} for its search", Bytes(means.run_memory));
        if means.run_memory != ExperimentArgs::RUN_MEMORY {
            command += &format!(" --run-memory {}", means.run_memory);
        }
    }
    let mut text = format!(
        "# {}\n\nMade by batch-solve {} with\n\n```sh\n{command}\n```\n\n{runs} runs, each by one thread{memory}, \
         {} at once. Everything but times repeats exactly.\n",
        design.preset.name(),
        env!("CARGO_PKG_VERSION"),
        by.threads,
    );
    if interrupt.is_raised() {
        text += "\n**The experiment was interrupted: some runs are missing.**\n";
    }
    for table in &findings.tables {
        text += &format!("\n{table}");
    }
    for (name, _) in &findings.figures {
        text += &format!("\n![{0}]({0}{name}.svg)\n", design.preset.name());
    }
    text
}

/// The files of an experiment.
struct Files {
    folder: PathBuf,
    name: String,
    force: bool,
    written: Vec<PathBuf>,
}

impl Files {
    /// Makes the folder, and makes sure that nothing is lost in it.
    fn new(folder: &Path, name: String, force: bool) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let files = Self { folder: folder.to_owned(), name, force, written: Vec::new() };
        if !force
            && let Some(path) = ["csv", "md"].map(|kind| files.path(kind, "")).iter().find(|p| p.exists())
        {
            anyhow::bail!("{}: exists already (--force overwrites it)", path.display());
        }
        Ok(files)
    }

    fn path(&self, kind: &str, part: &str) -> PathBuf {
        self.folder.join(format!("{}{part}.{kind}", self.name))
    }

    fn write(&mut self, kind: &str, part: &str, content: &[u8]) -> anyhow::Result<()> {
        let path = self.path(kind, part);
        let mut sink = Sink::create(&path, self.force, &[] as &[&str])?;
        sink.write_all(content)?;
        sink.finish()?;
        self.written.push(path);
        Ok(())
    }
}
