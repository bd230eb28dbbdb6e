//! `batch-solve generate trays`: writes trays.

use super::{Exit, args::GenerateTraysArgs, signals};
use std::io::Write;

/// Records are handed on when there are so many bytes of them.
const CHUNK: usize = 64 << 10;

/// Writes as many trays as were asked for.
pub(super) fn run(args: &GenerateTraysArgs) -> anyhow::Result<Exit> {
    let trays = args.request()?.trays()?;
    let interrupt = signals::listen()?;
    let mut sink = args.destination.open(&[] as &[&str])?;
    let mut chunk = Vec::new();
    let mut written = 0;
    for (number, tray) in (1u64..).zip(trays) {
        if interrupt.is_raised() {
            break;
        }
        if number > 1 {
            chunk.push(b'\n');
        }
        write!(chunk, "{tray}")?;
        written = number;
        if chunk.len() >= CHUNK {
            sink.write_all(&chunk)?;
            chunk.clear();
        }
    }
    sink.write_all(&chunk)?;
    sink.finish()?;
    anyhow::ensure!(
        written == args.count || interrupt.is_raised(),
        "only {written} of {} trays: no more of them could be made with these blocks",
        args.count
    );
    Ok(interrupt.signal().map_or(Exit::Decided, Exit::Signal))
}
