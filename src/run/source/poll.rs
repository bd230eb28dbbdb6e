//! Waiting for a stream, but never for long.

use crate::model::interrupt::Interrupt;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Milliseconds until somebody looks whether to go on waiting.
const LOOK: i32 = 50;

/// What a short wait for a stream came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// There is something to read, or an end or an error to be told of.
    Ready,
    /// Nothing has come yet.
    Nothing,
    /// A signal ended the wait.
    Signal,
}

/// A file or pipe that is read until a signal arrives, however long its writer
/// takes.
#[derive(Debug)]
pub struct UntilSignal {
    file: File,
    interrupt: Interrupt,
}

impl UntilSignal {
    /// Opens a file; a pipe need not have a writer yet.
    pub fn open(path: &Path, interrupt: &Interrupt) -> io::Result<Self> {
        let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
        Ok(Self { file, interrupt: interrupt.clone() })
    }
}

impl Read for UntilSignal {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.interrupt.is_raised() {
            if wait(&self.file) == Wait::Ready {
                match self.file.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    read => return read,
                }
            }
        }
        Err(io::Error::other("interrupted"))
    }
}

/// Waits a moment for a stream.
pub(crate) fn wait(stream: &impl AsRawFd) -> Wait {
    let mut fd = libc::pollfd { fd: stream.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    #[allow(unsafe_code)]
    // SAFETY: one descriptor structure, which lives through the call.
    let ready = unsafe { libc::poll(&raw mut fd, 1, LOOK) };
    match ready {
        0 => Wait::Nothing,
        ..0 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => Wait::Signal,
        // What else went wrong, a read will tell.
        _ => Wait::Ready,
    }
}
