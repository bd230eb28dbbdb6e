//! Parsers and display of amounts of memory, durations, counts and rates. All modules may use them.

mod bytes;
mod count;
mod duration;

pub use bytes::{Bytes, BytesError, parse_size};
pub use count::Count;
pub use duration::{DurationError, Span, parse_duration};

use std::fmt;

/// Display with three significant digits, for values below about a thousand, without trailing
/// zeros.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Significant(pub f64);

impl fmt::Display for Significant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = *self;
        let decimals = match value {
            v if v < 9.995 => 2,
            v if v < 99.95 => 1,
            _ => 0,
        };
        let text = format!("{value:.decimals$}");
        f.write_str(if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text })
    }
}
