//! Writes to pipes and terminals that may have no active reader.
//!
//! A write to a full pipe blocks until the reader continues. Therefore the descriptor is polled
//! before each write, and between two polls [`Stop`] is checked. A pipe that polls as writable
//! accepts `PIPE_BUF` bytes without blocking. No more than that is written at once, and pieces end
//! with a line where possible, so that a reader never sees half of one.

use std::{
    fmt,
    io::{self, ErrorKind},
    os::fd::AsRawFd,
    sync::Arc,
    time::{Duration, Instant},
};

/// Bytes that a writable pipe accepts without blocking.
const MAX_PIECE: usize = libc::PIPE_BUF;

/// Interval between two checks of `Stop`.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Time granted to an inactive reader after `Stop` is due.
const GRACE: Duration = Duration::from_millis(500);

/// Condition for ending the program; never by default.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.0.is_some()).finish()
    }
}

impl Stop {
    /// Creates a condition from a function.
    pub fn when(stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(stop)))
    }

    /// Returns whether the condition can never hold.
    pub(super) fn is_never(&self) -> bool {
        self.0.is_none()
    }

    /// Returns whether the program should end.
    pub(super) fn is_due(&self) -> bool {
        self.0.as_ref().is_some_and(|stop| stop())
    }

    /// Waits until the file is writable. Returns `false` if no reader accepts data and the program
    /// should end.
    pub(super) fn wait_to_write(&self, file: &impl AsRawFd) -> bool {
        let mut asked_to_stop = None;
        loop {
            let mut fd = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
            #[allow(unsafe_code)]
            // SAFETY: one descriptor structure, which lives through the call.
            let ready = unsafe { libc::poll(&raw mut fd, 1, POLL_INTERVAL.as_millis() as i32) };
            let is_interrupted = ready < 0 && io::Error::last_os_error().kind() == ErrorKind::Interrupted;
            if ready != 0 && !is_interrupted {
                // Other errors are reported by the write itself.
                return true;
            }
            if self.is_due() && asked_to_stop.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                return false;
            }
        }
    }

    /// Waits for a short time. Returns `false` if the program should end.
    pub(super) fn pause(&self) -> bool {
        std::thread::sleep(POLL_INTERVAL);
        !self.is_due()
    }
}

/// Returns the first bytes of a chunk that a pipe accepts at once: whole lines, unless the first
/// line is longer.
pub(super) fn piece(chunk: &[u8]) -> &[u8] {
    let prefix = &chunk[..chunk.len().min(MAX_PIECE)];
    if prefix.len() == chunk.len() {
        return chunk;
    }
    memchr::memrchr(b'\n', prefix).map_or(prefix, |newline| &prefix[..=newline])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_with_a_line_where_they_can() {
        assert_eq!(piece(b"one\ntwo"), b"one\ntwo");
        let long = [b"one\n".repeat(2000), b"two\n".to_vec()].concat();
        assert_eq!(piece(&long).len(), MAX_PIECE);
        let odd = [b"three\n".repeat(2000), b"two\n".to_vec()].concat();
        assert!(piece(&odd).ends_with(b"three\n") && piece(&odd).len() > MAX_PIECE - 6);
        assert_eq!(piece(&[b'x'; 10_000]).len(), MAX_PIECE);
    }
}
