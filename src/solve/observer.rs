//! What a run reports while it is under way.

use crate::input::InputError;

/// Receives the messages of a run.
pub trait Observer: Sync {
    /// A file cannot be read, or not to its end.
    fn input_error(&self, error: &InputError);

    /// A record is no puzzle: its file, its number and what is wrong. Called in the order of the
    /// records, and not for all of many.
    fn invalid_record(&self, _what: &str) {}

    /// Something will not be done; `what` says why.
    fn warn(&self, what: &str);

    /// Explains a choice of the plan.
    fn explain(&self, reason: &str);
}
