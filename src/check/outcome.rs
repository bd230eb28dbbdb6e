//! The claim of a result about a record, independent of the format.

use crate::puzzle::{tiles::Direction, trays::Metric};

/// One result.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Outcome {
    /// Line in the results.
    pub(super) line: u64,
    /// Input's name and record's number, if the format has them.
    pub(super) place: Option<(String, u64)>,
    /// The record's id, or its number.
    pub(super) id: Option<String>,
    /// Other possible ids, if the format is ambiguous.
    pub(super) other_ids: Vec<String>,
    /// Family and size of the puzzle, if the format has them.
    pub(super) kind: Option<String>,
    pub(super) size: Option<String>,
    /// States expanded and generated, if the format has them.
    pub(super) nodes: Option<(u64, u64)>,
    /// Name of the goal, if the format has it.
    pub(super) goal: Option<String>,
    /// Claim about the record.
    pub(super) claim: Claim,
}

impl Outcome {
    /// Returns whether this can be the result of a record with `id`.
    pub(super) fn is_named(&self, id: &str) -> bool {
        self.id.as_deref().is_none_or(|claimed| claimed == id)
            || self.other_ids.iter().any(|claimed| claimed == id)
    }
}

/// Claim of a result.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Claim {
    Solved(Solved),
    Unsolvable,
    GaveUp {
        bound: Option<u64>,
    },
    Invalid,
    /// Not a valid claim; the reason.
    Unreadable(String),
}

/// Claim that a board is solved by `moves`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Solved {
    /// First configuration, if the format has it.
    pub(super) start: Option<Vec<u32>>,
    pub(super) moves: Moves,
    pub(super) length: u64,
    /// Whether the solution claims to be shortest, if the format says so.
    pub(super) optimal: Option<bool>,
    pub(super) bound: Option<u64>,
    /// Whether `length` counts straight runs of tiles instead of single moves, if the format says so.
    pub(super) counts_runs: Option<bool>,
    /// Metric of block moves, if the format says so.
    pub(super) metric: Option<Metric>,
}

/// Moves of tiles or of blocks. An empty list is valid for either.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Moves {
    Letters(Vec<Direction>),
    Blocks(Blocks),
}

/// Moves of blocks.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Blocks {
    /// First configuration, if the format has it: a name for each cell, 0 for empty, −1 for a wall.
    pub(super) start: Option<Vec<i64>>,
    /// Row and column of a block's top-left cell before and after each step.
    pub(super) steps: Vec<[i64; 4]>,
    /// Number of moves; some formats split a move into several steps.
    pub(super) count: u64,
}

/// Named fields as text; an empty field counts as absent.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) file: Option<String>,
    pub(super) n: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) size: Option<String>,
    pub(super) expanded: Option<u64>,
    pub(super) generated: Option<u64>,
    pub(super) goal: Option<String>,
    pub(super) metric: Option<String>,
    pub(super) notation: Option<String>,
    pub(super) status: Option<String>,
    pub(super) length: Option<u64>,
    pub(super) optimal: Option<bool>,
    pub(super) bound: Option<u64>,
    pub(super) moves: Option<String>,
}

impl Fields {
    /// Returns the result with these fields.
    pub(super) fn outcome(self, line: u64, tile_letters: bool) -> Outcome {
        let claim = self.claim(tile_letters).unwrap_or_else(Claim::Unreadable);
        Outcome {
            line,
            place: self.file.zip(self.n),
            id: self.id,
            other_ids: Vec::new(),
            kind: self.kind,
            size: self.size,
            nodes: self.expanded.zip(self.generated),
            goal: self.goal,
            claim,
        }
    }

