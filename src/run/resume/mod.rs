//! Resuming a run that ended early: `--resume`.
//!
//! Results are written in input order, so at any moment the file holds the results of the first
//! records, possibly followed by a torn line. A small *journal* beside it (`FILE.resume`) holds a
//! *fingerprint* of everything that the results depend on (options, sizes and times of the puzzle
//! files) and, after every block, a *progress* record: the number of results, the checksum of their
//! bytes, and the digest of the input that they answer. To resume:
//!
//! 1. Compare the journal with the current options and files (`fingerprint`). Compare the recorded
//!    input and the recorded results with their hashes (`progress`).
//! 2. Count the recorded results up to the first *provisional* one (one produced only because the
//!    run was stopped, by a signal or its deadline), and truncate the file there (`scan`).
//! 3. Skip that many records and append the results of the rest.
//!
//! Invariants, if the run is killed between any two system calls: the journal exists before the
//! first result; a progress record never counts more results than have been written. Results that
//! are not recorded are solved again. If the file is shorter than the part that was synced to disk,
//! or if there is no journal, the results themselves are compared with the records, one by one
//! ([`crate::check::in_order`]).
//!
//! A run with `--resume` in its command keeps the journal when it is done, so that the command can
//! be repeated; any other run removes it.

pub(crate) mod fingerprint;
pub(crate) mod journal;
pub(crate) mod parse;
pub(crate) mod progress;
pub(crate) mod scan;
pub(crate) mod split;

pub(crate) use journal::Journal;
pub(crate) use progress::Progress;

use super::RunError;
use crate::check::{self, CheckError};
use crate::files::name::path_of;
use crate::input::{InputError, Reader};
use crate::options::Options;
use crate::options::Quality;
use crate::output::{Format, Sink, SinkError, Style, Summary};
use fingerprint::{Difference, Fingerprint};
use journal::JournalContent;
use scan::{ScanOptions, ValidPrefix};
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Results of an earlier run, and the journal of this one.
#[derive(Debug, Default)]
pub struct ResumeState {
    /// Number of results in the file.
    pub(crate) records: u64,
    /// Summary of these results.
    pub(crate) summary: Summary,
    pub(crate) journal: Option<Journal>,
    /// Message for the user.
    pub note: Option<String>,
}

