//! Waiting for a stream, but never for long.

use std::io;
use std::os::fd::AsRawFd;

/// Milliseconds until somebody looks whether to go on waiting.
const LOOK: i32 = 50;

/// What a short wait for a stream came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wait {
    /// There is something to read, or an end or an error to be told of.
    Ready,
    /// Nothing has come yet.
    Nothing,
    /// A signal ended the wait.
    Signal,
}

/// Waits a moment for a stream.
pub(super) fn wait(stream: &impl AsRawFd) -> Wait {
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
