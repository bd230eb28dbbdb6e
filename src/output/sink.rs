//! Where results go: standard output or a file of their own.
//!
//! The sink takes chunks of whole lines and hands each to the system at once,
//! so that a run that ends early leaves complete lines; where the disk is full
//! in the middle of one, its beginning is taken back. A file that exists is kept
//! unless the user said otherwise, an input is never overwritten, and a file
//! that another run is writing is left alone.

use super::checksum::Checksum;
use super::stop::{Stop, piece};
use crate::files::disk;
use std::{
    fs::{File, Metadata, OpenOptions, TryLockError},
    io::{self, IsTerminal, Read, Seek, SeekFrom, Write},
    os::{
        fd::AsFd,
        unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt},
    },
    path::{Path, PathBuf},
};

/// An open destination.
#[derive(Debug)]
pub struct Sink {
    file: File,
    name: PathBuf,
    /// Whether the file is ours and should be on disk at the end.
    durable: bool,
    /// Whether the file is new and still empty, with nothing worth keeping.
    blank: bool,
    /// Bytes in the file, or written to where bytes do not stay.
    len: u64,
    /// Runs each write, where something must be done around it.
    wrapper: Option<WriteWrapper>,
    /// Whether to give up where nobody reads.
    stop: Stop,
    /// Whether it was given up.
    unread: bool,
    /// Where the last line begins that has no end yet, or the next one will.
    line: u64,
    /// The checksum of all bytes in the file.
    checksum: Checksum,
}

/// Runs what it is given, once.
pub type WriteWrapper = fn(&mut dyn FnMut());

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The file exists and may not be overwritten.
    #[error("{}: exists already (--force overwrites it)", .0.display())]
    Exists(PathBuf),
    /// Another run holds the file.
    #[error("{}: another run is writing it", .0.display())]
    Busy(PathBuf),
    /// What is there cannot be gone on with.
    #[error("{}: is no regular file, so there is nothing to resume", .0.display())]
    NotResumable(PathBuf),
    /// The destination is one of the puzzle files.
    #[error("{}: is both an input and the output", .0.display())]
    IsInput(PathBuf),
    /// The reader of our output has gone: no error of ours, and no use in going
    /// on.
    #[error("the reader of the results has gone")]
    Closed,
    /// It is time to end, and nobody reads what is written.
    #[error("interrupted while nobody read the results")]
    Unread,
    /// Anything else.
    #[error("{}: {source}", name.display())]
    Io {
        /// What was being written.
        name: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SinkError {
    fn io(name: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Io { name: name.to_owned(), source },
        }
    }
}

impl Sink {
    fn new(file: File, name: PathBuf) -> Self {
        Self {
            file,
            name,
            durable: false,
            blank: false,
            len: 0,
            wrapper: None,
            stop: Stop::default(),
            unread: false,
            line: 0,
            checksum: Checksum::default(),
        }
    }

    /// Standard output, unless it was redirected into one of the inputs.
    pub fn stdout(inputs: &[impl AsRef<str>]) -> Result<Self, SinkError> {
        let name = PathBuf::from("standard output");
        // A duplicate without a buffer: chunks are whole already.
        let file = io::stdout().as_fd().try_clone_to_owned().map(File::from);
        let file = file.map_err(|error| SinkError::io(&name, error))?;
        refuse_inputs(&file, &name, inputs)?;
        Ok(Self::new(file, name))
    }

    /// The same destination, which is given up where nobody reads and it is time to
    /// stop.
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// A new file; with `force`, also one that exists and is not an input.
    pub fn create(path: &Path, force: bool, inputs: &[impl AsRef<str>]) -> Result<Self, SinkError> {
        Self::create_until(path, force, inputs, Stop::default())
    }

    /// The same, which is given up where nobody reads and it is time to stop.
    pub fn create_until(
        path: &Path,
        force: bool,
        inputs: &[impl AsRef<str>],
        stop: Stop,
    ) -> Result<Self, SinkError> {
        // Devices and pipes hold nothing that could be lost.
        let keeps = |file: &Metadata| file.is_file() && !force;
        let mut sink = Self::open(path, false, inputs, stop, |file| {
            if keeps(file) { Err(SinkError::Exists(path.to_owned())) } else { Ok(()) }
        })?;
        // Emptied only once it is known to be neither an input nor another's.
        if sink.durable {
            sink.cut(0)?;
        }
        Ok(sink)
    }

