//! The types that pass between modules: instances, solutions, verdicts, reports.

pub mod interrupt;
pub mod report;
