//! Signals: the first one drains the run, the second one ends it at once.
//!
//! A thread of its own waits for them, so nothing here runs inside a handler.
//! SIGPIPE needs no care: it is ignored from the start, and a closed pipe comes
//! back as an error of the write.

use super::status_line;
use crate::model::interrupt::Interrupt;
use crate::output::Stop;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    flag,
    iterator::Signals,
    low_level,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::{fs, io, thread};

/// The listener does next to nothing and needs next to no stack.
const STACK: usize = 128 << 10;

/// Raises the flag returned when SIGINT, SIGTERM or SIGHUP arrives; a second
/// one ends the process.
pub fn listen() -> io::Result<Interrupt> {
    let interrupt = Interrupt::new();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(&status, signal));
    let mut signals = Signals::new(heard)?;
    let raised = interrupt.clone();
    thread::Builder::new().name("signals".into()).stack_size(STACK).spawn(move || {
        for signal in signals.forever() {
            RECEIVED.store(signal, Relaxed);
            if !raised.raise(signal) {
                end_now(signal);
            }
        }
    })?;
    Ok(interrupt)
}

/// The last signal that arrived; 0 while there was none.
static RECEIVED: AtomicI32 = AtomicI32::new(0);

/// The signal that ends the process, if one arrived.
pub(in crate::cli) fn received() -> Option<i32> {
    Some(RECEIVED.load(Relaxed)).filter(|&signal| signal != 0)
}

/// Lets an output end that nobody reads.
pub(in crate::cli) fn stop(interrupt: &Interrupt) -> Stop {
    let interrupt = interrupt.clone();
    Stop::when(move || interrupt.is_raised())
}

/// Makes a write beyond the limit on file sizes (`ulimit -f`) an error of that write. By default
/// the signal ends the process in the middle of a line.
pub fn report_file_size_limit() -> io::Result<()> {
    flag::register(SIGXFSZ, Arc::default()).map(|_| ())
}

/// Whether a signal was already ignored when the process began, as `nohup` and
/// background jobs of scripts want it; then it stays so.
fn is_ignored(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Ends the process without waiting for anybody.
fn end_now(signal: i32) -> ! {
    // A progress line should not stay before the prompt.
    status_line::try_erase();
    low_level::exit(128 + signal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_ignored_by_the_parent_stay_ignored() {
        let status = "Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001003\n";
        assert!(is_ignored(status, SIGHUP) && is_ignored(status, SIGINT));
        assert!(!is_ignored(status, SIGTERM) && !is_ignored("", SIGINT));
    }

    #[test]
    fn the_first_signal_raises_the_flag() {
        let interrupt = listen().unwrap();
        low_level::raise(SIGTERM).unwrap();
        for _ in 0..500 {
            if interrupt.is_raised() {
                break;
            }
            thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(interrupt.signal(), Some(SIGTERM));
    }
}
