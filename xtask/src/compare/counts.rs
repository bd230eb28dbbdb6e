//! Whether two builds give the same results with the same node counts.

use super::workload::{COUNTED, Scratch, Workload, run};
use anyhow::{Context, Result};
use serde_json::Value;
use std::{fs, path::Path};

/// Fields that differ from run to run.
const VOLATILE: [&str; 1] = ["time_us"];

/// Differences that are printed for each workload.
const SHOWN: usize = 3;

/// Solves every workload with both builds; true if every record is equal but for its time.
pub(super) fn compare(scratch: &Scratch, old: &Path, new: &Path) -> Result<bool> {
    let mut same = true;
    for workload in &COUNTED {
        let (before, after) = (results(scratch, old, workload)?, results(scratch, new, workload)?);
        let pairs = before.iter().zip(&after);
        let different: Vec<_> = pairs.filter(|(before, after)| before != after).collect();
        let is_same = different.is_empty() && before.len() == after.len();
        let verdict = if is_same { "equal" } else { "DIFFERENT" };
        println!("counts        {verdict:<10} {} records  {}", before.len(), workload.name);
        for (before, after) in different.iter().take(SHOWN) {
            println!("  old {before}\n  new {after}");
        }
        same &= is_same;
    }
    Ok(same)
}

/// The result records of a workload without their times.
fn results(scratch: &Scratch, program: &Path, workload: &Workload) -> Result<Vec<Value>> {
    let path = scratch.path("results.jsonl");
    let mut command = scratch.command(program);
    scratch.solve(&mut command, workload, &path);
    run(&mut command)?;
    let text = fs::read_to_string(&path)?;
    let mut records = Vec::new();
    for line in text.lines() {
        let mut record: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
        if record["type"] == "result" {
            if let Some(fields) = record.as_object_mut() {
                VOLATILE.iter().for_each(|name| drop(fields.remove(*name)));
            }
            records.push(record);
        }
    }
    Ok(records)
}
