//! One run of the program: its arguments, the other ends of its pipes, limits,
//! a signal, and what came of it.
//!
//! What holds of every run is checked here: it ends in time, without a panic
//! or an abort, by no signal but the one that was sent, and its peak resident
//! memory as the kernel counts it is not over `--memory`.

use crate::feed::Peers;
use crate::system::{self, End, Limit};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// No run of a round takes longer.
const PATIENCE: Duration = Duration::from_secs(240);

/// A run ends this soon after its first signal.
const AFTER_SIGNAL: Duration = Duration::from_secs(30);

/// Where standard input comes from.
#[derive(Clone)]
pub(crate) enum Stdin {
    /// `/dev/null`.
    Nothing,
    /// A pipe with these bytes; whether the writer is slow.
    Pipe(Vec<u8>, bool),
    /// A pipe that stays open without a byte.
    Silent,
}

/// Where standard output goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stdout {
    /// A file that is read afterwards.
    File,
    /// A pipe that nobody reads.
    Unread,
    /// A pipe whose reader leaves after so many bytes.
    Leaves(usize),
}

/// A run to be made.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) arguments: Vec<OsString>,
    pub(crate) stdin: Stdin,
    pub(crate) stdout: Stdout,
    pub(crate) limits: Vec<Limit>,
    /// FIFOs to write into: the path, the bytes, whether slowly.
    pub(crate) feeds: Vec<(PathBuf, Vec<u8>, bool)>,
    /// A FIFO to read from, and the bytes after which its reader leaves.
    pub(crate) drain: Option<(PathBuf, usize)>,
    /// A signal, and when it is sent.
    pub(crate) signal: Option<(i32, Duration)>,
    /// The cap on memory, in MiB.
    pub(crate) cap: Option<u64>,
    /// A cache folder of its own.
    pub(crate) cache: Option<PathBuf>,
    /// How long it may take.
    pub(crate) patience: Duration,
    /// How long it may take after its signal.
    pub(crate) after_signal: Duration,
}

/// What came of a run.
pub(crate) struct Outcome {
    pub(crate) end: End,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    /// Whether it was still running when its signal was sent.
    pub(crate) interrupted: bool,
    pub(crate) elapsed: Duration,
    pub(crate) peak: u64,
    /// The command line, for messages.
    pub(crate) command: String,
}

impl Run {
    /// Returns a run with some arguments.
    pub(crate) fn new<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Self {
        Self {
            arguments: arguments.into_iter().map(|word| word.as_ref().to_owned()).collect(),
            stdin: Stdin::Nothing,
            stdout: Stdout::File,
            limits: Vec::new(),
            feeds: Vec::new(),
            drain: None,
            signal: None,
            cap: None,
            cache: None,
            patience: PATIENCE,
            after_signal: AFTER_SIGNAL,
        }
    }

    /// Appends arguments.
    pub(crate) fn args<S: AsRef<OsStr>>(mut self, more: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(more.into_iter().map(|word| word.as_ref().to_owned()));
        self
    }

    /// Caps the memory at `mebibytes`.
    pub(crate) fn cap(mut self, mebibytes: u64) -> Self {
        self.cap = Some(mebibytes);
        self.args(["--memory".to_owned(), format!("{mebibytes}MiB")])
    }

    /// Sets a limit from outside.
    pub(crate) fn limit(mut self, limit: Limit) -> Self {
        self.limits.push(limit);
        self
    }

    /// Sends a signal after some time.
    pub(crate) fn signal(mut self, signal: i32, after: Duration) -> Self {
        self.signal = Some((signal, after));
        self
    }

    /// Limits the time it may take.
    pub(crate) fn patience(mut self, seconds: u64) -> Self {
        self.patience = Duration::from_secs(seconds);
        self
    }

    /// Gives it a cache folder of its own.
    pub(crate) fn cache(mut self, folder: PathBuf) -> Self {
        self.cache = Some(folder);
        self
    }

