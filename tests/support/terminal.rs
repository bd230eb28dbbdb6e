//! The real binary on a pseudo-terminal, and an emulator that shows what a person would
//! see: lines wrap, and wrap anew when the terminal changes its size.

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line, Point};
use alacritty_terminal::term::{Config, Term};
use alacritty_terminal::vte::ansi::Processor;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// A guard against hanging.
const PATIENCE: Duration = Duration::from_secs(120);

/// Rows of the terminal; more scroll into its history.
const ROWS: usize = 50;

/// A size of the terminal in columns.
struct Columns(usize);

impl Dimensions for Columns {
    fn total_lines(&self) -> usize {
        ROWS
    }

    fn screen_lines(&self) -> usize {
        ROWS
    }

    fn columns(&self) -> usize {
        self.0
    }
}

/// A terminal with a program that runs in it.
pub(crate) struct Terminal {
    keyboard: File,
    output: mpsc::Receiver<Vec<u8>>,
    emulator: Term<VoidListener>,
    parser: Processor,
    pub(crate) child: Child,
    /// All that the program has written.
    pub(crate) written: Vec<u8>,
}

impl Terminal {
    /// Starts a command with stdout and stderr, and stdin if it has no other, on a
    /// terminal of so many columns.
    pub(crate) fn start(mut command: Command, columns: usize, stdin: Option<Stdio>) -> Self {
        let pty = nix::pty::openpty(&winsize(columns), None).unwrap();
        for end in [&pty.master, &pty.slave] {
            // Programs of other tests should not inherit it.
            fcntl(end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).unwrap();
        }
        let slave = |_| Stdio::from(pty.slave.try_clone().unwrap());
        command.stdin(stdin.unwrap_or_else(|| slave(0))).stdout(slave(1)).stderr(slave(2));
        command.env("TERM", "xterm-256color").env_remove("NO_COLOR");
        let terminal = pty.slave.try_clone().unwrap();
        super::with_default_signals(&mut command);
        #[allow(unsafe_code)]
        // SAFETY: both calls may be made between fork and exec.
        unsafe {
            command.pre_exec(move || {
                libc::setsid();
                libc::ioctl(terminal.as_raw_fd(), libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        drop((command, pty.slave));
        let keyboard = File::from(pty.master);
        let mut screen = keyboard.try_clone().unwrap();
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            // An error is the end: nobody has the terminal open any more.
            while let Ok(read @ 1..) = screen.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        let emulator = Term::new(Config::default(), &Columns(columns), VoidListener);
        Self { keyboard, output, emulator, parser: Processor::new(), child, written: Vec::new() }
    }

    /// Presses keys.
    pub(crate) fn send(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Changes the width of the terminal, as a person with a mouse does.
    pub(crate) fn resize(&mut self, columns: usize) {
        let size = winsize(columns);
        #[allow(unsafe_code)]
        // SAFETY: the descriptor is open, and the size is read only.
        let status = unsafe { libc::ioctl(self.keyboard.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) };
        assert_eq!(status, 0);
        self.emulator.resize(Columns(columns));
    }

    /// Waits until the program has written something after byte `from` that satisfies a
    /// condition; returns how much it has written.
    pub(crate) fn wait_for(&mut self, from: usize, is_there: impl Fn(&str) -> bool) -> usize {
        let started = Instant::now();
        while !is_there(&String::from_utf8_lossy(&self.written[from..])) {
            let left = PATIENCE.saturating_sub(started.elapsed());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(error) => panic!("{error}; so far: {}", self.text()),
            }
        }
        self.written.len()
    }

    /// Waits until the program has ended.
    pub(crate) fn finish(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            // Before looking for output: what was written before the end is there then.
            let ended = self.child.try_wait().unwrap();
            match self.output.recv_timeout(Duration::from_millis(100)) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Disconnected) => return self.child.wait().unwrap(),
                Err(RecvTimeoutError::Timeout) if ended.is_some() => return ended.unwrap(),
                Err(_) => assert!(started.elapsed() < PATIENCE, "it does not end; so far: {}", self.text()),
            }
        }
    }

    /// What stands on the screen and in its history. Rows that the terminal wrapped are
    /// one line; runs of blanks are one blank.
    pub(crate) fn text(&self) -> String {
        let grid = self.emulator.grid();
        let start = Point::new(Line(-(grid.history_size() as i32)), Column(0));
        let end = Point::new(grid.bottommost_line(), grid.last_column());
        let text = self.emulator.bounds_to_string(start, end);
        let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().map(line).filter(|line| !line.is_empty()).flat_map(|line| [line, "\n".into()]).collect()
    }

    fn take(&mut self, bytes: &[u8]) {
        self.written.extend_from_slice(bytes);
        self.parser.advance(&mut self.emulator, bytes);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn winsize(columns: usize) -> nix::pty::Winsize {
    nix::pty::Winsize { ws_row: ROWS as u16, ws_col: columns as u16, ws_xpixel: 0, ws_ypixel: 0 }
}
