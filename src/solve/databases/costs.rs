//! Estimates of the time that databases need for set-up and of the time that they save.

use crate::pdb::{Needs, Partition};
use crate::solve::databases::SMALL;

/// States of a database built per second by one thread, and bytes read and verified per second.
const STATES_PER_SECOND: f64 = 120e6;
const BYTES_PER_SECOND: f64 = 1e9;

/// Returns the approximate seconds that one thread needs for a random board, with databases whose
/// largest pattern has `largest` tiles, or without (docs/benchmarks.md).
pub(crate) fn seconds_per_board(cells: usize, largest: Option<usize>) -> f64 {
    let without = match cells {
        25.. => 1e7,
        21..=24 => 1e5,
        20 => 1e3,
        17..=19 => 20.0,
        16 => 0.25,
        15 => 0.05,
        14 => 0.02,
        11..=13 => 0.002,
        _ => 0.0001,
    };
    let gain = match largest {
        None => 1.0,
        Some(..=4) => 1.5,
        Some(5) => 2.5,
        Some(6) => 8.0,
        Some(7) => 60.0,
        Some(_) => 400.0,
    };
    without / gain + 20e-6
}

/// Returns the seconds to build or read databases.
pub(crate) fn seconds_to_set_up(needs: &Needs, threads: f64) -> f64 {
    needs.states as f64 / STATES_PER_SECOND / threads + needs.to_read as f64 / BYTES_PER_SECOND
}

/// Returns the number of boards from which on databases pay: those that one thread solves without
/// them during set-up. At least 1 for small boards, because a single one is never worth a database.
pub(crate) fn break_even_boards(cells: usize, partition: &Partition, needs: &Needs, threads: f64) -> u64 {
    let gain = seconds_per_board(cells, None) - seconds_per_board(cells, partition.largest());
    let boards = (seconds_to_set_up(needs, threads) / gain) as u64;
    boards.max(u64::from(cells <= SMALL))
}
