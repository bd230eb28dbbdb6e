//! Classifies the lines of a file of results, in each format, and parses the fields that a summary
//! needs.

use crate::model::report::GiveUp;
use crate::output::{Decision, Format, ParsedResult, Style};
use memchr::memmem;
use std::ops::Range;
use std::time::Duration;

/// Kind of a line, or of a row of CSV.
pub(crate) enum LineKind {
    /// The names of the columns.
    Heading,
    /// A result; in format `states` its first line.
    Result(ParsedResult),
    /// A further line of a result (format `states`).
    Continuation,
    /// The summary, which is the last line.
    Summary,
    /// A malformed line.
    Other,
}

/// Classifies the lines of one file, in their order.
pub(crate) struct Classifier {
    format: Format,
    /// The expected heading without its line feed, until it is found.
    heading: Option<Vec<u8>>,
    columns: Columns,
    fields: Vec<Range<usize>>,
}

/// Indices of the CSV columns that are parsed.
#[derive(Default)]
struct Columns {
    count: usize,
    status: usize,
    reason: usize,
    optimal: usize,
    expanded: usize,
    generated: usize,
    time_us: usize,
}

impl Classifier {
    pub(crate) fn new(style: Style) -> Self {
        let mut heading = Vec::new();
        style.header(&mut heading);
        heading.pop();
        let names: Vec<&[u8]> = heading.split(|&byte| byte == b',').collect();
        let index_of =
            |name: &str| names.iter().position(|other| *other == name.as_bytes()).unwrap_or(usize::MAX);
        let columns = Columns {
            count: names.len(),
            status: index_of("status"),
            reason: index_of("reason"),
            optimal: index_of("optimal"),
            expanded: index_of("expanded"),
            generated: index_of("generated"),
            time_us: index_of("time_us"),
        };
        let heading = (style.format == Format::Csv).then_some(heading);
        Self { format: style.format, heading, columns, fields: Vec::new() }
    }

    /// Classifies the next line, given without its line feed.
    pub(crate) fn classify(&mut self, line: &[u8]) -> LineKind {
        if let Some(heading) = self.heading.take() {
            return if heading == line { LineKind::Heading } else { LineKind::Other };
        }
        let result = match self.format {
            Format::Text => text(line),
            Format::Jsonl if line.starts_with(b"{\"type\":\"summary\",") => return LineKind::Summary,
            Format::Jsonl => jsonl(line),
            Format::Csv => self.csv(line),
            Format::States if !line.starts_with(b"puzzle ") => return LineKind::Continuation,
            Format::States => states(line),
        };
        result.map_or(LineKind::Other, LineKind::Result)
    }

    fn csv(&mut self, line: &[u8]) -> Option<ParsedResult> {
        let columns = &self.columns;
        // One field too many is enough to recognise a malformed row.
        split(line, columns.count + 1, &mut self.fields);
        if self.fields.len() != columns.count || !line.starts_with(b"result,") {
            return None;
        }
        let field = |column: usize| &line[self.fields[column].clone()];
        let decision = decision(field(columns.status), field(columns.reason), Some(field(columns.optimal)))?;
        let number = |column| number(field(column)).unwrap_or(0);
        let (expanded, generated) = (number(columns.expanded), number(columns.generated));
        let time = (decision != Decision::Invalid).then(|| Duration::from_micros(number(columns.time_us)));
        Some(ParsedResult { decision, expanded, generated, time })
    }
}

/// Combines the words for status, reason and proof.
fn decision(status: &[u8], reason: &[u8], optimal: Option<&[u8]>) -> Option<Decision> {
    Some(match status {
        b"solved" => Decision::Solved { optimal: optimal.map(|optimal| optimal == b"true") },
        b"unsolvable" => Decision::Unsolvable,
        b"invalid" => Decision::Invalid,
        b"gave_up" => {
            Decision::GaveUp(GiveUp::ALL.into_iter().find(|known| known.word().as_bytes() == reason)?)
        }
        _ => return None,
    })
}

/// Parses `id TAB status TAB length TAB moves or reason`.
fn text(line: &[u8]) -> Option<ParsedResult> {
    let mut fields = line.splitn(4, |&byte| byte == b'\t');
    let (_, status, _, last) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    decision(status, last, None).map(ParsedResult::of)
}

/// Parses `puzzle ID: STATUS, …`.
fn states(line: &[u8]) -> Option<ParsedResult> {
    // An id may look like a status. At worst, results are then solved again.
    let statuses = ["solved", "unsolvable", "gave_up", "invalid"];
    let found = statuses.iter().filter_map(|status| {
        let at = memmem::find(line, format!(": {status}, ").as_bytes())?;
        let rest = &line[at + status.len() + 4..];
        let reason = rest.split(|&byte| byte == b',').next()?;
        let optimal: &[u8] = if rest.ends_with(b", optimal") { b"true" } else { b"false" };
        Some((at, decision(status.as_bytes(), reason, Some(optimal))?))
    });
    found.min_by_key(|&(at, _)| at).map(|(_, decision)| ParsedResult::of(decision))
}

/// Parses an object on one line. A quotation mark inside a string is escaped, so the name of a
/// member with its quotation marks cannot occur inside a string.
fn jsonl(line: &[u8]) -> Option<ParsedResult> {
    if !line.starts_with(b"{\"type\":\"result\",\"v\":1,") || !line.ends_with(b"}") {
        return None;
    }
    let rest = after(line, "\"status\":\"")?;
    let quoted = |text: &[u8]| memchr::memchr(b'"', text);
    let status = &rest[..quoted(rest)?];
    let reason = match status {
        b"gave_up" => after(rest, "\"reason\":\"").and_then(|text| Some(&text[..quoted(text)?]))?,
        _ => b"",
    };
    let optimal: &[u8] = match status {
        b"solved" if after(rest, "\"optimal\":")?.starts_with(b"true") => b"true",
        _ => b"false",
    };
    let decision = decision(status, reason, Some(optimal))?;
    // Only the last members are searched: the moves may be long.
    let end = &line[line.len().saturating_sub(256)..];
    let value = |member: &str| {
        let text = after(end, member)?;
        number(&text[..text.iter().position(|byte| !byte.is_ascii_digit())?])
    };
    let time = value("\"time_us\":").map(Duration::from_micros);
    let (expanded, generated) = (value("\"expanded\":").unwrap_or(0), value("\"generated\":").unwrap_or(0));
    Some(ParsedResult { decision, expanded, generated, time })
}

/// Returns the text after a member's name.
fn after<'t>(text: &'t [u8], member: &str) -> Option<&'t [u8]> {
    let at = memmem::find(text, member.as_bytes())?;
    Some(&text[at + member.len()..])
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Finds the first `max` fields of a CSV row.
fn split(row: &[u8], max: usize, fields: &mut Vec<Range<usize>>) {
    fields.clear();
    let (mut start, mut quoted) = (0, false);
    for at in memchr::memchr2_iter(b',', b'"', row) {
        match row[at] {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            _ => {
                fields.push(start..at);
                start = at + 1;
                if fields.len() == max {
                    return;
                }
            }
        }
    }
    fields.push(start..row.len());
}
