//! The small words that several formats share: letters, numbers, ids, statuses.

use super::{Notation, Report, Verdict};
use crate::puzzle::tiles::Direction;

/// The letter of a move.
pub(super) const fn letter(direction: Direction, notation: Notation) -> u8 {
    match notation {
        Notation::Blank => direction.letter(),
        Notation::Tile => direction.opposite().letter(),
    }
}

/// Appends one letter for each move.
pub(super) fn letters(out: &mut Vec<u8>, moves: &[Direction], notation: Notation) {
    out.extend(moves.iter().map(|&direction| letter(direction, notation)));
}

/// Appends a number in decimal.
pub(super) fn number(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends text with every control character as a space, so that it stays one
/// field of one line and cannot steer a terminal.
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

/// The word for a verdict in `status`.
pub(super) const fn status(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Solved(_) => "solved",
        Verdict::Unsolvable { .. } => "unsolvable",
        Verdict::GaveUp { .. } => "gave_up",
        Verdict::Invalid { .. } => "invalid",
    }
}

/// Why there is no solution, in a word or a sentence; empty if there is one.
pub(super) fn reason(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::Solved(_) => "",
        // A tile board has no solution exactly when its parity is wrong.
        Verdict::Unsolvable { hint } => hint.as_deref().unwrap_or("parity"),
        Verdict::GaveUp { reason, .. } => reason.word(),
        Verdict::Invalid { reason } => reason,
    }
}
