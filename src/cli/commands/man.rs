//! `batch-solve man [COMMAND]`: the manual page, from the same table as `--help`.

use crate::cli::Exit;
use crate::cli::args::Cli;
use crate::output::Sink;
use anyhow::Context;
use clap::CommandFactory;
use clap_mangen::Man;

/// Prints the page of the program or of one command.
pub(in crate::cli) fn run(command: Option<&str>) -> anyhow::Result<Exit> {
    let mut program = Cli::command();
    // Gives the commands their full names, `batch-solve-check` and so on.
    program.build();
    let page = match command {
        None => program,
        Some(name) => {
            let found = program.find_subcommand(name);
            let found = found.with_context(|| format!("there is no command '{name}'"))?;
            found.clone()
        }
    };
    let mut text = Vec::new();
    Man::new(page).render(&mut text)?;
    Sink::stdout(&[] as &[&str])?.write_all(&text)?;
    Ok(Exit::Decided)
}
