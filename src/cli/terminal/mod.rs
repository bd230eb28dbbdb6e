//! What the terminal shows: messages, progress; signals.

pub(crate) mod error_list;
pub(crate) mod progress;
pub(crate) mod screen;
pub(crate) mod signals;
pub(crate) mod status_line;
