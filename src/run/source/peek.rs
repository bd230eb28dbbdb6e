//! What standard input begins with.
//!
//! A stream cannot be read twice, but its first bytes can be kept: they tell which
//! boards it brings before the run divides its memory, and are read again as the
//! stream's own.

use crate::model::interrupt::Interrupt;
use crate::run::source::poll::{Wait, wait};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Bytes that are looked at: hundreds of boards.
const BYTES: usize = 64 << 10;

/// How long a writer may take for the first of them before the run starts
/// without.
const PATIENCE: Duration = Duration::from_secs(1);

/// The first bytes of standard input, if there were any so far.
#[derive(Default)]
pub(crate) struct StdinPeek(Vec<u8>);

impl StdinPeek {
    /// Waits a while for the first bytes and takes what comes with them.
    pub(crate) fn of_stdin(interrupt: &Interrupt, ends: Option<Instant>) -> Self {
        // Not by way of the library's buffer, which would keep what it reads.
        let Ok(stdin) = io::stdin().as_fd().try_clone_to_owned().map(File::from) else {
            return Self::default();
        };
        let patience = Instant::now() + PATIENCE;
        let until = ends.map_or(patience, |ends| ends.min(patience));
        while !interrupt.is_raised() && Instant::now() < until {
            if wait(&stdin) == Wait::Ready {
                return Self::read(stdin);
            }
        }
        Self(Vec::new())
    }

    /// What one read gives; an error will come again.
    fn read(mut stream: impl Read) -> Self {
        let mut bytes = vec![0; BYTES];
        let read = stream.read(&mut bytes).unwrap_or(0);
        bytes.truncate(read);
        Self(bytes)
    }

    /// Returns the bytes, to look at.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, to be read before the stream.
    pub(crate) fn take(&mut self) -> Cursor<Vec<u8>> {
        Cursor::new(std::mem::take(&mut self.0))
    }
}
