//! Where results go: standard output or a file of their own.
//!
//! The sink takes chunks of whole lines and hands each to the system at once,
//! so that a run that ends early leaves complete lines. A file that exists is
//! kept unless the user said otherwise, and an input is never overwritten.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Write},
    os::{fd::AsFd, unix::fs::MetadataExt},
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
}

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The file exists and may not be overwritten.
    #[error("{}: exists already (--force overwrites it)", .0.display())]
    Exists(PathBuf),
    /// The destination is one of the puzzle files.
    #[error("{}: is both an input and the output", .0.display())]
    IsInput(PathBuf),
    /// The reader of our output has gone: no error of ours, and no use in going
    /// on.
    #[error("the reader of the results has gone")]
    Closed,
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
    /// Standard output, unless it was redirected into one of the inputs.
    pub fn stdout(inputs: &[impl AsRef<str>]) -> Result<Self, SinkError> {
        let name = PathBuf::from("standard output");
        // A duplicate without a buffer: chunks are whole already.
        let file = io::stdout().as_fd().try_clone_to_owned().map(File::from);
        let file = file.map_err(|error| SinkError::io(&name, error))?;
        refuse_inputs(&file, &name, inputs)?;
        Ok(Self { file, name, durable: false, blank: false })
    }

    /// A new file; with `force`, also one that exists and is not an input.
    pub fn create(path: &Path, force: bool, inputs: &[impl AsRef<str>]) -> Result<Self, SinkError> {
        let wrong = |error| SinkError::io(path, error);
        let (file, blank) = match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => (file, true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // Devices and pipes hold nothing that could be lost.
                let keeps = path.metadata().is_ok_and(|metadata| metadata.is_file());
                if keeps && is_input(&path.metadata().map_err(wrong)?, inputs) {
                    return Err(SinkError::IsInput(path.to_owned()));
                }
                if keeps && !force {
                    return Err(SinkError::Exists(path.to_owned()));
                }
                // Emptied only once it is known not to be an input.
                let file =
                    OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(wrong)?;
                refuse_inputs(&file, path, inputs)?;
                if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
                    file.set_len(0).map_err(wrong)?;
                }
                (file, false)
            }
            Err(error) => return Err(wrong(error)),
        };
        let durable = file.metadata().is_ok_and(|metadata| metadata.is_file());
        Ok(Self { file, name: path.to_owned(), durable, blank })
    }

    /// Writes a chunk of whole lines.
    pub fn write_all(&mut self, chunk: &[u8]) -> Result<(), SinkError> {
        self.blank &= chunk.is_empty();
        self.file.write_all(chunk).map_err(|error| SinkError::io(&self.name, error))
    }

    /// Ends the output; a file's data is on its disk when this returns.
    pub fn finish(mut self) -> Result<(), SinkError> {
        self.blank = false;
        let end = self.file.flush().and_then(|()| if self.durable { self.file.sync_data() } else { Ok(()) });
        end.map_err(|error| SinkError::io(&self.name, error))
    }
}

/// A run that fails before its first result leaves no empty file behind, which
/// would only stand in the way of the next attempt.
impl Drop for Sink {
    fn drop(&mut self) {
        if self.blank {
            let _ = fs::remove_file(&self.name);
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
            path => Path::new(path).metadata(),
        };
        metadata.is_ok_and(|metadata| identity(&metadata) == identity(output))
    };
    output.is_file() && inputs.iter().any(|input| same(input.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut sink = Sink { file, name: "pipe".into(), durable: false, blank: false };
        assert!(matches!(sink.write_all(b"x\n"), Err(SinkError::Closed)));
    }

    #[test]
    fn a_folder_is_no_file() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Sink::create(dir.path(), true, NONE), Err(SinkError::Io { .. })));
        assert!(matches!(Sink::create(&dir.path().join("no/such"), false, NONE), Err(SinkError::Io { .. })));
    }
}
