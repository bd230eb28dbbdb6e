//! Polling of streams with a short timeout (`poll(2)`).

use crate::model::interrupt::Interrupt;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Timeout of one poll in milliseconds. Between two polls, callers check whether to stop.
const TIMEOUT_MS: i32 = 50;

/// Result of [`poll`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Polled {
    /// A read will return data, the end or an error at once.
    Ready,
    /// The stream has no data yet.
    NoData,
    /// A signal interrupted the poll.
    Signal,
}

/// A reader over a file or pipe that fails when a signal arrives, even if the writer is silent.
#[derive(Debug)]
pub struct UntilSignal {
    file: File,
    interrupt: Interrupt,
}

impl UntilSignal {
    /// Opens a file. A pipe need not have a writer yet.
    pub fn open(path: &Path, interrupt: &Interrupt) -> io::Result<Self> {
        let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
        Ok(Self { file, interrupt: interrupt.clone() })
    }

    /// Reads standard input.
    pub fn stdin(interrupt: &Interrupt) -> io::Result<Self> {
        let file = io::stdin().as_fd().try_clone_to_owned().map(File::from)?;
        Ok(Self { file, interrupt: interrupt.clone() })
    }
}

impl Read for UntilSignal {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.interrupt.is_raised() {
            if poll(&self.file) == Polled::Ready {
                match self.file.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    read => return read,
                }
            }
        }
        Err(io::Error::other("interrupted"))
    }
}

/// Waits for data on `stream`, up to [`TIMEOUT_MS`].
pub(crate) fn poll(stream: &impl AsRawFd) -> Polled {
    let mut fd = libc::pollfd { fd: stream.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    #[allow(unsafe_code)]
    // SAFETY: the pointer is to one descriptor, which lives through the call.
    let ready = unsafe { libc::poll(&raw mut fd, 1, TIMEOUT_MS) };
    match ready {
        0 => Polled::NoData,
        ..0 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => Polled::Signal,
        // A read will return any other error.
        _ => Polled::Ready,
    }
}
