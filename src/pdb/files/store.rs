//! Databases in files, so that each is built once.
//!
//! A file consists of a header of one page and the table as it is in memory. It is written
//! under another name and renamed when complete, so a file is always whole, even if several
//! programs write at once.
//!
//! Files are read, not mapped: every byte must be checked anyway; private memory can have huge
//! pages; and a file that is truncated meanwhile causes an error, not a signal.

use crate::files::disk::{self, Draft};
use crate::memory::arena::Arena;
use crate::pdb::database::{Database, table_bytes};
use crate::pdb::geometry::canonical::Frame;
use crate::pdb::geometry::classes::Classes;
use crate::pdb::geometry::pattern::Pattern;
use crate::puzzle::tiles::Size;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Size of the header in bytes. For its content see [`Header`].
const HEADER: usize = 4096;

/// Number of header words before the counts.
const FIXED_WORDS: usize = 8;

/// First word of every file: identifies the format and the byte order.
const MAGIC: u64 = u64::from_ne_bytes(*b"bs-pdb\r\n");

/// Format version, raised whenever the layout of the table or the header changes.
const VERSION: u64 = 3;

/// Extension of the files.
const EXTENSION: &str = "bspdb";

/// Number of words read or written at a time.
const CHUNK: usize = 1 << 17;

/// Folder of database files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// Reason why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Damage {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The file is not a database of this version.
    #[error("is not a pattern database of this program's version")]
    Foreign,
    /// The file has the wrong length.
    #[error("has the wrong size: expected {expected} bytes, found {found}")]
    Length {
        /// Actual size in bytes.
        found: u64,
        /// Expected size in bytes.
        expected: u64,
    },
    /// The content does not match its checksum.
    #[error("is damaged: its checksum is wrong")]
    Checksum,
}

/// Header of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Header {
    pattern: Pattern,
    /// Number of words of the table.
    words: u64,
    /// Checksum of the table.
    checksum: u64,
    /// Number of states at each distance.
    counts: Vec<u64>,
}

impl Header {
    fn to_words(&self) -> Vec<u64> {
        let Pattern { frame, homes, blank } = self.pattern;
        let mut words = vec![MAGIC, VERSION, (frame.rows << 32 | frame.cols) as u64];
        words.extend([homes.into(), blank.into(), self.words, self.checksum, self.counts.len() as u64]);
        words.extend(&self.counts);
        words.resize(HEADER / 8 - 1, 0);
        words.push(checksum(0, &words));
        words
    }

