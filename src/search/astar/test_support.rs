//! Start states for tests of the searches.

use crate::puzzle::Puzzle;

/// Seed of the random walks.
pub(super) const SEED: u64 = 88_172_645_463_325_252;

/// Returns the state after a random walk of `moves` moves, none of which undoes the previous
/// one.
pub(super) fn random_walk<P: Puzzle>(puzzle: &P, from: P::State, moves: usize, random: &mut u64) -> P::State {
    let (mut state, mut last) = (from, None);
    for _ in 0..moves {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        let open: Vec<_> = puzzle.moves(&state, last).collect();
        let step = open[(*random >> 11) as usize % open.len()];
        (state, last) = (puzzle.apply(&state, step), Some(step));
    }
    state
}
