//! What one line of results says of its puzzle, in each format; no more than a
//! summary needs.

use crate::model::report::GiveUp;
use crate::output::{Decision, Format, ParsedResult, Style};
use memchr::memmem;
use std::ops::Range;
use std::time::Duration;

/// What a line, or a row of CSV, is.
pub(crate) enum Formed {
    /// The line that names the columns.
    Heading,
    /// A result, or in states its first line.
    Result(ParsedResult),
    /// A further line of a result.
    Part,
    /// The summary, behind which nothing comes.
    Summary,
    /// Nothing that belongs here.
    Other,
}

/// Reads lines of one format.
pub(crate) struct Look {
    format: Format,
    /// The heading without its line feed, until it has been seen.
    heading: Option<Vec<u8>>,
    columns: Columns,
    fields: Vec<Range<usize>>,
}

/// Where CSV has what is of interest.
#[derive(Default)]
struct Columns {
    all: usize,
    status: usize,
    reason: usize,
    optimal: usize,
    expanded: usize,
    generated: usize,
    time_us: usize,
}

impl Look {
    pub(crate) fn new(style: Style) -> Self {
        let mut heading = Vec::new();
        style.header(&mut heading);
        heading.pop();
        let names: Vec<&[u8]> = heading.split(|&byte| byte == b',').collect();
        let of = |name: &str| names.iter().position(|other| *other == name.as_bytes()).unwrap_or(usize::MAX);
        let columns = Columns {
            all: names.len(),
            status: of("status"),
            reason: of("reason"),
            optimal: of("optimal"),
            expanded: of("expanded"),
            generated: of("generated"),
            time_us: of("time_us"),
        };
        let heading = (style.format == Format::Csv).then_some(heading);
        Self { format: style.format, heading, columns, fields: Vec::new() }
    }

    /// What a line is, without its line feed.
    pub(crate) fn at(&mut self, line: &[u8]) -> Formed {
        if let Some(heading) = self.heading.take() {
            return if heading == line { Formed::Heading } else { Formed::Other };
        }
        let told = match self.format {
            Format::Text => text(line),
            Format::Jsonl if line.starts_with(b"{\"type\":\"summary\",") => return Formed::Summary,
            Format::Jsonl => jsonl(line),
            Format::Csv => self.row(line),
            Format::States if !line.starts_with(b"puzzle ") => return Formed::Part,
            Format::States => states(line),
        };
        told.map_or(Formed::Other, Formed::Result)
    }

    fn row(&mut self, line: &[u8]) -> Option<ParsedResult> {
        let columns = &self.columns;
        // One more than there should be is enough to tell that a row is wrong.
        split(line, columns.all + 1, &mut self.fields);
        if self.fields.len() != columns.all || !line.starts_with(b"result,") {
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

/// What the words for a status, a reason and a proof come to.
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

/// `id TAB status TAB length TAB moves or reason`.
fn text(line: &[u8]) -> Option<ParsedResult> {
    let mut fields = line.splitn(4, |&byte| byte == b'\t');
    let (_, status, _, last) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    decision(status, last, None).map(ParsedResult::of)
}

/// `puzzle ID: STATUS, …`.
fn states(line: &[u8]) -> Option<ParsedResult> {
    // An id may look like a status, too: the worst that comes of it is that
    // results are made once more.
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

/// An object on one line. A quotation mark inside a string is escaped, so what
/// is looked for is found where it is a member and nowhere else.
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
    // The last members; the moves may be long.
    let end = &line[line.len().saturating_sub(256)..];
    let value = |member: &str| {
        let text = after(end, member)?;
        number(&text[..text.iter().position(|byte| !byte.is_ascii_digit())?])
    };
    let time = value("\"time_us\":").map(Duration::from_micros);
    let (expanded, generated) = (value("\"expanded\":").unwrap_or(0), value("\"generated\":").unwrap_or(0));
    Some(ParsedResult { decision, expanded, generated, time })
}

/// What follows a member's name.
fn after<'t>(text: &'t [u8], member: &str) -> Option<&'t [u8]> {
    let at = memmem::find(text, member.as_bytes())?;
    Some(&text[at + member.len()..])
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Finds the first `most` fields of a row.
fn split(row: &[u8], most: usize, fields: &mut Vec<Range<usize>>) {
    fields.clear();
    let (mut start, mut quoted) = (0, false);
    for at in memchr::memchr2_iter(b',', b'"', row) {
        match row[at] {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            _ => {
                fields.push(start..at);
                start = at + 1;
                if fields.len() == most {
                    return;
                }
            }
        }
    }
    fields.push(start..row.len());
}
