//! The formats that results are written in, and the choice between them.

use super::{Instance, Report, Verdict, csv, jsonl, states, text};
use std::path::Path;

/// How results are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, clap::ValueEnum)]
pub enum Format {
    /// A line for each puzzle: id, status, length and moves between tabs
    #[default]
    Text,
    /// A JSON object on a line for each puzzle, and a summary as the last line
    Jsonl,
    /// The fields of jsonl as comma-separated values under a header line
    Csv,
    /// Every configuration from the start to the solution, as grids
    States,
}

impl Format {
    /// The format that a file's extension asks for, if it does.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "txt" | "text" | "tsv" => Some(Self::Text),
            "jsonl" | "ndjson" | "json" => Some(Self::Jsonl),
            "csv" => Some(Self::Csv),
            "states" => Some(Self::States),
            _ => None,
        }
    }
}

/// What a letter in the moves of a tile board says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, clap::ValueEnum)]
pub enum Notation {
    /// Where the blank goes
    #[default]
    Blank,
    /// Where the tile goes
    Tile,
}

impl Notation {
    /// The word in results.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Tile => "tile",
        }
    }
}

/// How reports become lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// The layout.
    pub format: Format,
    /// What a letter in `moves` says.
    pub notation: Notation,
}

impl Style {
    /// Appends what stands before the first result: the header line of CSV.
    pub fn header(&self, out: &mut Vec<u8>) {
        if self.format == Format::Csv {
            csv::header(out);
        }
    }

    /// Appends one report as whole lines.
    pub fn write(&self, out: &mut Vec<u8>, report: &Report) {
        match self.format {
            Format::Text => text::write(out, report, self.notation),
            Format::Jsonl => jsonl::write(out, report, self.notation),
            Format::Csv => csv::write(out, report, self.notation),
            Format::States => states::write(out, report, self.notation, &mut |_| true),
        }
    }

    /// Whether a report takes far more room as lines than as it is: the
    /// configurations of a large board. Then [`Style::spill`] writes it.
    pub fn is_long(&self, report: &Report) -> bool {
        const LONG: usize = 1 << 20;
        let (Format::States, Verdict::Solved(solution), Some(instance)) =
            (self.format, &report.verdict, &report.instance)
        else {
            return false;
        };
        let cells = match instance {
            Instance::Tiles { board, .. } => board.size().cells(),
            Instance::Tray { tray, .. } => tray.cells(),
        };
        solution.moves.len().saturating_mul(4 * cells) > LONG
    }

    /// Hands one report on as chunks of whole lines, none of them long, as long as
    /// they are taken.
    pub fn spill<E>(&self, report: &Report, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        const CHUNK: usize = 64 << 10;
        let mut out = Vec::new();
        if self.format != Format::States {
            self.write(&mut out, report);
            return take(&out);
        }
        let mut taken = Ok(());
        states::write(&mut out, report, self.notation, &mut |out| {
            if out.len() >= CHUNK {
                taken = take(out);
                out.clear();
            }
            taken.is_ok()
        });
        taken.and_then(|()| take(&out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_picks_the_format() {
        let of = |path: &str| Format::of_path(Path::new(path));
        assert_eq!(of("a/results.jsonl"), Some(Format::Jsonl));
        assert_eq!(of("results.CSV"), Some(Format::Csv));
        assert_eq!(of("results.txt"), Some(Format::Text));
        assert_eq!(of("game.states"), Some(Format::States));
        assert_eq!((of("results"), of("results.dat"), of(".csv")), (None, None, None));
    }
}
