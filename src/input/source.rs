//! Source of bytes: a mapped file, window by window, or a stream. A compressed file is a stream of
//! its text.

use super::{Compression, InputError, guard};
use crate::files::name::path_of;
use std::{
    fs::{File, Metadata},
    io::{self, ErrorKind, Read, Seek, SeekFrom},
    sync::Arc,
    time::SystemTime,
};

/// Bytes mapped, copied and unmapped at a time.
pub(super) const WINDOW: usize = 512 << 10;

/// An open puzzle file.
pub(super) struct Source {
    name: Arc<str>,
    /// Bytes returned so far.
    offset: u64,
    bytes: Bytes,
}

enum Bytes {
    Mapped(State),
    /// A stream, with the state of the compressed file behind it, if there is one.
    Stream(Box<dyn Read + Send>, Option<State>),
}

/// State of a file when it was opened.
struct State {
    file: File,
    len: u64,
    modified: Option<SystemTime>,
}

impl Source {
    /// Opens a file by the [text of its name](crate::files::name). `-` is standard input. `window`
    /// is the maximum window of a compressed file, in bytes.
    pub(super) fn open(name: &str, window: Option<u64>) -> Result<Self, InputError> {
        if name == "-" {
            return Ok(Self::stream(name, io::stdin(), window));
        }
        let name: Arc<str> = name.into();
        let failed = |source| InputError::Open { file: name.clone(), source };
        let file = File::open(path_of(&name)).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(InputError::Directory { file: name });
        }
        // Pipes, devices, and files of /proc that report size 0 are read as streams.
        let regular = metadata.is_file() && metadata.len() > 0;
        let state = |file| State { len: metadata.len(), modified: modified(&metadata), file };
        let bytes = match Compression::of(&name) {
            None if regular => Bytes::Mapped(state(file)),
            None => Bytes::Stream(Box::new(file), None),
            Some(compression) => {
                let copy = if regular { Some(state(file.try_clone().map_err(failed)?)) } else { None };
                Bytes::Stream(compression.decompress(file, window), copy)
            }
        };
        Ok(Self { name, offset: 0, bytes })
    }

    /// Creates a source from a stream, which may be compressed.
    pub(super) fn stream(name: &str, stream: impl Read + Send + 'static, window: Option<u64>) -> Self {
        let stream = match Compression::of(name) {
            Some(compression) => compression.decompress(stream, window),
            None => Box::new(stream),
        };
        Self { name: name.into(), offset: 0, bytes: Bytes::Stream(stream, None) }
    }

    /// Returns the name as given.
    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the total number of bytes, if it is known.
    pub(super) fn len(&self) -> Option<u64> {
        match &self.bytes {
            Bytes::Mapped(state) => Some(state.len),
            Bytes::Stream(..) => None,
        }
    }

    /// Appends the next bytes, at most one window. Returns 0 at the end.
    pub(super) fn read_into(&mut self, buffer: &mut Vec<u8>) -> Result<usize, InputError> {
        let read = match &mut self.bytes {
            Bytes::Mapped(State { file, len, .. }) => {
                let want = (*len - self.offset).min(WINDOW as u64) as usize;
                match guard_copy(file, self.offset, want, buffer) {
                    // A file system without mappings, such as sysfs, may also report wrong sizes:
                    // continue as a stream.
                    Err(error) if error.raw_os_error() == Some(libc::ENODEV) => {
                        self.become_stream()?;
                        return self.read_into(buffer);
                    }
                    Ok((_, now)) if now < self.offset + want as u64 => {
                        let (file, expected) = (self.name.clone(), *len);
                        return Err(InputError::Truncated { file, offset: now, expected });
                    }
                    copied => copied.map(|(copied, _)| copied),
                }
            }
            Bytes::Stream(stream, _) => read_some(stream, buffer),
        };
        match read {
            Ok(bytes) => {
                self.offset += bytes as u64;
                Ok(bytes)
            }
            Err(source) => Err(InputError::Read { file: self.name.clone(), offset: self.offset, source }),
        }
    }

    /// Switches to stream reads for the rest of the file.
    fn become_stream(&mut self) -> Result<(), InputError> {
        let Bytes::Mapped(State { file, len, modified }) = &self.bytes else { return Ok(()) };
        let copy = file.try_clone().and_then(|mut copy| {
            copy.seek(SeekFrom::Start(self.offset))?;
            Ok(copy)
        });
        let copied = |source| InputError::Read { file: self.name.clone(), offset: self.offset, source };
        let state = State { file: copy.map_err(copied)?, len: *len, modified: *modified };
        let stream = state.file.try_clone().map_err(copied)?;
        self.bytes = Bytes::Stream(Box::new(stream), Some(state));
        Ok(())
    }

    /// Returns an error if the file changed since it was opened.
    pub(super) fn finish(&self) -> Result<(), InputError> {
        let (Bytes::Mapped(state) | Bytes::Stream(_, Some(state))) = &self.bytes else { return Ok(()) };
        let State { file, len, modified: then } = state;
        match file.metadata() {
            Ok(now) if now.len() == *len && modified(&now) == *then => Ok(()),
            _ => Err(InputError::Changed { file: self.name.clone() }),
        }
    }
}

