//! Converts puzzles between forms, and results into forms of other tools.
//!
//! [`Puzzles`] writes records in one of the input forms, with the directives needed to read them
//! back unchanged. [`results`] writes checked solutions.
//!
//! To add a puzzle family: add its arm to each `match` on
//! [`Instance`](crate::model::report::Instance): in `Puzzles::record` for its input forms, in
//! [`results::write`] for its answers.

mod puzzles;
pub mod results;

pub use puzzles::{ConvertError, Puzzles, Record, Written};
