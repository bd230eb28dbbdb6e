//! What is said of a puzzle, in every format, in input order.

pub mod report;

pub use report::{Effort, GiveUp, Instance, Report, Solution, Verdict};
