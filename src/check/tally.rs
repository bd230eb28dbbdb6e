//! The counts of a summary record, and those of the results before it.

use super::outcome::{Claim, Outcome};

/// What a summary record says; what it does not say is not compared.
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
    /// The counts that `value` finds by their names.
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

/// The results so far.
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
    /// Counts a result by what it says.
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

    /// What a summary says that is not so, one sentence for each.
    pub(super) fn compare(&self, said: &Counts) -> Vec<String> {
        let pairs = [
            ("puzzles", said.puzzles, self.puzzles),
            ("solved", said.solved, self.solved),
            ("optimal", said.optimal, self.optimal),
            ("unsolvable", said.unsolvable, self.unsolvable),
            ("gave_up", said.gave_up, self.gave_up),
            ("invalid", said.invalid, self.invalid),
            ("expanded", said.expanded, self.expanded),
            ("generated", said.generated, self.generated),
        ];
        let differs = |&(_, said, found): &(_, Option<u64>, u64)| said.is_some_and(|said| said != found);
        let sentence = |(name, said, found): (&str, Option<u64>, u64)| {
            format!("the summary says {name} {}, but the results come to {found}", said.unwrap_or(0))
        };
        pairs.into_iter().filter(differs).map(sentence).collect()
    }
}
