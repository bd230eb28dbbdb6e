//! The two files of the course form: a tray with its blocks, and its goal.
//!
//! There are two syntaxes for a line, and both files use the same one. Without an explicit choice,
//! the syntax in which both files are valid is used; corners, if both syntaxes are.

use super::tray::{Lines, PairFault, parse_pair};
use crate::input::Invalid;
use crate::puzzle::trays::Tray;

/// Content of the two files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Course {
    /// A tray.
    Tray {
        /// The tray and its goal.
        tray: Tray,
        /// Whether the lines are also valid in the other syntax.
        is_ambiguous: bool,
    },
    /// A tray whose goal cannot be met, because no block has its shape.
    Impossible {
        /// Which goal, and why.
        reason: String,
    },
}

/// Fault in one of the two files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CourseFault {
    /// Whether the fault is in the goal's file.
    pub in_goal: bool,
    /// Description and position.
    pub invalid: Invalid,
}

/// Parses the two files, in the given syntax or in the one that fits.
pub fn parse_course(start: &[u8], goal: &[u8], lines: Option<Lines>) -> Result<Course, CourseFault> {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let goal = goal.strip_prefix(b"\xef\xbb\xbf").unwrap_or(goal);
    let read = |lines: Lines| parse_pair(start, goal, lines);
    let (fault, other) = match lines {
        Some(lines) => match read(lines) {
            Ok(tray) => return Ok(Course::Tray { tray, is_ambiguous: false }),
            Err(fault) => (fault, None),
        },
        None => match (read(Lines::Corners), read(Lines::Lwrc)) {
            (Ok(tray), other) => return Ok(Course::Tray { tray, is_ambiguous: other.is_ok() }),
            (Err(_), Ok(tray)) => return Ok(Course::Tray { tray, is_ambiguous: false }),
            (Err(fault), Err(other)) => (fault, Some(other)),
        },
    };
    // A tray that is valid except for the shapes of its goal has no solution. Otherwise the syntax
    // with the later fault was probably intended.
    let intended = match other {
        Some(other) if other.no_such_shape && !fault.no_such_shape => other,
        Some(other) if !fault.no_such_shape && place(&other) > place(&fault) => other,
        _ => fault,
    };
    let text = if intended.in_goal { goal } else { start };
    if intended.no_such_shape {
        return Ok(Course::Impossible { reason: intended.fault.locate(text, 1).to_string() });
    }
    Err(CourseFault { in_goal: intended.in_goal, invalid: intended.fault.locate(text, 1) })
}

/// Returns how far the two files could be parsed.
fn place(fault: &PairFault) -> (bool, usize) {
    (fault.in_goal, fault.fault.at.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(start: &str, goal: &str, lines: Option<Lines>) -> Result<Course, CourseFault> {
        parse_course(start.as_bytes(), goal.as_bytes(), lines)
    }

    #[test]
    fn the_valid_syntax_is_used() {
        let blocks = |course| match course {
            Ok(Course::Tray { tray, is_ambiguous }) => (tray.classes()[0].height, is_ambiguous),
            other => panic!("{other:?}"),
        };
        // A 2x1 block at the top left, in both syntaxes.
        assert_eq!(blocks(read("3 2\n0 0 1 0\n", "1 0 2 0\n", None)), (2, false));
        assert_eq!(blocks(read("3 2\r\n2 1 0 0\r\n", "2 1 1 0", None)), (2, false));
        // Row 1, column 1 to row 2, column 1; or one cell at 2 1.
        assert_eq!(blocks(read("3 2\n1 1 2 1\n", "1 1 2 1\n", None)), (2, true));
        assert_eq!(blocks(read("3 2\n1 1 2 1\n", "1 1 2 1\n", Some(Lines::Lwrc))), (1, false));
    }

    #[test]
    fn faults_name_their_file() {
        let wrong = |start, goal| {
            let fault = read(start, goal, None).unwrap_err();
            format!("{} {}", fault.in_goal, fault.invalid)
        };
        assert_eq!(wrong("2 2\n0 0 0 x\n", ""), "false 'x' is not a whole number (line 2, column 7)");
        assert_eq!(wrong("2 2\n0 0 0 0\n", ""), "true the goal is missing (line 1)");
        assert_eq!(
            wrong("2 2\n0 0 0 0\n", "0 0 2 0\n"),
            "true goal 1, 0 0 2 0, is not inside the 2x2 tray (line 1, column 1)"
        );
        assert_eq!(
            wrong("300 2\n0 0 0 0\n", "0 0 0 0"),
            "false a tray has 1 to 256 rows and columns, not 300x2 (line 1, column 1)"
        );
        assert!(matches!(read("2 2\n0 0 0 0\n", "0 0 1 0", None), Ok(Course::Impossible { .. })));
    }
}
