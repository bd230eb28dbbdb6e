//! `batch-solve convert`: puzzles from form to form, results into what other
//! tools read.

mod courses;

use super::check;
use crate::check::{CheckOptions, PuzzleFile, check_each};
use crate::cli::args::{Conversion, ConvertArgs};
use crate::cli::terminal::error_list::ErrorList;
use crate::cli::{Exit, Screen};
use crate::convert::results::{self, Answers};
use crate::convert::{Puzzles, Record, Written};
use crate::files::name::path_of;
use crate::input::{Block, Defaults};
use crate::output::{Sink, SinkError};
use anyhow::Context;
use std::{fmt, sync::Arc};

/// Text is handed on when there is so much of it, in bytes.
const CHUNK: usize = 64 << 10;

/// Records that are read together.
const BLOCK: usize = 256;

/// Converts what was asked for.
pub(in crate::cli) fn run(args: &ConvertArgs) -> anyhow::Result<Exit> {
    let conversion = args.conversion()?;
    let (window, room) = check::room(args.memory, &args.files)?;
    let (courses, files): (Vec<&String>, Vec<&String>) =
        args.files.iter().partition(|file| courses::is_course(&path_of(file)));
    let defaults = Arc::new(Defaults { zstd_window: Some(window), ..args.defaults()? });
    let files = files.into_iter().map(|name| file(name, &defaults)).collect::<anyhow::Result<Vec<_>>>()?;
    let inputs: Vec<&str> = args.files.iter().chain(&args.results).map(String::as_str).collect();
    let mut sink = args.destination.open(&inputs)?;
    let exit = match conversion {
        Conversion::Puzzles(form) => {
            let mut errors = ErrorList::new(Screen::default());
            for course in courses {
                courses::convert(&path_of(course), form, &mut sink, &mut errors)?;
            }
            puzzles(files, form, &mut sink, &mut errors)?;
            errors.finish()
        }
        Conversion::Results(name, answers) => solutions(args, files, (name, answers), room, &mut sink)?,
    };
    sink.finish()?;
    Ok(exit)
}

/// A file that will be opened when its turn comes, as there may be more of them
/// than a process may have open. What does not exist is told before anything is
/// written.
fn file(name: &str, defaults: &Arc<Defaults>) -> anyhow::Result<PuzzleFile> {
    if name != "-" {
        path_of(name).metadata().with_context(|| format!("cannot open {name}"))?;
    }
    Ok(PuzzleFile::Named { name: name.into(), defaults: defaults.clone() })
}

/// Writes the records of files in a form.
fn puzzles(
    files: Vec<PuzzleFile>,
    form: Written,
    sink: &mut Sink,
    errors: &mut ErrorList,
) -> anyhow::Result<()> {
    let (mut puzzles, mut text) = (Puzzles::new(form), String::new());
    let mut block = Block::default();
    for file in files {
        let mut reader = file.open()?;
        while reader.next_block(&mut block, BLOCK)? {
            for index in 0..block.len() {
                let header = block.header(index);
                let written =
                    block.parse(index).map_err(|invalid| invalid.to_string()).and_then(|instance| {
                        let record = Record { id: header.id, length: header.length, instance: &instance };
                        let line = header.line;
                        puzzles.record(&mut text, record).map_err(|error| format!("{error} (line {line})"))
                    });
                if let Err(what) = written {
                    errors.add(&format!("{}, record {}: {what}", reader.file(), header.n));
                }
            }
            if text.len() >= CHUNK {
                sink.write_all(text.as_bytes())?;
                text.clear();
            }
        }
        reader.finish()?;
    }
    sink.write_all(text.as_bytes())?;
    Ok(())
}

/// Writes the results that are right, and names the others.
fn solutions(
    args: &ConvertArgs,
    files: Vec<PuzzleFile>,
    (name, answers): (&str, Answers),
    room: u64,
    sink: &mut Sink,
) -> anyhow::Result<Exit> {
    let screen = Screen::default();
    let options = CheckOptions { format: None, notation: args.notation, room };
    let mut out = Chunks { text: String::new(), sink, failed: Ok(()) };
    let summary = check_each(files, check::open(name)?, &options, |right| {
        // What went wrong is in `failed`; nothing else can.
        let _ = results::write(&mut out, answers, right);
    })
    .with_context(|| name.to_owned())?;
    out.finish()?;
    summary.problems.iter().for_each(|problem| screen.error(problem));
    if summary.more_problems() > 0 {
        screen.error(&format!("and {} more", summary.more_problems()));
    }
    Ok(if summary.is_right() { Exit::Decided } else { Exit::Failed })
}

/// Text on its way to a sink, of which little is held at a time.
struct Chunks<'s> {
    text: String,
    sink: &'s mut Sink,
    failed: Result<(), SinkError>,
}

impl Chunks<'_> {
    fn pass_on(&mut self) -> fmt::Result {
        if self.failed.is_ok() {
            self.failed = self.sink.write_all(self.text.as_bytes());
        }
        self.text.clear();
        self.failed.as_ref().map(drop).map_err(|_| fmt::Error)
    }

    fn finish(mut self) -> Result<(), SinkError> {
        let _ = self.pass_on();
        self.failed
    }
}

impl fmt::Write for Chunks<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        // Chunks end with a line, so that a full disk leaves whole ones.
        if self.text.len() >= CHUNK && text.ends_with('\n') { self.pass_on() } else { Ok(()) }
    }
}
