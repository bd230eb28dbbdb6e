//! Times of two builds, run in turn.

use super::workload::{MEASURED, Scratch, Workload, run};
use anyhow::Result;
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Pairs of runs.
const PAIRS: usize = 10;

/// Prints the median of the ratios of times, new to old, for every workload.
pub(super) fn compare(scratch: &Scratch, old: &Path, new: &Path) -> Result<()> {
    for workload in &MEASURED {
        time(scratch, old, workload)?;
        let (mut ratios, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..PAIRS {
            let (old, new) = (time(scratch, old, workload)?, time(scratch, new, workload)?);
            ratios.push(new.as_secs_f64() / old.as_secs_f64());
            before.push(old.as_secs_f64());
            after.push(new.as_secs_f64());
        }
        let [ratio, before, after] = [ratios, before, after].map(median);
        println!("times         {ratio:.3}  {before:.3} s -> {after:.3} s  {}", workload.name);
    }
    Ok(())
}

/// The wall time of one run.
fn time(scratch: &Scratch, program: &Path, workload: &Workload) -> Result<Duration> {
    let mut command = scratch.command(program);
    scratch.solve(&mut command, workload, &scratch.path("results.jsonl"));
    let started = Instant::now();
    run(&mut command)?;
    Ok(started.elapsed())
}

/// The middle of the values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
