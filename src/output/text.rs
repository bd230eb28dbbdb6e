//! Text: `id TAB status TAB length TAB moves`, one line per puzzle.

use super::{Notation, fragments};
use crate::model::report::{Report, Verdict};

/// Appends a report as one line. Without a solution, the length is `-` and the last field is the
/// reason.
pub(super) fn write(out: &mut Vec<u8>, report: &Report, notation: Notation) {
    fragments::id(out, report);
    out.push(b'\t');
    out.extend_from_slice(fragments::status(&report.verdict).as_bytes());
    out.push(b'\t');
    match &report.verdict {
        Verdict::Solved(solution) => {
            fragments::number(out, solution.length.into());
            out.push(b'\t');
            fragments::moves(out, &solution.moves, notation);
        }
        _ => {
            out.extend_from_slice(b"-\t");
            fragments::reason(out, report);
        }
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::report::samples;

    fn line(report: &Report) -> String {
        let mut out = Vec::new();
        write(&mut out, report, Notation::Blank);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_verdict_on_one_line() {
        assert_eq!(line(&samples::solved()), "17\tsolved\t2\tDR\n");
        assert_eq!(line(&samples::unsolvable()), "4\tunsolvable\t-\tparity; solvable for blank-first\n");
        assert_eq!(line(&samples::gave_up()), "k3\tgave_up\t-\tnodes\n");
        assert_eq!(line(&samples::invalid()), "9\tinvalid\t-\ttile 7 appears twice (line 90, column 12)\n");
        let mut report = samples::unsolvable();
        report.verdict = Verdict::Unsolvable { hint: None };
        assert_eq!(line(&report), "4\tunsolvable\t-\tparity\n");
    }

    #[test]
    fn moves_of_blocks_are_four_numbers_each() {
        use crate::model::report::{Moves, Solution};
        let mut report = samples::tray();
        assert_eq!(line(&report), "17\tsolved\t1\t0 0 1 0\n");
        let Verdict::Solved(Solution { moves: Moves::Tray(moves), .. }) = &mut report.verdict else {
            panic!()
        };
        moves.push(moves[0].reversed());
        assert_eq!(line(&report), "17\tsolved\t1\t0 0 1 0; 1 0 0 0\n");
        report.verdict = Verdict::Unsolvable { hint: None };
        assert_eq!(line(&report), "17\tunsolvable\t-\texhausted\n");
    }

    #[test]
    fn ids_cannot_break_the_line_or_its_fields() {
        let mut report = samples::solved();
        report.id = Some("a\tb\r\nc\u{1b}[1mé".into());
        assert_eq!(line(&report), "a b  c [1mé\tsolved\t2\tDR\n");
    }
}
