//! Small trays, whose answers the slow search of `puzzle::trays::oracle` knows.

use crate::random::Random;
use batch_solve::generate::trays::{TrayGoal, TrayRequest};
use batch_solve::puzzle::trays::{Metric, Tray, oracle};

/// Returns some random trays of at most 5×5 cells.
pub(crate) fn random(random: &mut Random, count: u64) -> Vec<Tray> {
    let request = TrayRequest {
        rows: random.between(2, 5),
        cols: random.between(2, 5),
        count,
        seed: random.bits(),
        holes: random.between(2, 3),
        shapes: [(1, 1), (1, 2), (2, 1), (2, 2)].map(Into::into).to_vec(),
        goals: random.between(1, 2),
        goal: if random.one_in(3) { TrayGoal::Anywhere } else { TrayGoal::Moves(30) },
    };
    request.trays().expect("sizes of trays").collect()
}

/// What is known of a tray.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TrayAnswer {
    /// The length of a shortest solution.
    Length(u32),
    /// No solution, and the number of arrangements that can be reached.
    Unsolvable(usize),
    /// Too many arrangements for the slow search.
    Unknown,
}

/// Searches at most `most` arrangements.
pub(crate) fn answer(tray: &Tray, metric: Metric, most: usize) -> TrayAnswer {
    match oracle::solve(tray, metric, most) {
        oracle::Answer::Solved(moves) => TrayAnswer::Length(moves.len() as u32),
        oracle::Answer::Unsolvable(count) => TrayAnswer::Unsolvable(count),
        oracle::Answer::TooMany => TrayAnswer::Unknown,
    }
}
