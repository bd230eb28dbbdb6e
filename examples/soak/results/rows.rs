//! Reads results in any format into rows.

use super::Format;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// One result.
#[derive(Clone, Default, Debug)]
pub(crate) struct Row {
    pub(crate) file: Option<String>,
    pub(crate) n: Option<u64>,
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) reason: Option<String>,
    pub(crate) length: Option<u64>,
    /// Whether a proof is claimed; text does not say.
    pub(crate) optimal: Option<bool>,
    /// Letters of a board; states and trays have none here.
    pub(crate) letters: Option<String>,
    pub(crate) algorithm: Option<String>,
    pub(crate) expanded: Option<u64>,
    pub(crate) visited: Option<u64>,
}

/// Reads a whole file of results. `ids` are those expected, in order: in
/// states an id may look like anything.
pub(crate) fn read(format: Format, bytes: &[u8], ids: &[String]) -> Result<Vec<Row>> {
    let text = std::str::from_utf8(bytes).context("results are not UTF-8")?;
    ensure!(text.is_empty() || text.ends_with('\n'), "the last line of the results is torn");
    match format {
        Format::Text => text.lines().map(text_row).collect(),
        Format::JsonLines => json_rows(text),
        Format::Csv => csv_rows(text),
        Format::States => states_rows(text, ids),
    }
}

fn text_row(line: &str) -> Result<Row> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [id, status, length, last] = fields[..] else { bail!("a line of {} fields: {line}", fields.len()) };
    let solved = status == "solved";
    let is_board = last.chars().all(|letter| "URDL".contains(letter));
    Ok(Row {
        id: id.into(),
        status: status.into(),
        length: length.parse().ok(),
        letters: (solved && is_board).then(|| last.into()),
        reason: (!solved).then(|| last.into()),
        ..Row::default()
    })
}

fn json_rows(text: &str) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut summaries = 0;
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).with_context(|| format!("no JSON: {line}"))?;
        ensure!(summaries == 0, "a line after the summary: {line}");
        match value["type"].as_str() {
            Some("summary") => summaries += 1,
            Some("result") => rows.push(json_row(&value)),
            _ => bail!("neither a result nor a summary: {line}"),
        }
    }
    Ok(rows)
}

fn json_row(value: &Value) -> Row {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let number = |key: &str| value[key].as_u64();
    Row {
        file: text("file"),
        n: number("n"),
        id: text("id").unwrap_or_default(),
        status: text("status").unwrap_or_default(),
        reason: text("reason"),
        length: number("length"),
        optimal: value["optimal"].as_bool(),
        letters: text("moves"),
        algorithm: text("algorithm"),
        expanded: number("expanded"),
        visited: number("visited"),
    }
}

fn csv_rows(text: &str) -> Result<Vec<Row>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers()?.clone();
    let place = |name: &str| header.iter().position(|field| field == name);
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.context("no CSV")?;
        let text = |name: &str| {
            place(name).and_then(|at| record.get(at)).filter(|field| !field.is_empty()).map(str::to_owned)
        };
        let number = |name: &str| text(name).and_then(|field| field.parse().ok());
        let solved_board =
            text("kind").is_some_and(|kind| kind == "tiles") && text("status").is_some_and(|s| s == "solved");
        rows.push(Row {
            file: text("file"),
            n: number("n"),
            id: text("id").unwrap_or_default(),
            status: text("status").unwrap_or_default(),
            reason: text("reason"),
            length: number("length"),
            optimal: text("optimal").map(|field| field == "true"),
            letters: solved_board.then(|| text("moves").unwrap_or_default()),
            algorithm: text("algorithm"),
            expanded: number("expanded"),
            visited: number("visited"),
        });
    }
    Ok(rows)
}

/// Reads the heads of the puzzles; `check` replays the configurations.
fn states_rows(text: &str, ids: &[String]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut ids = ids.iter();
    let mut previous = "";
    for line in text.lines() {
        let head = line.strip_prefix("puzzle ").filter(|_| previous.is_empty());
        previous = line;
        let Some(head) = head else { continue };
        // An interrupted run may leave out some records.
        let found = ids.find_map(|id| Some((id, head.strip_prefix(id.as_str())?.strip_prefix(": ")?)));
        let Some((id, rest)) = found else { bail!("no record has this head: {line}") };
        let (status, more) = rest.split_once(", ").unwrap_or((rest, ""));
        rows.push(Row {
            id: id.clone(),
            status: status.replace(' ', "_"),
            length: more.split(' ').next().and_then(|word| word.parse().ok()),
            optimal: (status == "solved").then(|| more.split(", ").any(|word| word == "optimal")),
            reason: Some(more.split(", ").next().unwrap_or("").to_owned()),
            ..Row::default()
        });
    }
    Ok(rows)
}
