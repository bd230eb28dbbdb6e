//! The folder of a round: the program runs in it, and every command is noted.

use anyhow::Result;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout};

/// A round's folders.
pub(crate) struct Workspace {
    root: PathBuf,
    /// Where the program runs.
    pub(crate) folder: PathBuf,
    /// The cache folder that all rounds share.
    pub(crate) cache: PathBuf,
    pub(crate) program: PathBuf,
    runs: u64,
    open: (Option<ChildStdin>, Option<ChildStdout>),
}

impl Workspace {
    /// Makes an empty folder at `root`.
    pub(crate) fn new(root: PathBuf, cache: PathBuf, program: PathBuf) -> Result<Self> {
        let _ = fs::remove_dir_all(&root);
        let folder = root.join("work");
        fs::create_dir_all(&folder)?;
        fs::create_dir_all(root.join("log"))?;
        fs::create_dir_all(&cache)?;
        Ok(Self { root, folder, cache, program, runs: 0, open: (None, None) })
    }

    /// Returns the path of a file in the folder.
    pub(crate) fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.folder.join(name.as_ref())
    }

    /// Writes a file in the folder.
    pub(crate) fn write(&self, name: impl AsRef<OsStr>, bytes: impl AsRef<[u8]>) -> Result<()> {
        Ok(fs::write(self.path(name), bytes)?)
    }

    /// Reads a file in the folder.
    pub(crate) fn read(&self, name: impl AsRef<OsStr>) -> Result<Vec<u8>> {
        Ok(fs::read(self.path(name))?)
    }

    /// Appends a line to `commands.txt`.
    pub(crate) fn note(&mut self, line: &str) {
        let file = fs::File::options().append(true).create(true).open(self.root.join("commands.txt"));
        if let Ok(mut file) = file {
            let _ = writeln!(file, "{line}");
        }
    }

    /// Returns new names for what a run writes to its standard output and
    /// standard error.
    pub(crate) fn logs(&mut self) -> (PathBuf, PathBuf) {
        self.runs += 1;
        let log = |what: &str| self.root.join("log").join(format!("{}.{what}", self.runs));
        (log("stdout"), log("stderr"))
    }

    /// Holds the other end of a pipe open.
    pub(crate) fn hold(&mut self, stdin: Option<ChildStdin>) {
        self.open.0 = stdin;
    }

    /// Holds the other end of a pipe open.
    pub(crate) fn hold_output(&mut self, stdout: Option<ChildStdout>) {
        self.open.1 = stdout;
    }

    /// Closes what was held open.
    pub(crate) fn release(&mut self) {
        self.open = (None, None);
    }

    /// Returns the number of runs so far.
    pub(crate) fn runs(&self) -> u64 {
        self.runs
    }

    /// Returns where the round's files are.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Removes the round's files.
    pub(crate) fn remove(self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}
