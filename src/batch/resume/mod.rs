//! Going on with a run that was ended: `--resume`.
//!
//! Results leave in the order of the input, so whatever moment a run is killed
//! at, its file holds the results of the first records, perhaps with a torn line
//! behind them. Beside it lies a small *journal* (`FILE.resume`) with what the
//! results depend on: the options, the sizes and times of the puzzle files, and
//! now and then a *mark*, how many results are safely in the file and the hash
//! of the input that they answer. To go on:
//!
//! 1. the journal is compared with the options and files of now (`fingerprint`);
//! 2. the results are counted up to the first that is torn, or that only the end
//!    of the earlier run, by a signal or its deadline, made what it is (`kept`), and
//!    the file is cut there;
//! 3. the run leaves out that many records and appends the rest.
//!
//! Killed between any two system calls, this stays true: a file is emptied before
//! its new journal is written, a journal is there before the first result, it
//! changes by renaming only, and a mark never tells of more than has been written.
//! A journal that does not match a file without results is of no importance.
//!
//! The run that keeps `--resume` in its command leaves the journal when it is
//! done, so that going on once more is fine; any other takes it away. Without a
//! journal the results themselves are compared with the records, one by one
//! ([`crate::check::in_order`]): where all of them are right, they are kept.

mod fingerprint;
mod journal;
mod kept;
mod pieces;
mod record;

pub(super) use journal::{Journal, Mark};

use super::RunError;
use super::settings::Quality;
use super::settings::Settings;
use crate::check::{self, CheckError};
use crate::file_name::path_of;
use crate::input::{InputError, Reader};
use crate::output::{Format, Sink, SinkError, Style, Summary};
use fingerprint::{Difference, Fingerprint};
use journal::Content;
use kept::{Kept, Wanted};
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// What an earlier run has left to this one, and how this one will leave it.
#[derive(Debug, Default)]
pub struct Past {
    /// Results in the file.
    pub(super) records: u64,
    /// What they come to.
    pub(super) summary: Summary,
    pub(super) journal: Option<Journal>,
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
    #[error(
        "{}: cannot be resumed: {} is missing, and {why} (--force starts over)",
        path.display(), journal::path(path).display()
    )]
    NoJournal {
        /// The file of results.
        path: PathBuf,
        /// What is wrong with the results.
        why: String,
    },
    /// The journal is something else.
    #[error("{}: is not the journal of a run", .0.display())]
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

impl Past {
    /// Ends the journal of a run: taken away if there is nothing to go on with,
    /// unless it should `stay`. Whether there is something to go on with.
    pub fn end(self, complete: bool, stay: bool) -> bool {
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
    pub fn tidy(path: &Path) {
        if !path.exists() {
            Self::forget(path);
        }
    }

    /// Takes away a journal that tells of other results than those that are there.
    pub fn forget(path: &Path) {
        if Journal::read(path).is_ok_and(|found| found.is_some()) {
            let _ = fs::remove_file(journal::path(path));
        }
    }

    /// Nothing yet: a journal for results that are to be written to `path`. Where
    /// none can be kept the run does without.
    pub fn begin(path: &Path, sink: &Sink, settings: &Settings, style: Style) -> Self {
        if !sink.is_durable() {
            return Self::default();
        }
        if streams(settings).next().is_some() {
            Self::forget(path);
            return Self::default();
        }
        let of = Fingerprint::new(settings, style);
        let journal = Journal::create(path, Content { of, mark: None, cut: None });
        let note = journal.as_ref().err().map(|error| format!("{error}; --resume will not be possible"));
        Self { journal: journal.ok(), note, ..Self::default() }
    }

    /// Opens a file to go on with what is in it.
    pub fn resume(path: &Path, settings: &Settings, style: Style) -> Result<(Sink, Self), ResumeError> {
        if let Some(stream) = streams(settings).next() {
            return Err(ResumeError::Stream(stream.clone()));
        }
        let mut sink = Sink::reopen(path, &settings.files)?;
        let of = Fingerprint::new(settings, style);
        let file = Results { path, sink: &sink, settings, style };
        let (kept, mark, note) = match Journal::read(path)? {
            _ if file.are_none()? => (Kept::default(), None, None),
            Some(then) => file.look(then, &of)?,
            None => file.look_without_journal()?,
        };
        sink.cut(kept.end)?;
        let journal = Journal::create(path, Content { of, mark, cut: None })?;
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
    settings: &'a Settings,
    style: Style,
}

/// What may be kept, the mark that stays true, and what the user should know.
type Looked = (Kept, Option<Mark>, Option<String>);

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
        let Content { of, mark, cut } = then;
        let touched = now.compare(&of).map_err(different)?;
        if let Some(mark) = &mark {
            let defaults = self.settings.defaults().map_err(Box::new)?;
            mark.verify(&self.settings.files, &defaults)?.map_err(different)?;
        }
        let (sure, bytes) = mark.as_ref().map_or((0, 0), |mark| (mark.records, mark.bytes));
        // Results behind the mark may answer other records than there are now.
        let most = if touched.is_some() { sure } else { u64::MAX };
        let most = most.min(cut.unwrap_or(u64::MAX));
        let kept = self.scan(Wanted { sure, bytes, most, ..self.wanted() })?;
        let note = touched.map(|file| {
            let what =
                "has another time than before, but what was answered of it up to the last mark is the same";
            format!("{file} {what}: {} results are kept", kept.records)
        });
        let mark = mark.filter(|mark| mark.records <= kept.records);
        Ok((kept, mark, note))
    }

