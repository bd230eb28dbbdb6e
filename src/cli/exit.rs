//! Exit statuses and which one wins.

use std::process::ExitCode;

/// How a run ended. The larger beats the smaller: an error also beside
/// undecided puzzles, a signal beside everything.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Exit {
    /// Every puzzle was decided: solved, or proved unsolvable. For `check`:
    /// everything is right.
    #[default]
    Decided,
    /// Some puzzle was not decided within its limits. For `check`: a result is
    /// wrong or missing.
    Undecided,
    /// An error: usage, a file that cannot be read, invalid records, a bug.
    Failed,
    /// Ended by the signal of this number.
    Signal(i32),
}

impl Exit {
    /// What a run of puzzles comes to.
    pub fn of_summary(summary: &crate::output::Summary) -> Self {
        let is_decided = summary.gave_up() == 0 && summary.is_complete();
        let undecided = if is_decided { Self::Decided } else { Self::Undecided };
        undecided.and(if summary.invalid > 0 { Self::Failed } else { Self::Decided })
    }

    /// This and another ending together.
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }

    /// The status that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Decided => 0,
            Self::Undecided => 1,
            Self::Failed => 2,
            Self::Signal(number) => 128u8.wrapping_add(number as u8),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_beat_limits_and_signals_beat_all() {
        use Exit::{Decided, Failed, Signal, Undecided};
        assert_eq!(Decided.and(Undecided), Undecided);
        assert_eq!(Failed.and(Undecided), Failed);
        assert_eq!(Signal(15).and(Failed), Signal(15));
        assert_eq!([Decided, Undecided, Failed].map(Exit::code), [0, 1, 2]);
        assert_eq!([2, 15, 1].map(|signal| Signal(signal).code()), [130, 143, 129]);
    }
}
