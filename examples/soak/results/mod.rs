//! Results as the program writes them, and whether they are right.

pub(crate) mod compare;
pub(crate) mod rows;

/// The formats of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Text,
    JsonLines,
    Csv,
    States,
}

impl Format {
    pub(crate) const ALL: [Self; 4] = [Self::Text, Self::JsonLines, Self::Csv, Self::States];

    /// Returns the word of `--format`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::JsonLines => "jsonl",
            Self::Csv => "csv",
            Self::States => "states",
        }
    }

    /// Returns the ending of a file's name that chooses the format, if any does.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::States => "states",
            other => other.word(),
        }
    }
}
