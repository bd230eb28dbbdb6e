//! Judges whether the claim of a result about a record is true.

use super::{
    outcome::{Claim, Moves, Outcome, Solved, short},
    puzzles::Puzzle,
    trays,
};
use crate::model::report::Instance;
use crate::puzzle::tiles::{Board, Direction, Goal, Metric, is_solvable};

/// A claim that was found true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judgement {
    Solved {
        /// Whether the solution claims to be shortest.
        optimal: bool,
        /// Whether the solution is as short as the known length; `None` if no length is known.
        known: Option<bool>,
    },
    Unsolvable {
        /// Whether the claim was proved here; otherwise it is accepted without proof.
        is_proved: bool,
    },
    GaveUp,
    Invalid,
}

/// Returns the judgement of a true claim, or the error of a false one.
pub(super) fn judge(puzzle: &Puzzle, outcome: &Outcome) -> Result<Judgement, String> {
    if let Claim::Unreadable(what) = &outcome.claim {
        return Err(what.clone());
    }
    judge_identity(puzzle, outcome)?;
    let (board, goal, metric) = match &puzzle.instance {
        Err(_) if outcome.claim == Claim::Invalid => return Ok(Judgement::Invalid),
        Err(invalid) => return Err(format!("the record is invalid: {invalid}")),
        Ok(_) if outcome.claim == Claim::Invalid => {
            return Err("reported as invalid, but the record is valid".into());
        }
        Ok(Instance::Tray { tray, .. }) => {
            return trays::judge(tray, &outcome.claim, puzzle.length.map(u64::from));
        }
        Ok(Instance::Tiles { board, goal, metric }) => (board, goal, metric),
    };
    if let Some(claimed) = outcome.goal.as_deref().filter(|&claimed| claimed != goal.name()) {
        return Err(format!("the result is for the goal {claimed}, the record's goal is {}", goal.name()));
    }
    let end = goal.board(board.size()).ok_or("the goal is of another size")?;
    match &outcome.claim {
        Claim::Solved(solved) => {
            let claimed = solved.counts_runs.map(|runs| if runs { Metric::Line } else { Metric::Tile });
            let metric = claimed.unwrap_or(*metric);
            judge_solution(board, goal, &end, solved, metric, puzzle.length.map(u64::from))
        }
        Claim::GaveUp { bound } => {
            judge_bound(*bound, puzzle.length.map(u64::from), "known shortest length")?;
            Ok(Judgement::GaveUp)
        }
        _ if is_solvable(board, &end) => {
            Err("reported as unsolvable, but its parity is that of the goal".into())
        }
        _ => Ok(Judgement::Unsolvable { is_proved: true }),
    }
}

/// Returns an error unless a result belongs to `puzzle`: by id, and by family and size of the
/// puzzle.
fn judge_identity(puzzle: &Puzzle, outcome: &Outcome) -> Result<(), String> {
    let differs = |name: &str, claimed: &str, is: &str| {
        Err(format!("the {name} is '{}' in the result, but '{is}' in the record", short(claimed)))
    };
    if let Some(claimed) = outcome.id.as_deref().filter(|_| !outcome.is_named(&puzzle.id)) {
        return differs("id", claimed, &puzzle.id);
    }
    let (kind, size) = match &puzzle.instance {
        Ok(Instance::Tiles { board, .. }) => ("tiles", board.size().to_string()),
        Ok(Instance::Tray { tray, .. }) => ("tray", format!("{}x{}", tray.rows(), tray.cols())),
        Err(_) => return Ok(()),
    };
    if let Some(claimed) = outcome.kind.as_deref().filter(|&claimed| claimed != kind) {
        return differs("kind", claimed, kind);
    }
    match outcome.size.as_deref().filter(|&claimed| claimed != size) {
        Some(claimed) => differs("size", claimed, &size),
        None => Ok(()),
    }
}

fn judge_solution(
    start: &Board,
    goal: &Goal,
    end: &Board,
    solved: &Solved,
    metric: Metric,
    known: Option<u64>,
) -> Result<Judgement, String> {
    if let Some(claimed) = &solved.start
        && !claimed.iter().copied().eq(start.tiles().iter().map(|&tile| u32::from(tile)))
    {
        return Err("configuration 0 is not the record's board".into());
    }
    let Moves::Letters(moves) = &solved.moves else {
        return Err("the moves are those of blocks, but the record is a tile board".into());
    };
    let mut board = start.clone();
    for (number, &direction) in (1..).zip(moves) {
        if !board.slide(direction) {
            return Err(format!("move {number} takes the blank over the edge ({direction:?})"));
        }
    }
    if board != *end {
        return Err(format!("the moves do not end at the goal {}", goal.name()));
    }
    let length = match metric {
        Metric::Tile => moves.len() as u64,
        Metric::Line => runs(moves),
    };
    if length != solved.length {
        return Err(format!("the result claims length {}, but it has {length} moves", solved.length));
    }
    // UsableResult lengths count single moves.
    compare(solved, length, known.filter(|_| metric == Metric::Tile))
}

/// Compares the length of a solution with its bound and with the known length.
pub(super) fn compare(solved: &Solved, length: u64, known: Option<u64>) -> Result<Judgement, String> {
    judge_bound(solved.bound, Some(length), "solution's length")?;
    let optimal = solved.optimal == Some(true);
    let Some(known) = known else { return Ok(Judgement::Solved { optimal, known: None }) };
    judge_bound(solved.bound, Some(known), "known shortest length")?;
    if length < known {
        return Err(format!("{length} moves, fewer than the known shortest length {known}"));
    }
    if length > known && optimal {
        return Err(format!("{length} moves are claimed to be shortest, but {known} are enough"));
    }
    Ok(Judgement::Solved { optimal, known: Some(length == known) })
}

/// Returns an error if a proved bound exceeds an existing length.
pub(super) fn judge_bound(bound: Option<u64>, length: Option<u64>, what: &str) -> Result<(), String> {
    match (bound, length) {
        (Some(bound), Some(length)) if bound > length => {
            Err(format!("the bound {bound} is above the {what} {length}"))
        }
        _ => Ok(()),
    }
}

/// Returns the number of straight runs in a sequence of moves.
fn runs(moves: &[Direction]) -> u64 {
    moves.chunk_by(|a, b| a == b).count() as u64
}
