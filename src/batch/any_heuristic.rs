//! Any of the heuristics for tiles, chosen when the program runs.
//!
//! A choice at each estimate costs a little, and saves the program from being
//! compiled for each heuristic at each width of board.

use super::settings::HeuristicChoice;
use super::tiles::walking_distance;
use crate::heuristic::{Heuristic, LinearConflict, Manhattan, Misplaced, OneByOne, WalkingDistance};
use crate::memory::budget::Budget;
use crate::puzzle::Move;
use crate::puzzle::tiles::{Cells, TileState, Tiles};

/// One of the heuristics.
pub(super) enum AnyHeuristic {
    Misplaced(Misplaced),
    Manhattan(Manhattan),
    LinearConflict(LinearConflict),
    WalkingDistance(WalkingDistance),
}

/// The memo of one of the heuristics.
#[derive(Clone, Copy)]
pub(super) enum AnyMemo<L, W> {
    Number(u32),
    Conflicts(L),
    Walk(W),
}

type MemoOf<H, C> = <H as Heuristic<Tiles<C>>>::Memo;

impl AnyHeuristic {
    /// The chosen one, its tables reserved; or why it is refused.
    pub(super) fn new<C: Cells>(
        puzzle: &Tiles<C>,
        choice: HeuristicChoice,
        ledger: &Budget,
    ) -> Result<Self, String> {
        Ok(match choice {
            HeuristicChoice::Misplaced => Self::Misplaced(Misplaced::new(puzzle)),
            HeuristicChoice::Manhattan => Self::Manhattan(Manhattan::new(puzzle)),
            HeuristicChoice::WalkingDistance => Self::WalkingDistance(walking_distance(puzzle, ledger)?),
            HeuristicChoice::Pdb => return Err("there are no pattern databases for them".into()),
            _ => Self::LinearConflict(LinearConflict::new(puzzle)),
        })
    }
}

impl<C: Cells> Heuristic<Tiles<C>> for AnyHeuristic {
    type Memo = AnyMemo<MemoOf<LinearConflict, C>, MemoOf<WalkingDistance, C>>;
    type Carry = ();
    type Brood = OneByOne;

    fn name(&self) -> &'static str {
        match self {
            Self::Misplaced(h) => Heuristic::<Tiles<C>>::name(h),
            Self::Manhattan(h) => Heuristic::<Tiles<C>>::name(h),
            Self::LinearConflict(h) => Heuristic::<Tiles<C>>::name(h),
            Self::WalkingDistance(h) => Heuristic::<Tiles<C>>::name(h),
        }
    }

    fn evaluate(&self, puzzle: &Tiles<C>, state: &TileState<C>) -> Self::Memo {
        match self {
            Self::Misplaced(h) => AnyMemo::Number(h.evaluate(puzzle, state)),
            Self::Manhattan(h) => AnyMemo::Number(h.evaluate(puzzle, state)),
            Self::LinearConflict(h) => AnyMemo::Conflicts(h.evaluate(puzzle, state)),
            Self::WalkingDistance(h) => AnyMemo::Walk(h.evaluate(puzzle, state)),
        }
    }

    #[inline]
    fn update(&self, puzzle: &Tiles<C>, memo: &Self::Memo, before: &TileState<C>, step: Move) -> Self::Memo {
        match (self, memo) {
            (Self::Misplaced(h), AnyMemo::Number(memo)) => {
                AnyMemo::Number(h.update(puzzle, memo, before, step))
            }
            (Self::Manhattan(h), AnyMemo::Number(memo)) => {
                AnyMemo::Number(h.update(puzzle, memo, before, step))
            }
            (Self::LinearConflict(h), AnyMemo::Conflicts(memo)) => {
                AnyMemo::Conflicts(h.update(puzzle, memo, before, step))
            }
            (Self::WalkingDistance(h), AnyMemo::Walk(memo)) => {
                AnyMemo::Walk(h.update(puzzle, memo, before, step))
            }
            _ => unreachable!("a heuristic meets its own memos only"),
        }
    }

    #[inline]
    fn estimate(&self, memo: &Self::Memo) -> u32 {
        match (self, memo) {
            (_, &AnyMemo::Number(estimate)) => estimate,
            (Self::LinearConflict(h), AnyMemo::Conflicts(memo)) => Heuristic::<Tiles<C>>::estimate(h, memo),
            (Self::WalkingDistance(h), AnyMemo::Walk(memo)) => Heuristic::<Tiles<C>>::estimate(h, memo),
            _ => unreachable!("a heuristic meets its own memos only"),
        }
    }

    #[inline]
    fn carry(&self, _: &Self::Memo) {}

    #[inline]
    fn resume(&self, puzzle: &Tiles<C>, state: &TileState<C>, estimate: u32, (): ()) -> Self::Memo {
        match self {
            Self::Misplaced(_) | Self::Manhattan(_) => AnyMemo::Number(estimate),
            Self::LinearConflict(h) => AnyMemo::Conflicts(h.resume(puzzle, state, estimate, ())),
            Self::WalkingDistance(h) => AnyMemo::Walk(h.evaluate(puzzle, state)),
        }
    }
}
