//! The file beside the results that tells what they are of, and how far they are whole.
//!
//! Layout: a heading, the fingerprint of the run, and three slots of fixed length for marks. The
//! file is put in place by renaming; after that only slots are overwritten, each by a single
//! write inside the file, which needs no room on the disk.
//!
//! Invariants:
//! * A mark is written after the results that it counts, so it never tells of more than the file
//!   holds. What comes behind the last mark is solved again.
//! * Two slots take turns, so one of them is whole while the other is written. The third has the
//!   last mark whose results were synced to disk before it was written: it survives a power
//!   failure.
//! * The size is bounded ([`MOST_BYTES`]), whatever the options and however many the files.

use super::ResumeError;
use super::fingerprint::Fingerprint;
use super::mark::{Mark, SLOT};
use crate::files::disk::{self, Draft};
use crate::output::SinkError;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long after the start the results are synced first; then the pause doubles.
const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// A longer file is not a journal.
const MOST_BYTES: u64 = 16 << 10;

/// The first line of every journal.
const HEADING: &str = "batch-solve journal 2";

/// The slots: two for the last mark, one for the last synced one.
const SLOTS: usize = 3;
const SYNCED: u64 = 2;

/// The journal of a run that is going on.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// Where the slots begin.
    slots: u64,
    last: Mark,
    next_sync: Instant,
    pause: Duration,
}

/// What a journal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    /// What the results depend on.
    pub(crate) of: Fingerprint,
    /// How far the run is.
    pub(crate) last: Mark,
    /// How far it was when the results were synced.
    pub(crate) synced: Mark,
}

/// The journal's name.
pub(crate) fn path(results: &Path) -> PathBuf {
    let mut name = OsString::from(results);
    name.push(".resume");
    name.into()
}

impl Journal {
    /// Begins a journal for a file of results, in place of an earlier one.
    pub(crate) fn create(results: &Path, of: Fingerprint, mark: Mark) -> Result<Self, ResumeError> {
        let path = path(results);
        // A file that happens to have the name is not ours to replace.
        let replaces = Self::read(results)?.is_some();
        let content = Content { of, last: mark.clone(), synced: mark.clone() };
        let text = content.to_text();
        let slots = (text.len() - SLOTS * SLOT) as u64;
        let write = || {
            let mut draft = Draft::new(&path, ".new")?;
            draft.write_all(text.as_bytes())?;
            if replaces { draft.replace() } else { draft.create() }
        };
        match write() {
            Ok(file) => {
                let next_sync = Instant::now() + FIRST;
                Ok(Self { path, file, slots, last: mark, next_sync, pause: FIRST })
            }
            Err(source) => Err(ResumeError::Journal { path, source }),
        }
    }

    /// What the journal of a file of results says, if there is one.
    pub(crate) fn read(results: &Path) -> Result<Option<Content>, ResumeError> {
        let path = path(results);
        match disk::read_bounded(&path, MOST_BYTES) {
            Ok(text) => Content::parse(&text).map(Some).ok_or(ResumeError::Foreign(path)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::FileTooLarge) => {
                Err(ResumeError::Foreign(path))
            }
            Err(source) => Err(ResumeError::Journal { path, source }),
        }
    }

    /// Whether it is time to sync the results.
    pub(crate) fn is_sync_due(&self) -> bool {
        Instant::now() >= self.next_sync
    }

    /// Says how far the results are whole. To be called after they are written.
    pub(crate) fn set(&mut self, mark: Mark) -> Result<(), SinkError> {
        let (number, complete) = (self.last.number + 1, self.last.complete);
        self.last = Mark { number, complete, ..mark };
        self.write(number % SYNCED)
    }

    /// Says that all results that were marked are on disk.
    pub(crate) fn set_synced(&mut self) -> Result<(), SinkError> {
        self.pause = (self.pause * 2).min(LONGEST);
        self.next_sync = Instant::now() + self.pause;
        self.write(SYNCED)?;
        self.file.sync_data().map_err(|source| self.failed(source))
    }

