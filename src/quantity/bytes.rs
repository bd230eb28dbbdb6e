//! Amounts of memory: parser and display.
//!
//! `K M G T` and `KiB MiB GiB TiB` are powers of 1024, as in shell tools; `KB MB GB TB` are powers
//! of 1000; a number alone is bytes. Case does not matter.
//!
//! Why not a crate: bytesize reads `G` as 10^9, and parse-size has one rule for `G` and `GB`.

use super::Significant;
use std::{fmt, str::FromStr};

/// An amount of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bytes(pub u64);

/// Reason why a text is not an amount of memory.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is not a size such as 64MiB, 2G, 1.5GiB or 1048576")]
pub struct BytesError(String);

/// Parses an amount of memory, such as `64MiB`, `2G` or `1048576`.
pub fn parse_size(text: &str) -> Result<u64, BytesError> {
    text.parse().map(|Bytes(bytes)| bytes)
}

impl FromStr for Bytes {
    type Err = BytesError;

    fn from_str(text: &str) -> Result<Self, BytesError> {
        let wrong = || BytesError(text.to_owned());
        let trimmed = text.trim();
        let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(end);
        let unit = match unit.trim_start().to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kib" => 1 << 10,
            "m" | "mib" => 1 << 20,
            "g" | "gib" => 1 << 30,
            "t" | "tib" => 1 << 40,
            "kb" => 1_000,
            "mb" => 1_000_000,
            "gb" => 1_000_000_000,
            "tb" => 1_000_000_000_000,
            _ => return Err(wrong()),
        };
        // Whole numbers stay exact; only fractions use floating point.
        if let Ok(whole) = number.parse::<u64>() {
            return whole.checked_mul(unit).map(Self).ok_or_else(wrong);
        }
        let amount = number.parse::<f64>().map_err(|_| wrong())? * unit as f64;
        if amount < u64::MAX as f64 { Ok(Self(amount as u64)) } else { Err(wrong()) }
    }
}

/// `512 B`, `71.2 MiB`, `2 GiB`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut scaled, mut unit) = (self.0 as f64, "B");
        for larger in ["KiB", "MiB", "GiB", "TiB"] {
            if scaled < 1023.5 {
                break;
            }
            (scaled, unit) = (scaled / 1024.0, larger);
        }
        write!(f, "{} {unit}", Significant(scaled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit() {
        let cases = [
            ("1048576", 1 << 20),
            ("64MiB", 64 << 20),
            ("64 mib", 64 << 20),
            ("300M", 300 << 20),
            ("2G", 2 << 30),
            ("1.5GiB", 3 << 29),
            ("1.5g", 3 << 29),
            ("2GB", 2_000_000_000),
            ("10k", 10 << 10),
            ("10KB", 10_000),
            ("1T", 1 << 40),
            ("0", 0),
            (".5k", 512),
        ];
        for (text, bytes) in cases {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for bad in
            ["", "M", "-1", "1.2.3", "64MiBs", "1e3", "nan", "0x10", ".", "99999999999G", "1 2", "1,5G"]
        {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn three_digits_are_shown() {
        let text = |bytes| Bytes(bytes).to_string();
        assert_eq!((text(0), text(1000), text(1024)), ("0 B".into(), "1000 B".into(), "1 KiB".into()));
        assert_eq!((text(74_711_040), text(512 << 20)), ("71.2 MiB".into(), "512 MiB".into()));
        assert_eq!(
            (text(3 << 29), text(1 << 30), text((1 << 30) - 1)),
            ("1.5 GiB".into(), "1 GiB".into(), "1 GiB".into())
        );
    }
}
