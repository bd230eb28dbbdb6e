//! How puzzles arrive: files, packed files, several files, a pipe, a FIFO.

use super::names::{file_name, shown};
use crate::results::compare::{Expected, expected};
use crate::round::Round;
use crate::run::{Run, Stdin};
use crate::system;
use crate::truth::record::{Record, text};
use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// One input of a run.
pub(crate) struct Part {
    pub(crate) name: OsString,
    pub(crate) records: Vec<Record>,
}

/// All inputs of a run.
pub(crate) struct Input {
    pub(crate) parts: Vec<Part>,
    stdin: Stdin,
    feeds: Vec<(PathBuf, Vec<u8>, bool)>,
    /// Whether it can be read again, as `--resume` needs it.
    pub(crate) repeatable: bool,
}

/// Packs text as gzip.
pub(crate) fn gzip(text: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text)?;
    Ok(encoder.finish()?)
}

/// Packs text as Zstandard.
pub(crate) fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

impl Input {
    /// Returns a single file that is there already.
    pub(crate) fn file(part: Part) -> Self {
        Self { parts: vec![part], stdin: Stdin::Nothing, feeds: Vec::new(), repeatable: true }
    }

    /// Puts `records` where a run will find them.
    pub(crate) fn new(round: &mut Round<'_>, mut records: Vec<Record>) -> Result<Self> {
        let mut input =
            Self { parts: Vec::new(), stdin: Stdin::Nothing, feeds: Vec::new(), repeatable: true };
        let parts = if round.random.one_in(3) { round.random.between(2, 5) } else { 1 };
        for number in 0..parts {
            let rest = if number + 1 == parts { 0 } else { round.random.below(records.len() + 1) };
            let later = records.split_off(records.len() - rest);
            input.add(round, number, std::mem::replace(&mut records, later))?;
        }
        Ok(input)
    }

    fn add(&mut self, round: &mut Round<'_>, number: usize, records: Vec<Record>) -> Result<()> {
        let bytes = text(&records).into_bytes();
        let name = match round.random.below(8) {
            0 if !round.skips("gz") => {
                let name = file_name(round, number, "txt.gz");
                round.workspace.write(&name, gzip(&bytes)?)?;
                name
            }
            1 if !round.skips("zst") => {
                let name = file_name(round, number, "zst");
                round.workspace.write(&name, zstd(&bytes))?;
                name
            }
            2 if matches!(self.stdin, Stdin::Nothing) && !round.skips("stdin") => {
                self.stdin = Stdin::Pipe(bytes, round.random.one_in(3));
                self.repeatable = false;
                "-".into()
            }
            3 if !round.skips("fifo-input") => {
                let name = file_name(round, number, "txt");
                let path = round.workspace.path(&name);
                system::make_fifo(&path)?;
                self.feeds.push((path, bytes, round.random.one_in(3)));
                self.repeatable = false;
                name
            }
            _ => {
                let name = file_name(round, number, "txt");
                round.workspace.write(&name, bytes)?;
                name
            }
        };
        self.parts.push(Part { name, records });
        Ok(())
    }

    /// Connects a run with the inputs; they are its last arguments.
    pub(crate) fn connect(&self, mut run: Run) -> Run {
        run.stdin = self.stdin.clone();
        run.feeds.clone_from(&self.feeds);
        run.args(["--"]).args(self.parts.iter().map(|part| &part.name))
    }

    /// Returns all records with their places.
    pub(crate) fn expected(&self) -> Vec<Expected<'_>> {
        let parts = self.parts.iter();
        parts.flat_map(|part| expected(shown(&part.name).as_deref(), &part.records)).collect()
    }
}
