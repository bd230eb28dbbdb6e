//! The files of a run, one after another, as numbered blocks.

pub(crate) mod peek;
pub(crate) mod poll;

use super::resume::Mark;
use crate::files::name::path_of;
pub(crate) use crate::input::RECORDS;
use crate::input::{Block, Defaults, Digest, InputError, Packing, Reader};
use crate::model::interrupt::StopCondition;
use crate::options::Options;
use crate::run::scheduler::Oldest;
use crate::run::source::poll::{Wait, wait};
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long records are counted that the deadline left unread.
const COUNTING: Duration = Duration::from_millis(200);

/// Reads one file after the other. A file that cannot be read is complained
/// about, and the others are read all the same.
pub(crate) struct RecordSource<'r> {
    options: &'r Options,
    files: std::slice::Iter<'r, String>,
    defaults: Defaults,
    reader: Option<Reader>,
    /// Whether the reader reads a stream, which cannot be counted in advance.
    is_stream: bool,
    stop_condition: &'r StopCondition,
    /// Whether the run ends for another reason, and whether something is being
    /// solved.
    stopped: Arc<AtomicBool>,
    solving: Arc<Oldest>,
    complain: &'r (dyn Fn(&InputError) + Sync),
    /// The number of the next block, and of the records before it.
    next: u64,
    before: u64,
    ended: bool,
    /// Whether the deadline came before the end of the input.
    is_cut: bool,
    /// Whether it came while the writer of a stream was silent.
    is_late: bool,
    /// How many records are still to be left out.
    answered: u64,
    /// Bytes of input that were left out since the last block.
    passed: u64,
    /// The number of the file that is being read, from 1.
    file: usize,
    /// The text of the files that were read, where marks are wanted.
    digest: Option<Digest>,
    /// What was read of standard input already.
    stdin_peek: Cursor<Vec<u8>>,
}

/// What came of asking for a block.
pub(crate) enum Asked {
    /// Here it is.
    Block(Taken),
    /// A writer takes long over it, and there is something else to do.
    NotYet,
    /// All files are at their end.
    Ended,
}

/// A block's number, its file, and how many bytes of input it took.
pub(crate) struct Taken {
    pub(crate) seq: u64,
    /// Records of the whole run before this block.
    pub(crate) before: u64,
    pub(crate) file: Arc<str>,
    pub(crate) bytes: u64,
    /// So many records of this run's shard are answered already.
    pub(crate) answered: u64,
    /// How far the input is at the end of the block, where that is wanted.
    pub(crate) mark: Option<Mark>,
}

impl<'r> RecordSource<'r> {
    /// The files of `options`.
    pub(crate) fn new(
        options: &'r Options,
        defaults: Defaults,
        stop_condition: &'r StopCondition,
        (stopped, solving): (Arc<AtomicBool>, Arc<Oldest>),
        complain: &'r (dyn Fn(&InputError) + Sync),
    ) -> Self {
        let files = options.files.iter();
        Self {
            options,
            files,
            defaults,
            reader: None,
            is_stream: false,
            stop_condition,
            stopped,
            solving,
            complain,
            next: 0,
            before: 0,
            ended: false,
            is_cut: false,
            is_late: false,
            answered: 0,
            passed: 0,
            file: 0,
            digest: None,
            stdin_peek: Cursor::default(),
        }
    }

    /// With the first bytes of standard input, which were read already.
    pub(crate) fn starting_with(self, stdin_peek: Cursor<Vec<u8>>) -> Self {
        Self { stdin_peek, ..self }
    }

    /// Leaves out the first records of this run's shard, which are answered;
    /// with or without marks.
    pub(crate) fn go_on(self, answered: u64, marks: bool) -> Self {
        Self { answered, digest: marks.then(Digest::default), ..self }
    }

    /// How many records were to be left out and did not come.
    pub(crate) fn not_found(&self) -> u64 {
        self.answered
    }

