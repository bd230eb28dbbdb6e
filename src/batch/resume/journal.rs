//! The file beside the results that tells what they are of.
//!
//! It is written under another name and renamed, so there is always a whole one:
//! the one before or the one after.

use super::fingerprint::Fingerprint;
use super::{Difference, ResumeError};
use crate::batch::inputs::RECORDS;
use crate::input::{Block, Defaults, Digest, InputError, Reader};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long after the start the first mark is set; then the pause doubles.
const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// A journal larger than this is none.
const MOST_BYTES: u64 = 16 << 20;

/// A journal that is being kept.
#[derive(Debug)]
pub(in crate::batch) struct Journal {
    path: PathBuf,
    content: Content,
    next: Instant,
    pause: Duration,
}

/// What a journal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Content {
    /// What the results depend on.
    pub(super) of: Fingerprint,
    /// How far the run is.
    pub(super) mark: Option<Mark>,
    /// So many results come before the first one that only the end of the run,
    /// by a signal or the deadline, made what it is: it is to be made again.
    pub(super) cut: Option<u64>,
}

/// How far a run is: so many results answer the input up to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::batch) struct Mark {
    /// Results in the file.
    pub(in crate::batch) records: u64,
    /// How long the file was with them.
    pub(in crate::batch) bytes: u64,
    /// The file that was being read, and how far.
    pub(in crate::batch) file: usize,
    pub(in crate::batch) offset: u64,
    /// The digest of all files up to there.
    pub(in crate::batch) digest: u64,
}

/// The journal's name.
pub(super) fn path(results: &Path) -> PathBuf {
    let mut name = OsString::from(results);
    name.push(".resume");
    name.into()
}

impl Journal {
    /// Begins a journal for a file of results, in place of an earlier one.
    pub(super) fn create(results: &Path, content: Content) -> Result<Self, ResumeError> {
        let path = path(results);
        // A file that happens to have the name is not ours to replace.
        Self::read(results)?;
        let journal = Self { path, content, next: Instant::now() + FIRST, pause: FIRST };
        let written = journal.write();
        written.map_err(|source| ResumeError::Journal { path: journal.path.clone(), source })?;
        Ok(journal)
    }

    /// What the journal of a file of results says, if there is one.
    pub(super) fn read(results: &Path) -> Result<Option<Content>, ResumeError> {
        let path = path(results);
        let text = match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() || metadata.len() > MOST_BYTES => {
                return Err(ResumeError::Foreign(path));
            }
            Ok(_) => fs::read(&path),
            Err(error) => Err(error),
        };
        match text {
            Ok(text) => Content::parse(&text).map(Some).ok_or(ResumeError::Foreign(path)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ResumeError::Journal { path, source }),
        }
    }

    /// Whether it is time for a mark.
    pub(in crate::batch) fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Sets a mark. One that cannot be set leaves the one before, which is as
    /// true as it was.
    pub(in crate::batch) fn set(&mut self, mark: &Mark) {
        self.content.mark = Some(mark.clone());
        let _ = self.write();
        self.pause = (self.pause * 2).min(LONGEST);
        self.next = Instant::now() + self.pause;
    }

    /// Says that only so many results are final. To be called before the next one
    /// is written; the first call counts.
    pub(in crate::batch) fn cut(&mut self, records: u64) {
        if self.content.cut.is_none() {
            self.content.cut = Some(records);
            let _ = self.write();
        }
    }

    /// Whether some results are not final.
    pub(super) fn is_cut(&self) -> bool {
        self.content.cut.is_some()
    }

    /// Takes the journal away: the results are complete.
    pub(in crate::batch) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }

    fn write(&self) -> io::Result<()> {
        let mut new = OsString::from(&self.path);
        new.push(".new");
        let text = format!("{}\n", self.content.to_json());
        fs::write(&new, text).and_then(|()| fs::rename(&new, &self.path)).inspect_err(|_| {
            let _ = fs::remove_file(&new);
        })
    }
}

impl Content {
    pub(super) fn to_json(&self) -> Value {
        let mut value = json!({"batch-solve": "resume", "v": 1, "of": self.of.to_json()});
        if let Some(Mark { records, bytes, file, offset, digest }) = &self.mark {
            value["mark"] = json!({"results": records, "bytes": bytes, "file": file, "offset": offset, "digest": format!("{digest:016x}")});
        }
        if let Some(cut) = self.cut {
            value["final"] = cut.into();
        }
        value
    }

    /// What a journal's text says, if it is one.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(text).ok()?;
        if value["batch-solve"] != "resume" || value["v"] != 1 {
            return None;
        }
        let mark = match &value["mark"] {
            Value::Null => None,
            mark => Some(Mark {
                records: mark["results"].as_u64()?,
                bytes: mark["bytes"].as_u64()?,
                file: usize::try_from(mark["file"].as_u64()?).ok()?,
                offset: mark["offset"].as_u64()?,
                digest: u64::from_str_radix(mark["digest"].as_str()?, 16).ok()?,
            }),
        };
        let cut = match &value["final"] {
            Value::Null => None,
            cut => Some(cut.as_u64()?),
        };
        Some(Self { of: Fingerprint::from_json(&value["of"])?, mark, cut })
    }
}

impl Mark {
    /// Whether the input up to here is what it was.
    pub(super) fn verify(
        &self,
        files: &[String],
        defaults: &Defaults,
    ) -> Result<Result<(), Difference>, InputError> {
        let mut digest = Digest::default();
        for file in files.iter().take(self.file) {
            digest = of_whole(file, defaults, digest);
        }
        let file = files.get(self.file).cloned().unwrap_or_default();
        match digest.add_file(&file, defaults.window, self.offset) {
            // What could not be read then gave no results, and cannot be read now.
            Err(InputError::Open { .. } | InputError::Directory { .. }) | Ok(_) => {}
            Err(error) => return Err(error),
        }
        let same = digest.value() == self.digest;
        Ok(if same { Ok(()) } else { Err(Difference::Text { file, bytes: self.offset }) })
    }
}

/// Adds the text of a file as a run reads it: where the file is damaged, up to
/// the last record before that.
fn of_whole(file: &str, defaults: &Defaults, digest: Digest) -> Digest {
    let Ok(mut reader) = Reader::open(file, defaults.clone()) else { return digest };
    reader.follow(digest);
    let mut block = Block::default();
    while let Ok(true) = reader.next_block(&mut block, RECORDS) {}
    reader.digest().cloned().unwrap_or_default()
}