    /// A file as it is, or a new one; [`Sink::cut`] says where to go on.
    pub fn reopen(path: &Path, inputs: &[impl AsRef<str>]) -> Result<Self, SinkError> {
        Self::open(path, true, inputs, Stop::default(), |file| {
            if file.is_file() { Ok(()) } else { Err(SinkError::NotResumable(path.to_owned())) }
        })
    }

    /// Opens a file to write, and perhaps to read, if `accept` has nothing
    /// against one that exists.
    fn open(
        path: &Path,
        read: bool,
        inputs: &[impl AsRef<str>],
        stop: Stop,
        accept: impl Fn(&Metadata) -> Result<(), SinkError>,
    ) -> Result<Self, SinkError> {
        let wrong = |error| SinkError::io(path, error);
        let (file, blank) = match OpenOptions::new().read(read).write(true).create_new(true).open(path) {
            Ok(file) => (file, true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let mut is_pipe = false;
                if let Ok(metadata) = path.metadata() {
                    is_pipe = metadata.file_type().is_fifo();
                    if is_input(&metadata, inputs) {
                        return Err(SinkError::IsInput(path.to_owned()));
                    }
                    accept(&metadata)?;
                }
                let mut options = OpenOptions::new();
                options.read(read).write(true);
                let file = match is_pipe && !stop.is_never() {
                    true => open_pipe(path, &mut options, &stop)?,
                    false => options.create(true).truncate(false).open(path).map_err(wrong)?,
                };
                refuse_inputs(&file, path, inputs)?;
                (file, false)
            }
            Err(error) => return Err(wrong(error)),
        };
        let durable = file.metadata().is_ok_and(|metadata| metadata.is_file());
        // Where there are no locks, nobody else holds one.
        if durable && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(SinkError::Busy(path.to_owned()));
        }
        let len = if durable { file.metadata().map_err(wrong)?.len() } else { 0 };
        let mut sink = Self::new(file, path.to_owned()).with_stop(stop);
        (sink.durable, sink.blank, sink.len, sink.line) = (durable, blank, len, len);
        Ok(sink)
    }

    /// The file itself, to be read from its beginning.
    pub fn contents(&self) -> Result<File, SinkError> {
        let wrong = |error| SinkError::io(&self.name, error);
        let mut file = self.file.try_clone().map_err(wrong)?;
        file.rewind().map_err(wrong)?;
        Ok(file)
    }

    /// The checksum of the first `len` bytes of the file; none if it is shorter.
    pub fn checksum_of(&self, len: u64) -> Result<Option<Checksum>, SinkError> {
        let mut checksum = Checksum::default();
        let mut left = len;
        let mut buffer = vec![0; 64 << 10];
        let mut file = if len > 0 { self.contents()?.take(len) } else { return Ok(Some(checksum)) };
        while left > 0 {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(None),
                Ok(read) => {
                    checksum.add(&buffer[..read]);
                    left -= read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(SinkError::io(&self.name, error)),
            }
        }
        Ok(Some(checksum))
    }

    /// Truncates the file to its first `len` bytes, which end a line, and appends to them.
    pub fn cut(&mut self, len: u64) -> Result<(), SinkError> {
        self.checksum = self.checksum_of(len)?.unwrap_or_default();
        let cut = self.file.set_len(len).and_then(|()| self.file.seek(SeekFrom::Start(len)));
        self.len = cut.map_err(|error| SinkError::io(&self.name, error))?;
        self.line = self.len;
        Ok(())
    }

    /// The checksum of all bytes in the file.
    pub fn checksum(&self) -> u64 {
        self.checksum.value()
    }

    /// Bytes in the file, or written to where bytes do not stay.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether nothing is in the file, or has been written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether what is written stays: in a regular file of our own.
    pub fn is_durable(&self) -> bool {
        self.durable
    }

    /// Whether what is written appears on a terminal.
    pub fn is_terminal(&self) -> bool {
        self.file.is_terminal()
    }

    /// Has each chunk written wrapper of a call of `wrapper`.
    pub fn wrap_writes(mut self, wrapper: WriteWrapper) -> Self {
        self.wrapper = Some(wrapper);
        self
    }

    /// Writes a chunk of whole lines, or the next part of a long line.
    pub fn write_all(&mut self, chunk: &[u8]) -> Result<(), SinkError> {
        match self.wrapper {
            Some(wrapper) if !chunk.is_empty() => {
                let mut written = Ok(());
                wrapper(&mut || written = self.write_chunk(chunk));
                written
            }
            _ => self.write_chunk(chunk),
        }
    }

    fn write_chunk(&mut self, chunk: &[u8]) -> Result<(), SinkError> {
        self.blank &= chunk.is_empty();
        let mut rest = chunk;
        let may_block = !self.durable && !self.stop.is_never();
        while !rest.is_empty() {
            if may_block && (self.unread || !self.stop.wait_to_write(&self.file)) {
                self.unread = true;
                return Err(SinkError::Unread);
            }
            match self.file.write(if may_block { piece(rest) } else { rest }) {
                Ok(0) => return Err(self.stopped(chunk, rest, io::ErrorKind::WriteZero.into())),
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if may_block && error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(self.stopped(chunk, rest, error)),
            }
        }
        self.checksum.add(chunk);
        if let Some(newline) = memchr::memrchr(b'\n', chunk) {
            self.line = self.len + newline as u64 + 1;
        }
        self.len += chunk.len() as u64;
        Ok(())
    }

    /// The error that left a chunk unfinished. The beginning of a line is removed from a regular
    /// file, also from one that standard output was redirected to.
    fn stopped(&mut self, chunk: &[u8], rest: &[u8], error: io::Error) -> SinkError {
        let written = &chunk[..chunk.len() - rest.len()];
        let end = self.len + written.len() as u64;
        let line = memchr::memrchr(b'\n', written).map_or(self.line, |newline| self.len + newline as u64 + 1);
        // Truncating takes no room; if it fails all the same, the first error is reported.
        let _ = self.take_back(end - line);
        SinkError::io(&self.name, error)
    }

    /// Removes the last `bytes` bytes of a regular file, if nobody wrote behind them.
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        let metadata = self.file.metadata()?;
        if bytes > 0 && metadata.is_file() && self.file.stream_position()? == metadata.len() {
            self.file.set_len(metadata.len().saturating_sub(bytes))?;
            self.file.seek(SeekFrom::End(0))?;
        }
        Ok(())
    }

    /// Has what was written so far on its disk.
    pub fn sync(&mut self) -> Result<(), SinkError> {
        let synced = if self.durable { self.file.sync_data() } else { Ok(()) };
        synced.map_err(|error| SinkError::io(&self.name, error))
    }

    /// Ends the output; a file's data is on its disk when this returns.
    pub fn finish(mut self) -> Result<(), SinkError> {
        self.blank = false;
        self.sync()
    }
}

