//! Compares two builds of the program, so that a refactoring can show that it changed nothing.
//!
//! Node counts and solutions must be equal to the last one. Instructions and times are printed
//! as ratios; instructions may grow by [`ALLOWED`] before the comparison fails, and times never
//! fail it, because machines are noisy.

mod counts;
mod instructions;
mod times;
mod workload;

use anyhow::{Context, Result, bail};
use std::path::Path;
use workload::Scratch;

/// The largest ratio of instructions, new to old, that counts as unchanged.
const ALLOWED: f64 = 1.005;

/// Compares the programs `old` and `new` in the named `parts`, or in all.
pub(crate) fn run(old: &Path, new: &Path, parts: &[String]) -> Result<bool> {
    if let Some(unknown) =
        parts.iter().find(|part| !["counts", "instructions", "times"].contains(&part.as_str()))
    {
        bail!("{unknown} is not counts, instructions or times");
    }
    let old = old.canonicalize().with_context(|| old.display().to_string())?;
    let new = new.canonicalize().with_context(|| new.display().to_string())?;
    let scratch = Scratch::new(&old)?;
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|name| name == part);
    let mut same = true;
    if wanted("counts") {
        same &= counts::compare(&scratch, &old, &new)?;
    }
    if wanted("instructions") {
        same &= instructions::compare(&scratch, &old, &new)?;
    }
    if wanted("times") {
        times::compare(&scratch, &old, &new)?;
    }
    Ok(same)
}
