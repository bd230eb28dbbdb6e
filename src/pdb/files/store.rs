//! Databases in files, so that each is made once.
//!
//! A file is a header of one page and the table as it is in memory. It is
//! written under another name and renamed when it is complete, so that whoever
//! finds a file finds a whole one, however many programs write at once. It is
//! read into memory of its own instead of being mapped: every byte has to be
//! looked at anyway to tell a damaged file, memory of its own can have huge
//! pages, and a file that is cut short meanwhile is an error and not a signal.

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

/// The header's size. What it holds is told by [`Header`].
const HEADER: usize = 4096;

/// Header words in use before the counts.
const FIXED: usize = 8;

/// What every file begins with: a name, and the order of bytes in a word.
const MAGIC: u64 = u64::from_ne_bytes(*b"bs-pdb\r\n");

/// Raised whenever the layout of the table or the header changes.
const VERSION: u64 = 3;

/// The ending of the files' names.
const ENDING: &str = "bspdb";

/// Words read and written at a time.
const CHUNK: usize = 1 << 17;

/// A folder of databases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Damage {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It is something else.
    #[error("is not a pattern database of this program's version")]
    Foreign,
    /// It is not as long as it should be.
    #[error("has {found} bytes instead of {expected}")]
    Length {
        /// Its bytes.
        found: u64,
        /// The bytes that it should have.
        expected: u64,
    },
    /// It was changed.
    #[error("is damaged: its checksum is wrong")]
    Checksum,
}

/// What a file says about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Header {
    pattern: Pattern,
    /// The table's words and their checksum.
    words: u64,
    checksum: u64,
    /// States at each distance.
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

    /// The header in these words; none if they are something else.
    fn from_words(words: &[u64]) -> Option<Self> {
        let (&sum, words) = words.split_last()?;
        let &[MAGIC, VERSION, sides, homes, blank, table, checksum_of_table, counts] = words.get(..FIXED)?
        else {
            return None;
        };
        if sum != checksum(0, words) {
            return None;
        }
        let (rows, cols) = ((sides >> 32) as usize, sides as u32 as usize);
        let frame = Frame::new(Size::new(rows, cols).ok()?).filter(|frame| frame.rows == rows)?;
        let pattern = Pattern::new(frame, homes.try_into().ok()?, blank.try_into().ok()?)?;
        let counts = words[FIXED..].get(..usize::try_from(counts).ok()?)?.to_vec();
        // A database has a goal, and no more states than can be counted.
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

/// The checksum of some words that follow others. A change in one word changes
/// it for certain, other changes almost for certain.
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

/// The checksum of a table, in the chunks in which it is written.
fn table_checksum(words: &[u64]) -> u64 {
    words.chunks(CHUNK).fold(0, checksum)
}

impl Store {
    /// A store in a folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The store in the user's folder for what can be made again; none without
    /// a home.
    pub fn of_user() -> Option<Self> {
        let from = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache = from("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        cache.or_else(|| Some(from("HOME")?.join(".cache"))).map(|cache| Self::new(cache.join("batch-solve")))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a pattern's database is, or would be.
    pub fn path(&self, pattern: Pattern) -> PathBuf {
        self.folder.join(format!("{pattern}.{ENDING}"))
    }

    /// Whether there is a file for a pattern, sound or not.
    pub fn has(&self, pattern: Pattern) -> bool {
        self.path(pattern).is_file()
    }

    /// The database of a pattern; none if there is no file.
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

    /// Writes a database; how many bytes that took.
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

    /// All files in the folder, in the order of their names, with what their
    /// headers say. Drafts that nobody finished are among them.
    pub fn list(&self) -> io::Result<Vec<StoreEntry>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut listed = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if ending != ENDING && ending != "draft" {
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

/// A file in a store.
#[derive(Debug)]
pub struct StoreEntry {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The pattern and the states at each distance, or what is wrong with it.
    pub content: Result<(Pattern, Vec<u64>), Damage>,
}

impl StoreEntry {
    /// Whether this is what a program left that was stopped while it wrote.
    pub fn is_draft(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "draft")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdb::build;

    fn made() -> (Database, Arc<Classes>) {
        let frame = Frame { rows: 4, cols: 3 };
        let pattern = Pattern::new(frame, 0b1_0011_0110, 11).unwrap().canonical().0;
        let classes = Arc::new(Classes::new(frame, 5).unwrap());
        (build::build(pattern, &classes, 2, &|_, _| true).unwrap(), classes)
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("deep/er"));
        let (database, classes) = made();
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
    fn a_header_with_a_right_checksum_may_still_say_anything() {
        let (database, _) = made();
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
    fn damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let (database, classes) = made();
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
        // Another pattern's file under this one's name.
        let other = Pattern::new(pattern.frame, 0b11_1110, 11).unwrap().canonical().0;
        assert_ne!(other, pattern);
        fs::copy(&path, store.path(other)).unwrap();
        assert!(matches!(store.load(other, &classes), Err(Damage::Foreign)));
    }
}
