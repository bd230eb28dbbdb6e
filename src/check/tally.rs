//! Counts of a summary record, and of the results before it.

use super::outcome::{Claim, Outcome};

/// Counts of a summary record; absent counts are not compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    pub(super) puzzles: Option<u64>,
    solved: Option<u64>,
    optimal: Option<u64>,
    unsolvable: Option<u64>,
    gave_up: Option<u64>,
    invalid: Option<u64>,
    expanded: Option<u64>,
    generated: Option<u64>,
}

impl Counts {
    /// Reads the counts by name with `value`.
    pub(super) fn new(value: impl Fn(&str) -> Option<u64>) -> Self {
        Self {
            puzzles: value("puzzles"),
            solved: value("solved"),
            optimal: value("optimal"),
            unsolvable: value("unsolvable"),
            gave_up: value("gave_up"),
            invalid: value("invalid"),
            expanded: value("expanded"),
            generated: value("generated"),
        }
    }
}

/// Counts of the results so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tally {
    puzzles: u64,
    solved: u64,
    optimal: u64,
    unsolvable: u64,
    gave_up: u64,
    invalid: u64,
    expanded: u64,
    generated: u64,
}

impl Tally {
    /// Counts a result by its claim.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.puzzles += 1;
        match &outcome.claim {
            Claim::Solved(solved) => {
                self.solved += 1;
                self.optimal += u64::from(solved.optimal == Some(true));
            }
            Claim::Unsolvable => self.unsolvable += 1,
            Claim::GaveUp { .. } => self.gave_up += 1,
            Claim::Invalid => self.invalid += 1,
            Claim::Unreadable(_) => {}
        }
        let (expanded, generated) = outcome.nodes.unwrap_or_default();
        self.expanded = self.expanded.saturating_add(expanded);
        self.generated = self.generated.saturating_add(generated);
    }

    /// Returns one sentence for each count of a summary that differs from the results.
    pub(super) fn compare(&self, claimed: &Counts) -> Vec<String> {
        let pairs = [
            ("puzzles", claimed.puzzles, self.puzzles),
            ("solved", claimed.solved, self.solved),
            ("optimal", claimed.optimal, self.optimal),
            ("unsolvable", claimed.unsolvable, self.unsolvable),
            ("gave_up", claimed.gave_up, self.gave_up),
            ("invalid", claimed.invalid, self.invalid),
            ("expanded", claimed.expanded, self.expanded),
            ("generated", claimed.generated, self.generated),
        ];
        let differs =
            |&(_, claimed, found): &(_, Option<u64>, u64)| claimed.is_some_and(|claimed| claimed != found);
        let sentence = |(name, claimed, found): (&str, Option<u64>, u64)| {
            format!("the summary has {name} {}, but the results have {found}", claimed.unwrap_or(0))
        };
        pairs.into_iter().filter(differs).map(sentence).collect()
    }
}
