//! Destination of results: standard output or a file.
//!
//! Invariants:
//!
//! - Each chunk of whole lines is written at once, so a run that ends early leaves complete lines.
//!   If the disk fills up within a line, the beginning of the line is removed.
//! - An existing file is kept unless the user passes `--force`.
//! - An input is never overwritten.
//! - A file that another run is writing is refused.

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
    /// Whether the destination is a regular file, which is synced at the end.
    durable: bool,
    /// Whether the file is new and empty, so that it is removed on failure.
    blank: bool,
    /// Bytes in the file, or bytes written if the destination stores none.
    len: u64,
    /// Called around each write.
    wrapper: Option<WriteWrapper>,
    /// Tells when to abandon a write that no reader accepts.
    stop: Stop,
    /// Whether a write was abandoned.
    unread: bool,
    /// Offset of the last line start.
    line: u64,
    /// Checksum of all bytes in the file.
    checksum: Checksum,
}

/// Wrapper of a write: calls its argument once.
pub type WriteWrapper = fn(&mut dyn FnMut());

/// Reason why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The file exists and may not be overwritten.
    #[error("{}: exists already (--force overwrites it)", .0.display())]
    Exists(PathBuf),
    /// Another run holds the file.
    #[error("{}: another run is writing it", .0.display())]
    Busy(PathBuf),
    /// The destination cannot be resumed.
    #[error("{}: is no regular file, so there is nothing to resume", .0.display())]
    NotResumable(PathBuf),
    /// The destination is one of the puzzle files.
    #[error("{}: is both an input and the output", .0.display())]
    IsInput(PathBuf),
    /// The reader of the output has closed it. This is not an error of the run, but there is no
    /// reason to continue.
    #[error("the reader closed the output")]
    Closed,
    /// The run should end, and no reader accepts the output.
    #[error("interrupted while waiting for a reader of the results")]
    Unread,
    /// Any other error.
    #[error("{}: {source}", name.display())]
    Io {
        /// Name of the destination.
        name: PathBuf,
        /// Error of the system.
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

    /// Opens standard output, unless it was redirected into one of the inputs.
    pub fn stdout(inputs: &[impl AsRef<str>]) -> Result<Self, SinkError> {
        let name = PathBuf::from("standard output");
        // A duplicate without a buffer: chunks are complete lines.
        let file = io::stdout().as_fd().try_clone_to_owned().map(File::from);
        let file = file.map_err(|error| SinkError::io(&name, error))?;
        refuse_inputs(&file, &name, inputs)?;
        Ok(Self::new(file, name))
    }

    /// Sets the condition for abandoning writes that no reader accepts.
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Creates a file. With `force`, overwrites an existing one that is not an input.
    pub fn create(path: &Path, force: bool, inputs: &[impl AsRef<str>]) -> Result<Self, SinkError> {
        Self::create_until(path, force, inputs, Stop::default())
    }

    /// Creates a file like [`Sink::create`], with a `stop` condition.
    pub fn create_until(
        path: &Path,
        force: bool,
        inputs: &[impl AsRef<str>],
        stop: Stop,
    ) -> Result<Self, SinkError> {
        // Devices and pipes have no contents to lose.
        let keeps = |file: &Metadata| file.is_file() && !force;
        let mut sink = Self::open(path, false, inputs, stop, |file| {
            if keeps(file) { Err(SinkError::Exists(path.to_owned())) } else { Ok(()) }
        })?;
        // Truncate only after it is known to be neither an input nor locked by another run.
        if sink.durable {
            sink.cut(0)?;
        }
        Ok(sink)
    }

    /// Opens an existing file unchanged, or creates one. [`Sink::cut`] then sets where to append.
    pub fn reopen(path: &Path, inputs: &[impl AsRef<str>]) -> Result<Self, SinkError> {
        Self::open(path, true, inputs, Stop::default(), |file| {
            if file.is_file() { Ok(()) } else { Err(SinkError::NotResumable(path.to_owned())) }
        })
    }

    /// Opens a file for writing, and for reading if `read`. `accept` decides about an existing
    /// file.
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
        // A file system without locks has no other holder.
        if durable && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(SinkError::Busy(path.to_owned()));
        }
        let len = if durable { file.metadata().map_err(wrong)?.len() } else { 0 };
        let mut sink = Self::new(file, path.to_owned()).with_stop(stop);
        (sink.durable, sink.blank, sink.len, sink.line) = (durable, blank, len, len);
        Ok(sink)
    }

    /// Returns the file, positioned at its beginning.
    pub fn contents(&self) -> Result<File, SinkError> {
        let wrong = |error| SinkError::io(&self.name, error);
        let mut file = self.file.try_clone().map_err(wrong)?;
        file.rewind().map_err(wrong)?;
        Ok(file)
    }

    /// Returns the checksum of the first `len` bytes, or `None` if the file is shorter.
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

    /// Truncates the file to its first `len` bytes, which end a line, and appends from there.
    pub fn cut(&mut self, len: u64) -> Result<(), SinkError> {
        self.checksum = self.checksum_of(len)?.unwrap_or_default();
        let cut = self.file.set_len(len).and_then(|()| self.file.seek(SeekFrom::Start(len)));
        self.len = cut.map_err(|error| SinkError::io(&self.name, error))?;
        self.line = self.len;
        Ok(())
    }

    /// Returns the checksum of all bytes in the file.
    pub fn checksum(&self) -> u64 {
        self.checksum.value()
    }

    /// Returns the bytes in the file, or the bytes written if the destination stores none.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether nothing is in the file, or was written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether the destination is a regular file.
    pub fn is_durable(&self) -> bool {
        self.durable
    }

    /// Returns whether the destination is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.file.is_terminal()
    }

    /// Sets a wrapper that is called around each write of a chunk.
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
                Ok(0) => return Err(self.write_failed(chunk, rest, io::ErrorKind::WriteZero.into())),
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if may_block && error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(self.write_failed(chunk, rest, error)),
            }
        }
        self.checksum.add(chunk);
        if let Some(newline) = memchr::memrchr(b'\n', chunk) {
            self.line = self.len + newline as u64 + 1;
        }
        self.len += chunk.len() as u64;
        Ok(())
    }

    /// Returns the error that left a chunk unfinished. Removes the incomplete last line from a
    /// regular file, also if standard output was redirected to it.
    fn write_failed(&mut self, chunk: &[u8], rest: &[u8], error: io::Error) -> SinkError {
        let written = &chunk[..chunk.len() - rest.len()];
        let end = self.len + written.len() as u64;
        let line = memchr::memrchr(b'\n', written).map_or(self.line, |newline| self.len + newline as u64 + 1);
        // Truncating needs no disk space; if it fails nevertheless, the first error is reported.
        let _ = self.remove_tail(end - line);
        SinkError::io(&self.name, error)
    }

    /// Removes the last `bytes` bytes of a regular file, unless another process appended to it.
    fn remove_tail(&mut self, bytes: u64) -> io::Result<()> {
        let metadata = self.file.metadata()?;
        if bytes > 0 && metadata.is_file() && self.file.stream_position()? == metadata.len() {
            self.file.set_len(metadata.len().saturating_sub(bytes))?;
            self.file.seek(SeekFrom::End(0))?;
        }
        Ok(())
    }

    /// Syncs the data written so far to disk.
    pub fn sync(&mut self) -> Result<(), SinkError> {
        let synced = if self.durable { self.file.sync_data() } else { Ok(()) };
        synced.map_err(|error| SinkError::io(&self.name, error))
    }

    /// Ends the output. The data of a file is on disk when this returns.
    pub fn finish(mut self) -> Result<(), SinkError> {
        self.blank = false;
        self.sync()
    }
}

/// Removes a new file without results, so that it does not block the next attempt.
impl Drop for Sink {
    fn drop(&mut self) {
        if self.blank {
            let _ = disk::remove_own(&self.name, &self.file);
        }
    }
}

/// Opens a pipe as soon as it has a reader, unless `stop` is due.
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

/// Returns an error if an open file is one of the inputs.
fn refuse_inputs(file: &File, name: &Path, inputs: &[impl AsRef<str>]) -> Result<(), SinkError> {
    match file.metadata() {
        Ok(metadata) if is_input(&metadata, inputs) => Err(SinkError::IsInput(name.to_owned())),
        _ => Ok(()),
    }
}

/// Returns whether `output` is one of the inputs, by device and inode. Only regular files count: a
/// terminal can be both.
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
    fn a_failed_run_without_results_leaves_no_file() {
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
    fn a_write_to_an_unread_pipe_is_abandoned_on_stop() {
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
    fn a_reopened_file_is_truncated_and_appended() {
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
    fn a_folder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Sink::create(dir.path(), true, NONE), Err(SinkError::Io { .. })));
        assert!(matches!(Sink::create(&dir.path().join("no/such"), false, NONE), Err(SinkError::Io { .. })));
    }
}
