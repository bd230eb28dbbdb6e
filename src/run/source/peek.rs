//! The first bytes of standard input.
//!
//! A stream cannot be read twice. Its first bytes are buffered: they show which boards the stream
//! contains before the run divides its memory, and the source reads them again as the beginning of
//! the stream.

use crate::model::interrupt::Interrupt;
use crate::run::source::poll::{Polled, poll};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Maximum number of bytes: hundreds of boards.
const BYTES: usize = 64 << 10;

/// Maximum wait for the first byte; then the run starts without a sample.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The first bytes of standard input; empty if none arrived in time.
#[derive(Default)]
pub(crate) struct StdinPeek(Vec<u8>);

impl StdinPeek {
    /// Waits for the first bytes, up to [`MAX_WAIT`] or `deadline`, and reads those available.
    pub(crate) fn of_stdin(interrupt: &Interrupt, deadline: Option<Instant>) -> Self {
        // Not through the buffer of `io::stdin`, which would keep the bytes it has read.
        let Ok(stdin) = io::stdin().as_fd().try_clone_to_owned().map(File::from) else {
            return Self::default();
        };
        let latest = Instant::now() + MAX_WAIT;
        let until = deadline.map_or(latest, |deadline| deadline.min(latest));
        while !interrupt.is_raised() && Instant::now() < until {
            if poll(&stdin) == Polled::Ready {
                return Self::read(stdin);
            }
        }
        Self(Vec::new())
    }

    /// Reads once. An error is ignored here; it recurs when the source reads.
    fn read(mut stream: impl Read) -> Self {
        let mut bytes = vec![0; BYTES];
        let read = stream.read(&mut bytes).unwrap_or(0);
        bytes.truncate(read);
        Self(bytes)
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Takes the bytes, to be read before the rest of the stream.
    pub(crate) fn take(&mut self) -> Cursor<Vec<u8>> {
        Cursor::new(std::mem::take(&mut self.0))
    }
}
