//! JSON Lines results: one object per line, the summary last.

use super::outcome::{Fields, Outcome};
use super::tally::Counts;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// A parsed line.
#[derive(Debug, PartialEq)]
pub(super) enum Record {
    Result(Box<Outcome>),
    Summary(Counts),
}

/// Parses one line.
pub(super) fn record(text: &str, line: u64, tile_letters: bool) -> Result<Record, String> {
    // Members stay unparsed text here: the moves may be most of the line.
    let object: HashMap<String, Box<RawValue>> =
        serde_json::from_str(text).map_err(|error| format!("not a JSON object: {error}"))?;
    let raw = |name: &str| object.get(name).map(|value| value.get());
    match raw("type") {
        Some("\"result\"") => {}
        Some("\"summary\"") => {
            let counts: Option<HashMap<String, u64>> = raw("counts")
                .map(serde_json::from_str)
                .transpose()
                .map_err(|error| format!("the counts of the summary are not numbers: {error}"))?;
            let counts = counts.unwrap_or_default();
            return Ok(Record::Summary(Counts::new(|name| counts.get(name).copied())));
        }
        _ => return Err("neither a result nor a summary".into()),
    }
    let text = |name: &str| raw(name).and_then(|value| serde_json::from_str::<String>(value).ok());
    let number = |name: &str| raw(name).and_then(|value| serde_json::from_str::<u64>(value).ok());
    let fields = Fields {
        file: text("file"),
        n: number("n"),
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
        optimal: raw("optimal").and_then(|value| serde_json::from_str(value).ok()),
        bound: number("bound"),
        moves: raw("moves").map(moves).transpose()?,
    };
    if fields.n.is_none() {
        return Err("the record's number 'n' is missing".into());
    }
    Ok(Record::Result(Box::new(fields.outcome(line, tile_letters))))
}

/// Returns the moves in the syntax of the other formats: a text as it is, and `[[r,c,r',c'],…]` as
/// four numbers per move separated by semicolons.
fn moves(value: &str) -> Result<String, String> {
    if value.starts_with('"') {
        return serde_json::from_str(value).map_err(|error| error.to_string());
    }
    if !value.starts_with('[') {
        return Err("the moves are neither a string nor an array".into());
    }
    let (mut text, mut depth) = (String::with_capacity(value.len()), 0u32);
    for byte in value.chars() {
        match (byte, depth) {
            ('[', 0 | 1) => depth += 1,
            (']', 1 | 2) => depth -= 1,
            (',', 1) => text.push(';'),
            (',', 2) => text.push(' '),
            (gap, _) if gap.is_ascii_whitespace() => {}
            (other, 2) => text.push(other),
            _ => return Err("a move is not an array".into()),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::outcome::{Claim, Moves};
    use super::*;

    #[test]
    fn a_line_is_a_result_or_the_summary() {
        let line = r#"{"type":"result","v":1,"file":"a","n":17,"id":"k","goal":"snail","metric":"line",
            "notation":"tile","status":"solved","length":1,"optimal":true,"moves":"UU"}"#;
        let outcome = |line: &str, number| match record(line, number, false) {
            Ok(Record::Result(outcome)) => *outcome,
            other => panic!("{other:?}"),
        };
        let result = outcome(line, 5);
        assert_eq!((result.place, result.goal.as_deref()), (Some(("a".into(), 17)), Some("snail")));
        let Claim::Solved(solved) = result.claim else { panic!() };
        assert!(solved.counts_runs == Some(true) && solved.optimal == Some(true));
        assert!(matches!(solved.moves, Moves::Letters(letters) if letters.len() == 2));
        let line = r#"{"type":"result","n":1,"status":"solved","length":1,"moves":[[0,1,2,1]]}"#;
        let Claim::Solved(solved) = outcome(line, 1).claim else { panic!() };
        assert!(matches!(solved.moves, Moves::Blocks(blocks) if blocks.steps == [[0, 1, 2, 1]]));
        assert_eq!(record(r#"{"type":"summary","v":1}"#, 1, false), Ok(Record::Summary(Counts::default())));
        let counted = record(r#"{"type":"summary","counts":{"puzzles":3,"kept":1}}"#, 1, false);
        assert!(matches!(counted, Ok(Record::Summary(counts)) if counts.puzzles == Some(3)), "{counted:?}");
        for bad in ["{", "[]", r#"{"type":"other"}"#, r#"{"type":"result","status":"solved"}"#] {
            assert!(record(bad, 1, false).is_err(), "{bad}");
        }
    }
}
