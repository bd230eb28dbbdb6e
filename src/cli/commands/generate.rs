//! `batch-solve generate`: writes tile boards; trays are in `generate_trays`.

use super::generate_trays;
use crate::cli::Exit;
use crate::cli::args::{Family, GenerateArgs};
use crate::cli::terminal::signals;
use crate::generate::write_line;
use std::time::{Duration, Instant};

/// Lines are handed on when there are so many bytes of them, or when the first
/// of them has waited so long: a reader at the other end of a pipe need not
/// wait while boards come slowly.
const CHUNK: usize = 64 << 10;
const PATIENCE: Duration = Duration::from_millis(50);

/// Writes as many boards as were asked for.
pub(in crate::cli) fn run(args: &GenerateArgs) -> anyhow::Result<Exit> {
    if let Some(Family::Trays(trays)) = &args.family {
        return generate_trays::run(trays);
    }
    // What is wrong with the request is said before a file is made.
    let request = args.request()?;
    let mut boards = request.boards()?;
    let interrupt = signals::listen()?;
    let mut sink = args.destination.open_until(&[] as &[&str], signals::stop(&interrupt))?;
    let mut chunk = Vec::with_capacity(2 * CHUNK);
    request.write_header(&mut chunk)?;
    let mut written = Instant::now();
    while let Some(board) = boards.next_unless(|| interrupt.is_raised()) {
        write_line(&mut chunk, &board)?;
        if chunk.len() >= CHUNK || written.elapsed() >= PATIENCE {
            sink.write_all(&chunk)?;
            chunk.clear();
            written = Instant::now();
        }
    }
    sink.write_all(&chunk)?;
    sink.finish()?;
    Ok(interrupt.signal().map_or(Exit::Decided, Exit::Signal))
}
