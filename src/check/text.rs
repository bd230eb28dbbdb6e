//! Text results: `id TAB status TAB length TAB moves`.

use super::outcome::{Fields, Outcome};

/// Parses one line.
pub(super) fn outcome(text: &str, line: u64, tile_letters: bool) -> Outcome {
    let mut parts = text.split('\t');
    let mut part = || parts.next().map(str::to_owned);
    let (id, status, length, last) = (part(), part(), part(), part());
    let fields = Fields {
        id,
        status,
        length: length.and_then(|length| length.parse().ok()),
        moves: last,
        ..Fields::default()
    };
    fields.outcome(line, tile_letters)
}

/// Returns whether a line looks like a text result.
pub(super) fn fits(line: &str) -> bool {
    let status = line.split('\t').nth(1);
    status.is_some_and(|status| matches!(status, "solved" | "unsolvable" | "gave_up" | "invalid"))
}

#[cfg(test)]
mod tests {
    use super::super::outcome::{Claim, Moves, Solved};
    use super::*;
    use crate::puzzle::tiles::Direction;

    #[test]
    fn a_line_is_a_result() {
        let line = "k2\tsolved\t2\tUR";
        assert!(fits(line) && !fits("k2 solved 2 UR"));
        let result = outcome(line, 3, false);
        assert_eq!((result.id.as_deref(), result.line, result.place), (Some("k2"), 3, None));
        let moves = Moves::Letters(vec![Direction::Up, Direction::Right]);
        let (optimal, bound, metric) = (None, None, None);
        let solved = Solved { start: None, moves, length: 2, optimal, bound, counts_runs: None, metric };
        assert_eq!(result.claim, Claim::Solved(solved));
        assert_eq!(outcome("1\tunsolvable\t-\tparity", 1, false).claim, Claim::Unsolvable);
        assert_eq!(outcome("1\tgave_up\t-\tmemory", 1, false).claim, Claim::GaveUp { bound: None });
        assert!(matches!(outcome("1\tsolved\t-\tUR", 1, false).claim, Claim::Unreadable(_)));
        assert!(matches!(outcome("cut o", 1, false).claim, Claim::Unreadable(_)));
    }
}