    /// Says that only the first `records` results are final. To be called before the next one
    /// is written; the first call counts.
    pub(crate) fn cut(&mut self, records: u64) -> Result<(), SinkError> {
        if self.last.complete.is_some() {
            return Ok(());
        }
        self.last.complete = Some(records);
        self.set(self.last.clone())
    }

    /// Whether some results are not final.
    pub(crate) fn is_cut(&self) -> bool {
        self.last.complete.is_some()
    }

    /// Removes the journal: the results are complete.
    pub(crate) fn remove(self) {
        let _ = disk::remove_own(&self.path, &self.file);
    }

    fn write(&self, slot: u64) -> Result<(), SinkError> {
        let at = self.slots + slot * SLOT as u64;
        self.file.write_all_at(self.last.to_slot().as_bytes(), at).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> SinkError {
        SinkError::Io { name: self.path.clone(), source }
    }
}

impl Content {
    /// The text of a journal whose slots all have the last mark, but the last slot.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{HEADING}\n");
        self.of.write(&mut text);
        for mark in [&self.last, &self.last, &self.synced] {
            text += &mark.to_slot();
        }
        text
    }

    /// What a journal's text says, if it is one.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let (head, slots) = text.split_at_checked(text.len().checked_sub(SLOTS * SLOT)?)?;
        let mut lines = std::str::from_utf8(head).ok()?.strip_suffix('\n')?.split('\n');
        if lines.next() != Some(HEADING) {
            return None;
        }
        let of = Fingerprint::parse(lines)?;
        // A slot that was being written when the power failed says nothing.
        let marks: Vec<Option<Mark>> = slots.chunks(SLOT).map(Mark::parse).collect();
        let last = marks.iter().flatten().max_by_key(|mark| mark.number)?.clone();
        let synced = marks[SYNCED as usize].clone().unwrap_or_default();
        Some(Self { of, last, synced })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::output::Style;
    use std::fs;

    fn begun(results: &Path) -> Journal {
        let of = Fingerprint::new(&Options::default(), Style::default());
        Journal::create(results, of, Mark::default()).unwrap()
    }

    #[test]
    fn the_last_whole_mark_counts() {
        let dir = tempfile::tempdir().unwrap();
        let results = dir.path().join("r.txt");
        let mut journal = begun(&results);
        for records in 1..=5 {
            journal.set(Mark { records, ..Mark::default() }).unwrap();
            if records == 3 {
                journal.set_synced().unwrap();
            }
        }
        let read = || Journal::read(&results).unwrap().unwrap();
        assert_eq!((read().last.records, read().synced.records), (5, 3));
        // A slot that is half written, as a power failure leaves it.
        let sound = fs::read(path(&results)).unwrap();
        let mut torn = sound.clone();
        let slot = sound.len() - 2 * SLOT;
        torn[slot + 8] ^= 1;
        fs::write(path(&results), &torn).unwrap();
        assert_eq!((read().last.records, read().synced.records), (4, 3));
        torn[sound.len() - SLOT + 8] ^= 1;
        torn[sound.len() - 3 * SLOT + 8] ^= 1;
        fs::write(path(&results), &torn).unwrap();
        assert!(matches!(Journal::read(&results), Err(ResumeError::Foreign(_))));
        journal.cut(4).unwrap();
        journal.cut(2).unwrap();
        journal.set(Mark { records: 6, ..Mark::default() }).unwrap();
        fs::remove_file(path(&results)).unwrap();
        fs::write(path(&results), "another's").unwrap();
        journal.remove();
        assert!(path(&results).exists());
    }

    #[test]
    fn a_mark_that_cannot_be_written_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let results = dir.path().join("r.txt");
        let mut journal = begun(&results);
        journal.file = File::open(path(&results)).unwrap();
        assert!(journal.set(Mark::default()).is_err());
        assert!(journal.cut(0).is_err() && journal.set_synced().is_err());
    }
}
