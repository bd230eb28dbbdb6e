//! `batch-solve check PUZZLES RESULTS`: replays every solution.

use super::{Exit, args::CheckArgs};

/// Checks the results and says what is wrong with them.
pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    anyhow::ensure!(
        args.puzzles != "-" || args.results != "-",
        "only one of PUZZLES and RESULTS can be standard input"
    );
    anyhow::bail!("check is not connected yet")
}
