//! The input of a run: all files in their order, as numbered blocks of records.
//!
//! A file that cannot be read is reported, and reading continues with the next one. Streams
//! (standard input, pipes, devices) are polled, so that a slow writer neither delays the end of a
//! run nor keeps a worker from helping with a search.

pub(crate) mod peek;
pub(crate) mod poll;

use super::resume::Progress;
use crate::files::name::path_of;
pub(crate) use crate::input::RECORDS;
use crate::input::{Block, Compression, Defaults, Digest, InputError, Reader};
use crate::model::interrupt::StopCondition;
use crate::options::Options;
use crate::run::scheduler::OldestJob;
use crate::run::source::poll::{Polled, poll};
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Maximum time for counting the records that the deadline left unread.
const COUNTING_TIME: Duration = Duration::from_millis(200);

/// Reader of all files of a run.
pub(crate) struct RecordSource<'r> {
    options: &'r Options,
    files: std::slice::Iter<'r, String>,
    defaults: Defaults,
    reader: Option<Reader>,
    /// Whether `reader` reads a stream, whose records cannot be counted in advance.
    is_stream: bool,
    stop_condition: &'r StopCondition,
    /// The scheduler's stop flag.
    stopped: Arc<AtomicBool>,
    oldest_job: Arc<OldestJob>,
    on_input_error: &'r (dyn Fn(&InputError) + Sync),
    /// Number of the next block.
    next_block: u64,
    /// Number of records before the next block.
    records_before: u64,
    ended: bool,
    /// Whether the deadline passed before the end of the input.
    cut_by_deadline: bool,
    /// Whether it passed while a stream had no data.
    stream_timed_out: bool,
    /// Number of records of this shard that are still to be skipped, because an earlier run
    /// answered them.
    answered: u64,
    /// Bytes of input skipped since the last block.
    skipped_bytes: u64,
    /// Number of the current file, from 1.
    file: usize,
    /// Digest of the text of all files read so far, if progress is recorded.
    digest: Option<Digest>,
    /// Bytes of standard input that were read before the run.
    stdin_peek: Cursor<Vec<u8>>,
}

/// Result of [`RecordSource::next`].
pub(crate) enum NextBlock {
    /// A block was read.
    Block(BlockInfo),
    /// A stream has no data yet, and a job is running that this thread can help.
    NotYet,
    /// All files have been read, or the run ends.
    Ended,
}

/// Header of a block.
pub(crate) struct BlockInfo {
    pub(crate) number: u64,
    /// Number of records of the whole run before this block.
    pub(crate) before: u64,
    pub(crate) file: Arc<str>,
    /// Input bytes of the block, and of the records skipped before it.
    pub(crate) bytes: u64,
    /// Number of records of this run's shard, at the start of the block, that an earlier run
    /// answered.
    pub(crate) answered: u64,
    /// Position in the input at the end of the block, if progress is recorded.
    pub(crate) progress: Option<Progress>,
}

/// What a source needs to know about the run.
pub(crate) struct RunSignals<'r> {
    pub(crate) stop_condition: &'r StopCondition,
    /// The scheduler's stop flag.
    pub(crate) stopped: Arc<AtomicBool>,
    pub(crate) oldest_job: Arc<OldestJob>,
}

impl<'r> RecordSource<'r> {
    /// Creates a source for the files of `options`.
    pub(crate) fn new(
        options: &'r Options,
        defaults: Defaults,
        signals: RunSignals<'r>,
        on_input_error: &'r (dyn Fn(&InputError) + Sync),
    ) -> Self {
        let RunSignals { stop_condition, stopped, oldest_job } = signals;
        Self {
            options,
            files: options.files.iter(),
            defaults,
            reader: None,
            is_stream: false,
            stop_condition,
            stopped,
            oldest_job,
            on_input_error,
            next_block: 0,
            records_before: 0,
            ended: false,
            cut_by_deadline: false,
            stream_timed_out: false,
            answered: 0,
            skipped_bytes: 0,
            file: 0,
            digest: None,
            stdin_peek: Cursor::default(),
        }
    }

    /// Prepends bytes that were read from standard input before the run.
    pub(crate) fn with_stdin_peek(self, stdin_peek: Cursor<Vec<u8>>) -> Self {
        Self { stdin_peek, ..self }
    }

    /// Skips the first `answered` records of this run's shard. `record_progress`: blocks have their
    /// `progress`.
    pub(crate) fn skip_answered(self, answered: u64, record_progress: bool) -> Self {
        Self { answered, digest: record_progress.then(Digest::default), ..self }
    }

    /// Returns the number of records that were to be skipped and do not exist.
    pub(crate) fn missing_answered(&self) -> u64 {
        self.answered
    }