fn modified(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

/// Copies a window, then reads the file's size. The smaller of both ends counts.
fn guard_copy(file: &mut File, offset: u64, want: usize, buffer: &mut Vec<u8>) -> io::Result<(usize, u64)> {
    if want == 0 {
        return Ok((0, offset));
    }
    let copied = guard::copy(file, offset, want, buffer)?;
    let len = file.metadata()?.len();
    Ok((copied, if copied < want { len.min(offset + copied as u64) } else { len }))
}

/// Appends the bytes of one successful read.
fn read_some(stream: &mut dyn Read, buffer: &mut Vec<u8>) -> io::Result<usize> {
    const READ: usize = 64 << 10;
    let start = buffer.len();
    buffer.resize(start + READ, 0);
    let read = loop {
        match stream.read(&mut buffer[start..]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    buffer.truncate(start + *read.as_ref().unwrap_or(&0));
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn unreadable_files_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        assert!(matches!(Source::open(path, None), Err(InputError::Directory { .. })));
        let missing = Source::open(&format!("{path}/none.txt"), None).err().unwrap().to_string();
        assert!(missing.starts_with("cannot open ") && missing.contains("none.txt"), "{missing}");
    }

    #[test]
    fn a_file_is_read_completely_window_by_window() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let text: Vec<u8> = (0..WINDOW * 2 + 777).map(|i| i as u8).collect();
        file.write_all(&text).unwrap();
        let mut source = Source::open(file.path().to_str().unwrap(), None).unwrap();
        assert_eq!(source.len(), Some(text.len() as u64));
        let mut read = Vec::new();
        while source.read_into(&mut read).unwrap() > 0 {}
        assert_eq!(read, text);
        source.finish().unwrap();
        file.write_all(b"more").unwrap();
        assert!(matches!(source.finish(), Err(InputError::Changed { .. })));
    }

    #[test]
    fn a_truncated_file_is_an_error_with_its_offset() {
        for cut in [WINDOW as u64 + 5, WINDOW as u64 + 4096 * 3, 17] {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&vec![b'1'; WINDOW * 3]).unwrap();
            let mut source = Source::open(file.path().to_str().unwrap(), None).unwrap();
            let mut read = Vec::new();
            source.read_into(&mut read).unwrap();
            file.as_file().set_len(cut).unwrap();
            match source.read_into(&mut read) {
                Err(InputError::Truncated { offset, expected, .. }) => {
                    assert_eq!((offset, expected), (cut, WINDOW as u64 * 3));
                }
                other => panic!("{other:?}"),
            }
            assert!(source.finish().is_err());
        }
    }
}
