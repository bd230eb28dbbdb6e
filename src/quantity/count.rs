//! Display of counts and rates: `42`, `1.23 M`.

use super::Significant;
use std::fmt;

/// A count or a rate: `42`, `322.6`, `1.23 M`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Count(pub f64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = *self;
        // Whole numbers of few digits are shown exactly.
        if value < 10_000.0 && value.fract() == 0.0 {
            return write!(f, "{value}");
        }
        let (mut scaled, mut prefix) = (value, "");
        for larger in ["k", "M", "G", "T"] {
            if scaled < 999.5 {
                break;
            }
            (scaled, prefix) = (scaled / 1000.0, larger);
        }
        write!(f, "{}", Significant(scaled))?;
        if prefix.is_empty() { Ok(()) } else { write!(f, " {prefix}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let text = |value: f64| Count(value).to_string();
        assert_eq!((text(0.0), text(42.0), text(9999.0)), ("0".into(), "42".into(), "9999".into()));
        assert_eq!((text(1.5), text(32.26), text(322.6)), ("1.5".into(), "32.3".into(), "323".into()));
        assert_eq!((text(12_345.0), text(999_999.0)), ("12.3 k".into(), "1 M".into()));
        assert_eq!((text(1.2e8), text(5e15)), ("120 M".into(), "5000 T".into()));
    }
}
