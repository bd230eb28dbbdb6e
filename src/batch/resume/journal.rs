//! The file beside the results that tells what they are of.
//!
//! It is written under another name and renamed, so there is always a whole one:
//! the one before or the one after.

use super::fingerprint::Fingerprint;
use super::{Difference, ResumeError};
use crate::input::{Digest, InputError};
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
    fingerprint: Fingerprint,
    next: Instant,
    pause: Duration,
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
    pub(super) fn create(
        results: &Path,
        fingerprint: Fingerprint,
        mark: Option<Mark>,
    ) -> Result<Self, ResumeError> {
        let path = path(results);
        // A file that happens to have the name is not ours to replace.
        Self::read(results)?;
        let journal = Self { path, fingerprint, next: Instant::now() + FIRST, pause: FIRST };
        let written = journal.write(mark.as_ref());
        written.map_err(|source| ResumeError::Journal { path: journal.path.clone(), source })?;
        Ok(journal)
    }

    /// What the journal of a file of results says, if there is one.
    pub(super) fn read(results: &Path) -> Result<Option<(Fingerprint, Option<Mark>)>, ResumeError> {
        let path = path(results);
        let text = match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() || metadata.len() > MOST_BYTES => {
                return Err(ResumeError::Foreign(path));
            }
            Ok(_) => fs::read(&path),
            Err(error) => Err(error),
        };
        match text {
            Ok(text) => parse(&text).map(Some).ok_or(ResumeError::Foreign(path)),
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
        let _ = self.write(Some(mark));
        self.pause = (self.pause * 2).min(LONGEST);
        self.next = Instant::now() + self.pause;
    }

    /// Takes the journal away: the results are complete.
    pub(in crate::batch) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }

    fn write(&self, mark: Option<&Mark>) -> io::Result<()> {
        let mut value = json!({"batch-solve": "resume", "v": 1, "of": self.fingerprint.to_json()});
        if let Some(Mark { records, bytes, file, offset, digest }) = mark {
            value["mark"] = json!({"results": records, "bytes": bytes, "file": file, "offset": offset, "digest": format!("{digest:016x}")});
        }
        let mut new = OsString::from(&self.path);
        new.push(".new");
        fs::write(&new, format!("{value}\n")).and_then(|()| fs::rename(&new, &self.path)).inspect_err(|_| {
            let _ = fs::remove_file(&new);
        })
    }
}

fn parse(text: &[u8]) -> Option<(Fingerprint, Option<Mark>)> {
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
    Some((Fingerprint::from_json(&value["of"])?, mark))
}

impl Mark {
    /// Whether the input up to here is what it was.
    pub(super) fn verify(&self, files: &[String]) -> Result<Result<(), Difference>, InputError> {
        let mut digest = Digest::default();
        for (index, file) in files.iter().enumerate().take(self.file.saturating_add(1)) {
            let most = if index == self.file { self.offset } else { u64::MAX };
            match digest.add_file(file, most) {
                // What could not be read then gave no results, and cannot be read now.
                Err(InputError::Open { .. } | InputError::Directory { .. }) | Ok(_) => {}
                Err(error) => return Err(error),
            }
        }
        let same = digest.value() == self.digest;
        let file = files.get(self.file).cloned().unwrap_or_default();
        Ok(if same { Ok(()) } else { Err(Difference::Text { file, bytes: self.offset }) })
    }
}
