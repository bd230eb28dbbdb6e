//! What several tests of the real binary need.

#[allow(dead_code, reason = "each test takes what it needs")]
pub(crate) mod terminal;
#[allow(dead_code, reason = "each test takes what it needs")]
pub(crate) mod work;

use std::os::unix::process::CommandExt;
use std::process::Command;

/// A command that takes signals as they are by default: whoever runs the tests
/// may ignore them (`nohup`, `&` in a script), and a child inherits that.
pub(crate) fn with_default_signals(command: &mut Command) -> &mut Command {
    #[allow(unsafe_code)]
    // SAFETY: `signal` may be called between fork and exec.
    unsafe {
        command.pre_exec(|| {
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
                libc::signal(signal, libc::SIG_DFL);
            }
            Ok(())
        })
    }
}
