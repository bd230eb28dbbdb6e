//! `batch-solve tray INIT GOAL`: one tray in the two files of the course form.

use crate::cli::args::TrayArgs;
use crate::cli::terminal::signals;
use crate::cli::{Exit, Screen};
use crate::files::name::path_of;
use crate::input::{Course, parse_course};
use crate::model::interrupt::Interrupt;
use crate::model::report::{Instance, Moves, Verdict};
use crate::output::{Sink, SinkError, replay};
use crate::run::UntilSignal;
use crate::solve::one_tray::solve_tray;
use anyhow::{Context, bail};
use std::{fmt::Write, io::Read, sync::Arc};

/// The longest file that is read: far more than any tray needs.
const LONGEST: u64 = 16 << 20;

/// Solves the tray and prints a line for each slide.
pub(in crate::cli) fn run(args: &TrayArgs, screen: Screen) -> anyhow::Result<Exit> {
    let interrupt = signals::listen()?;
    let files = read(&args.init, &interrupt).and_then(|init| Ok((init, read(&args.goal, &interrupt)?)));
    let (init, goal) = match (files, interrupt.signal()) {
        (Err(_), Some(signal)) => return Ok(Exit::Signal(signal)),
        (files, _) => files?,
    };
    let tray = match parse_course(&init, &goal, args.input_format) {
        Ok(Course::Tray { tray, is_ambiguous }) => {
            if is_ambiguous {
                screen.note("the lines are taken as 'r1 c1 r2 c2'; 'height width row column' makes sense, too (--input-format lwrc)");
            }
            Arc::new(tray)
        }
        Ok(Course::Impossible { reason }) => {
            screen.note(&format!("{}: {reason}", args.goal));
            return Ok(Exit::Undecided);
        }
        Err(fault) => bail!("{}: {}", if fault.in_goal { &args.goal } else { &args.init }, fault.invalid),
    };
    let options = args.options();
    let (verdict, _) = solve_tray(&tray, &options, &interrupt)?;
    match verdict {
        Verdict::Solved(solution) => {
            let instance = Instance::Tray { tray, metric: options.tray_metric };
            if let Err(wrong) = replay(&instance, &solution) {
                bail!("a solution that does not replay, which is a bug: {wrong}");
            }
            let Moves::Tray(moves) = &solution.moves else { unreachable!("it replays") };
            let mut lines = String::new();
            for shift in moves {
                let _ = writeln!(lines, "{shift}");
            }
            match Sink::stdout(&[] as &[&str]).and_then(|sink| {
                let mut sink = sink.with_stop(signals::stop(&interrupt));
                sink.write_all(lines.as_bytes())?;
                sink.finish()
            }) {
                Ok(()) | Err(SinkError::Closed) => Ok(Exit::Decided),
                Err(error) => Err(error.into()),
            }
        }
        Verdict::Unsolvable { .. } => Ok(Exit::Undecided),
        Verdict::GaveUp { reason, bound } => {
            if let Some(signal) = interrupt.signal() {
                return Ok(Exit::Signal(signal));
            }
            bail!("not decided: out of {}; a solution has at least {bound} slides", reason.word())
        }
        Verdict::Invalid { reason } => bail!("{reason}"),
    }
}

/// One of the two files, whole, unless a signal comes first.
pub(in crate::cli) fn read(name: &str, interrupt: &Interrupt) -> anyhow::Result<Vec<u8>> {
    let file = UntilSignal::open(&path_of(name), interrupt).with_context(|| format!("cannot open {name}"))?;
    let mut text = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut text).with_context(|| format!("cannot read {name}"))?;
    if text.len() as u64 > LONGEST {
        bail!("{name} is longer than any tray");
    }
    Ok(text)
}
