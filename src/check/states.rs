//! States: a heading for each puzzle, then every configuration as a grid below a line with its
//! number.
//!
//! Moves are derived by comparing each configuration with its predecessor; the letters beside the
//! numbers are ignored.

use super::outcome::{Claim, Fields, Moves, Outcome, Solved, short};
use super::tray_states::Configurations;
use crate::model::report::GiveUp;
use crate::puzzle::{tiles::Direction, trays::Metric};

/// Number of cells of the largest board and the largest tray.
pub(super) const MOST_CELLS: usize = 1 << 16;

const STATUSES: [&str; 4] = ["solved", "unsolvable", "gave_up", "invalid"];

/// The parts of a heading.
struct Heading<'a> {
    id: &'a str,
    status: &'static str,
    rest: &'a str,
}

/// Returns every way to split `puzzle ID: STATUS, REST`, the likeliest first. An id may look like a
/// status, and so may text quoted in the reason of an invalid record. But neither `N moves` nor a
/// limit is copied from a record: if the line ends with one of these, everything before it is the
/// id.
fn headings(line: &str) -> Vec<Heading<'_>> {
    let Some(line) = line.strip_prefix("puzzle ") else { return Vec::new() };
    let mut found = Vec::new();
    for status in STATUSES {
        let mark = format!(": {status}, ");
        found.extend(line.match_indices(&mark).map(|(at, _)| (at, status, at + mark.len())));
    }
    found.sort_unstable();
    let heading = |&(at, status, rest): &(usize, &'static str, usize)| Heading {
        id: &line[..at],
        status,
        rest: &line[rest..],
    };
    match found.iter().rev().map(heading).find(Heading::is_complete) {
        Some(sure) => vec![sure],
        None if found.iter().map(heading).any(|heading| !heading.is_formal()) => {
            found.iter().map(heading).filter(|heading| !heading.is_formal()).collect()
        }
        None => found.first().map(heading).into_iter().collect(),
    }
}

impl Heading<'_> {
    /// Returns whether the text after the status contains no text of the record.
    fn is_formal(&self) -> bool {
        matches!(self.status, "solved" | "gave_up")
    }

    /// Returns whether the status is formal, and its text is complete.
    fn is_complete(&self) -> bool {
        let mut parts = self.rest.split(", ");
        let first = parts.next().unwrap_or("");
        let is_first = match self.status {
            "solved" => is_moves(first),
            "gave_up" => GiveUp::ALL.into_iter().any(|reason| reason.word() == first),
            _ => return false,
        };
        let is_last = |part: &str| part == "optimal" || part.strip_prefix("at least ").is_some_and(is_moves);
        is_first && parts.next().is_none_or(is_last) && parts.next().is_none()
    }
}

