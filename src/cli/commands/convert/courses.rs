//! Trays in the two files of the course form: `NAME` with `NAME.goal` beside it,
//! or a whole folder of them.

use crate::cli::commands::tray;
use crate::cli::terminal::error_list::ErrorList;
use crate::convert::{Puzzles, Record, Written};
use crate::files::name::text_of;
use crate::input::{Course, parse_course};
use crate::model::interrupt::Interrupt;
use crate::model::report::Instance;
use crate::output::Sink;
use crate::puzzle::trays::Metric;
use anyhow::Context;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The goal's file beside the file of the blocks.
fn goal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".goal");
    name.into()
}

/// Whether a path is one of two files, or a folder of such.
pub(super) fn is_course(path: &Path) -> bool {
    path.is_dir() || goal_of(path).is_file()
}

/// Writes the tray of two files, or all trays of a folder in the order of their
/// names, as records with these names as ids.
pub(super) fn convert(
    path: &Path,
    form: Written,
    sink: &mut Sink,
    errors: &mut ErrorList,
) -> anyhow::Result<()> {
    let mut starts = vec![path.to_owned()];
    if path.is_dir() {
        let entries = fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
        starts = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
        starts.retain(|start| goal_of(start).is_file());
        starts.sort();
    }
    if starts.is_empty() {
        errors.add(&format!("{}: no file has a goal beside it (NAME with NAME.goal)", path.display()));
    }
    let mut puzzles = Puzzles::new(form);
    for start in starts {
        let mut text = String::new();
        if let Err(error) = one(&start, &mut puzzles, &mut text) {
            errors.add(&format!("{}: {error:#}", start.display()));
        }
        sink.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// Appends one tray.
fn one(start: &Path, puzzles: &mut Puzzles, text: &mut String) -> anyhow::Result<()> {
    let read = |path: &Path| tray::read(&text_of(path.as_os_str()), &Interrupt::new());
    let (init, goal) = (read(start)?, read(&goal_of(start))?);
    let tray = match parse_course(&init, &goal, None) {
        Ok(Course::Tray { tray, .. }) => Arc::new(tray),
        Ok(Course::Impossible { reason }) => anyhow::bail!("its goal cannot be met: {reason}"),
        Err(fault) => anyhow::bail!("{}{}", if fault.in_goal { "goal: " } else { "" }, fault.invalid),
    };
    let id = start.file_name().map(text_of);
    let instance = Instance::Tray { tray, metric: Metric::default() };
    Ok(puzzles.record(text, Record { id: id.as_deref(), length: None, instance: &instance })?)
}
