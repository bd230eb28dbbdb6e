//! Shorter solutions of trays: searches larger and larger neighbourhoods of a known solution until
//! the deadline.

use super::lists::TraySpace;
use super::{SHORTEN_STATES, merge_steps};
use crate::memory::Region;
use crate::model::report::{Moves, Solution};
use crate::puzzle::Move;
use crate::puzzle::trays::{Lists, Metric, Shift, Tray};
use crate::search::{Limits, dynamic_key};
use std::sync::Arc;

/// The sizes of the neighbourhoods, in states.
const NEIGHBOURHOODS: [usize; 4] =
    [SHORTEN_STATES, 4 * SHORTEN_STATES, 16 * SHORTEN_STATES, 64 * SHORTEN_STATES];

/// Returns a solution of the tray that is no longer than `known`, whose shifts may be parts of
/// moves.
pub(crate) fn improve_tray(
    tray: &Arc<Tray>,
    metric: Metric,
    known: &[Shift],
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Solution {
    let cols = tray.cols();
    let mut space = TraySpace::new(tray, metric, None, false);
    let joined = merge_steps(known.iter().copied(), metric);
    let mut path: Vec<Move> = joined.into_iter().map(|shift| Lists::step(shift, cols)).collect();
    let bound = space.first_estimate();
    for states in NEIGHBOURHOODS {
        if path.len() <= bound as usize || limits.reached(0).is_some() {
            break;
        }
        path = dynamic_key::shorten(&mut space, path, states, limits, region).0;
    }
    let length = path.len() as u32;
    let moves = Moves::Tray(path.into_iter().map(|step| Lists::shift(step, cols)).collect());
    Solution { moves, length, optimal: bound >= length, bound: bound.min(length) }
}