    /// Decodes a header; `None` if the words are no valid header.
    fn from_words(words: &[u64]) -> Option<Self> {
        let (&sum, words) = words.split_last()?;
        let &[MAGIC, VERSION, sides, homes, blank, table, checksum_of_table, counts] =
            words.get(..FIXED_WORDS)?
        else {
            return None;
        };
        if sum != checksum(0, words) {
            return None;
        }
        let (rows, cols) = ((sides >> 32) as usize, sides as u32 as usize);
        let frame = Frame::new(Size::new(rows, cols).ok()?).filter(|frame| frame.rows == rows)?;
        let pattern = Pattern::new(frame, homes.try_into().ok()?, blank.try_into().ok()?)?;
        let counts = words[FIXED_WORDS..].get(..usize::try_from(counts).ok()?)?.to_vec();
        // A database has a goal state, and its number of states fits 64 bits.
        counts.first()?;
        counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count))?;
        Some(Self { pattern, words: table, checksum: checksum_of_table, counts })
    }

    fn read(file: &mut impl Read) -> Result<Self, Damage> {
        let mut words = vec![0u64; HEADER / 8];
        match file.read_exact(bytemuck::cast_slice_mut(&mut words)) {
            Ok(()) => Self::from_words(&words).ok_or(Damage::Foreign),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(Damage::Foreign),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the checksum of `words`, continuing from the checksum `before` of earlier words. A
/// change of one word always changes it, other changes almost always.
pub(crate) fn checksum(before: u64, words: &[u64]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [before, 1, 2, 3];
    let mut fours = words.chunks_exact(4);
    for four in &mut fours {
        for (lane, word) in lanes.iter_mut().zip(four) {
            *lane = (*lane ^ word).wrapping_mul(FACTOR).rotate_left(29);
        }
    }
    let last = lanes.iter().chain(fours.remainder());
    last.fold(words.len() as u64, |sum, word| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29))
}

/// Returns the checksum of a table, computed over the chunks in which it is written.
fn table_checksum(words: &[u64]) -> u64 {
    words.chunks(CHUNK).fold(0, checksum)
}

impl Store {
    /// Creates a store in `folder`, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the store in the user's cache folder; `None` if the environment names no home
    /// folder.
    pub fn of_user() -> Option<Self> {
        let from = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache = from("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        cache.or_else(|| Some(from("HOME")?.join(".cache"))).map(|cache| Self::new(cache.join("batch-solve")))
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the file for `pattern`, whether it exists or not.
    pub fn path(&self, pattern: Pattern) -> PathBuf {
        self.folder.join(format!("{pattern}.{EXTENSION}"))
    }

    /// Returns whether there is a file for `pattern`, valid or not.
    pub fn has(&self, pattern: Pattern) -> bool {
        self.path(pattern).is_file()
    }

    /// Loads the database of `pattern`; `None` if there is no file.
    pub(in crate::pdb) fn load(
        &self,
        pattern: Pattern,
        classes: &Arc<Classes>,
    ) -> Result<Option<Database>, Damage> {
        let mut file = match disk::open_regular(&self.path(pattern)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let header = Header::read(&mut file)?;
        let bytes = table_bytes(classes, pattern.tiles());
        if header.pattern != pattern || header.words != bytes / 8 {
            return Err(Damage::Foreign);
        }
        let (found, expected) = (file.metadata()?.len(), bytes + HEADER as u64);
        if found != expected {
            return Err(Damage::Length { found, expected });
        }
        let mut table = Arena::new(bytes as usize, bytes as usize)?;
        let mut sum = 0;
        for chunk in table.words_mut()[..bytes as usize / 8].chunks_mut(CHUNK) {
            file.read_exact(bytemuck::cast_slice_mut(chunk))?;
            sum = checksum(sum, chunk);
        }
        if sum != header.checksum {
            return Err(Damage::Checksum);
        }
        Ok(Some(Database::new(pattern, classes.clone(), table, header.counts)))
    }

    /// Writes a database and returns the size of its file.
    pub(in crate::pdb) fn save(&self, database: &Database) -> io::Result<u64> {
        fs::create_dir_all(&self.folder)?;
        let mut draft = Draft::new(&self.path(database.pattern()), ".draft")?;
        let bytes = Self::write(&mut draft, database)?;
        draft.sync()?;
        draft.replace()?;
        Ok(bytes)
    }

    fn write(file: &mut impl Write, database: &Database) -> io::Result<u64> {
        let words = database.words();
        let header = Header {
            pattern: database.pattern(),
            words: words.len() as u64,
            checksum: table_checksum(words),
            counts: database.counts().to_vec(),
        };
        file.write_all(bytemuck::cast_slice(&header.to_words()))?;
        for chunk in words.chunks(CHUNK) {
            file.write_all(bytemuck::cast_slice(chunk))?;
        }
        Ok((HEADER + words.len() * 8) as u64)
    }

    /// Returns all files in the folder, sorted by name, with the content of their headers. The
    /// list includes unfinished drafts.
    pub fn list(&self) -> io::Result<Vec<StoreEntry>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut listed = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            if extension != EXTENSION && extension != "draft" {
                continue;
            }
            let bytes = fs::metadata(&path).map_or(0, |metadata| metadata.len());
            let header =
                disk::open_regular(&path).map_err(Damage::from).and_then(|mut file| Header::read(&mut file));
            listed.push(StoreEntry {
                bytes,
                content: header.map(|header| (header.pattern, header.counts)),
                path,
            });
        }
        listed.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listed)
    }
}

/// File in a store.
#[derive(Debug)]
pub struct StoreEntry {
    /// Path of the file.
    pub path: PathBuf,
    /// Size in bytes.
    pub bytes: u64,
    /// Pattern and number of states at each distance, or the reason why the file is invalid.
    pub content: Result<(Pattern, Vec<u64>), Damage>,
}

impl StoreEntry {
    /// Returns whether this is an unfinished file of a program that was stopped while writing.
    pub fn is_draft(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "draft")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdb::build;

    fn example() -> (Database, Arc<Classes>) {
        let frame = Frame { rows: 4, cols: 3 };
        let pattern = Pattern::new(frame, 0b1_0011_0110, 11).unwrap().canonical().0;
        let classes = Arc::new(Classes::new(frame, 5).unwrap());
        (build::build(pattern, &classes, 2, &|_, _| true).unwrap(), classes)
    }

    #[test]
    fn a_saved_database_is_loaded_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("deep/er"));
        let (database, classes) = example();
        let pattern = database.pattern();
        assert!(!store.has(pattern));
        assert!(store.load(pattern, &classes).unwrap().is_none());
        assert!(store.list().unwrap().is_empty());
        let bytes = store.save(&database).unwrap();
        store.save(&database).unwrap();
        let loaded = store.load(pattern, &classes).unwrap().unwrap();
        assert_eq!(loaded.words(), database.words());
        assert_eq!(loaded.counts(), database.counts());
        let [listed] = &store.list().unwrap()[..] else { panic!("one file") };
        assert_eq!((listed.bytes, listed.is_draft()), (bytes, false));
        assert_eq!(listed.content.as_ref().unwrap().0, pattern);
    }

    #[test]
    fn headers_with_a_valid_checksum_are_validated() {
        let (database, _) = example();
        let header = Header { pattern: database.pattern(), words: 1, checksum: 2, counts: vec![1, 2, 3] };
        let sound = header.to_words();
        assert_eq!(Header::from_words(&sound), Some(header));
        let with = |at: usize, value: u64| {
            let mut words = sound.clone();
            words[at] = value;
            let last = words.len() - 1;
            words[last] = checksum(0, &words[..last]);
            Header::from_words(&words)
        };
        for value in [0, 1, 31, 32, 63, 64, 1 << 31, 1 << 32, 5 << 32 | 7, 40 << 32 | 40, u64::MAX] {
            // Sides, tiles, the blank, and the number of counts.
            for at in [2, 3, 4, 7] {
                if let Some(header) = with(at, value) {
                    assert!(header.pattern.frame.cells() <= 25 && !header.counts.is_empty(), "{at}: {value}");
                }
            }
            assert!(with(2, value).is_none(), "no frame has the sides {value:x}");
        }
        assert!(with(7, 0).is_none() && with(7, 505).is_none() && with(8, u64::MAX).is_none());
        assert_eq!(with(5, u64::MAX).map(|header| header.words), Some(u64::MAX));
    }

    #[test]
    fn damage_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let (database, classes) = example();
        let pattern = database.pattern();
        store.save(&database).unwrap();
        let path = store.path(pattern);
        let sound = fs::read(&path).unwrap();
        let load = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            store.load(pattern, &classes)
        };
        for at in (0..HEADER).step_by(41).chain((HEADER..sound.len()).step_by(997)).chain([sound.len() - 1]) {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x10;
            let damage = load(&bytes).unwrap_err();
            assert!(matches!(damage, Damage::Foreign | Damage::Checksum), "{at}: {damage}");
        }
        for length in [0, 1, HEADER - 1, HEADER, HEADER + 8, sound.len() - 1] {
            let damage = load(&sound[..length]).unwrap_err();
            assert!(matches!(damage, Damage::Foreign | Damage::Length { .. }), "{length}: {damage}");
        }
        assert!(matches!(load(&[&sound[..], b"x"].concat()), Err(Damage::Length { .. })));
        assert!(load(&sound).unwrap().is_some());
        // The file of another pattern under this name.
        let other = Pattern::new(pattern.frame, 0b11_1110, 11).unwrap().canonical().0;
        assert_ne!(other, pattern);
        fs::copy(&path, store.path(other)).unwrap();
        assert!(matches!(store.load(other, &classes), Err(Damage::Foreign)));
    }
}
