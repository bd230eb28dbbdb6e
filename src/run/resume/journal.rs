//! The journal: a file beside the results that identifies their run and records its progress.
//!
//! Layout: a heading, the fingerprint of the run, and three slots of fixed length for progress
//! records (`mark` in the text). The file is put in place by renaming. After that only slots are
//! overwritten, each by a single write inside the file, which needs no space on the disk.
//!
//! Invariants:
//! * A progress record is written after the results that it counts, so it never counts more than the
//!   file holds. Results after the last record are solved again.
//! * Two slots take turns, so one of them is valid while the other is written. The third holds the
//!   last record whose results were synced to disk before it was written: it survives a power
//!   failure.
//! * The size is bounded ([`MAX_BYTES`]), whatever the options and the number of files.

use super::ResumeError;
use super::fingerprint::Fingerprint;
use super::progress::{Progress, SLOT};
use crate::files::disk::{self, Draft};
use crate::output::SinkError;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time from the start to the first sync of the results. Later pauses double.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause between two syncs.
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// Maximum size. A longer file is not a journal.
const MAX_BYTES: u64 = 16 << 10;

/// The first line of every journal.
const HEADING: &str = "batch-solve journal 2";

/// Number of slots: two for the last record, one for the last synced record.
const SLOTS: usize = 3;

/// Index of the slot for the last synced record.
const SYNCED: u64 = 2;

/// The journal of the current run.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// Offset of the first slot.
    slots: u64,
    last: Progress,
    next_sync: Instant,
    pause: Duration,
}

/// Parsed content of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JournalContent {
    /// What the results depend on.
    pub(crate) fingerprint: Fingerprint,
    /// The last progress record.
    pub(crate) last: Progress,
    /// The last record whose results were synced.
    pub(crate) synced: Progress,
}

/// Returns the name of the journal of `results`.
pub(crate) fn path(results: &Path) -> PathBuf {
    let mut name = OsString::from(results);
    name.push(".resume");
    name.into()
}

impl Journal {
    /// Creates the journal of a file of results, or replaces an earlier one.
    pub(crate) fn create(
        results: &Path,
        fingerprint: Fingerprint,
        progress: Progress,
    ) -> Result<Self, ResumeError> {
        let path = path(results);
        // A foreign file of this name is an error and is not replaced.
        let replaces = Self::read(results)?.is_some();
        let content = JournalContent { fingerprint, last: progress.clone(), synced: progress.clone() };
        let text = content.to_text();
        let slots = (text.len() - SLOTS * SLOT) as u64;
        let write = || {
            let mut draft = Draft::new(&path, ".new")?;
            draft.write_all(text.as_bytes())?;
            if replaces { draft.replace() } else { draft.create() }
        };
        match write() {
            Ok(file) => {
                let next_sync = Instant::now() + FIRST_PAUSE;
                Ok(Self { path, file, slots, last: progress, next_sync, pause: FIRST_PAUSE })
            }
            Err(source) => Err(ResumeError::Journal { path, source }),
        }
    }

    /// Reads the journal of a file of results, if there is one.
    pub(crate) fn read(results: &Path) -> Result<Option<JournalContent>, ResumeError> {
        let path = path(results);
        match disk::read_bounded(&path, MAX_BYTES) {
            Ok(text) => JournalContent::parse(&text).map(Some).ok_or(ResumeError::Foreign(path)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::FileTooLarge) => {
                Err(ResumeError::Foreign(path))
            }
            Err(source) => Err(ResumeError::Journal { path, source }),
        }
    }

    /// Returns whether it is time to sync the results.
    pub(crate) fn is_sync_due(&self) -> bool {
        Instant::now() >= self.next_sync
    }

    /// Records the progress. Call it after the results are written.
    pub(crate) fn record(&mut self, progress: Progress) -> Result<(), SinkError> {
        let (number, provisional_from) = (self.last.number + 1, self.last.provisional_from);
        self.last = Progress { number, provisional_from, ..progress };
        self.write(number % SYNCED)
    }

    /// Records that all recorded results are on disk.
    pub(crate) fn record_synced(&mut self) -> Result<(), SinkError> {
        self.pause = (self.pause * 2).min(MAX_PAUSE);
        self.next_sync = Instant::now() + self.pause;
        self.write(SYNCED)?;
        self.file.sync_data().map_err(|source| self.failed(source))
    }

    /// Records that results from `index` on are provisional. Call it before that result is written.
    /// Only the first call has an effect.
    pub(crate) fn set_provisional_from(&mut self, index: u64) -> Result<(), SinkError> {
        if self.last.provisional_from.is_some() {
            return Ok(());
        }
        self.last.provisional_from = Some(index);
        self.record(self.last.clone())
    }

    /// Returns whether some results are provisional.
    pub(crate) fn has_provisional(&self) -> bool {
        self.last.provisional_from.is_some()
    }

    /// Removes the journal, because the results are complete.
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

impl JournalContent {
    /// Returns the text of a journal with the last record in the first two slots and the synced one
    /// in the third.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{HEADING}\n");
        self.fingerprint.write(&mut text);
        for progress in [&self.last, &self.last, &self.synced] {
            text += &progress.to_slot();
        }
        text
    }

    /// Parses the text of a journal; `None` if it is not a journal.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let (head, slots) = text.split_at_checked(text.len().checked_sub(SLOTS * SLOT)?)?;
        let mut lines = std::str::from_utf8(head).ok()?.strip_suffix('\n')?.split('\n');
        if lines.next() != Some(HEADING) {
            return None;
        }
        let fingerprint = Fingerprint::parse(lines)?;
        // A slot that was being written when the power failed is not valid.
        let records: Vec<Option<Progress>> = slots.chunks(SLOT).map(Progress::parse).collect();
        let last = records.iter().flatten().max_by_key(|progress| progress.number)?.clone();
        let synced = records[SYNCED as usize].clone().unwrap_or_default();
        Some(Self { fingerprint, last, synced })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::output::Style;
    use std::fs;

    fn new_journal(results: &Path) -> Journal {
        let fingerprint = Fingerprint::new(&Options::default(), Style::default());
        Journal::create(results, fingerprint, Progress::default()).unwrap()
    }

    #[test]
    fn the_last_valid_record_counts() {
        let dir = tempfile::tempdir().unwrap();
        let results = dir.path().join("r.txt");
        let mut journal = new_journal(&results);
        for records in 1..=5 {
            journal.record(Progress { records, ..Progress::default() }).unwrap();
            if records == 3 {
                journal.record_synced().unwrap();
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
        journal.set_provisional_from(4).unwrap();
        journal.set_provisional_from(2).unwrap();
        journal.record(Progress { records: 6, ..Progress::default() }).unwrap();
        fs::remove_file(path(&results)).unwrap();
        fs::write(path(&results), "another's").unwrap();
        journal.remove();
        assert!(path(&results).exists());
    }

    #[test]
    fn a_record_that_cannot_be_written_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let results = dir.path().join("r.txt");
        let mut journal = new_journal(&results);
        journal.file = File::open(path(&results)).unwrap();
        assert!(journal.record(Progress::default()).is_err());
        assert!(journal.set_provisional_from(0).is_err() && journal.record_synced().is_err());
    }
}
