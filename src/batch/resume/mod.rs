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
//!    of the earlier run left undecided (`kept`), and the file is cut there;
//! 3. the run leaves out that many records and appends the rest.
//!
//! Killed between any two system calls, this stays true: a file is emptied before
//! its new journal is written, a journal is there before the first result, it
//! changes by renaming only, and a mark never tells of more than has been written.
//! A journal that does not match a file without results is of no importance.
//!
//! The run that keeps `--resume` in its command leaves the journal when it is
//! done, so that going on once more is fine; any other takes it away.

mod fingerprint;
mod journal;
mod kept;
mod pieces;
mod record;

pub(super) use journal::{Journal, Mark};

use super::settings::Settings;
use crate::input::InputError;
use crate::output::{Sink, SinkError, Style, Summary};
use fingerprint::{Difference, Fingerprint};
use kept::{Kept, Wanted};
use std::fs;
use std::io::{self, BufReader, Read};
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
    /// There are results, but nothing that tells of their input.
    #[error(
        "{}: {} is missing, so nothing tells which input and options these results are of; either they are \
         complete or they come from elsewhere (--force starts over)", .0.display(), journal::path(.0).display()
    )]
    NoJournal(PathBuf),
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
    /// unless it should `stay`.
    pub fn end(self, complete: bool, stay: bool) {
        if let Some(journal) = self.journal
            && complete
            && !stay
        {
            journal.remove();
        }
    }

    /// Takes away the journal of results that have gone themselves, as after a
    /// run that failed before its first one.
    pub fn tidy(path: &Path) {
        if !path.exists() {
            Self::forget(path);
        }
    }

    /// Takes away a journal that tells of other results than those that are there.
    fn forget(path: &Path) {
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
        let journal = Journal::create(path, Fingerprint::new(settings, style), None);
        let note = journal.as_ref().err().map(|error| format!("{error}; --resume will not be possible"));
        Self { journal: journal.ok(), note, ..Self::default() }
    }

    /// Opens a file to go on with what is in it.
    pub fn resume(path: &Path, settings: &Settings, style: Style) -> Result<(Sink, Self), ResumeError> {
        if let Some(stream) = streams(settings).next() {
            return Err(ResumeError::Stream(stream.clone()));
        }
        let mut sink = Sink::reopen(path, &settings.files)?;
        let now = Fingerprint::new(settings, style);
        let found = Journal::read(path)?;
        let (kept, mark, note) = match found {
            Some((then, mark)) => Self::look(path, &sink, settings, style, &then, &now, mark)?,
            None => (Self::look_for_any(path, &sink, style)?, None, None),
        };
        sink.cut(kept.end)?;
        let journal = Journal::create(path, now, mark)?;
        let note = note.or_else(|| {
            (kept.records > 0).then(|| format!("{} results are kept, the others follow", kept.records))
        });
        Ok((sink, Self { records: kept.records, summary: kept.summary, journal: Some(journal), note }))
    }

    /// What may be kept, if all is as it was, and the mark that stays true.
    fn look(
        path: &Path,
        sink: &Sink,
        settings: &Settings,
        style: Style,
        then: &Fingerprint,
        now: &Fingerprint,
        mark: Option<Mark>,
    ) -> Result<(Kept, Option<Mark>, Option<String>), ResumeError> {
        let different = |difference| ResumeError::Different { path: path.to_owned(), difference };
        let (sure, bytes) = mark.as_ref().map_or((0, 0), |mark| (mark.records, mark.bytes));
        let redo_time = settings.timeout.is_none();
        let scan = |most| {
            let contents = BufReader::with_capacity(128 << 10, sink.contents()?);
            kept::scan(contents, Wanted { style, redo_time, sure, bytes, most })
                .map_err(|source| ResumeError::Journal { path: path.to_owned(), source })?
                .map_err(|line| ResumeError::Damaged { path: path.to_owned(), line })
        };
        let touched = match now.compare(then) {
            Ok(touched) => touched,
            // Where there is nothing yet, it does not matter what was asked for.
            Err(_) if sink.is_empty() => return Ok((Kept::default(), None, None)),
            Err(difference) => return Err(different(difference)),
        };
        if let Some(mark) = &mark {
            mark.verify(&settings.files)?.map_err(different)?;
        }
        // Results behind the mark may answer other records than there are now.
        let kept = scan(if touched.is_some() { sure } else { u64::MAX })?;
        let note = touched.map(|file| {
            let what =
                "has another time than before, but what was answered of it up to the last mark is the same";
            format!("{file} {what}: {} results are kept", kept.records)
        });
        let mark = mark.filter(|mark| mark.records <= kept.records);
        Ok((kept, mark, note))
    }

    /// Without a journal only a file without results can be gone on with.
    fn look_for_any(path: &Path, sink: &Sink, style: Style) -> Result<Kept, ResumeError> {
        let mut heading = Vec::new();
        style.header(&mut heading);
        let mut start = Vec::new();
        let mut contents = sink.contents()?.take(heading.len() as u64 + 1);
        contents
            .read_to_end(&mut start)
            .map_err(|source| ResumeError::Journal { path: path.to_owned(), source })?;
        if !heading.starts_with(&start) {
            return Err(ResumeError::NoJournal(path.to_owned()));
        }
        Ok(Kept::default())
    }
}

/// Inputs that cannot be read twice.
fn streams(settings: &Settings) -> impl Iterator<Item = &String> {
    let is_stream = |file: &&String| {
        *file == "-" || fs::metadata(file.as_str()).is_ok_and(|file| !file.is_file() && !file.is_dir())
    };
    settings.files.iter().filter(is_stream)
}
