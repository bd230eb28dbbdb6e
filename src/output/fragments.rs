//! Formatting helpers that several formats share: moves, numbers, ids, statuses and reasons.

use super::Notation;
use crate::model::report::{Instance, Moves, Report, Verdict};
use crate::puzzle::tiles::Direction;
use crate::puzzle::trays::Shift;

/// Returns the letter of a move.
pub(super) const fn letter(direction: Direction, notation: Notation) -> u8 {
    match notation {
        Notation::Blank => direction.letter(),
        Notation::Tile => direction.opposite().letter(),
    }
}

/// Appends moves: one letter per move of a tile; `r c r' c'` per move of a block, separated by `;
/// `.
pub(super) fn moves(out: &mut Vec<u8>, moves: &Moves, notation: Notation) {
    match moves {
        Moves::Tiles(moves) => out.extend(moves.iter().map(|&direction| letter(direction, notation))),
        Moves::Tray(moves) => {
            for (index, &move_) in moves.iter().enumerate() {
                if index > 0 {
                    out.extend_from_slice(b"; ");
                }
                shift(out, move_, b' ');
            }
        }
    }
}

/// Appends the four numbers of a block's move, separated by the byte `between`.
pub(super) fn shift(out: &mut Vec<u8>, shift: Shift, between: u8) {
    let Shift { from, to } = shift;
    for (index, value) in [from.row, from.col, to.row, to.col].into_iter().enumerate() {
        if index > 0 {
            out.push(between);
        }
        number(out, value.into());
    }
}

/// Appends a number in decimal.
pub(super) fn number(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends text with control characters replaced by spaces, so that it stays one field of one line
/// and cannot control a terminal.
pub(super) fn plain(out: &mut Vec<u8>, text: &str) {
    out.extend(text.bytes().map(|byte| if byte.is_ascii_control() { b' ' } else { byte }));
}

/// Appends the record's own id, or its number.
pub(super) fn id(out: &mut Vec<u8>, report: &Report) {
    match &report.id {
        Some(id) => plain(out, id),
        None => number(out, report.n),
    }
}

/// Returns the name of a verdict in the field `status`.
pub(super) const fn status(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Solved(_) => "solved",
        Verdict::Unsolvable { .. } => "unsolvable",
        Verdict::GaveUp { .. } => "gave_up",
        Verdict::Invalid { .. } => "invalid",
    }
}

/// Returns the reason why a puzzle is unsolvable, in one word.
pub(super) const fn unsolvable(report: &Report) -> &'static str {
    match report.instance {
        Some(Instance::Tray { .. }) => "exhausted",
        // A tile board is unsolvable exactly if its parity is wrong.
        _ => "parity",
    }
}

/// Appends the reason why there is no solution; nothing if there is one.
pub(super) fn reason(out: &mut Vec<u8>, report: &Report) {
    match &report.verdict {
        Verdict::Solved(_) => {}
        Verdict::Unsolvable { hint } => {
            out.extend_from_slice(unsolvable(report).as_bytes());
            if let Some(hint) = hint {
                out.extend_from_slice(b"; ");
                plain(out, hint);
            }
        }
        Verdict::GaveUp { reason, .. } => out.extend_from_slice(reason.word().as_bytes()),
        Verdict::Invalid { reason } => plain(out, reason),
    }
}