    /// Connects standard input.
    pub(crate) fn stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    /// Connects standard output.
    pub(crate) fn stdout(mut self, stdout: Stdout) -> Self {
        self.stdout = stdout;
        self
    }

    /// Returns the shell command that does about the same.
    fn shell(&self, program: &str) -> String {
        let mut line: String = self.limits.iter().map(|limit| limit.shell() + "; ").collect();
        line.push_str(program);
        for word in &self.arguments {
            line.push(' ');
            line.push_str(&quote(word));
        }
        match &self.stdin {
            Stdin::Nothing => line.push_str(" </dev/null"),
            Stdin::Pipe(bytes, slow) => {
                line += &format!(
                    "  # {} bytes through a pipe{}",
                    bytes.len(),
                    if *slow { ", slowly" } else { "" }
                );
            }
            Stdin::Silent => line.push_str("  # standard input open and silent"),
        }
        for (path, bytes, _) in &self.feeds {
            line += &format!("  # {} bytes into the FIFO {}", bytes.len(), path.display());
        }
        match self.stdout {
            Stdout::File => {}
            Stdout::Unread => line.push_str("  # nobody reads standard output"),
            Stdout::Leaves(most) => line += &format!("  # its reader leaves after {most} bytes"),
        }
        if let Some((signal, after)) = self.signal {
            line += &format!("  # signal {signal} after {after:?}");
        }
        line
    }

    /// Makes the run and checks what holds of every run.
    pub(crate) fn go(&self, workspace: &mut Workspace) -> Result<Outcome> {
        let command = self.shell(&workspace.program.display().to_string());
        workspace.note(&command);
        let outcome = self.run(workspace, &command).with_context(|| format!("command: {command}"))?;
        self.hold(&outcome).with_context(|| format!("command: {command}"))?;
        Ok(outcome)
    }

    fn run(&self, workspace: &mut Workspace, line: &str) -> Result<Outcome> {
        let (out, err) = workspace.logs();
        let mut command = Command::new(&workspace.program);
        command.args(&self.arguments).current_dir(&workspace.folder);
        command.env("XDG_CACHE_HOME", self.cache.as_ref().unwrap_or(&workspace.cache));
        command.env("RUST_BACKTRACE", "0").env_remove("COLUMNS");
        let nothing = matches!(self.stdin, Stdin::Nothing);
        command.stdin(if nothing { Stdio::null() } else { Stdio::piped() });
        let into_file = self.stdout == Stdout::File;
        command.stdout(if into_file { Stdio::from(File::create(&out)?) } else { Stdio::piped() });
        command.stderr(File::create(&err)?);
        system::prepare(&mut command, &self.limits);
        system::trim();
        let own = system::memory(std::process::id(), "VmRSS");
        let mut seen = 0;
        let began = Instant::now();
        let mut child = command.spawn().context("the program cannot be started")?;
        let mut peers = Peers::default();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take();
        if let (Stdin::Pipe(bytes, slow), Some(_)) = (&self.stdin, &stdin) {
            peers.write(stdin.expect("a pipe"), bytes.clone(), *slow);
        } else {
            // Held open until the end.
            workspace.hold(stdin);
        }
        if let (Stdout::Leaves(most), Some(_)) = (self.stdout, &stdout) {
            peers.read(stdout.expect("a pipe"), most);
        } else {
            workspace.hold_output(stdout);
        }
        for (path, bytes, slow) in &self.feeds {
            peers.write_fifo(path.clone(), bytes.clone(), *slow);
        }
        if let Some((path, most)) = &self.drain {
            peers.read_fifo(path.clone(), *most);
        }
        let (mut signalled, mut patience) = (None, self.patience);
        let ended = loop {
            if let Some(ended) = system::poll(child.id()) {
                break Some(ended);
            }
            if self.cap.is_some() {
                seen = seen.max(system::memory(child.id(), "VmHWM"));
            }
            let elapsed = began.elapsed();
            if let (Some((signal, after)), None) = (self.signal, signalled)
                && elapsed >= after
            {
                system::kill(child.id(), signal);
                signalled = Some(elapsed);
                patience = elapsed + self.after_signal;
            }
            if elapsed > patience {
                system::kill(child.id(), libc::SIGKILL);
                while system::poll(child.id()).is_none() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                break None;
            }
            std::thread::sleep(Duration::from_micros(500));
        };
        let elapsed = began.elapsed();
        workspace.release();
        peers.end();
        let stdout = if into_file { fs::read(&out)? } else { Vec::new() };
        let stderr = String::from_utf8_lossy(&fs::read(&err)?).into_owned();
        let Some((end, counted)) = ended else {
            match signalled {
                Some(_) => {
                    bail!("the run did not end in {:?} after its first signal\n{stderr}", self.after_signal)
                }
                None => bail!("the run did not end in {:?}\n{stderr}", self.patience),
            }
        };
        // The kernel's count begins with the copy of this process.
        let peak = if counted > own + (8 << 20) { counted } else { seen };
        Ok(Outcome {
            end,
            stdout,
            stderr,
            interrupted: signalled.is_some(),
            elapsed,
            peak,
            command: line.to_owned(),
        })
    }