/// A run that fails before its first result leaves no empty file behind, which
/// would only stand in the way of the next attempt.
impl Drop for Sink {
    fn drop(&mut self) {
        if self.blank {
            let _ = disk::remove_own(&self.name, &self.file);
        }
    }
}

/// Opens a pipe as soon as it has a reader, unless it is time to stop.
fn open_pipe(path: &Path, options: &mut OpenOptions, stop: &Stop) -> Result<File, SinkError> {
    options.custom_flags(libc::O_NONBLOCK);
    loop {
        match options.open(path) {
            Err(error) if error.raw_os_error() == Some(libc::ENXIO) => {
                if !stop.pause() {
                    return Err(SinkError::Unread);
                }
            }
            opened => return opened.map_err(|error| SinkError::io(path, error)),
        }
    }
}

/// An error if an open file is one of the inputs.
fn refuse_inputs(file: &File, name: &Path, inputs: &[impl AsRef<str>]) -> Result<(), SinkError> {
    match file.metadata() {
        Ok(metadata) if is_input(&metadata, inputs) => Err(SinkError::IsInput(name.to_owned())),
        _ => Ok(()),
    }
}

/// Whether a file is the same as one of the inputs, by device and inode. Only
/// what keeps its contents counts: a terminal may well be both.
fn is_input(output: &Metadata, inputs: &[impl AsRef<str>]) -> bool {
    let identity = |metadata: &Metadata| (metadata.dev(), metadata.ino());
    let same = |input: &str| {
        let metadata = match input {
            "-" => io::stdin().as_fd().try_clone_to_owned().and_then(|fd| File::from(fd).metadata()),
            name => crate::files::name::path_of(name).metadata(),
        };
        metadata.is_ok_and(|metadata| identity(&metadata) == identity(output))
    };
    output.is_file() && inputs.iter().any(|input| same(input.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const NONE: &[&str] = &[];

    #[test]
    fn an_existing_file_is_kept_unless_forced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results.txt");
        let mut sink = Sink::create(&path, false, NONE).unwrap();
        sink.write_all(b"1\tsolved\t0\t\n").unwrap();
        sink.finish().unwrap();
        let error = Sink::create(&path, false, NONE).unwrap_err();
        assert!(error.to_string().ends_with("results.txt: exists already (--force overwrites it)"));
        assert_eq!(fs::read(&path).unwrap(), b"1\tsolved\t0\t\n");
        Sink::create(&path, true, NONE).unwrap().finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn a_run_that_fails_at_once_leaves_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results.txt");
        drop(Sink::create(&path, false, NONE).unwrap());
        assert!(!path.exists());
        Sink::create(&path, false, NONE).unwrap().finish().unwrap();
        assert!(path.exists());
        drop(Sink::create(&path, true, NONE).unwrap());
        assert!(path.exists());
    }

    #[test]
    fn an_input_is_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let (input, link) = (dir.path().join("puzzles.txt"), dir.path().join("link.txt"));
        fs::write(&input, "1 2 3 4 5 6 7 8 0\n").unwrap();
        fs::hard_link(&input, &link).unwrap();
        let inputs = ["missing.txt", input.to_str().unwrap()];
        for (output, force) in [(&input, true), (&link, true), (&link, false)] {
            assert!(matches!(Sink::create(output, force, &inputs), Err(SinkError::IsInput(_))));
        }
        assert_eq!(fs::read(&input).unwrap().len(), 18);
    }

    #[test]
    fn devices_need_no_force() {
        let mut sink = Sink::create(Path::new("/dev/null"), false, &["/dev/null"]).unwrap();
        sink.write_all(b"x\n").unwrap();
        sink.finish().unwrap();
    }

    #[test]
    fn a_full_disk_and_a_closed_pipe_differ() {
        let mut full = Sink::create(Path::new("/dev/full"), false, NONE).unwrap();
        assert!(matches!(full.write_all(b"x\n"), Err(SinkError::Io { .. })));
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        let mut sink = Sink::new(file, "pipe".into());
        assert!(matches!(sink.write_all(b"x\n"), Err(SinkError::Closed)));
        let mut sink = sink.with_stop(Stop::when(|| false));
        assert!(matches!(sink.write_all(b"x\n"), Err(SinkError::Closed)));
    }

    #[test]
    fn a_pipe_that_nobody_reads_is_given_up_when_it_is_time_to_stop() {
        let (reader, writer) = io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        let mut sink = Sink::new(file, "pipe".into()).with_stop(Stop::when(|| true));
        let chunk = b"a line of twenty-two b\n".repeat(100_000);
        assert!(matches!(sink.write_all(&chunk), Err(SinkError::Unread)));
        assert!(matches!(sink.write_all(b"x\n"), Err(SinkError::Unread)));
        drop(sink);
        let read = io::read_to_string(reader).unwrap();
        assert!(read.len() >= 4096 && chunk.starts_with(read.as_bytes()) && read.ends_with('\n'));
    }

    #[test]
    fn a_file_is_gone_on_with_behind_what_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results.txt");
        fs::write(&path, "one\ntwo\nthr").unwrap();
        let mut sink = Sink::reopen(&path, NONE).unwrap();
        assert!(matches!(Sink::reopen(&path, NONE), Err(SinkError::Busy(_))));
        assert_eq!(io::read_to_string(sink.contents().unwrap()).unwrap(), "one\ntwo\nthr");
        sink.cut(4).unwrap();
        assert!(!sink.is_empty());
        sink.write_all(b"zwei\n").unwrap();
        assert_eq!(sink.checksum_of(9).unwrap().unwrap().value(), sink.checksum());
        assert!(sink.checksum_of(10).unwrap().is_none());
        sink.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one\nzwei\n");
        assert!(matches!(Sink::reopen(Path::new("/dev/null"), NONE), Err(SinkError::NotResumable(_))));
    }

    #[test]
    fn a_folder_is_no_file() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Sink::create(dir.path(), true, NONE), Err(SinkError::Io { .. })));
        assert!(matches!(Sink::create(&dir.path().join("no/such"), false, NONE), Err(SinkError::Io { .. })));
    }
}
