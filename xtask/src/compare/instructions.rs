//! Instructions that two builds execute, counted by callgrind.

use super::ALLOWED;
use super::workload::{MEASURED, Scratch, Workload, run};
use anyhow::{Context, Result};
use std::path::Path;

/// Counts the instructions of every workload with both builds; true if none has too many more.
pub(super) fn compare(scratch: &Scratch, old: &Path, new: &Path) -> Result<bool> {
    let mut same = true;
    for workload in &MEASURED {
        // The first run may build databases, which must not be counted.
        let mut first = scratch.command(old);
        scratch.solve(&mut first, workload, &scratch.path("results.jsonl"));
        run(&mut first)?;
        let (before, after) = (count(scratch, old, workload)?, count(scratch, new, workload)?);
        let ratio = after as f64 / before as f64;
        let verdict = if ratio <= ALLOWED { "" } else { "  TOO MANY" };
        println!("instructions  {ratio:.4}  {before} -> {after}  {}{verdict}", workload.name);
        same &= ratio <= ALLOWED;
    }
    Ok(same)
}

/// The instructions of one run, from callgrind's message.
fn count(scratch: &Scratch, program: &Path, workload: &Workload) -> Result<u64> {
    let mut command = scratch.command(Path::new("valgrind"));
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    scratch.solve(&mut command, workload, &scratch.path("results.jsonl"));
    let output = run(&mut command)?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.split_once("Collected : "));
    let (_, count) = line.with_context(|| format!("callgrind printed no count: {text}"))?;
    Ok(count.trim().parse()?)
}
