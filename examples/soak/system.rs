//! System calls that the standard library lacks: signals, limits, FIFOs and
//! the peak memory of a child.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// A limit that the child gets from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limit {
    /// Bytes of address space (`ulimit -v`).
    AddressSpace(u64),
    /// Bytes of a file (`ulimit -f`).
    FileSize(u64),
    /// File descriptors (`ulimit -n`).
    OpenFiles(u64),
}

impl Limit {
    /// Returns the shell command that sets the limit.
    pub(crate) fn shell(self) -> String {
        match self {
            Self::AddressSpace(bytes) => format!("ulimit -v {}", bytes / 1024),
            Self::FileSize(bytes) => format!("prlimit --pid $$ --fsize={bytes}"),
            Self::OpenFiles(count) => format!("ulimit -n {count}"),
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// It exited with a status.
    Status(i32),
    /// A signal ended it.
    Signal(i32),
}

/// Prepares a child: default signal actions, `limits`, and an end of its own if
/// the tester ends first.
pub(crate) fn prepare(command: &mut Command, limits: &[Limit]) {
    let limits = limits.to_vec();
    #[allow(unsafe_code)]
    // SAFETY: `signal`, `prctl` and `setrlimit` may be called between fork and
    // exec, and nothing here allocates.
    unsafe {
        command.pre_exec(move || {
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE, libc::SIGXFSZ] {
                libc::signal(signal, libc::SIG_DFL);
            }
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            for limit in &limits {
                let (resource, most) = match *limit {
                    Limit::AddressSpace(bytes) => (libc::RLIMIT_AS, bytes),
                    Limit::FileSize(bytes) => (libc::RLIMIT_FSIZE, bytes),
                    Limit::OpenFiles(count) => (libc::RLIMIT_NOFILE, count),
                };
                let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
                if libc::setrlimit(resource, &limit) != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
}

/// Sends `signal` to a child that has not been waited for.
pub(crate) fn kill(pid: u32, signal: i32) {
    #[allow(unsafe_code)]
    // SAFETY: the call has no memory effects here.
    unsafe {
        libc::kill(pid as i32, signal);
    }
}

/// Returns how a child ended, with its peak resident memory in bytes, or
/// nothing while it runs.
pub(crate) fn poll(pid: u32) -> Option<(End, u64)> {
    let mut status = 0;
    #[allow(unsafe_code)]
    // SAFETY: both pointers are to live variables; zeros are a valid `rusage`.
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid as i32, &mut status, libc::WNOHANG, &mut usage), usage)
    };
    if waited != pid as i32 {
        return None;
    }
    let end = if libc::WIFSIGNALED(status) {
        End::Signal(libc::WTERMSIG(status))
    } else {
        End::Status(libc::WEXITSTATUS(status))
    };
    Some((end, usage.ru_maxrss as u64 * 1024))
}

/// Gives free memory back to the system.
///
/// A child's peak begins with that of the copy of this process from which it
/// is made; so this process has to be small.
pub(crate) fn trim() {
    #[allow(unsafe_code)]
    #[cfg(target_env = "gnu")]
    // SAFETY: the call has no conditions.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Returns a size from `/proc/PID/status` in bytes, such as `VmHWM`.
pub(crate) fn memory(pid: u32, key: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Makes a FIFO.
pub(crate) fn make_fifo(path: &Path) -> io::Result<()> {
    let name = CString::new(path.as_os_str().as_bytes())?;
    #[allow(unsafe_code)]
    // SAFETY: the name ends with zero.
    let made = unsafe { libc::mkfifo(name.as_ptr(), 0o600) };
    if made == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