    /// Checks what holds of every run.
    fn hold(&self, outcome: &Outcome) -> Result<()> {
        let stderr = &outcome.stderr;
        for sign in
            ["panicked", "bug in batch-solve", "memory allocation of", "stack overflow", "RUST_BACKTRACE"]
        {
            ensure!(!stderr.contains(sign), "a crash: {stderr}");
        }
        match outcome.end {
            End::Status(status) => {
                let signals = match self.signal {
                    Some((signal, _)) if outcome.interrupted => 128 + signal,
                    _ => 0,
                };
                ensure!((0..=2).contains(&status) || status == signals, "exit status {status}: {stderr}");
                ensure!(
                    status != 2 || !stderr.trim().is_empty() || self.is_silent(),
                    "exit status 2 without a message"
                );
            }
            End::Signal(signal) => {
                let sent = outcome.interrupted && self.signal.is_some_and(|(sent, _)| sent == signal);
                ensure!(sent, "ended by signal {signal}: {stderr}");
            }
        }
        if let Some(cap) = self.cap {
            ensure!(
                outcome.peak <= cap << 20,
                "a peak of {} KiB resident memory, over --memory {cap}MiB",
                outcome.peak >> 10
            );
        }
        Ok(())
    }

    /// Whether status 2 may come without a message on stderr: `check` writes to
    /// stdout, and `--quiet` leaves out what invalid records say in results.
    fn is_silent(&self) -> bool {
        self.arguments.iter().any(|word| word == "--quiet" || word == "check" || word == "shell")
            || self.stdout != Stdout::File
    }
}

impl Outcome {
    /// Returns the exit status, or -1 after a signal.
    pub(crate) fn status(&self) -> i32 {
        match self.end {
            End::Status(status) => status,
            End::Signal(_) => -1,
        }
    }

    /// Checks the exit status.
    pub(crate) fn expect(&self, statuses: &[i32]) -> Result<()> {
        ensure!(
            statuses.contains(&self.status()),
            "{:?}, expected status {statuses:?}\ncommand: {}\nstderr: {}",
            self.end,
            self.command,
            shorten(&self.stderr)
        );
        Ok(())
    }

    /// Returns standard output as text.
    pub(crate) fn text(&self) -> Result<&str> {
        std::str::from_utf8(&self.stdout).context("standard output is not UTF-8")
    }
}

/// Returns the start of a text.
pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(600).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Quotes a word for bash.
fn quote(word: &OsStr) -> String {
    match word.to_str() {
        Some(plain)
            if !plain.is_empty()
                && plain
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=+,@%".contains(&byte)) =>
        {
            plain.to_owned()
        }
        Some(text) if !text.contains(char::is_control) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            let bytes = std::os::unix::ffi::OsStrExt::as_bytes(word);
            let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
            format!("$'{escaped}'")
        }
    }
}
