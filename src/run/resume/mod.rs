//! Going on with a run that was ended: `--resume`.
//!
//! Results leave in the order of the input, so whatever moment a run is killed at, its file holds
//! the results of the first records, perhaps with a torn line behind them. Beside it lies a small
//! *journal* (`FILE.resume`) with a *fingerprint* of what the results depend on (options, sizes
//! and times of the puzzle files), and with a *mark* after every block: the number of results, the
//! checksum of their bytes, and the hash of the input that they answer. To resume:
//!
//! 1. the journal is compared with the options and files of now (`fingerprint`), the marked input
//!    and the marked results with their hashes (`mark`);
//! 2. the marked results are counted up to the first that only the end of the earlier run, by a
//!    signal or its deadline, made what it is (`kept`), and the file is truncated there;
//! 3. the run skips that many records and appends the rest.
//!
//! Killed between any two system calls, this stays true: a journal is there before the first
//! result, and a mark never tells of more than has been written. Results that are not marked are
//! solved again. If the file is shorter than what was synced to disk, or if there is no journal,
//! the results themselves are compared with the records, one by one ([`crate::check::in_order`]).
//!
//! The run that has `--resume` in its command leaves the journal when it is done, so that it can
//! be repeated; any other removes it.

pub(crate) mod fingerprint;
pub(crate) mod journal;
pub(crate) mod mark;
pub(crate) mod parse;
pub(crate) mod scan;
pub(crate) mod split;

pub(crate) use journal::Journal;
pub(crate) use mark::Mark;

use super::RunError;
use crate::check::{self, CheckError};
use crate::files::name::path_of;
use crate::input::{InputError, Reader};
use crate::options::Options;
use crate::options::Quality;
use crate::output::{Format, Sink, SinkError, Style, Summary};
use crate::run::resume::scan::{Kept, Wanted};
use fingerprint::{Difference, Fingerprint};
use journal::Content;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// What an earlier run has left to this one, and how this one will leave it.
#[derive(Debug, Default)]
pub struct ResumeState {
    /// Results in the file.
    pub(crate) records: u64,
    /// What they come to.
    pub(crate) summary: Summary,
    pub(crate) journal: Option<Journal>,
    /// What the user should know.
    pub note: Option<String>,
}

