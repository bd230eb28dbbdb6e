//! The `batch-solve` command.

use batch_solve::cli::{self, Exit, Screen};
use batch_solve::memory::limits;
use std::{env, panic, process::ExitCode};

fn main() -> ExitCode {
    limits::spare_address_space();
    // A panic anywhere, also in a worker that is joined, ends here: lines that
    // were written are whole, and the status says that something is wrong.
    let exit = panic::catch_unwind(|| cli::run(env::args_os())).unwrap_or_else(|_| {
        Screen::default().error("this is a bug in batch-solve; results written so far are complete lines");
        Exit::Failed
    });
    exit.into()
}
