//! Solves a single tray without files.

use super::plan::Tier;
use super::solver::Attempt;
use super::trays::{self, TrayPlan};
use crate::memory::{Region, arena::Arena, budget::Budget};
use crate::model::interrupt::Interrupt;
use crate::model::report::{Effort, Verdict};
use crate::options::Options;
use crate::puzzle::trays::Tray;
use crate::search::{Limits, NoHelpers};
use crate::solve::SetupError;
use crate::solve::memory_plan::MemoryPlan;
use std::sync::Arc;
use std::time::Instant;

/// Solves a tray according to the options, on the calling thread.
pub fn solve_tray(
    tray: &Arc<Tray>,
    options: &Options,
    interrupt: &Interrupt,
) -> Result<(Verdict, Effort), SetupError> {
    let started = Instant::now();
    let memory_plan = MemoryPlan::new(&Budget::new(options.memory), 1, |_| 0)?;
    let mut arena = Arena::new(memory_plan.arena(1), MemoryPlan::MIN_ARENA).map_err(SetupError::Arena)?;
    let mut parts = arena.divide(&[]);
    let mut region = Region::zeroed(parts.pop().unwrap_or_default());
    let halt = || interrupt.is_raised();
    let deadline = options.timeout.map(|timeout| started + timeout);
    let limits = Limits {
        any_solution_until: None,
        max_nodes: options.max_nodes,
        deadline,
        halt: Some(&halt),
        on_nodes: None,
        on_bound: None,
        checkpoint_sink: None,
    };
    let mut effort = Effort::default();
    let attempt = Attempt { tier: Tier::Large, limits, region: &mut region, helpers: &NoHelpers };
    let plan = TrayPlan::new(options, options.tray_metric);
    let verdict = trays::attempt(tray, plan, memory_plan.tables as usize, attempt, &mut effort)
        .expect("no tier comes after the last");
    effort.time = started.elapsed();
    Ok((verdict, effort))
}