/// Reason why a run cannot be resumed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// An input is a stream, which cannot be read again from its beginning.
    #[error("--resume reads the input again from its beginning: '{0}' is no regular file")]
    Stream(String),
    /// No journal covers the results, and they do not match the records.
    #[error("{}: cannot be resumed: {how}, and {why} (--force starts over)", path.display())]
    Unverified {
        /// The file of results.
        path: PathBuf,
        /// Why the journal does not cover the results.
        how: String,
        /// What is wrong with the results.
        why: String,
    },
    /// The file with the journal's name is not a journal.
    #[error("{}: is not the journal of a run of this version", .0.display())]
    Foreign(PathBuf),
    /// Options or files have changed.
    #[error("{}: cannot be resumed: {difference} (--force starts over)", path.display())]
    Different {
        /// The file of results.
        path: PathBuf,
        /// The change.
        difference: Difference,
    },
    /// A line of the results is malformed.
    #[error("{}: line {line} is not a result (--force starts over)", path.display())]
    Damaged {
        /// The file of results.
        path: PathBuf,
        /// Number of the first malformed line.
        line: u64,
    },
    /// The results have been edited.
    #[error(
        "{}: was changed: its first {bytes} bytes are not those that the run wrote (--force starts over)",
        path.display()
    )]
    Changed {
        /// The file of results.
        path: PathBuf,
        /// Length of the part that the run wrote.
        bytes: u64,
    },
    /// A puzzle file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The results cannot be compared with the records.
    #[error("{}: {source}", path.display())]
    Compare {
        /// The file of results.
        path: PathBuf,
        /// What went wrong.
        source: CheckError,
    },
    /// The options are invalid, for any run.
    #[error(transparent)]
    Options(#[from] Box<RunError>),
    /// The file cannot be read or written.
    #[error(transparent)]
    Output(#[from] SinkError),
    /// The journal cannot be read or written.
    #[error("{}: {source}", path.display())]
    Journal {
        /// Name of the journal.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

impl ResumeState {
    /// Ends the journal of a run. Removes it if the run is `complete` and has no provisional
    /// results, unless `keep`. Returns whether the run can be resumed.
    pub fn finish(self, complete: bool, keep: bool) -> bool {
        let Some(journal) = self.journal else { return false };
        let is_unfinished = !complete || journal.has_provisional();
        if !is_unfinished && !keep {
            journal.remove();
        }
        is_unfinished
    }

    /// Returns whether there is a journal beside the results in `path`.
    pub fn can_resume(path: &Path) -> bool {
        Journal::read(path).is_ok_and(|found| found.is_some())
    }

    /// Removes the journal of results that no longer exist, as after a run that failed before its
    /// first result.
    pub fn remove_orphaned_journal(path: &Path) {
        if !path.exists() {
            Self::remove_journal(path);
        }
    }

    /// Removes the journal beside `path`, because it describes other results.
    pub fn remove_journal(path: &Path) {
        if Journal::read(path).is_ok_and(|found| found.is_some()) {
            let _ = fs::remove_file(journal::path(path));
        }
    }

    /// Creates a journal for results that will be written to `path`. If that is impossible, the run
    /// continues without one.
    pub fn begin(path: &Path, sink: &Sink, options: &Options, style: Style) -> Self {
        if !sink.is_durable() {
            return Self::default();
        }
        if streams(options).next().is_some() {
            Self::remove_journal(path);
            return Self::default();
        }
        let journal = Journal::create(path, Fingerprint::new(options, style), Progress::default());
        let note = journal.as_ref().err().map(|error| format!("{error}; --resume will not be possible"));
        Self { journal: journal.ok(), note, ..Self::default() }
    }

    /// Opens the results in `path` and truncates them to the part that this run need not repeat.
    pub fn resume(path: &Path, options: &Options, style: Style) -> Result<(Sink, Self), ResumeError> {
        if let Some(stream) = streams(options).next() {
            return Err(ResumeError::Stream(stream.clone()));
        }
        let mut sink = Sink::reopen(path, &options.files)?;
        let fingerprint = Fingerprint::new(options, style);
        let file = Results { path, sink: &sink, options, style };
        let Verified { prefix, progress, note } = match Journal::read(path)? {
            _ if file.is_empty()? => Verified::default(),
            Some(earlier) => file.verify(earlier, &fingerprint)?,
            None => file.verify_without_journal()?,
        };
        let checksum = sink.checksum_of(prefix.end)?.unwrap_or_default().value();
        let progress = Progress {
            records: prefix.records,
            bytes: prefix.end,
            checksum,
            provisional_from: None,
            ..progress
        };
        let journal = Journal::create(path, fingerprint, progress)?;
        sink.cut(prefix.end)?;
        let note = note.or_else(|| {
            (prefix.records > 0).then(|| format!("{} results are kept, the others follow", prefix.records))
        });
        Ok((sink, Self { records: prefix.records, summary: prefix.summary, journal: Some(journal), note }))
    }
}

/// An existing file of results, and the options of this run.
struct Results<'a> {
    path: &'a Path,
    sink: &'a Sink,
    options: &'a Options,
    style: Style,
}

/// The part of the results that stays, the input that it answers, and a message for the user.
#[derive(Default)]
struct Verified {
    prefix: ValidPrefix,
    progress: Progress,
    note: Option<String>,
}

impl Results<'_> {
    /// Returns whether the file has no results: it is empty, or has only a heading or a part of one.
    /// The options of the earlier run do not matter then.
    fn is_empty(&self) -> Result<bool, ResumeError> {
        let mut heading = Vec::new();
        Style { format: Format::Csv, ..self.style }.header(&mut heading);
        let mut start = Vec::new();
        let mut contents = self.sink.contents()?.take(heading.len() as u64 + 1);
        contents.read_to_end(&mut start).map_err(|error| self.unreadable(error))?;
        Ok(heading.starts_with(&start))
    }

    /// Returns the results that stay, if options, input and results are unchanged.
    fn verify(&self, earlier: JournalContent, now: &Fingerprint) -> Result<Verified, ResumeError> {
        let different = |difference| ResumeError::Different { path: self.path.to_owned(), difference };
        let touched = now.compare(&earlier.fingerprint).map_err(different)?;
        let defaults = self.options.defaults().map_err(Box::new)?;
        earlier.last.verify(&self.options.files, &defaults)?.map_err(different)?;
        let provisional_from = earlier.last.provisional_from;
        let (input, recorded) = (earlier.last.clone(), earlier.synced.records);
        let Some(progress) = self.choose_progress(earlier)? else {
            let how = "the file is shorter than what was written".to_owned();
            let max_records = provisional_from.unwrap_or(u64::MAX);
            let scan = ScanOptions { recorded, max_records, ..self.scan_options() };
            let verified = self.compare_with_records(how, scan)?;
            return Ok(Verified { progress: input, ..verified });
        };
        let max_records = progress.records.min(provisional_from.unwrap_or(u64::MAX));
        let (recorded, recorded_bytes) = (progress.records, progress.bytes);
        let scan = ScanOptions { recorded, recorded_bytes, max_records, ..self.scan_options() };
        let prefix = self.scan(scan, recorded_bytes)?;
        let note = touched.map(|file| {
            let what = "has another time than before, but the answered part is the same";
            format!("{file} {what}: {} results are kept", prefix.records)
        });
        Ok(Verified { prefix, progress, note })
    }

    /// Returns the last progress record whose results are in the file unchanged: the last one, or
    /// after a power failure the last that was synced. Returns `None` if the file is shorter than
    /// that.
    fn choose_progress(&self, earlier: JournalContent) -> Result<Option<Progress>, ResumeError> {
        let JournalContent { last, synced, .. } = earlier;
        for progress in [last, synced.clone()] {
            let found = self.sink.checksum_of(progress.bytes)?;
            if found.is_some_and(|found| found.value() == progress.checksum) {
                return Ok(Some(progress));
            }
        }
        if self.sink.len() < synced.bytes {
            return Ok(None);
        }
        // If a line is malformed, the error names it.
        let (recorded, recorded_bytes) = (synced.records, synced.bytes);
        self.scan(ScanOptions { recorded, recorded_bytes, ..self.scan_options() }, recorded_bytes)?;
        Err(ResumeError::Changed { path: self.path.to_owned(), bytes: synced.bytes })
    }

    /// Returns the results that stay if there is no journal: those that match the records.
    fn verify_without_journal(&self) -> Result<Verified, ResumeError> {
        let how = format!("{} is missing", journal::path(self.path).display());
        let redo_unproved = self.options.quality == Quality::Optimal;
        if redo_unproved && self.style.format == Format::Text {
            let why = "text does not tell whether results are the shortest".into();
            return Err(ResumeError::Unverified { path: self.path.to_owned(), how, why });
        }
        let verified =
            self.compare_with_records(how, ScanOptions { redo_unproved, ..self.scan_options() })?;
        let defaults = self.options.defaults().map_err(Box::new)?;
        Ok(Verified { progress: Progress::at_end(&self.options.files, &defaults), ..verified })
    }

    /// Returns the results that `scan` admits, if all of them are right answers to the first
    /// records. `how` says why the journal does not cover them.
    fn compare_with_records(&self, how: String, scan: ScanOptions) -> Result<Verified, ResumeError> {
        let refused =
            |why: String| ResumeError::Unverified { path: self.path.to_owned(), how: how.clone(), why };
        let prefix = self.scan(scan, u64::MAX)?;
        match prefix.records {
            0 if scan.recorded == 0 => return Err(refused("there is no result that could be kept".into())),
            // The journal records results, but not even the first is left in the file.
            0 => return Ok(Verified::default()),
            _ => {}
        }
        let defaults = self.options.defaults().map_err(Box::new)?;
        let files = self.options.files.iter();
        let readers = files.filter_map(|file| Reader::open(file, defaults.clone()).ok());
        let Style { format, notation } = self.style;
        let options = check::CheckOptions { format: Some(format), notation, room: self.options.memory / 4 };
        let results = self.contents()?.take(prefix.end);
        check::in_order(readers, results, &options, |n| self.options.is_in_shard(n))
            .map_err(|source| ResumeError::Compare { path: self.path.to_owned(), source })?
            .map_err(|what| refused(format!("the results are not those of these puzzles: {what}")))?;
        let options = if scan.recorded == 0 { ", whatever options they were made with" } else { "" };
        let note = format!(
            "{how}: {} results were compared with their records and are kept{options}; the others follow",
            prefix.records
        );
        Ok(Verified { prefix, note: Some(note), ..Verified::default() })
    }

    /// Returns the options of a scan without a journal.
    fn scan_options(&self) -> ScanOptions {
        let redo_time = self.options.timeout.is_none();
        ScanOptions { redo_time, ..ScanOptions::new(self.style) }
    }

    /// Scans the first `bytes` bytes of the results.
    fn scan(&self, options: ScanOptions, bytes: u64) -> Result<ValidPrefix, ResumeError> {
        scan::scan(self.contents()?.take(bytes), options)
            .map_err(|error| self.unreadable(error))?
            .map_err(|line| ResumeError::Damaged { path: self.path.to_owned(), line })
    }

    fn contents(&self) -> Result<impl BufRead, ResumeError> {
        Ok(BufReader::with_capacity(128 << 10, self.sink.contents()?))
    }

    fn unreadable(&self, source: io::Error) -> ResumeError {
        ResumeError::Journal { path: self.path.to_owned(), source }
    }
}

/// Parses a journal and writes it again; `None` if it is not a journal. For fuzzing.
pub fn rewrite_journal(text: &[u8]) -> Option<String> {
    JournalContent::parse(text).map(|content| content.to_text())
}

/// Returns how many results of a file stay and where they end, if a journal recorded `recorded`
/// results in `recorded_bytes` bytes; or the number of a damaged line. For fuzzing.
pub fn count_valid_results(
    results: &[u8],
    style: Style,
    (recorded, recorded_bytes): (u64, u64),
) -> Result<(u64, u64), u64> {
    let options = ScanOptions { redo_time: true, recorded, recorded_bytes, ..ScanOptions::new(style) };
    let prefix = scan::scan(results, options).expect("memory can be read")?;
    Ok((prefix.records, prefix.end))
}

/// Returns the inputs that cannot be read twice.
fn streams(options: &Options) -> impl Iterator<Item = &String> {
    let is_stream = |file: &&String| {
        *file == "-" || fs::metadata(path_of(file)).is_ok_and(|file| !file.is_file() && !file.is_dir())
    };
    options.files.iter().filter(is_stream)
}
