//! CSV results: the fields of JSON Lines under a header line.

use super::{limited::Limited, outcome::Fields, results::ResultItem};
use ::csv::{Reader, ReaderBuilder, StringRecord};
use std::io::{self, BufRead};

/// Returns whether a line looks like the header.
pub(super) fn fits(line: &str) -> bool {
    let mut names = line.split(',');
    names.clone().any(|name| name == "status") && names.any(|name| name == "n")
}

/// Results of a file, row by row.
pub(super) struct Rows<R> {
    reader: Reader<Limited<R>>,
    header: StringRecord,
    row: StringRecord,
    tile_letters: bool,
}

impl<R: BufRead> Rows<R> {
    pub(super) fn new(results: Limited<R>, tile_letters: bool) -> io::Result<Self> {
        let mut reader = ReaderBuilder::new().flexible(true).from_reader(results);
        let header = reader.headers()?.clone();
        Ok(Self { reader, header, row: StringRecord::new(), tile_letters })
    }

    fn fields(&self) -> Option<Fields> {
        if self.row.len() != self.header.len() {
            return None;
        }
        let text = |name: &str| {
            let column = self.header.iter().position(|column| column == name)?;
            self.row.get(column).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let number = |name: &str| text(name)?.parse::<u64>().ok();
        Some(Fields {
            file: text("file"),
            n: Some(number("n")?),
            id: text("id"),
            kind: text("kind"),
            size: text("size"),
            expanded: number("expanded"),
            generated: number("generated"),
            goal: text("goal"),
            metric: text("metric"),
            notation: text("notation"),
            status: text("status"),
            length: number("length"),
            optimal: text("optimal").and_then(|optimal| optimal.parse().ok()),
            bound: number("bound"),
            moves: text("moves"),
        })
    }
}

impl<R: BufRead> Iterator for Rows<R> {
    type Item = io::Result<ResultItem>;

    fn next(&mut self) -> Option<io::Result<ResultItem>> {
        self.reader.get_mut().begin();
        let read = self.reader.read_record(&mut self.row);
        let line = self.row.position().map_or(0, ::csv::Position::line);
        match read {
            Ok(false) => None,
            Ok(true) => Some(Ok(match self.fields() {
                Some(fields) => ResultItem::Outcome(Box::new(fields.outcome(line, self.tile_letters))),
                None => ResultItem::Malformed { line, what: "not a row of results".into() },
            })),
            Err(error) if error.is_io_error() => Some(Err(error.into())),
            Err(error) => Some(Ok(ResultItem::Malformed { line, what: error.to_string() })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::outcome::Claim;
    use super::*;

    #[test]
    fn rows_are_results() {
        let text = "type,file,n,id,status,length,optimal,moves\nresult,\"a,b\",1,k,solved,2,false,UR\n\
            result,a,2,2,unsolvable,,,\nresult,a\n";
        assert!(fits(text.lines().next().unwrap()) && !fits("1,2,3"));
        let found: Vec<_> =
            Rows::new(Limited::new(text.as_bytes(), 999), false).unwrap().map(Result::unwrap).collect();
        let ResultItem::Outcome(first) = &found[0] else { panic!() };
        assert_eq!(first.place, Some(("a,b".into(), 1)));
        assert!(matches!(&first.claim, Claim::Solved(solved) if solved.optimal == Some(false)));
        assert!(matches!(&found[1], ResultItem::Outcome(second) if second.claim == Claim::Unsolvable));
        assert!(matches!(&found[2], ResultItem::Malformed { line: 4, .. }) && found.len() == 3);
    }
}