    /// Fills `block` with the next records.
    pub(crate) fn next(&mut self, block: &mut Block) -> NextBlock {
        while !self.ended && !self.stop_condition.is_due() {
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
                    let offset = reader.progress().0;
                    let before = self.records_before;
                    self.records_before += block.len() as u64;
                    let mut answered = 0;
                    if self.answered > 0 {
                        let numbers = (0..block.len()).map(|index| block.number(index));
                        let ours = numbers.filter(|&n| self.options.is_in_shard(n)).count() as u64;
                        answered = ours.min(self.answered);
                        self.answered -= answered;
                        if answered == ours {
                            self.skipped_bytes += offset.saturating_sub(at);
                            continue;
                        }
                    }
                    let at_end = |digest: &Digest| Progress::at(self.file - 1, offset, digest.value());
                    let progress = reader.digest().map(at_end);
                    let bytes = offset.saturating_sub(at) + std::mem::take(&mut self.skipped_bytes);
                    let (number, file) = (self.next_block, reader.file().clone());
                    self.next_block += 1;
                    return NextBlock::Block(BlockInfo { number, before, file, bytes, answered, progress });
                }
                Ok(false) => {
                    if let Err(error) = reader.finish() {
                        (self.on_input_error)(&error);
                    }
                    self.close();
                }
                Err(error) if error.is_would_block() => return NextBlock::NotYet,
                Err(error) if error.is_timed_out() => {
                    self.stream_timed_out = true;
                    break;
                }
                Err(_)
                    if self.stop_condition.interrupt.is_raised() || self.stopped.load(Ordering::Relaxed) =>
                {
                    self.close();
                    self.ended = true;
                }
                Err(error) => {
                    (self.on_input_error)(&error);
                    self.close();
                }
            }
        }
        self.cut_by_deadline = !self.ended && !self.stop_condition.interrupt.is_raised();
        self.ended = true;
        NextBlock::Ended
    }

    /// Counts the records of this run's shard that the deadline left unread. Returns `None` if
    /// their number is unknown: a stream is read only to see whether it has ended, and files are
    /// read for [`COUNTING_TIME`] at most.
    pub(crate) fn count_unread(&mut self) -> Option<u64> {
        if !self.cut_by_deadline {
            return Some(0);
        }
        if self.stream_timed_out {
            return None;
        }
        let until = Instant::now() + COUNTING_TIME;
        let mut block = Block::default();
        let mut unread = 0;
        loop {
            if Instant::now() >= until {
                return None;
            }
            match self.reader.as_mut().map(|reader| reader.next_block(&mut block, RECORDS)) {
                Some(Ok(true)) if self.is_stream => return None,
                Some(Ok(true)) => {
                    let numbers = (0..block.len()).map(|index| block.number(index));
                    unread += numbers.filter(|&n| self.options.is_in_shard(n)).count() as u64;
                }
                Some(Ok(false)) => (self.reader, self.is_stream) = (None, false),
                Some(Err(_)) => return None,
                None => match self.files.next() {
                    // Answered records are the first ones, so they are among those counted.
                    None => return Some(unread.saturating_sub(self.answered)),
                    Some(file) if is_stream(file) => return None,
                    Some(file) => self.reader = Some(Reader::open(file, self.defaults.clone()).ok()?),
                },
            }
        }
    }

    /// Returns whether reading ended at the deadline and not at the end of the input.
    pub(crate) fn was_cut_by_deadline(&self) -> bool {
        self.cut_by_deadline
    }

    /// Closes the current file. The next one continues its digest.
    fn close(&mut self) {
        if let Some(reader) = self.reader.take() {
            self.digest = reader.digest().cloned();
        }
    }

    fn open(&mut self, file: &str) {
        self.file += 1;
        let stream = match file {
            "-" => Some(File::from(match io::stdin().as_fd().try_clone_to_owned() {
                Ok(stdin) => stdin,
                Err(source) => return (self.on_input_error)(&InputError::Open { file: file.into(), source }),
            })),
            // Opening a pipe or a device can block, too.
            _ if is_stream(file) => {
                match File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path_of(file)) {
                    Ok(stream) => Some(stream),
                    Err(source) => {
                        return (self.on_input_error)(&InputError::Open { file: file.into(), source });
                    }
                }
            }
            _ => None,
        };
        self.is_stream = stream.is_some();
        if let Some(stream) = stream {
            let stream = InterruptibleReader {
                stream,
                stop_condition: self.stop_condition.clone(),
                stopped: self.stopped.clone(),
                oldest_job: Compression::of(file).is_none().then(|| self.oldest_job.clone()),
            };
            let stdin_peek =
                if file == "-" { std::mem::take(&mut self.stdin_peek) } else { Cursor::default() };
            self.reader = Some(Reader::from_stream(file, stdin_peek.chain(stream), self.defaults.clone()));
            return;
        }
        match Reader::open(file, self.defaults.clone()) {
            Ok(mut reader) => {
                if let Some(digest) = self.digest.take() {
                    reader.attach_digest(digest);
                }
                self.reader = Some(reader);
            }
            Err(error) => (self.on_input_error)(&error),
        }
    }
}

/// Returns whether `file` names standard input, a pipe or a device.
fn is_stream(file: &str) -> bool {
    file == "-" || fs::metadata(path_of(file)).is_ok_and(|file| !file.is_file() && !file.is_dir())
}

/// A reader over a stream that polls with a timeout. Fails if the run was interrupted or stopped,
/// with `TimedOut` if the stream has no data after the deadline, and with `WouldBlock` if it has
/// none while a job is running, so that this thread can help it.
struct InterruptibleReader<S> {
    stream: S,
    stop_condition: StopCondition,
    stopped: Arc<AtomicBool>,
    /// The oldest running job; `None` for compressed streams, because a decoder cannot continue
    /// after `WouldBlock`.
    oldest_job: Option<Arc<OldestJob>>,
}

impl<S: Read + AsRawFd> Read for InterruptibleReader<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // An error and not an end of file, which would turn half a line into a record.
            if self.stop_condition.interrupt.is_raised() || self.stopped.load(Ordering::Relaxed) {
                return Err(io::Error::other("the run is over"));
            }
            let polled = poll(&self.stream);
            if polled == Polled::Ready {
                match self.stream.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    read => return read,
                }
            }
            if polled == Polled::NoData && self.stop_condition.is_past_deadline() {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the deadline passed before its end"));
            }
            if polled == Polled::NoData && self.oldest_job.as_ref().is_some_and(|oldest| oldest.is_some()) {
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
    }
}
