//! Indexing of pattern states: canonical board, patterns, classes, permutations.
//!
//! A pattern state is split into a *class* (the set of occupied cells and the blank's region,
//! `classes`) and a *permutation* (which tile is on which occupied cell, `permutation`).

pub(crate) mod canonical;
pub(crate) mod classes;
pub(crate) mod pattern;
pub(crate) mod permutation;
