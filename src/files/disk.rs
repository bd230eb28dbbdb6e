//! Creates, replaces and removes the files beside the results.
//!
//! Invariants:
//! * A FIFO, a device or a folder in place of a file is an error; opening it never blocks.
//! * A file is written under a unique name (`O_EXCL`, a random part) and then renamed, so a reader
//!   finds either the previous file or the new one.
//! * Only files of this process are deleted.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Opens a regular file for reading. Anything else is an error of kind
/// [`ErrorKind::InvalidInput`].
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    open_with(path, 0)
}

/// Reads a regular file of up to `max` bytes that is not a symbolic link. A longer file is an error
/// of kind [`ErrorKind::FileTooLarge`].
pub(crate) fn read_bounded(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_with(path, libc::O_NOFOLLOW)?.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

fn open_with(path: &Path, flags: i32) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | flags).open(path);
    let file = file.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP | libc::ENXIO) => not_regular(),
        _ => error,
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

fn not_regular() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "this is not a regular file")
}

/// Removes the file at `path` if it is still the open `file`.
pub(crate) fn remove_own(path: &Path, file: &File) -> io::Result<()> {
    let (own, found) = (file.metadata()?, fs::symlink_metadata(path)?);
    match (own.dev(), own.ino()) == (found.dev(), found.ino()) {
        true => fs::remove_file(path),
        false => Ok(()),
    }
}

/// A temporary file in the folder of its target. It is deleted unless it is renamed to the target.
#[derive(Debug)]
pub(crate) struct Draft {
    file: NamedTempFile,
    target: PathBuf,
}

impl Draft {
    /// Creates an empty draft. Its name is that of `target`, a random part and `suffix`.
    pub(crate) fn new(target: &Path, suffix: &str) -> io::Result<Self> {
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut name = OsString::from(target.file_name().unwrap_or_default());
        name.push(".");
        let file = tempfile::Builder::new()
            .prefix(&name)
            .suffix(suffix)
            // The default mode of new files; the umask applies.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))?;
        Ok(Self { file, target: target.to_owned() })
    }

    /// Renames the draft to its target and replaces a regular file there. Anything else at the target
    /// is an error and stays.
    pub(crate) fn replace(self) -> io::Result<File> {
        match fs::symlink_metadata(&self.target) {
            Ok(there) if !there.is_file() => Err(not_regular()),
            Err(error) if error.kind() == ErrorKind::NotFound => self.create(),
            _ => self.file.persist(&self.target).map_err(|error| error.error),
        }
    }

    /// Renames the draft to its target, which must not exist.
    pub(crate) fn create(self) -> io::Result<File> {
        self.file.persist_noclobber(&self.target).map_err(|error| error.error)
    }

    /// Syncs the contents to disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.as_file().sync_all()
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn draft(target: &Path, text: &str) -> Draft {
        let mut draft = Draft::new(target, ".draft").unwrap();
        draft.write_all(text.as_bytes()).unwrap();
        draft
    }

    #[test]
    fn only_regular_files_are_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (target, other) = (dir.path().join("target"), dir.path().join("other"));
        fs::write(&other, "other").unwrap();
        draft(&target, "one").create().unwrap();
        assert!(draft(&target, "two").create().is_err());
        draft(&target, "three").replace().unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "three");
        assert_eq!(target.metadata().unwrap().permissions().mode() & 0o600, 0o600);
        fs::remove_file(&target).unwrap();
        symlink(&other, &target).unwrap();
        assert_eq!(draft(&target, "four").replace().unwrap_err().kind(), ErrorKind::InvalidInput);
        assert!(read_bounded(&target, 100).is_err() && open_regular(&target).is_ok());
        assert_eq!(fs::read_to_string(&other).unwrap(), "other");
        // Drafts that were not renamed are deleted.
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        assert!(open_regular(dir.path()).is_err() && open_regular(Path::new("/dev/zero")).is_err());
        assert_eq!(read_bounded(&other, 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read_bounded(&other, 5).unwrap(), b"other");
    }

    #[test]
    fn only_own_files_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let file = File::create(&path).unwrap();
        fs::rename(&path, dir.path().join("moved")).unwrap();
        fs::write(&path, "another").unwrap();
        remove_own(&path, &file).unwrap();
        assert!(path.exists());
        remove_own(&dir.path().join("moved"), &file).unwrap();
        assert!(!dir.path().join("moved").exists());
    }
}
