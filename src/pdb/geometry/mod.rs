//! Where the tiles of a pattern can lie: orientations, placements, permutations.

pub(crate) mod canonical;
pub(crate) mod classes;
pub(crate) mod pattern;
pub(crate) mod permutation;
