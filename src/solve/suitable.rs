//! Heuristics that do not suit a puzzle, and the messages about them.
//!
//! A requested heuristic that cannot be used for some puzzles of a run is replaced there, with a
//! warning. If no replacement is possible, the puzzle is given up with the reason.

use crate::model::report::GiveUp;
use crate::options::HeuristicChoice;
use crate::puzzle::tiles::Size;
use clap::ValueEnum;

/// The reason why boards are not solved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    /// The reason in results.
    pub(crate) reason: GiveUp,
    /// The reason as a sentence.
    pub(crate) why: String,
}

/// A message about a solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Notice {
    /// It gives up all boards.
    NotSolved(Refusal),
    /// It uses another heuristic than the requested one.
    Replaced(String),
}

impl Notice {
    /// Returns the message for boards of `size`.
    pub(crate) fn message(&self, size: Size) -> String {
        match self {
            Self::NotSolved(refusal) => format!("{size} boards are not solved: {}", refusal.why),
            Self::Replaced(why) => format!("{size} boards: {why}"),
        }
    }
}

/// Returns a warning if the heuristic is not one for boards.
pub(crate) fn warning_for_boards(choice: HeuristicChoice) -> Option<String> {
    is_for_trays(choice)
        .then(|| format!("--heuristic {} is for trays; using --heuristic auto for boards", name(choice)))
}

/// Returns a warning if the heuristic is not one for trays.
pub(crate) fn warning_for_trays(choice: HeuristicChoice) -> Option<String> {
    let is_suited = choice == HeuristicChoice::Auto || is_for_trays(choice);
    (!is_suited)
        .then(|| format!("--heuristic {} is for tile boards; using --heuristic auto for trays", name(choice)))
}

fn is_for_trays(choice: HeuristicChoice) -> bool {
    matches!(choice, HeuristicChoice::Nearest | HeuristicChoice::Matching | HeuristicChoice::Total)
}

/// Returns the name of a heuristic on the command line.
fn name(choice: HeuristicChoice) -> String {
    choice.to_possible_value().map_or_else(String::new, |value| value.get_name().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_heuristic_suits_boards_or_trays() {
        for choice in HeuristicChoice::value_variants() {
            let (boards, trays) = (warning_for_boards(*choice), warning_for_trays(*choice));
            assert!(boards.is_none() || trays.is_none());
            assert_eq!(boards.is_none() && trays.is_none(), *choice == HeuristicChoice::Auto);
        }
    }
}
