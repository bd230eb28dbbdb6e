//! The files of a run, one after another, as numbered blocks.

use super::crew::Oldest;
use super::interrupt::Interrupt;
use super::settings::Settings;
use crate::input::{Block, Defaults, InputError, Reader};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Records in a block, at most.
pub(super) const RECORDS: usize = 64;

/// Reads one file after the other. A file that cannot be read is complained
/// about, and the others are read all the same.
pub(super) struct Inputs<'r> {
    files: std::slice::Iter<'r, String>,
    defaults: Defaults,
    reader: Option<Reader>,
    interrupt: &'r Interrupt,
    /// Whether the run ends for another reason, and whether something is being
    /// solved.
    stopped: Arc<AtomicBool>,
    solving: Arc<Oldest>,
    complain: &'r (dyn Fn(&InputError) + Sync),
    /// When the whole run should be over.
    ends: Option<Instant>,
    /// The number of the next block, and of the records before it.
    next: u64,
    before: u64,
    ended: bool,
}

/// What came of asking for a block.
pub(super) enum Asked {
    /// Here it is.
    Block(Taken),
    /// A writer takes long over it, and there is something else to do.
    NotYet,
    /// All files are at their end.
    Ended,
}

/// A block's number, its file, and how many bytes of input it took.
pub(super) struct Taken {
    pub(super) seq: u64,
    /// Records of the whole run before this block.
    pub(super) before: u64,
    pub(super) file: Arc<str>,
    pub(super) bytes: u64,
}

impl<'r> Inputs<'r> {
    /// The files of `settings`.
    pub(super) fn new(
        settings: &'r Settings,
        defaults: Defaults,
        interrupt: &'r Interrupt,
        (stopped, solving): (Arc<AtomicBool>, Arc<Oldest>),
        complain: &'r (dyn Fn(&InputError) + Sync),
        ends: Option<Instant>,
    ) -> Self {
        let files = settings.files.iter();
        Self {
            files,
            defaults,
            reader: None,
            interrupt,
            stopped,
            solving,
            complain,
            ends,
            next: 0,
            before: 0,
            ended: false,
        }
    }

    /// Fills a block with the next records, if there are any.
    pub(super) fn next(&mut self, block: &mut Block) -> Asked {
        while !self.ended && !self.interrupt.is_raised() {
            let Some(reader) = &mut self.reader else {
                match self.files.next() {
                    Some(file) => self.open(file),
                    None => self.ended = true,
                }
                continue;
            };
            let (at, _) = reader.progress();
            match reader.next_block(block, RECORDS) {
                Ok(true) => {
                    let bytes = reader.progress().0.saturating_sub(at);
                    let taken =
                        Taken { seq: self.next, before: self.before, file: reader.file().clone(), bytes };
                    self.next += 1;
                    self.before += block.len() as u64;
                    return Asked::Block(taken);
                }
                Ok(false) => {
                    if let Err(error) = reader.finish() {
                        (self.complain)(&error);
                    }
                    self.reader = None;
                }
                Err(error) if error.is_early() => return Asked::NotYet,
                Err(error) => {
                    (self.complain)(&error);
                    self.reader = None;
                }
            }
        }
        self.ended = true;
        Asked::Ended
    }

    fn open(&mut self, file: &str) {
        if file == "-" {
            let stream = Patient {
                stream: io::stdin(),
                interrupt: self.interrupt.clone(),
                stopped: self.stopped.clone(),
                solving: self.solving.clone(),
                ends: self.ends,
            };
            self.reader = Some(Reader::from_stream(file, stream, self.defaults.clone()));
            return;
        }
        match Reader::open(file, self.defaults.clone()) {
            Ok(reader) => self.reader = Some(reader),
            Err(error) => (self.complain)(&error),
        }
    }
}

/// A stream that ends when the run is interrupted or stopped, however long its writer
/// takes, and fails when its writer is silent and the run's time is over, or for
/// the moment when something is being solved meanwhile: that needs hands.
struct Patient<S> {
    stream: S,
    interrupt: Interrupt,
    stopped: Arc<AtomicBool>,
    solving: Arc<Oldest>,
    ends: Option<Instant>,
}

impl<S: Read + AsRawFd> Read for Patient<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const LOOK: i32 = 50;
        loop {
            if self.interrupt.is_raised() || self.stopped.load(Ordering::Relaxed) {
                return Ok(0);
            }
            let mut fd = libc::pollfd { fd: self.stream.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            #[allow(unsafe_code)]
            // SAFETY: one descriptor structure, which lives through the call.
            let ready = unsafe { libc::poll(&raw mut fd, 1, LOOK) };
            // A signal ends the wait with an error: then the flag is up.
            if ready > 0 || (ready < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted) {
                return self.stream.read(buffer);
            }
            if ready == 0 && self.ends.is_some_and(|ends| Instant::now() >= ends) {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the deadline passed before its end"));
            }
            if ready == 0 && self.solving.is_some() {
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
    }
}
