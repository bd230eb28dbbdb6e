//! Result formats, and the writer that dispatches to them.

use super::{csv, fragments, jsonl, states, text};
use crate::model::report::{Instance, Moves, Report, Solution, Verdict};
use crate::puzzle::tiles::Direction;
use std::path::Path;

/// Format of results
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, clap::ValueEnum)]
pub enum Format {
    /// One line per puzzle: id, status, length and moves, separated by tabs
    #[default]
    Text,
    /// One JSON object per line and puzzle, and a summary as the last line
    Jsonl,
    /// The fields of jsonl as comma-separated values below a header line
    Csv,
    /// Every state from the start to the goal, as grids
    States,
}

impl Format {
    /// Returns the format of a file's extension, if it is known.
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

/// Meaning of a letter in the moves of a tile board
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, clap::ValueEnum)]
pub enum Notation {
    /// Direction of the blank
    #[default]
    Blank,
    /// Direction of the tile
    Tile,
}

impl Notation {
    /// Returns the name used in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Tile => "tile",
        }
    }
}

/// Format and notation of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// The layout.
    pub format: Format,
    /// Notation of move letters.
    pub notation: Notation,
}

impl Style {
    /// Appends the text before the first result: the header line of CSV.
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

    /// Returns whether the lines of a report are too long to hold in memory as a whole.
    /// [`Style::write_chunked`] writes such a report.
    pub fn is_long(&self, report: &Report) -> bool {
        const LONG: usize = 1 << 20;
        let (Verdict::Solved(solution), Some(instance)) = (&report.verdict, &report.instance) else {
            return false;
        };
        if self.format != Format::States {
            return matches!(&solution.moves, Moves::Tiles(moves) if moves.len() > LONG);
        }
        let cells = match instance {
            Instance::Tiles { board, .. } => board.size().cells(),
            Instance::Tray { tray, .. } => tray.cells(),
        };
        solution.moves.len().saturating_mul(4 * cells) > LONG
    }

    /// Passes one report to `take` in chunks of bounded size, until `take` fails. Configurations
    /// arrive as whole lines; the moves of a large board are one line.
    pub fn write_chunked<E>(
        &self,
        report: &Report,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        const CHUNK: usize = 64 << 10;
        let mut out = Vec::new();
        if self.format != Format::States {
            if let Verdict::Solved(solution) = &report.verdict
                && let Moves::Tiles(moves) = &solution.moves
                && self.is_long(report)
            {
                let (before, after) = self.split_around_moves(report, solution);
                take(&before)?;
                for part in moves.chunks(CHUNK) {
                    out.clear();
                    out.extend(part.iter().map(|&direction| fragments::letter(direction, self.notation)));
                    take(&out)?;
                }
                return take(&after);
            }
            self.write(&mut out, report);
            return take(&out);
        }
        let mut result = Ok(());
        states::write(&mut out, report, self.notation, &mut |out| {
            if out.len() >= CHUNK {
                result = take(out);
                out.clear();
            }
            result.is_ok()
        });
        result.and_then(|()| take(&out))
    }
}

impl Style {
    /// Returns the text of a solved board's line before and after the letters of its moves. The
    /// position is where a line without letters differs from a line with one.
    fn split_around_moves(&self, report: &Report, solution: &Solution) -> (Vec<u8>, Vec<u8>) {
        let with = |moves: Vec<Direction>| {
            let &Solution { length, optimal, bound, .. } = solution;
            let Report { file, n, id, line, instance, effort, .. } = report;
            let report = Report {
                file: file.clone(),
                n: *n,
                id: id.clone(),
                line: *line,
                instance: instance.clone(),
                verdict: Verdict::Solved(Solution { moves: moves.into(), length, optimal, bound }),
                effort: effort.clone(),
            };
            let mut text = Vec::new();
            self.write(&mut text, &report);
            text
        };
        let (mut none, one) = (with(Vec::new()), with(vec![Direction::Up]));
        let at = none.iter().zip(&one).position(|(none, one)| none != one).unwrap_or(none.len());
        let after = none.split_off(at);
        (none, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunked_report_equals_a_whole_one() {
        let mut report = crate::model::report::samples::solved();
        let Verdict::Solved(solution) = &mut report.verdict else { unreachable!() };
        let moves: Vec<Direction> = (0..3_000_000).map(|n| Direction::ALL[n * n % 7 % 4]).collect();
        solution.moves = moves.into();
        for format in [Format::Text, Format::Jsonl, Format::Csv] {
            for notation in [Notation::Blank, Notation::Tile] {
                let style = Style { format, notation };
                let (mut whole, mut chunked) = (Vec::new(), Vec::new());
                style.write(&mut whole, &report);
                let result: Result<(), ()> = style.write_chunked(&report, |chunk| {
                    assert!(chunk.len() <= 1 << 16);
                    chunked.extend_from_slice(chunk);
                    Ok(())
                });
                assert!(result.is_ok() && style.is_long(&report) && chunked == whole);
            }
        }
    }

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
