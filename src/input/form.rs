//! Forms in which a puzzle may be written.

use std::{fmt, str::FromStr};

/// Form of a record. Without `--input-format` the form of each record is detected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// `1 2 3 4 5 6 7 0 8`: the tiles row by row, perhaps an id before them.
    Line,
    /// `1 2 3/4 5 6/7 0 8`: slashes between rows.
    Slashes,
    /// `123 456 7b8` or `1234567b8`: a 3×3 board, one character per tile.
    Compact,
    /// The side, or rows and columns, on a separate line; then the rows.
    Grid,
    /// The cell of each tile: the inverse permutation.
    Positions,
    /// `tray 5 4`, a line of four numbers for each block, `goal`, more lines.
    Tray,
    /// `letters`, rows of letters, `goal`, rows of letters.
    Letters,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 7] =
        [Self::Line, Self::Slashes, Self::Compact, Self::Grid, Self::Positions, Self::Tray, Self::Letters];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Slashes => "slashes",
            Self::Compact => "compact",
            Self::Grid => "grid",
            Self::Positions => "positions",
            Self::Tray => "tray",
            Self::Letters => "letters",
        }
    }

    /// Returns whether a record of this form has several lines.
    pub(super) const fn is_multi_line(self) -> bool {
        matches!(self, Self::Grid | Self::Positions | Self::Tray | Self::Letters)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not a form.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is not an input form: they are line, slashes, compact, grid, positions, tray and letters")]
pub struct UnknownForm(String);

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(text: &str) -> Result<Self, UnknownForm> {
        Self::ALL.into_iter().find(|form| form.name() == text).ok_or_else(|| UnknownForm(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_names_its_form() {
        for form in Form::ALL {
            assert_eq!(form.to_string().parse(), Ok(form));
            assert!(UnknownForm(String::new()).to_string().contains(form.name()));
        }
        assert!("trays".parse::<Form>().is_err());
    }
}
