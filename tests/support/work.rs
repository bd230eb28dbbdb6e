//! A folder in which the real binary runs.

use super::with_default_signals;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

/// A folder that is gone afterwards; names are those of files in it.
pub(crate) struct Work(tempfile::TempDir);

impl Work {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &[u8]) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn open(&self, name: &str) -> fs::File {
        fs::File::open(self.path(name)).unwrap()
    }

    /// The program, in this folder and with nothing to read.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_batch-solve"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Begins a run that can be written to, read from and sent signals.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        with_default_signals(&mut command).spawn().unwrap()
    }
}

/// What a run said on stderr.
pub(crate) fn told(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
