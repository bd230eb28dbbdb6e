//! One tray, without a file of records around it.

use super::plan::Tier;
use super::shares::Shares;
use super::solver::Attempt;
use super::trays::{self, TrayPlan};
use super::{RunError, interrupt::Interrupt, settings::Settings};
use crate::memory::{Region, arena::Arena, budget::Budget};
use crate::output::{Effort, Verdict};
use crate::puzzle::trays::Tray;
use crate::search::{Alone, Limits};
use std::sync::Arc;
use std::time::Instant;

/// Solves a tray as the settings say, on the calling thread.
pub fn solve_tray(
    tray: &Arc<Tray>,
    settings: &Settings,
    interrupt: &Interrupt,
) -> Result<(Verdict, Effort), RunError> {
    let started = Instant::now();
    let shares = Shares::new(&Budget::new(settings.memory), 1, |_| 0)?;
    let mut arena = Arena::new(shares.arena(1), Shares::LEAST_ARENA).map_err(RunError::Arena)?;
    let mut parts = arena.divide(&[]);
    let mut region = Region::zeroed(parts.pop().unwrap_or_default());
    let halt = || interrupt.is_raised();
    let deadline = settings.timeout.map(|timeout| started + timeout);
    let limits = Limits {
        any_solution_until: None,
        max_nodes: settings.max_nodes,
        deadline,
        halt: Some(&halt),
        watch: None,
        stage: None,
        keeper: None,
    };
    let mut effort = Effort::default();
    let attempt = Attempt { tier: Tier::Large, limits, region: &mut region, company: &Alone };
    let plan = TrayPlan::new(settings, settings.tray_metric);
    let verdict = trays::attempt(tray, plan, shares.tables as usize, attempt, &mut effort)
        .expect("no tier comes after the last");
    effort.time = started.elapsed();
    Ok((verdict, effort))
}
