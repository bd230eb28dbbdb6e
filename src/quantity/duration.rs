//! Durations: parser (`250ms`, `2m`, `1h30m`) and display (`31.2 ms`).

use super::Significant;
use std::{fmt, time::Duration};

/// Reason why a text is not a duration.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is not a duration such as 250ms, 10s, 2m or 1h30m")]
pub struct DurationError(String);

/// Maximum duration, a hundred years. Longer ones are clamped, so that the duration can be added to
/// any instant.
const LONGEST: Duration = Duration::from_secs(100 * 366 * 86400);

/// Parses a sequence of numbers with the units `us`, `ms`, `s`, `m`, `h`, `d`. A single number
/// without a unit is seconds.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let wrong = || DurationError(text.to_owned());
    let mut rest = text.trim();
    if !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return part(rest, 1.0).map(|span| span.min(LONGEST)).ok_or_else(wrong);
    }
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let (number, after) = split(rest, |c| c.is_ascii_digit() || c == '.');
        let (unit, after) = split(after, |c| c.is_alphabetic());
        let seconds = match unit {
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "s" | "sec" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return Err(wrong()),
        };
        total = part(number, seconds).and_then(|more| total.checked_add(more)).ok_or_else(wrong)?;
        rest = after.trim_start();
    }
    if text.trim().is_empty() { Err(wrong()) } else { Ok(total.min(LONGEST)) }
}

/// Splits off the longest prefix of characters for which `belongs` holds.
fn split(text: &str, belongs: fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
}

fn part(number: &str, unit: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * unit).ok()
}

/// A duration: `850 ns`, `912 µs`, `31.2 ms`, `4.07 s`, `3 min 20 s`, `2 h 5 min`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Span(pub Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(span) = *self;
        let seconds = span.as_secs_f64();
        match seconds {
            s if s >= 3600.0 => write!(f, "{} h {} min", span.as_secs() / 3600, span.as_secs() / 60 % 60),
            s if s >= 120.0 => write!(f, "{} min {} s", span.as_secs() / 60, span.as_secs() % 60),
            s if s >= 0.9995 => write!(f, "{} s", Significant(s)),
            s if s >= 0.999_5e-3 => write!(f, "{} ms", Significant(s * 1e3)),
            s if s >= 0.999_5e-6 => write!(f, "{} µs", Significant(s * 1e6)),
            _ => write!(f, "{} ns", span.as_nanos()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_add_up() {
        let cases = [
            ("1s", 1_000),
            ("250ms", 250),
            ("2m", 120_000),
            ("1h30m", 5_400_000),
            ("1.5s", 1_500),
            ("1m 30s", 90_000),
            ("1d", 86_400_000),
            ("5", 5_000),
            ("0.25", 250),
            ("0s", 0),
        ];
        for (text, millis) in cases {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for bad in ["", " ", "s", "1x", "-1s", "1s2", "1e3s", "1.2.3s", "999999999999999999999d", "1h-3m"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_longest_can_be_added_to_now() {
        for text in ["18000000000000000000", "18000000000000000000s", "9000000000000d 9000000000000d"] {
            assert!(std::time::Instant::now().checked_add(parse_duration(text).unwrap()).is_some(), "{text}");
        }
    }

    #[test]
    fn spans() {
        let text = |nanos: u64| Span(Duration::from_nanos(nanos)).to_string();
        assert_eq!((text(0), text(850)), ("0 ns".into(), "850 ns".into()));
        assert_eq!((text(912_000), text(999_999)), ("912 µs".into(), "1 ms".into()));
        assert_eq!((text(31_240_000), text(999_990_000)), ("31.2 ms".into(), "1 s".into()));
        assert_eq!((text(4_070_000_000), text(75_300_000_000)), ("4.07 s".into(), "75.3 s".into()));
        assert_eq!(
            (text(200 * 1_000_000_000), text(7500 * 1_000_000_000)),
            ("3 min 20 s".into(), "2 h 5 min".into())
        );
    }
}
