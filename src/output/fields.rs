//! The fields of a result and their order: one list for JSON Lines and CSV.

use super::{Notation, fragments};
use crate::model::report::{Instance, Moves, Report, Solution, Verdict};
use crate::puzzle::tiles::Goal;
use std::fmt::Display;

/// Version of the result format, the field `v`.
pub(super) const VERSION: u64 = 1;

/// Name of a field, plain and as JSON text between two members.
#[derive(Clone, Copy)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) member: &'static str,
}

/// Builds the key of a name.
macro_rules! key {
    ($name:literal) => {
        Key { name: $name, member: concat!(",\"", $name, "\":") }
    };
}

/// Value of a field.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    /// The field does not apply.
    Absent,
    /// A fixed word that needs no escaping.
    Word(&'static str),
    /// Text that may need escaping.
    Text(&'a str),
    Number(u64),
    /// A number written as text.
    Label(u64),
    Flag(bool),
    /// Rows and columns.
    Size(usize, usize),
    Goal(&'a Goal),
    Moves(&'a Moves, Notation),
}

impl Value<'_> {
    /// Appends a value that needs neither quotes nor escapes: any but [`Value::Text`].
    #[inline(always)]
    pub(super) fn append(self, out: &mut Vec<u8>) {
        match self {
            Self::Absent => {}
            Self::Word(text) => out.extend_from_slice(text.as_bytes()),
            Self::Text(text) => fragments::plain(out, text),
            Self::Number(number) | Self::Label(number) => fragments::number(out, number),
            Self::Flag(flag) => out.extend_from_slice(if flag { b"true" } else { b"false" }),
            Self::Size(rows, cols) => {
                fragments::number(out, rows as u64);
                out.push(b'x');
                fragments::number(out, cols as u64);
            }
            Self::Goal(Goal::Given(board)) => display(out, board),
            Self::Goal(goal) => out.extend_from_slice(goal.name().as_bytes()),
            Self::Moves(moves, notation) => fragments::moves(out, moves, notation),
        }
    }
}

/// Appends the `Display` text of a value without an intermediate string.
fn display(out: &mut Vec<u8>, value: &impl Display) {
    use std::io::Write;
    write!(out, "{value}").expect("a vector takes every byte");
}

/// Visitor of the fields of one result.
pub(super) trait Fields {
    /// Receives the next field.
    fn put(&mut self, key: Key, value: Value<'_>);
}

/// Passes every field of a report to `to`, absent ones included, always in the same order.
#[inline(always)]
pub(super) fn visit(report: &Report, notation: Notation, to: &mut impl Fields) {
    use Value::{Absent, Flag, Label, Number, Text, Word};
    let number = |value: Option<u64>| value.map_or(Absent, Number);
    let word = |text: &'static str| if text.is_empty() { Absent } else { Word(text) };

    to.put(key!("type"), Word("result"));
    to.put(key!("v"), Number(VERSION));
    to.put(key!("file"), Text(&report.file));
    to.put(key!("n"), Number(report.n));
    to.put(key!("id"), report.id.as_deref().map_or(Label(report.n), Text));
    to.put(key!("line"), Number(report.line));

    let (kind, size, goal, metric, letters) = match &report.instance {
        Some(Instance::Tiles { board, goal, metric }) => {
            let (size, goal) = (Value::Size(board.size().rows(), board.size().cols()), Value::Goal(goal));
            (Word("tiles"), size, goal, Word(metric.name()), Word(notation.name()))
        }
        Some(Instance::Tray { tray, metric }) => {
            (Word("tray"), Value::Size(tray.rows(), tray.cols()), Absent, Word(metric.name()), Absent)
        }
        None => (Absent, Absent, Absent, Absent, Absent),
    };
    to.put(key!("kind"), kind);
    to.put(key!("size"), size);
    to.put(key!("goal"), goal);
    to.put(key!("metric"), metric);
    to.put(key!("notation"), letters);

    let (reason, hint, bound) = match &report.verdict {
        Verdict::Solved(solution) => (Absent, Absent, (!solution.optimal).then_some(solution.bound)),
        Verdict::Unsolvable { hint } => {
            (Word(fragments::unsolvable(report)), hint.as_deref().map_or(Absent, Text), None)
        }
        Verdict::GaveUp { reason, bound } => (Word(reason.word()), Absent, Some(*bound)),
        Verdict::Invalid { reason } => (Text(reason), Absent, None),
    };
    let solution = match &report.verdict {
        Verdict::Solved(solution) => Some(solution),
        _ => None,
    };
    to.put(key!("status"), Word(fragments::status(&report.verdict)));
    to.put(key!("reason"), reason);
    to.put(key!("hint"), hint);
    to.put(key!("length"), number(solution.map(|s| s.length.into())));
    to.put(key!("optimal"), solution.map_or(Absent, |s| Flag(s.optimal)));
    to.put(key!("bound"), number(bound.map(u64::from)));
    to.put(key!("moves"), solution.map_or(Absent, |s| Value::Moves(&s.moves, notation)));

    let effort = report.instance.as_ref().map(|_| &report.effort);
    to.put(key!("algorithm"), effort.map_or(Absent, |e| word(e.algorithm)));
    to.put(key!("heuristic"), effort.map_or(Absent, |e| word(e.heuristic)));
    to.put(key!("expanded"), number(effort.map(|e| e.expanded)));
    to.put(key!("generated"), number(effort.map(|e| e.generated)));
    to.put(key!("visited"), number(effort.map(|e| e.visited)));
    to.put(key!("time_us"), number(effort.map(|e| e.time.as_micros() as u64)));
}

/// Returns the buffer capacity that a report needs at most if its texts need no escaping.
pub(super) fn room(report: &Report) -> usize {
    let moves = match &report.verdict {
        Verdict::Solved(Solution { moves: Moves::Tiles(moves), .. }) => moves.len(),
        Verdict::Solved(Solution { moves: Moves::Tray(moves), .. }) => 18 * moves.len(),
        _ => 0,
    };
    512 + report.file.len() + moves
}
