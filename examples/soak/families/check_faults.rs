//! `check` on results that were made wrong: status 1 and a line that names the
//! record.

use crate::results::Format;
use crate::round::Round;
use crate::run::Run;
use crate::truth::record::{Mix, text};
use anyhow::{Result, ensure};
use serde_json::{Value, json};

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let count = round.random.between(2, 60);
    let mix =
        Mix { trays: round.random.one_in(3), malformed: round.random.one_in(3), goals: true, ..Mix::SMALL };
    let records = round.records(count, mix);
    round.workspace.write("puzzles.txt", text(&records))?;
    let solve = Run::new(["solve", "puzzles.txt", "--quiet", "--format", Format::JsonLines.word()]);
    let solved = round.run(&solve)?;
    let mut lines: Vec<Value> = Vec::new();
    for line in solved.text()?.lines() {
        lines.push(serde_json::from_str(line)?);
    }
    let place = round.random.below(lines.len() - 1);
    let line = &mut lines[place];
    let is_solved = line["status"] == "solved";
    let fault = round.random.pick(&[
        "length", "moves", "status", "invalid", "missing", "twice", "number", "id", "kind", "size", "summary",
    ]);
    match fault {
        "length" if is_solved => line["length"] = json!(line["length"].as_u64().unwrap_or(0) + 2),
        "moves" if is_solved && line["length"] != 0 => {
            line["moves"] = json!(if line["kind"] == "tray" { json!([]) } else { json!("") })
        }
        "status" if is_solved && line["kind"] == "tiles" => line["status"] = json!("unsolvable"),
        "invalid" if line["status"] != "invalid" => line["status"] = json!("invalid"),
        "missing" => drop(lines.remove(place)),
        "twice" => lines.insert(place, lines[place].clone()),
        "number" => line["n"] = json!(records.len() + 7),
        "id" => line["id"] = json!("somebody else"),
        "kind" if line["kind"].is_string() => {
            line["kind"] = json!(if line["kind"] == "tray" { "tiles" } else { "tray" })
        }
        "size" if line["size"].is_string() => line["size"] = json!("7x9"),
        "summary" => {
            let summary = lines.last_mut().expect("a summary");
            if !bump(summary, "solved") {
                return Ok(());
            }
        }
        _ => return Ok(()),
    }
    let wrong: String = lines.iter().map(|line| format!("{line}\n")).collect();
    round.workspace.write("wrong.jsonl", wrong)?;
    let outcome = round.run(&Run::new(["check", "puzzles.txt", "wrong.jsonl"]))?;
    ensure!(
        [1, 2].contains(&outcome.status()),
        "check does not see a wrong result ({fault}, record {}): {:?}\ncommand: {}",
        place + 1,
        outcome.end,
        outcome.command
    );
    Ok(())
}

/// Adds one to a number, wherever the summary keeps it.
fn bump(summary: &mut Value, key: &str) -> bool {
    let Some(fields) = summary.as_object_mut() else { return false };
    if let Some(number) = fields.get(key).and_then(Value::as_u64) {
        fields.insert(key.into(), json!(number + 1));
        return true;
    }
    fields.values_mut().any(|value| bump(value, key))
}
