//! A signal that comes while a line is waited for ends the shell at once: nothing
//! is under way then, and a line may never come.

use crate::cli::Exit;
use crate::model::interrupt::Interrupt;
use nix::sys::termios::{SetArg, tcgetattr, tcsetattr};
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How long a signal may go unnoticed.
const LOOK: Duration = Duration::from_millis(50);

/// The watcher does next to nothing and needs next to no stack.
const STACK: usize = 128 << 10;

/// Whether a line is waited for, known to a thread that looks out for signals.
pub(super) struct Waiting(Arc<AtomicBool>);

impl Waiting {
    /// Begins to look out.
    pub(super) fn watch(interrupt: Interrupt) -> io::Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        let waiting = flag.clone();
        // The line editor changes the terminal: it is left as it was found.
        let modes = tcgetattr(io::stdin()).ok();
        thread::Builder::new().name("waiting".into()).stack_size(STACK).spawn(move || {
            loop {
                thread::sleep(LOOK);
                let Some(signal) = interrupt.signal().filter(|_| waiting.load(Ordering::Acquire)) else {
                    continue;
                };
                if let Some(modes) = &modes {
                    let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, modes);
                }
                let mut stdout = io::stdout();
                if modes.is_some() && stdout.is_terminal() {
                    // No more marks around what is pasted.
                    let _ = stdout.write_all(b"\x1b[?2004l\r\n").and_then(|()| stdout.flush());
                }
                std::process::exit(Exit::Signal(signal).code().into());
            }
        })?;
        Ok(Self(flag))
    }

    /// Waits for a line.
    pub(super) fn during<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.0.store(true, Ordering::Release);
        let line = wait();
        self.0.store(false, Ordering::Release);
        line
    }
}
