//! Commands that would take forever, or that wait for somebody: the first
//! signal ends each.

use crate::round::Round;
use crate::run::{Run, Stdin, Stdout};
use crate::system::make_fifo;
use crate::truth::record::{Mix, text};
use anyhow::Result;
use std::time::Duration;

/// Commands that go on for long.
const LONG: [&[&str]; 8] = [
    &["generate", "trays", "--moves", "18446744073709551615"],
    &["generate", "--moves", "18446744073709551615"],
    &["generate", "trays", "--size", "6x6", "--farthest", "10000000"],
    &["generate", "trays", "--size", "8x8", "--shapes", "1x1:60", "--count", "100000000"],
    &["experiment", "trays", "-o", "plots"],
    &["experiment", "max-nodes", "--count", "100000", "-o", "plots"],
    &["trace", "V", "F", "Q", "15 14 8 12 10 11 9 13 2 6 5 1 3 7 4 0"],
    &["pdb", "build", "7-8", "--pdb-dir", "databases"],
];

/// Commands that wait for standard input.
const WAITING: [&[&str]; 7] = [
    &["solve", "-"],
    &["check", "-", "puzzles.txt"],
    &["check", "puzzles.txt", "-"],
    &["convert", "-", "--to", "line"],
    &["improve", "puzzles.txt", "-"],
    &["shell"],
    &["shell", "-"],
];

/// Commands that wait for FIFOs.
const FIFOS: [&[&str]; 8] = [
    &["solve", "fifo"],
    &["solve", "puzzles.txt", "-o", "fifo", "--force"],
    &["tray", "fifo", "fifo"],
    &["tray", "puzzles.txt", "fifo"],
    &["check", "fifo", "puzzles.txt"],
    &["convert", "fifo", "--to", "line"],
    &["generate", "--count", "10", "-o", "fifo", "--force"],
    &["shell", "fifo"],
];

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let records = round.records(2000, Mix::SMALL);
    round.workspace.write("puzzles.txt", text(&records))?;
    let mut run = match round.random.below(4) {
        0 => Run::new(round.random.pick(&LONG)),
        1 => Run::new(round.random.pick(&WAITING)).stdin(Stdin::Silent),
        2 => {
            make_fifo(&round.workspace.path("fifo"))?;
            Run::new(round.random.pick(&FIFOS))
        }
        _ => unread(round),
    };
    run.after_signal = Duration::from_secs(10);
    let signal = round.random.pick(&[libc::SIGINT, libc::SIGTERM, libc::SIGHUP]);
    let after = Duration::from_millis(round.random.between(100, 1500) as u64);
    round.run(&run.signal(signal, after))?;
    Ok(())
}

/// Output that fills a pipe which nobody reads.
fn unread(round: &mut Round<'_>) -> Run {
    let commands: [&[&str]; 5] = [
        &["solve", "puzzles.txt"],
        &["solve", "puzzles.txt", "--format", "states"],
        &["generate", "--count", "1000000"],
        &["convert", "puzzles.txt", "--to", "grid"],
        &["trace", "V", "F", "V", "8 6 7/2 5 4/3 0 1"],
    ];
    Run::new(round.random.pick(&commands)).stdout(Stdout::Unread)
}