    /// What may be kept where only the results themselves tell what they are of:
    /// all of them, if they are right answers to the first records.
    fn look_without_journal(&self) -> Result<Looked, ResumeError> {
        let refused = |why: String| ResumeError::NoJournal { path: self.path.to_owned(), why };
        let redo_unproved = self.settings.quality == Quality::Optimal;
        if redo_unproved && self.style.format == Format::Text {
            return Err(refused("text does not tell whether results are the shortest".into()));
        }
        let kept = self.scan(Wanted { redo_unproved, ..self.wanted() })?;
        if kept.records == 0 {
            return Err(refused("there is no result that could be kept".into()));
        }
        let defaults = self.settings.defaults().map_err(Box::new)?;
        let files = self.settings.files.iter();
        let readers = files.filter_map(|file| Reader::open(file, defaults.clone()).ok());
        let Style { format, notation } = self.style;
        let options = check::Options { format: Some(format), notation, room: self.settings.memory / 4 };
        let results = self.contents()?.take(kept.end);
        check::in_order(readers, results, &options, |n| self.settings.takes(n))
            .map_err(|source| ResumeError::Compare { path: self.path.to_owned(), source })?
            .map_err(|what| refused(format!("the results are not those of these puzzles: {what}")))?;
        let note = format!(
            "{} is missing: {} results were compared with their records and are kept, whatever options they \
             were made with; the others follow",
            journal::path(self.path).display(),
            kept.records
        );
        Ok((kept, None, Some(note)))
    }

    /// What is wanted where nothing else is known.
    fn wanted(&self) -> Wanted {
        let (style, redo_time) = (self.style, self.settings.timeout.is_none());
        Wanted { style, redo_time, redo_unproved: false, sure: 0, bytes: 0, most: u64::MAX }
    }

    fn scan(&self, wanted: Wanted) -> Result<Kept, ResumeError> {
        kept::scan(self.contents()?, wanted)
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
pub fn journal_again(text: &[u8]) -> Option<String> {
    Content::parse(text).map(|content| content.to_json().to_string())
}

/// How many results of a file would be kept, and where they end, if `sure` of them
/// in `bytes` bytes were marked; or the line that is damaged. For the same.
pub fn kept(results: &[u8], style: Style, (sure, bytes): (u64, u64)) -> Result<(u64, u64), u64> {
    let wanted = Wanted { style, redo_time: true, redo_unproved: false, sure, bytes, most: u64::MAX };
    let kept = kept::scan(results, wanted).expect("memory can be read")?;
    Ok((kept.records, kept.end))
}

/// Inputs that cannot be read twice.
fn streams(settings: &Settings) -> impl Iterator<Item = &String> {
    let is_stream = |file: &&String| {
        *file == "-" || fs::metadata(path_of(file)).is_ok_and(|file| !file.is_file() && !file.is_dir())
    };
    settings.files.iter().filter(is_stream)
}
