//! The messages of a run.

use crate::input::InputError;

/// Receives the messages of a run.
pub trait Observer: Sync {
    /// Reports that a file cannot be read, or not to its end.
    fn input_error(&self, error: &InputError);

    /// Reports an invalid record: its file, its number and the fault. Called in the order of the
    /// records, and only for the first of many.
    fn invalid_record(&self, _what: &str) {}

    /// Warns that something will not be done; `what` says why.
    fn warn(&self, what: &str);

    /// Explains a choice of the plan.
    fn explain(&self, reason: &str);
}
