//! The families of tests: one kind of command or fault each.

mod address_space;
mod algorithms;
mod batch;
mod check_faults;
mod closed_pipe;
mod cold_cache;
mod convert;
mod deterministic;
mod drafts;
mod edited_results;
mod fifos;
mod file_size;
mod first_signal;
mod forms;
mod generate;
mod hostile_files;
mod improve;
mod job;
mod many_files;
mod open_files;
mod replaced_input;
mod search_limits;
mod shards;
mod shell;
mod trace;
mod tray;
mod usage;

use crate::round::Round;
use anyhow::Result;

/// A family of tests.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// How often it is chosen, in proportion to the others.
    pub(crate) weight: usize,
    pub(crate) run: fn(&mut Round<'_>) -> Result<()>,
}

const fn family(
    name: &'static str,
    weight: usize,
    run: fn(&mut Round<'_>) -> Result<()>,
    about: &'static str,
) -> Family {
    Family { name, about, weight, run }
}

/// All families.
pub(crate) const FAMILIES: &[Family] = &[
    family("batch", 40, batch::run, "all records, formats and conditions, interrupted and resumed"),
    family("shards", 10, shards::run, "a file in shards"),
    family("deterministic", 6, deterministic::run, "--deterministic over threads and caps"),
    family("algorithms", 12, algorithms::run, "every algorithm with every heuristic"),
    family("search-limits", 8, search_limits::run, "--max-nodes, --timeout, --deadline"),
    family("address-space", 8, address_space::run, "ulimit -v"),
    family("file-size", 8, file_size::run, "ulimit -f, as a full disk"),
    family("open-files", 4, open_files::run, "ulimit -n"),
    family("edited-results", 6, edited_results::run, "results edited before --resume"),
    family("replaced-input", 6, replaced_input::run, "input replaced before --resume"),
    family("fifos", 6, fifos::run, "FIFOs in place of files"),
    family("drafts", 3, drafts::run, "files of others under the names of drafts"),
    family("first-signal", 6, first_signal::run, "the first signal ends every command"),
    family("closed-pipe", 3, closed_pipe::run, "a reader that leaves early"),
    family("hostile-files", 4, hostile_files::run, "journals and results made to take memory"),
    family("many-files", 1, many_files::run, "thousands of file names"),
    family("cold-cache", 2, cold_cache::run, "killed while databases are made"),
    family("usage", 4, usage::run, "options that must be refused"),
    family("forms", 5, forms::run, "grids without a header, lists, hexadecimal digits"),
    family("check-faults", 5, check_faults::run, "check on wrong results"),
    family("generate", 5, generate::run, "generate boards and trays"),
    family("convert", 6, convert::run, "from form to form"),
    family("improve", 4, improve::run, "shorter solutions"),
    family("trace", 5, trace::run, "the order of visits"),
    family("shell", 5, shell::run, "sessions of the 8-puzzle"),
    family("tray", 6, tray::run, "the course form of trays"),
];

/// Conditions that can be switched off.
pub(crate) const CONDITIONS: &[(&str, &str)] = &[
    ("kills", "interrupted and resumed runs"),
    ("odd-names", "unusual names of files"),
    ("non-utf8-names", "names that are not UTF-8"),
    ("odd-ids", "ids that look like something else"),
    ("gz", "input packed by gzip"),
    ("zst", "input packed by Zstandard"),
    ("stdin", "input from a pipe"),
    ("fifo-input", "input from a FIFO"),
    ("symlink-output", "output through a symlink"),
];
