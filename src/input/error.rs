//! Errors of files and of records.

use std::{fmt, io, sync::Arc};

/// A file that cannot be read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file cannot be opened.
    #[error("cannot open {file}: {source}")]
    Open {
        /// The name as given.
        file: Arc<str>,
        /// Error of the system.
        source: io::Error,
    },
    /// The file is a directory.
    #[error("{file} is a directory, not a puzzle file")]
    Directory {
        /// The name as given.
        file: Arc<str>,
    },
    /// Reading failed.
    #[error("cannot read {file} at byte {offset}: {source}")]
    Read {
        /// The name as given.
        file: Arc<str>,
        /// Offset of the failed read.
        offset: u64,
        /// Error of the system.
        source: io::Error,
    },
    /// The file became shorter while it was read.
    #[error("{file} was truncated while being read: expected {expected} bytes, found {offset}")]
    Truncated {
        /// The name as given.
        file: Arc<str>,
        /// Size now.
        offset: u64,
        /// Size when it was opened.
        expected: u64,
    },
    /// Size or modification time changed during the run.
    #[error("{file} changed during the run: its results may mix the old text with the new")]
    Changed {
        /// The name as given.
        file: Arc<str>,
    },
}

impl InputError {
    /// Returns whether the deadline of the run passed while waiting for input.
    pub fn is_timed_out(&self) -> bool {
        matches!(self, Self::Read { source, .. } if source.kind() == io::ErrorKind::TimedOut)
    }

    /// Returns whether no input is available yet, so that reading can be tried again later.
    pub fn is_would_block(&self) -> bool {
        matches!(self, Self::Read { source, .. } if source.kind() == io::ErrorKind::WouldBlock)
    }
}

/// Reason why a record is not a valid puzzle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalid {
    /// Line of the fault, from 1.
    pub line: u64,
    /// Character of the line, from 1, if the fault has a position.
    pub column: Option<u64>,
    /// Description of the fault.
    pub what: String,
}

/// `tile 7 appears twice (line 90, column 12)`.
impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (line {}", self.what, self.line)?;
        match self.column {
            Some(column) => write!(f, ", column {column})"),
            None => f.write_str(")"),
        }
    }
}

impl std::error::Error for Invalid {}

/// A fault as a parser reports it: a position in the record's text, not yet a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    /// Byte offset in the record's text, if the fault has a position.
    pub(super) at: Option<usize>,
    /// Description of the fault.
    pub(super) what: String,
}

impl Fault {
    /// Creates a fault at a byte.
    pub(super) fn at(at: usize, what: impl Into<String>) -> Self {
        Self { at: Some(at), what: what.into() }
    }

    /// Creates a fault of the record as a whole.
    pub(super) fn whole(what: impl Into<String>) -> Self {
        Self { at: None, what: what.into() }
    }

    /// Returns the fault for a text with `bytes` more bytes before it.
    pub(super) fn shifted(self, bytes: usize) -> Self {
        Self { at: self.at.map(|at| at + bytes), ..self }
    }

    /// Returns the fault with line and column, for a record that starts at the beginning of line
    /// `line`.
    pub(super) fn locate(self, text: &[u8], line: u64) -> Invalid {
        let Some(at) = self.at else { return Invalid { line, column: None, what: self.what } };
        let before = &text[..at.min(text.len())];
        let line = line + memchr::memchr_iter(b'\n', before).count() as u64;
        let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count() as u64;
        Invalid { line, column: Some(column), what: self.what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_find_their_line_and_column() {
        let text = "1 2\né 3\n".as_bytes();
        assert_eq!(Fault::at(7, "bad").locate(text, 10).to_string(), "bad (line 11, column 3)");
        assert_eq!(Fault::at(0, "bad").locate(text, 10).to_string(), "bad (line 10, column 1)");
        assert_eq!(Fault::whole("bad").locate(text, 10).to_string(), "bad (line 10)");
    }
}