    fn claim(&self, tile_letters: bool) -> Result<Claim, String> {
        match self.status.as_deref() {
            Some("solved") => {}
            Some("unsolvable") => return Ok(Claim::Unsolvable),
            Some("gave_up") => return Ok(Claim::GaveUp { bound: self.bound }),
            Some("invalid") => return Ok(Claim::Invalid),
            Some(other) => return Err(format!("'{}' is not a status", short(other))),
            None => return Err("the status is missing".into()),
        }
        let tile_letters = match self.notation.as_deref() {
            Some("blank") => false,
            Some("tile") => true,
            Some(other) => return Err(format!("'{}' is not a notation", short(other))),
            None => tile_letters,
        };
        let named = |name: &str| Metric::ALL.into_iter().find(|metric| metric.name() == name);
        let (counts_runs, metric) = match self.metric.as_deref() {
            None => (None, None),
            Some("tile") => (Some(false), None),
            Some("line") => (Some(true), None),
            Some(other) => match named(other) {
                Some(metric) => (None, Some(metric)),
                None => return Err(format!("'{}' is not a metric", short(other))),
            },
        };
        Ok(Claim::Solved(Solved {
            start: None,
            moves: moves(self.moves.as_deref().unwrap_or(""), tile_letters)?,
            length: self.length.ok_or("the length is missing")?,
            optimal: self.optimal,
            bound: self.bound,
            counts_runs,
            metric,
        }))
    }
}

/// Parses moves: letters, or four numbers per move separated by semicolons.
fn moves(text: &str, tile_letters: bool) -> Result<Moves, String> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return letters(text, tile_letters).map(Moves::Letters);
    }
    let step = |(number, words): (usize, &str)| {
        let mut numbers = words.split_whitespace().map(|word| word.parse::<i64>().ok());
        let mut number_of = || numbers.next().flatten();
        let step = (|| Some([number_of()?, number_of()?, number_of()?, number_of()?]))();
        step.filter(|_| numbers.next().is_none()).ok_or_else(|| {
            format!("move {} is '{}', not four numbers", number + 1, short(words.trim()).escape_debug())
        })
    };
    // Exact capacity: moves are the largest part of a result.
    let mut steps = Vec::with_capacity(text.split(';').count());
    for words in text.split(';').enumerate() {
        steps.push(step(words)?);
    }
    let count = steps.len() as u64;
    Ok(Moves::Blocks(Blocks { start: None, steps, count }))
}

/// Parses move letters.
fn letters(letters: &str, tile_letters: bool) -> Result<Vec<Direction>, String> {
    let direction = |(number, letter): (usize, u8)| -> Result<Direction, String> {
        let direction = Direction::from_letter(letter)
            .ok_or_else(|| format!("move {} is '{}', not U, R, D or L", number + 1, letter.escape_ascii()))?;
        Ok(if tile_letters { direction.opposite() } else { direction })
    };
    let mut moves = Vec::with_capacity(letters.len());
    for letter in letters.bytes().enumerate() {
        moves.push(direction(letter)?);
    }
    Ok(moves)
}

/// Returns the beginning of a text, for messages.
pub(super) fn short(text: &str) -> &str {
    const SHOWN: usize = 80;
    text.char_indices().nth(SHOWN).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_both_notations() {
        use Direction::*;
        assert_eq!(letters("URDl", false).unwrap(), [Up, Right, Down, Left]);
        assert_eq!(letters("URDL", true).unwrap(), [Down, Left, Up, Right]);
        assert_eq!(letters("UX", false).unwrap_err(), "move 2 is 'X', not U, R, D or L");
    }

    #[test]
    fn four_numbers_for_a_block() {
        let Ok(Moves::Blocks(blocks)) = moves("0 1 2 1; 3 0 3 2", false) else { panic!() };
        assert_eq!((blocks.steps, blocks.count), (vec![[0, 1, 2, 1], [3, 0, 3, 2]], 2));
        assert_eq!(moves("0 1 2 1; 3 0", false).unwrap_err(), "move 2 is '3 0', not four numbers");
        assert_eq!(moves("", false), Ok(Moves::Letters(vec![])));
    }
}
