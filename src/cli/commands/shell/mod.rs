//! `batch-solve shell`: reads commands from a file, a pipe or a person, and
//! shows the answers.

mod prompt;
mod waiting;

use crate::cli::Exit;
use crate::cli::args::ShellArgs;
use crate::cli::terminal::signals;
use crate::files::name::path_of;
use crate::memory::arena::Arena;
use crate::memory::budget::Budget;
use crate::memory::{Region, limits};
use crate::model::interrupt::Interrupt;
use crate::output::Sink;
use crate::tools::shell::{Answer, Session, SessionError};
use anyhow::{Context, ensure};
use prompt::Prompt;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal, Read},
};
use waiting::Waiting;

/// The longest line of a script, in bytes; the largest state takes far less.
const LONGEST: u64 = 1 << 20;

/// The program itself, with its buffers.
const PROGRAM: u64 = 12 << 20;

/// The least memory that searches are begun with.
const LEAST_ARENA: usize = 1 << 20;

/// Runs a session to its end.
pub(in crate::cli) fn run(args: &ShellArgs) -> anyhow::Result<Exit> {
    let interrupt = signals::listen()?;
    let budget = Budget::new(limits::cap(Some(args.memory), 0));
    budget.reserve(PROGRAM + LEAST_ARENA as u64).context("--memory")?;
    let mut arena = Arena::new(LEAST_ARENA + budget.left() as usize, LEAST_ARENA)?;
    let region = Region::zeroed(arena.divide(&[]).pop().unwrap_or_default());
    let session = Session::new(args.size, args.seed, region)?;
    let waiting = Waiting::watch(interrupt.clone())?;
    let sink = Sink::stdout(&[] as &[&str])?.with_stop(signals::stop(&interrupt));
    let dialogue = Dialogue { session, interrupt, waiting, sink, exit: Exit::Decided };
    match args.script.as_deref() {
        None if io::stdin().is_terminal() => dialogue.with_a_person(args),
        None | Some("-") => dialogue.with_lines(io::stdin().lock()),
        Some(path) => {
            let script = dialogue.waiting.during(|| File::open(path_of(path))).context(path.to_owned())?;
            dialogue.with_lines(BufReader::new(script))
        }
    }
}

/// A session with somebody.
struct Dialogue<'r> {
    session: Session<'r>,
    interrupt: Interrupt,
    waiting: Waiting,
    sink: Sink,
    exit: Exit,
}

impl Dialogue<'_> {
    /// Takes commands from a stream.
    fn with_lines(mut self, mut lines: impl BufRead) -> anyhow::Result<Exit> {
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let mut most = lines.by_ref().take(LONGEST);
            let read = self.waiting.during(|| most.read_until(b'\n', &mut line))?;
            let whole = line.strip_suffix(b"\n").unwrap_or(&line);
            ensure!(
                line.len() < LONGEST as usize || line.len() > whole.len(),
                "line {number} is longer than {} KiB",
                LONGEST >> 10
            );
            if read == 0 || !self.answer(&String::from_utf8_lossy(whole), number)? {
                break;
            }
        }
        Ok(self.exit)
    }

    /// Takes commands from a person.
    fn with_a_person(mut self, args: &ShellArgs) -> anyhow::Result<Exit> {
        let mut prompt = Prompt::new(&format!("{}-puzzle> ", args.size.cells() - 1))?;
        let mut number = 0;
        while let Some(line) = self.waiting.during(|| prompt.next())? {
            number += 1;
            if !self.answer(&line, number)? {
                break;
            }
        }
        // Mistakes at a prompt have been seen.
        Ok(if matches!(self.exit, Exit::Signal(_)) { self.exit } else { Exit::Decided })
    }

    /// Answers a line; whether there may be another.
    fn answer(&mut self, line: &str, number: u64) -> anyhow::Result<bool> {
        let interrupt = self.interrupt.clone();
        let answer = self.session.run(line, &|| interrupt.is_raised());
        let (text, goes_on) = match answer {
            Ok(Answer::Text(text)) => (text, true),
            Ok(Answer::Quit) => (String::new(), false),
            Err(error) => {
                self.exit = self.exit.and(exit_of(&error));
                (format!("Error in line {number}: {error}\n"), true)
            }
        };
        self.sink.write_all(text.as_bytes())?;
        let signal = self.interrupt.signal().map(Exit::Signal);
        self.exit = self.exit.and(signal.unwrap_or_default());
        Ok(goes_on && signal.is_none())
    }
}

/// What an error means for the status: only a search that found nothing
/// is no mistake.
fn exit_of(error: &SessionError) -> Exit {
    match error {
        SessionError::Unsolvable
        | SessionError::MaxNodes(_)
        | SessionError::Dry(_)
        | SessionError::GaveUp(_) => Exit::Undecided,
        _ => Exit::Failed,
    }
}
