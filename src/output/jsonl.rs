//! JSON Lines: one object per line and puzzle.

use super::fields::{self, Fields, Key, Value};
use super::{Notation, fragments};
use crate::model::report::{Moves, Report};
use crate::puzzle::trays::Shift;

/// Appends a report as one line.
pub(super) fn write(out: &mut Vec<u8>, report: &Report, notation: Notation) {
    out.reserve(fields::room(report));
    let start = out.len();
    fields::visit(report, notation, &mut Object { out });
    // Every member starts with a comma; the first comma becomes the brace.
    out[start] = b'{';
    out.extend_from_slice(b"}\n");
}

/// Writer of the members of an object.
struct Object<'a> {
    out: &'a mut Vec<u8>,
}

impl Fields for Object<'_> {
    #[inline(always)]
    fn put(&mut self, key: Key, value: Value<'_>) {
        let out = &mut *self.out;
        if matches!(value, Value::Absent) {
            return;
        }
        out.extend_from_slice(key.member.as_bytes());
        match value {
            Value::Text(text) => string(out, text),
            Value::Number(_) | Value::Flag(_) => value.append(out),
            Value::Moves(Moves::Tray(moves), _) => arrays(out, moves),
            _ => {
                out.push(b'"');
                value.append(out);
                out.push(b'"');
            }
        }
    }
}

/// Appends `[[r,c,r',c'],…]`.
fn arrays(out: &mut Vec<u8>, moves: &[Shift]) {
    out.push(b'[');
    for (index, &shift) in moves.iter().enumerate() {
        out.extend_from_slice(if index > 0 { b",[" } else { b"[" });
        fragments::shift(out, shift, b',');
        out.push(b']');
    }
    out.push(b']');
}

/// Appends a text as a JSON string.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        out.extend_from_slice(&rest[..at]);
        escape(out, rest[at]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Appends the escape sequence of a byte that JSON strings cannot contain.
#[cold]
fn escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            out.extend_from_slice(b"\\u00");
            return out.extend([HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    };
    out.extend([b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::report::samples;
    use proptest::prelude::*;

    fn line(report: &Report, notation: Notation) -> String {
        let mut out = Vec::new();
        write(&mut out, report, notation);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_solved_puzzle_has_the_fields_in_their_order() {
        assert_eq!(
            line(&samples::solved(), Notation::Blank),
            "{\"type\":\"result\",\"v\":1,\"file\":\"hard.txt\",\"n\":17,\"id\":\"17\",\"line\":17,\
             \"kind\":\"tiles\",\"size\":\"3x3\",\"goal\":\"blank-last\",\"metric\":\"tile\",\
             \"notation\":\"blank\",\"status\":\"solved\",\"length\":2,\"optimal\":true,\"moves\":\"DR\",\
             \"algorithm\":\"ida\",\"heuristic\":\"manhattan\",\"expanded\":18233,\"generated\":37110,\
             \"visited\":18555,\"time_us\":912}\n"
        );
        assert!(line(&samples::solved(), Notation::Tile).contains(r#""notation":"tile""#));
        assert!(line(&samples::solved(), Notation::Tile).contains(r#""moves":"UL""#));
    }

    #[test]
    fn a_solution_that_may_not_be_shortest_carries_the_bound() {
        let text = line(&samples::suboptimal(), Notation::Blank);
        assert!(text.contains(r#""goal":"1 2 3/4 5 6/7 8 0","#), "{text}");
        assert!(text.contains(r#""length":4,"optimal":false,"bound":2,"moves":"DRLR","#), "{text}");
    }

    #[test]
    fn the_other_verdicts() {
        assert_eq!(
            line(&samples::invalid(), Notation::Blank),
            "{\"type\":\"result\",\"v\":1,\"file\":\"t.txt\",\"n\":9,\"id\":\"9\",\"line\":90,\
             \"status\":\"invalid\",\"reason\":\"tile 7 appears twice (line 90, column 12)\"}\n"
        );
        assert_eq!(
            line(&samples::gave_up(), Notation::Blank),
            "{\"type\":\"result\",\"v\":1,\"file\":\"t.txt\",\"n\":3,\"id\":\"k3\",\"line\":31,\
             \"kind\":\"tiles\",\"size\":\"3x3\",\"goal\":\"blank-first\",\"metric\":\"tile\",\
             \"notation\":\"blank\",\"status\":\"gave_up\",\"reason\":\"nodes\",\"bound\":20,\
             \"algorithm\":\"astar\",\"heuristic\":\"manhattan\",\"expanded\":5,\"generated\":11,\
             \"visited\":5,\"time_us\":3}\n"
        );
        assert_eq!(
            line(&samples::unsolvable(), Notation::Blank),
            "{\"type\":\"result\",\"v\":1,\"file\":\"t.txt\",\"n\":4,\"id\":\"4\",\"line\":40,\
             \"kind\":\"tiles\",\"size\":\"3x3\",\"goal\":\"blank-last\",\"metric\":\"tile\",\
             \"notation\":\"blank\",\"status\":\"unsolvable\",\"reason\":\"parity\",\
             \"hint\":\"solvable for blank-first\",\"expanded\":0,\"generated\":0,\"visited\":0,\"time_us\":0}\n"
        );
    }

    #[test]
    fn moves_of_blocks_are_arrays() {
        assert_eq!(
            line(&samples::tray(), Notation::Blank),
            "{\"type\":\"result\",\"v\":1,\"file\":\"hard.txt\",\"n\":17,\"id\":\"17\",\"line\":17,\
             \"kind\":\"tray\",\"size\":\"2x3\",\"metric\":\"piece\",\"status\":\"solved\",\"length\":1,\
             \"optimal\":true,\"moves\":[[0,0,1,0]],\"algorithm\":\"bfs\",\"expanded\":1,\"generated\":3,\
             \"visited\":1,\"time_us\":5}\n"
        );
    }

    proptest! {
        #[test]
        fn any_text_comes_back(
            file in any::<String>(), id in any::<String>(), reason in any::<String>(), n in any::<u64>(),
        ) {
            let mut report = samples::invalid();
            report.n = n;
            report.file = file.as_str().into();
            report.id = Some(id.as_str().into());
            report.verdict = crate::model::report::Verdict::Invalid { reason: reason.as_str().into() };
            let text = line(&report, Notation::Blank);
            prop_assert_eq!(text.matches('\n').count(), 1);
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(value["n"].as_u64(), Some(n));
            prop_assert_eq!(value["file"].as_str(), Some(file.as_str()));
            prop_assert_eq!(value["id"].as_str(), Some(id.as_str()));
            prop_assert_eq!(value["reason"].as_str(), Some(reason.as_str()));
        }
    }

    #[test]
    fn every_control_character_comes_back() {
        let all: String = (0..0x20u8).map(char::from).chain("\"\\\u{7f}\u{2028}é😀".chars()).collect();
        let mut out = Vec::new();
        string(&mut out, &all);
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), all);
    }
}
