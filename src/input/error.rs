//! What can be wrong with a file, and what with a record.

use std::{fmt, io, sync::Arc};

/// A file that cannot be read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// It cannot be opened.
    #[error("cannot open {file}: {source}")]
    Open {
        /// The name as given.
        file: Arc<str>,
        /// What the system says.
        source: io::Error,
    },
    /// It is a directory.
    #[error("{file} is a directory, not a puzzle file")]
    Directory {
        /// The name as given.
        file: Arc<str>,
    },
    /// Reading failed part of the way.
    #[error("cannot read {file} at byte {offset}: {source}")]
    Read {
        /// The name as given.
        file: Arc<str>,
        /// How far it could be read.
        offset: u64,
        /// What the system says.
        source: io::Error,
    },
    /// It became shorter while it was read.
    #[error("{file} was cut short while it was read: it ended at byte {offset} instead of {expected}")]
    Truncated {
        /// The name as given.
        file: Arc<str>,
        /// Where it ends now.
        offset: u64,
        /// Where it ended when it was opened.
        expected: u64,
    },
    /// Its size or time changed while it was read.
    #[error("{file} changed during the run: its results may mix the old text with the new")]
    Changed {
        /// The name as given.
        file: Arc<str>,
    },
}

impl InputError {
    /// Whether the deadline of the run passed while waiting for the writer.
    pub fn is_timed_out(&self) -> bool {
        matches!(self, Self::Read { source, .. } if source.kind() == io::ErrorKind::TimedOut)
    }

    /// Whether there is just nothing to read yet: what comes next can be read
    /// later.
    pub fn is_would_block(&self) -> bool {
        matches!(self, Self::Read { source, .. } if source.kind() == io::ErrorKind::WouldBlock)
    }
}

/// Why a record is not a puzzle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalid {
    /// The line at fault, from 1.
    pub line: u64,
    /// The character of the line, from 1, where the fault has a place.
    pub column: Option<u64>,
    /// What is wrong, for a person.
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

/// A fault as a parser sees it: a place in the record's text, not yet a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    /// The byte of the record's text, where there is one to blame.
    pub(super) at: Option<usize>,
    /// What is wrong.
    pub(super) what: String,
}

impl Fault {
    /// A fault at a byte.
    pub(super) fn at(at: usize, what: impl Into<String>) -> Self {
        Self { at: Some(at), what: what.into() }
    }

    /// A fault of the record as a whole.
    pub(super) fn whole(what: impl Into<String>) -> Self {
        Self { at: None, what: what.into() }
    }

    /// The same fault in a text that `bytes` more bytes precede.
    pub(super) fn shifted(self, bytes: usize) -> Self {
        Self { at: self.at.map(|at| at + bytes), ..self }
    }

    /// The fault with its line and column, for a record that starts at the
    /// beginning of line `line`.
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
