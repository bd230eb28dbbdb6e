//! `batch-solve trace`: the order in which a textbook search visits states.

use crate::cli::args::{TraceArgs, Verbosity};
use crate::cli::terminal::signals;
use crate::cli::{Exit, Screen};
use crate::search::{Limits, Stop};
use crate::tools::trace::{self, Ending, Request};

/// Lists the visits or the solution of one board.
pub(in crate::cli) fn run(args: &TraceArgs) -> anyhow::Result<Exit> {
    let (board, goal) = args.boards()?;
    let interrupt = signals::listen()?;
    let halt = || interrupt.is_raised();
    let request = Request {
        board: &board,
        goal: &goal,
        queue: args.queue(),
        list: args.list(),
        grids: args.verbosity == Verbosity::Verbose,
        memory: args.memory(),
    };
    let limits = Limits { max_nodes: args.max_nodes, halt: Some(&halt), ..Limits::default() };
    let mut sink = args.destination.open_until(&[] as &[&str], signals::stop(&interrupt))?;
    let ending = trace::run(&request, &limits, &mut sink)?;
    sink.finish()?;
    let screen = Screen::default();
    Ok(match ending {
        Ending::Solved { .. } => Exit::Decided,
        Ending::Unsolvable => {
            screen.note(&format!("{board} cannot be solved: its parity is wrong for the goal {goal}"));
            Exit::Undecided
        }
        Ending::Stopped { stop: Stop::Interrupted, .. } => {
            interrupt.signal().map_or(Exit::Failed, Exit::Signal)
        }
        Ending::Stopped { stop, visited } => {
            let limit = if stop == Stop::Nodes { "--max-nodes" } else { "--memory" };
            screen.error(&format!("given up after {visited} states, all that {limit} allows"));
            Exit::Failed
        }
    })
}
