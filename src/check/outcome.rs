//! What a result claims about a record, whatever its format.

use crate::puzzle::tiles::Direction;

/// One result.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Outcome {
    /// Its line in the results.
    pub(super) line: u64,
    /// The input's name and the record's number, where the format has them.
    pub(super) place: Option<(String, u64)>,
    /// The record's id, or its number.
    pub(super) id: Option<String>,
    /// The name of the goal, where the format has it.
    pub(super) goal: Option<String>,
    /// What it says.
    pub(super) claim: Claim,
}

/// What a result says.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Claim {
    Solved(Solved),
    Unsolvable,
    GaveUp {
        bound: Option<u64>,
    },
    Invalid,
    /// Not what a result can say; the reason.
    Unreadable(String),
}

/// The claim that a board is solved so.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Solved {
    /// The first configuration, where the format has it.
    pub(super) start: Option<Vec<u32>>,
    pub(super) moves: Vec<Direction>,
    pub(super) length: u64,
    /// Whether it claims to be shortest; not all formats say.
    pub(super) optimal: Option<bool>,
    pub(super) bound: Option<u64>,
    /// Whether `length` counts straight runs instead of single moves.
    pub(super) counts_runs: bool,
}

/// The fields of formats that name them, as text; absent and empty are one.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) file: Option<String>,
    pub(super) n: Option<u64>,
    pub(super) id: Option<String>,
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
    /// The result that the fields are.
    pub(super) fn outcome(self, line: u64, tile_letters: bool) -> Outcome {
        let claim = self.claim(tile_letters).unwrap_or_else(Claim::Unreadable);
        Outcome { line, place: self.file.zip(self.n), id: self.id, goal: self.goal, claim }
    }

    fn claim(&self, tile_letters: bool) -> Result<Claim, String> {
        match self.status.as_deref() {
            Some("solved") => {}
            Some("unsolvable") => return Ok(Claim::Unsolvable),
            Some("gave_up") => return Ok(Claim::GaveUp { bound: self.bound }),
            Some("invalid") => return Ok(Claim::Invalid),
            Some(other) => return Err(format!("'{other}' is not a status")),
            None => return Err("the status is missing".into()),
        }
        let tile_letters = match self.notation.as_deref() {
            Some("blank") => false,
            Some("tile") => true,
            Some(other) => return Err(format!("'{other}' is not a notation")),
            None => tile_letters,
        };
        let counts_runs = match self.metric.as_deref() {
            None | Some("tile") => false,
            Some("line") => true,
            Some(other) => return Err(format!("'{other}' is not a metric of tiles")),
        };
        Ok(Claim::Solved(Solved {
            start: None,
            moves: moves(self.moves.as_deref().unwrap_or(""), tile_letters)?,
            length: self.length.ok_or("the length is missing")?,
            optimal: self.optimal,
            bound: self.bound,
            counts_runs,
        }))
    }
}

/// The moves that letters stand for.
pub(super) fn moves(letters: &str, tile_letters: bool) -> Result<Vec<Direction>, String> {
    let direction = |(number, letter): (usize, u8)| {
        let direction = Direction::from_letter(letter)
            .ok_or_else(|| format!("move {} is '{}', not U, R, D or L", number + 1, letter.escape_ascii()))?;
        Ok(if tile_letters { direction.opposite() } else { direction })
    };
    letters.bytes().enumerate().map(direction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_both_notations() {
        use Direction::*;
        assert_eq!(moves("URDl", false).unwrap(), [Up, Right, Down, Left]);
        assert_eq!(moves("URDL", true).unwrap(), [Down, Left, Up, Right]);
        assert_eq!(moves("UX", false).unwrap_err(), "move 2 is 'X', not U, R, D or L");
    }
}
