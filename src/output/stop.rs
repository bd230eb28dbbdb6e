//! Writing to pipes and terminals whose reader may not read.
//!
//! A write into a full pipe waits for the reader, however long that takes. So before
//! each write the descriptor is polled, and between two polls somebody is asked
//! whether to give up. After a poll that says "writable", a pipe takes `PIPE_BUF`
//! bytes without waiting: no more than that is written at once, and where possible
//! pieces end with a line, so that a reader never sees half of one.

use std::{
    fmt,
    io::{self, ErrorKind},
    os::fd::AsRawFd,
    sync::Arc,
    time::{Duration, Instant},
};

/// Bytes that a writable pipe takes at once.
const PIECE: usize = libc::PIPE_BUF;

/// Time between two looks at whether to stop.
const LOOK: Duration = Duration::from_millis(50);

/// How long a reader that takes nothing is waited for after it is time to stop.
const GRACE: Duration = Duration::from_millis(500);

/// Says whether the program should end; never, by default.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.0.is_some()).finish()
    }
}

impl Stop {
    /// Asks `stop`.
    pub fn when(stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(stop)))
    }

    /// Whether nobody will ever ask for an end.
    pub(super) fn is_never(&self) -> bool {
        self.0.is_none()
    }

    /// Whether it is time to end.
    pub(super) fn is_due(&self) -> bool {
        self.0.as_ref().is_some_and(|stop| stop())
    }

    /// Waits until the file can be written to; false if nobody reads and it is time
    /// to stop.
    pub(super) fn wait_to_write(&self, file: &impl AsRawFd) -> bool {
        let mut asked_to_stop = None;
        loop {
            let mut fd = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
            #[allow(unsafe_code)]
            // SAFETY: one descriptor structure, which lives through the call.
            let ready = unsafe { libc::poll(&raw mut fd, 1, LOOK.as_millis() as i32) };
            let is_interrupted = ready < 0 && io::Error::last_os_error().kind() == ErrorKind::Interrupted;
            if ready != 0 && !is_interrupted {
                // What else is wrong, the write will say.
                return true;
            }
            if self.is_due() && asked_to_stop.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                return false;
            }
        }
    }

    /// Waits a moment; false if it is time to stop.
    pub(super) fn pause(&self) -> bool {
        std::thread::sleep(LOOK);
        !self.is_due()
    }
}

/// The first bytes of a chunk that a pipe takes at once: whole lines, unless the
/// first line is longer.
pub(super) fn piece(chunk: &[u8]) -> &[u8] {
    let most = &chunk[..chunk.len().min(PIECE)];
    if most.len() == chunk.len() {
        return chunk;
    }
    memchr::memrchr(b'\n', most).map_or(most, |newline| &most[..=newline])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_with_a_line_where_they_can() {
        assert_eq!(piece(b"one\ntwo"), b"one\ntwo");
        let long = [b"one\n".repeat(2000), b"two\n".to_vec()].concat();
        assert_eq!(piece(&long).len(), PIECE);
        let odd = [b"three\n".repeat(2000), b"two\n".to_vec()].concat();
        assert!(piece(&odd).ends_with(b"three\n") && piece(&odd).len() > PIECE - 6);
        assert_eq!(piece(&[b'x'; 10_000]).len(), PIECE);
    }
}
