//! Types that pass between modules: instances, solutions, verdicts, reports, interrupts.

pub mod interrupt;
pub mod report;