    /// Fills a block with the next records, if there are any.
    pub(crate) fn next(&mut self, block: &mut Block) -> Asked {
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
                    let before = self.before;
                    self.before += block.len() as u64;
                    let mut answered = 0;
                    if self.answered > 0 {
                        let numbers = (0..block.len()).map(|index| block.number(index));
                        let ours = numbers.filter(|&n| self.options.is_in_shard(n)).count() as u64;
                        answered = ours.min(self.answered);
                        self.answered -= answered;
                        if answered == ours {
                            self.passed += offset.saturating_sub(at);
                            continue;
                        }
                    }
                    let mark = reader.digest().map(|digest| Mark::at(self.file - 1, offset, digest.value()));
                    let bytes = offset.saturating_sub(at) + std::mem::take(&mut self.passed);
                    let (seq, file) = (self.next, reader.file().clone());
                    self.next += 1;
                    return Asked::Block(Taken { seq, before, file, bytes, answered, mark });
                }
                Ok(false) => {
                    if let Err(error) = reader.finish() {
                        (self.complain)(&error);
                    }
                    self.close();
                }
                Err(error) if error.is_would_block() => return Asked::NotYet,
                Err(error) if error.is_timed_out() => {
                    self.is_late = true;
                    break;
                }
                Err(_)
                    if self.stop_condition.interrupt.is_raised() || self.stopped.load(Ordering::Relaxed) =>
                {
                    self.close();
                    self.ended = true;
                }
                Err(error) => {
                    (self.complain)(&error);
                    self.close();
                }
            }
        }
        self.is_cut = !self.ended && !self.stop_condition.interrupt.is_raised();
        self.ended = true;
        Asked::Ended
    }

    /// Counts the records of this run's shard that the deadline left unread; none
    /// if it is not known how many they are: a stream is not read further than to
    /// see whether it has ended, and files are read for a moment only.
    pub(crate) fn count_unread(&mut self) -> Option<u64> {
        if !self.is_cut {
            return Some(0);
        }
        if self.is_late {
            return None;
        }
        let until = Instant::now() + COUNTING;
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
                    // Records that are answered already stand at the beginning.
                    None => return Some(unread.saturating_sub(self.answered)),
                    Some(file) if is_stream(file) => return None,
                    Some(file) => self.reader = Some(Reader::open(file, self.defaults.clone()).ok()?),
                },
            }
        }
    }

    /// Whether reading ended at the deadline and not at the end of the input.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Done with a file: the digest goes on to the next one.
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
                Err(source) => return (self.complain)(&InputError::Open { file: file.into(), source }),
            })),
            // Pipes and devices, too, may keep us waiting, already when they are opened.
            _ if is_stream(file) => {
                match File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path_of(file)) {
                    Ok(stream) => Some(stream),
                    Err(source) => {
                        return (self.complain)(&InputError::Open { file: file.into(), source });
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
                solving: Packing::of(file).is_none().then(|| self.solving.clone()),
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
            Err(error) => (self.complain)(&error),
        }
    }
}

/// Whether a name stands for standard input, a pipe or a device.
fn is_stream(file: &str) -> bool {
    file == "-" || fs::metadata(path_of(file)).is_ok_and(|file| !file.is_file() && !file.is_dir())
}

/// A stream that ends when the run is interrupted or stopped, however long its writer
/// takes, and fails when its writer is silent and the run's time is over, or for
/// the moment when something is being solved meanwhile: that needs hands.
struct InterruptibleReader<S> {
    stream: S,
    stop_condition: StopCondition,
    stopped: Arc<AtomicBool>,
    /// Whether something is being solved; none where the stream's reader could not
    /// bear an interruption.
    solving: Option<Arc<Oldest>>,
}

impl<S: Read + AsRawFd> Read for InterruptibleReader<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // An end here would make a record of half a line.
            if self.stop_condition.interrupt.is_raised() || self.stopped.load(Ordering::Relaxed) {
                return Err(io::Error::other("the run is over"));
            }
            let waited = wait(&self.stream);
            if waited == Wait::Ready {
                match self.stream.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    read => return read,
                }
            }
            if waited == Wait::Nothing && self.stop_condition.is_past_deadline() {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the deadline passed before its end"));
            }
            if waited == Wait::Nothing && self.solving.as_ref().is_some_and(|solving| solving.is_some()) {
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
    }
}