/// Why a run cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// A stream cannot be read from its beginning again.
    #[error("--resume reads the input again from its beginning, and '{0}' is no regular file")]
    Stream(String),
    /// There are results, but nothing that tells of their input, and they are not
    /// those of these records.
    #[error("{}: cannot be resumed: {how}, and {why} (--force starts over)", path.display())]
    Unmarked {
        /// The file of results.
        path: PathBuf,
        /// Why the journal does not vouch for the results.
        how: String,
        /// What is wrong with the results.
        why: String,
    },
    /// The journal is something else.
    #[error("{}: is not the journal of a run of this version", .0.display())]
    Foreign(PathBuf),
    /// The run would be another one.
    #[error("{}: cannot be resumed: {difference} (--force starts over)", path.display())]
    Different {
        /// The file of results.
        path: PathBuf,
        /// What is not as it was.
        difference: Difference,
    },
    /// Results that were there are not any more.
    #[error("{}: line {line} is not a result (--force starts over)", path.display())]
    Damaged {
        /// The file of results.
        path: PathBuf,
        /// The first line that is wrong.
        line: u64,
    },
    /// The results are not those that were written.
    #[error(
        "{}: was changed: the first {bytes} bytes are not those that were written (--force starts over)",
        path.display()
    )]
    Changed {
        /// The file of results.
        path: PathBuf,
        /// The bytes that were written.
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
    /// What is asked for makes no sense, with or without a past.
    #[error(transparent)]
    Asked(#[from] Box<RunError>),
    /// The file cannot be read or written.
    #[error(transparent)]
    Output(#[from] SinkError),
    /// The journal cannot be read or written.
    #[error("{}: {source}", path.display())]
    Journal {
        /// Its name.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ResumeState {
    /// Ends the journal of a run: taken away if there is nothing to go on with,
    /// unless it should `stay`. Whether there is something to go on with.
    pub fn finish(self, complete: bool, stay: bool) -> bool {
        let Some(journal) = self.journal else { return false };
        let is_unfinished = !complete || journal.is_cut();
        if !is_unfinished && !stay {
            journal.remove();
        }
        is_unfinished
    }

    /// Whether a journal lies beside the results in `path`.
    pub fn can_resume(path: &Path) -> bool {
        Journal::read(path).is_ok_and(|found| found.is_some())
    }

    /// Takes away the journal of results that have gone themselves, as after a
    /// run that failed before its first one.
    pub fn remove_orphaned_journal(path: &Path) {
        if !path.exists() {
            Self::remove_journal(path);
        }
    }

    /// Takes away a journal that tells of other results than those that are there.
    pub fn remove_journal(path: &Path) {
        if Journal::read(path).is_ok_and(|found| found.is_some()) {
            let _ = fs::remove_file(journal::path(path));
        }
    }

    /// Nothing yet: a journal for results that are to be written to `path`. Where
    /// none can be kept the run does without.
    pub fn begin(path: &Path, sink: &Sink, options: &Options, style: Style) -> Self {
        if !sink.is_durable() {
            return Self::default();
        }
        if streams(options).next().is_some() {
            Self::remove_journal(path);
            return Self::default();
        }
        let journal = Journal::create(path, Fingerprint::new(options, style), Mark::default());
        let note = journal.as_ref().err().map(|error| format!("{error}; --resume will not be possible"));
        Self { journal: journal.ok(), note, ..Self::default() }
    }

    /// Opens a file to go on with what is in it.
    pub fn resume(path: &Path, options: &Options, style: Style) -> Result<(Sink, Self), ResumeError> {
        if let Some(stream) = streams(options).next() {
            return Err(ResumeError::Stream(stream.clone()));
        }
        let mut sink = Sink::reopen(path, &options.files)?;
        let of = Fingerprint::new(options, style);
        let file = Results { path, sink: &sink, options, style };
        let Looked { kept, mark, note } = match Journal::read(path)? {
            _ if file.are_none()? => Looked::default(),
            Some(then) => file.look(then, &of)?,
            None => file.look_without_journal()?,
        };
        let checksum = sink.checksum_of(kept.end)?.unwrap_or_default().value();
        let mark = Mark { records: kept.records, bytes: kept.end, checksum, complete: None, ..mark };
        let journal = Journal::create(path, of, mark)?;
        sink.cut(kept.end)?;
        let note = note.or_else(|| {
            (kept.records > 0).then(|| format!("{} results are kept, the others follow", kept.records))
        });
        Ok((sink, Self { records: kept.records, summary: kept.summary, journal: Some(journal), note }))
    }
}

/// A file of results that is there already, and what is asked for now.
struct Results<'a> {
    path: &'a Path,
    sink: &'a Sink,
    options: &'a Options,
    style: Style,
}

/// What may be kept, the input that it answers, and what the user should know.
#[derive(Default)]
struct Looked {
    kept: Kept,
    mark: Mark,
    note: Option<String>,
}

impl Results<'_> {
    /// Whether there is nothing yet but perhaps a heading, or the beginning of one:
    /// then it does not matter what was asked for before.
    fn are_none(&self) -> Result<bool, ResumeError> {
        let mut heading = Vec::new();
        Style { format: Format::Csv, ..self.style }.header(&mut heading);
        let mut start = Vec::new();
        let mut contents = self.sink.contents()?.take(heading.len() as u64 + 1);
        contents.read_to_end(&mut start).map_err(|error| self.unreadable(error))?;
        Ok(heading.starts_with(&start))
    }

    /// What may be kept, if all is as it was.
    fn look(&self, then: Content, now: &Fingerprint) -> Result<Looked, ResumeError> {
        let different = |difference| ResumeError::Different { path: self.path.to_owned(), difference };
        let touched = now.compare(&then.of).map_err(different)?;
        let defaults = self.options.defaults().map_err(Box::new)?;
        then.last.verify(&self.options.files, &defaults)?.map_err(different)?;
        let (complete, input, sure) = (then.last.complete, then.last.clone(), then.synced.records);
        let Some(mark) = self.choose_mark(then)? else {
            let how = "the file is shorter than what was written".to_owned();
            let most = complete.unwrap_or(u64::MAX);
            let looked = self.compare_with_records(how, Wanted { sure, most, ..self.wanted() })?;
            return Ok(Looked { mark: input, ..looked });
        };
        let most = mark.records.min(complete.unwrap_or(u64::MAX));
        let (sure, bytes) = (mark.records, mark.bytes);
        let kept = self.scan(Wanted { sure, bytes, most, ..self.wanted() }, bytes)?;
        let note = touched.map(|file| {
            let what = "has another time than before, but what was answered of it is the same";
            format!("{file} {what}: {} results are kept", kept.records)
        });
        Ok(Looked { kept, mark, note })
    }

    /// The last mark whose results are there as they were written: the last one, or after a
    /// power failure the last that was synced. None if the file is shorter than that.
    fn choose_mark(&self, then: Content) -> Result<Option<Mark>, ResumeError> {
        let Content { last, synced, .. } = then;
        for mark in [last, synced.clone()] {
            let found = self.sink.checksum_of(mark.bytes)?;
            if found.is_some_and(|found| found.value() == mark.checksum) {
                return Ok(Some(mark));
            }
        }
        if self.sink.len() < synced.bytes {
            return Ok(None);
        }
        // Where a line is obviously wrong, it is named.
        self.scan(Wanted { sure: synced.records, bytes: synced.bytes, ..self.wanted() }, synced.bytes)?;
        Err(ResumeError::Changed { path: self.path.to_owned(), bytes: synced.bytes })
    }

    /// What may be kept where only the results themselves tell what they are of.
    fn look_without_journal(&self) -> Result<Looked, ResumeError> {
        let how = format!("{} is missing", journal::path(self.path).display());
        let redo_unproved = self.options.quality == Quality::Optimal;
        if redo_unproved && self.style.format == Format::Text {
            let why = "text does not tell whether results are the shortest".into();
            return Err(ResumeError::Unmarked { path: self.path.to_owned(), how, why });
        }
        let looked = self.compare_with_records(how, Wanted { redo_unproved, ..self.wanted() })?;
        let defaults = self.options.defaults().map_err(Box::new)?;
        Ok(Looked { mark: Mark::at_end(&self.options.files, &defaults), ..looked })
    }

    /// Keeps the results that are wanted if all are right answers to the first records. `how` says
    /// why the journal does not vouch for them.
    fn compare_with_records(&self, how: String, wanted: Wanted) -> Result<Looked, ResumeError> {
        let refused =
            |why: String| ResumeError::Unmarked { path: self.path.to_owned(), how: how.clone(), why };
        let kept = self.scan(wanted, u64::MAX)?;
        match kept.records {
            0 if wanted.sure == 0 => return Err(refused("there is no result that could be kept".into())),
            // The journal tells of results, and the beginning of one is all that is left.
            0 => return Ok(Looked::default()),
            _ => {}
        }
        let defaults = self.options.defaults().map_err(Box::new)?;
        let files = self.options.files.iter();
        let readers = files.filter_map(|file| Reader::open(file, defaults.clone()).ok());
        let Style { format, notation } = self.style;
        let options = check::CheckOptions { format: Some(format), notation, room: self.options.memory / 4 };
        let results = self.contents()?.take(kept.end);
        check::in_order(readers, results, &options, |n| self.options.is_in_shard(n))
            .map_err(|source| ResumeError::Compare { path: self.path.to_owned(), source })?
            .map_err(|what| refused(format!("the results are not those of these puzzles: {what}")))?;
        let options = if wanted.sure == 0 { ", whatever options they were made with" } else { "" };
        let note = format!(
            "{how}: {} results were compared with their records and are kept{options}; the others follow",
            kept.records
        );
        Ok(Looked { kept, note: Some(note), ..Looked::default() })
    }

    /// What is wanted where nothing else is known.
    fn wanted(&self) -> Wanted {
        let (style, redo_time) = (self.style, self.options.timeout.is_none());
        Wanted { style, redo_time, redo_unproved: false, sure: 0, bytes: 0, most: u64::MAX }
    }

    /// Counts what may be kept of the first `bytes` bytes.
    fn scan(&self, wanted: Wanted, bytes: u64) -> Result<Kept, ResumeError> {
        crate::run::resume::scan::scan(self.contents()?.take(bytes), wanted)
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

/// A journal's text as it would be written again; none if it is no journal. For
/// whoever tries to break the reader.
pub fn rewrite_journal(text: &[u8]) -> Option<String> {
    Content::parse(text).map(|content| content.to_text())
}

/// How many results of a file would be kept, and where they end, if `sure` of them
/// in `bytes` bytes were marked; or the line that is damaged. For the same.
pub fn count_valid_results(
    results: &[u8],
    style: Style,
    (sure, bytes): (u64, u64),
) -> Result<(u64, u64), u64> {
    let wanted = Wanted { style, redo_time: true, redo_unproved: false, sure, bytes, most: u64::MAX };
    let kept = crate::run::resume::scan::scan(results, wanted).expect("memory can be read")?;
    Ok((kept.records, kept.end))
}

/// Inputs that cannot be read twice.
fn streams(options: &Options) -> impl Iterator<Item = &String> {
    let is_stream = |file: &&String| {
        *file == "-" || fs::metadata(path_of(file)).is_ok_and(|file| !file.is_file() && !file.is_dir())
    };
    options.files.iter().filter(is_stream)
}
