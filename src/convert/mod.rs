//! Puzzles from one form into another, and results into what other tools read.
//!
//! [`Puzzles`] writes records in one of the input forms, with the directives
//! that they need to be read back as what they were. [`results`] writes
//! solutions that have been checked.
//!
//! A puzzle family adds its arm where an [`Instance`](crate::model::report::Instance)
//! is taken apart: in `Puzzles::record` for its input forms, in
//! [`results::write`] for its answers.

mod puzzles;
pub mod results;

pub use puzzles::{ConvertError, Puzzles, Record, Written};