/// Returns whether a text is `N moves`.
fn is_moves(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(number, unit)| {
        matches!(unit, "move" | "moves")
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns whether a line looks like a heading.
pub(super) fn fits(line: &str) -> bool {
    !headings(line).is_empty()
}

/// Result of one puzzle, collected line by line.
pub(super) struct Section {
    outcome: Outcome,
    /// The previous configuration.
    previous: Vec<u32>,
    rows: Vec<u32>,
    cols: usize,
    /// Configurations of a tray, if the puzzle is one.
    tray: Option<Configurations>,
}

impl Section {
    /// Starts a section at a heading.
    pub(super) fn new(text: &str, line: u64) -> Option<Self> {
        let mut headings = headings(text).into_iter();
        let Heading { id, status, rest } = headings.next()?;
        let number_before = |unit: &str| {
            let words: Vec<&str> = rest.split([' ', ',']).filter(|word| !word.is_empty()).collect();
            let at = words.iter().position(|word| word.starts_with(unit))?;
            words.get(at.checked_sub(1)?)?.parse().ok()
        };
        let bound =
            rest.rsplit_once("at least ").and_then(|(_, bound)| bound.split(' ').next()?.parse().ok());
        let fields = Fields {
            id: Some(id.to_owned()),
            status: Some(status.to_owned()),
            length: number_before("move"),
            optimal: Some(rest.ends_with(", optimal")),
            bound,
            ..Fields::default()
        };
        let other_ids = headings.map(|heading| heading.id.to_owned()).collect();
        let outcome = Outcome { other_ids, ..fields.outcome(line, false) };
        Some(Self { outcome, previous: Vec::new(), rows: Vec::new(), cols: 0, tray: None })
    }

    /// Adds a line that is not a heading. Moves may use `max_bytes` bytes.
    pub(super) fn line(&mut self, text: &str, max_bytes: u64) {
        let Claim::Solved(solved) = &mut self.outcome.claim else { return };
        let begins = self.tray.is_none() && solved.start.is_none() && self.cols == 0;
        if begins && let Some(metric) = text.trim().strip_prefix("0 tray") {
            self.tray = Some(Configurations::default());
            solved.metric = Metric::ALL.into_iter().find(|known| known.name() == metric.trim());
        }
        let read = match &mut self.tray {
            Some(tray) => tray.line(text),
            None => row(solved, &mut self.previous, &mut self.rows, &mut self.cols, text),
        };
        let moves = match (&self.tray, &solved.moves) {
            (Some(tray), _) => size_of_val(&tray.blocks.steps[..]),
            (None, Moves::Letters(moves)) => moves.len(),
            (None, Moves::Blocks(_)) => 0,
        };
        let fits = moves as u64 <= max_bytes;
        let too_long = || Err("its moves do not fit in memory (raise --memory)".into());
        if let Err(what) = read.and_then(|()| if fits { Ok(()) } else { too_long() }) {
            self.outcome.claim = Claim::Unreadable(what);
            self.tray = None;
        }
    }

    /// Returns the result, after its last line.
    pub(super) fn finish(mut self) -> Outcome {
        self.line("", u64::MAX);
        if let (Claim::Solved(solved), Some(tray)) = (&mut self.outcome.claim, self.tray)
            && tray.blocks.start.is_some()
        {
            solved.moves = Moves::Blocks(tray.blocks);
            return self.outcome;
        }
        if let Claim::Solved(Solved { start: None, .. }) = self.outcome.claim {
            self.outcome.claim = Claim::Unreadable("no configurations".into());
        }
        self.outcome
    }
}

/// Processes a row of a grid, the number above it, or the blank line below it.
fn row(
    solved: &mut Solved,
    previous: &mut Vec<u32>,
    rows: &mut Vec<u32>,
    cols: &mut usize,
    text: &str,
) -> Result<(), String> {
    let Moves::Letters(moves) = &mut solved.moves else { return Err("configurations of a tray".into()) };
    let number = if solved.start.is_none() { 0 } else { moves.len() + 1 };
    if text.trim().is_empty() {
        if rows.is_empty() {
            return Ok(());
        }
        match &solved.start {
            None => solved.start = Some(rows.clone()),
            Some(_) => moves.push(
                step(previous, rows, *cols)
                    .ok_or_else(|| format!("configuration {number} is not one move after the one before"))?,
            ),
        }
        std::mem::swap(previous, rows);
        rows.clear();
        *cols = 0;
        return Ok(());
    }
    if *cols == 0 {
        let claimed = text.split(' ').next().unwrap_or("");
        // Rows follow; `usize::MAX` marks that the width is not known yet.
        *cols = usize::MAX;
        return match claimed.parse::<usize>() {
            Ok(claimed) if claimed == number => Ok(()),
            _ => Err(format!("'{}' where configuration {number} should start", short(text.trim()))),
        };
    }
    let start = rows.len();
    for word in text.split_whitespace() {
        let tile = if word == "_" { Ok(0) } else { word.parse() };
        rows.push(tile.map_err(|_| format!("'{}' in configuration {number} is not a tile", short(word)))?);
        if rows.len() > MOST_CELLS {
            return Err(format!("configuration {number} is larger than any board"));
        }
    }
    *cols = rows.len() - start;
    Ok(())
}

/// Returns the move between two configurations.
fn step(previous: &[u32], after: &[u32], cols: usize) -> Option<Direction> {
    let from = previous.iter().position(|&tile| tile == 0)?;
    let to = after.iter().position(|&tile| tile == 0)?;
    let mut moved = previous.to_vec();
    if to >= moved.len() {
        return None;
    }
    moved.swap(from, to);
    let beside = from / cols == to / cols;
    let direction = match to as isize - from as isize {
        1 if beside => Direction::Right,
        -1 if beside => Direction::Left,
        way if way == cols as isize => Direction::Down,
        way if way == -(cols as isize) => Direction::Up,
        _ => return None,
    };
    (moved == after).then_some(direction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Outcome {
        let mut lines = text.lines();
        let mut section = Section::new(lines.next().unwrap(), 1).unwrap();
        lines.for_each(|line| section.line(line, 1 << 20));
        section.finish()
    }

    #[test]
    fn configurations_become_moves() {
        let result = read(
            "puzzle a: b: solved, 2 moves, optimal\n\n0\n1 2\n_ 3\n\n1 U\n_ 2\n1 3\n\n2 R\n2 _\n1 3\n\n",
        );
        assert_eq!(result.id.as_deref(), Some("a: b"));
        let Claim::Solved(solved) = result.claim else { panic!("{:?}", result.claim) };
        assert_eq!(solved.moves, Moves::Letters(vec![Direction::Up, Direction::Right]));
        assert_eq!((solved.length, solved.optimal, solved.start), (2, Some(true), Some(vec![1, 2, 0, 3])));
    }

    #[test]
    fn trays_are_grids_of_letters() {
        let text = "puzzle 1: solved, 1 move\n\n0 tray piece\nA.\n#.\n\n1.1 0 0 0 1\n.A\n#.\n\n1.2 0 1 1 1\n..\n#A\n\n";
        let Claim::Solved(solved) = read(text).claim else { panic!("{:?}", read(text).claim) };
        let Moves::Blocks(blocks) = solved.moves else { panic!() };
        assert_eq!((blocks.count, blocks.steps), (1, vec![[0, 0, 0, 1], [0, 1, 1, 1]]));
        assert_eq!(blocks.start, Some(vec![65, 0, -1, 0]));
        assert_eq!(solved.metric, Some(Metric::Piece));
        for (from, to) in
            [("1.2", "2"), ("1.1", "1.2"), ("..\n#A", "..\n#B"), ("0 tray piece\n", "0 tray\n\n0 tray\n")]
        {
            let text = text.replacen(from, to, 1);
            assert!(
                !matches!(read(&text).claim, Claim::Solved(Solved { length: 1, moves: Moves::Blocks(b), .. })
                if b.count == 1),
                "{text}"
            );
        }
    }

    #[test]
    fn numbers_of_configurations_may_be_any() {
        for number in ["18446744073709551615.2", "18446744073709551616.1", "1.18446744073709551615", "1.-1"] {
            let text = format!("puzzle 1: solved, 1 move\n\n0 tray step\nA.\n\n{number}\n.A\n\n");
            let Claim::Unreadable(what) = read(&text).claim else { panic!("{number}") };
            assert_eq!(what, format!("'{number}' where configuration 1 should start"));
        }
    }

    #[test]
    fn other_claims_and_bounds() {
        assert_eq!(read("puzzle 4: unsolvable, parity\n").claim, Claim::Unsolvable);
        let claim = read("puzzle 4: gave_up, nodes, at least 20 moves\n").claim;
        assert_eq!(claim, Claim::GaveUp { bound: Some(20) });
        let Claim::Solved(solved) = read("puzzle 1: solved, 1 move, at least 1 move\n\n0\n1 2\n3 _\n").claim
        else {
            panic!()
        };
        assert_eq!((solved.length, solved.bound, solved.optimal), (1, Some(1), Some(false)));
        assert!(headings("puzzle 4").is_empty() && headings("0 U").is_empty());
    }

    #[test]
    fn jumps_and_invalid_rows_are_detected() {
        let jump = read("puzzle 1: solved, 1 move\n\n0\n1 2\n3 _\n\n1 U\n_ 2\n3 1\n\n").claim;
        assert_eq!(jump, Claim::Unreadable("configuration 1 is not one move after the one before".into()));
        assert!(matches!(read("puzzle 1: solved, 0 moves\n\n0\n1 2\n3 y\n").claim, Claim::Unreadable(_)));
        assert!(matches!(read("puzzle 1: solved, 0 moves\n\n").claim, Claim::Unreadable(_)));
    }
}
