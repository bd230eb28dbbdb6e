//! `batch-solve generate trays`: writes trays.

use crate::cli::Exit;
use crate::cli::args::GenerateTraysArgs;
use crate::cli::terminal::signals;
use crate::generate::trays::GenerateError;
use anyhow::anyhow;
use std::io::Write;

/// Records are handed on when there are so many bytes of them.
const CHUNK: usize = 64 << 10;

/// Writes as many trays as were asked for.
pub(in crate::cli) fn run(args: &GenerateTraysArgs) -> anyhow::Result<Exit> {
    let mut trays = args.request()?.trays()?;
    let interrupt = signals::listen()?;
    let mut sink = args.destination.open_until(&[] as &[&str], signals::stop(&interrupt))?;
    let mut chunk = Vec::new();
    let mut written = 0;
    let ended = loop {
        match trays.next_unless(&|| interrupt.is_raised()) {
            Ok(Some(tray)) => {
                if written > 0 {
                    chunk.push(b'\n');
                }
                write!(chunk, "{tray}")?;
                written += 1;
            }
            Ok(None) | Err(GenerateError::Stopped) => break Ok(()),
            Err(GenerateError::Memory(short)) => break Err(anyhow!("--memory: {}", args.short(&short))),
            Err(error @ GenerateError::Refused) => break Err(error.into()),
        }
        if chunk.len() >= CHUNK {
            sink.write_all(&chunk)?;
            chunk.clear();
        }
    };
    sink.write_all(&chunk)?;
    sink.finish()?;
    ended?;
    anyhow::ensure!(
        written == args.count || interrupt.is_raised(),
        "only {written} of {} trays: no more of them could be made with these blocks",
        args.count
    );
    Ok(interrupt.signal().map_or(Exit::Decided, Exit::Signal))
}
