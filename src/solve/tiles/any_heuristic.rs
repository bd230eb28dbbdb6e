//! A heuristic for tiles that is chosen at run time.
//!
//! The branch at each evaluation costs little. It avoids an instance of the engine for each
//! heuristic and each width of board.

use crate::heuristic::{
    Heuristic, LinearConflict, Manhattan, Misplaced, NoBatch, WalkTables, WalkingDistance,
};
use crate::memory::budget::Budget;
use crate::model::report::GiveUp;
use crate::options::HeuristicChoice;
use crate::puzzle::Move;
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use crate::quantity::Bytes;
use crate::solve::suitable::Refusal;

/// One of the heuristics.
pub(crate) enum AnyHeuristic {
    Misplaced(Misplaced),
    Manhattan(Manhattan),
    LinearConflict(LinearConflict),
    WalkingDistance(WalkingDistance),
}

/// The memo of one of the heuristics.
#[derive(Clone, Copy)]
pub(crate) enum AnyMemo<L, W> {
    Number(u32),
    Conflicts(L),
    Walk(W),
}

type MemoOf<H, C> = <H as Heuristic<Tiles<C>>>::Memo;

impl AnyHeuristic {
    /// Creates the chosen heuristic and reserves its tables from `budget`. The string is a warning
    /// if another heuristic replaces it. Returns an error if there is none.
    pub(crate) fn new<C: Cells>(
        puzzle: &Tiles<C>,
        choice: HeuristicChoice,
        budget: &Budget,
        walks: &mut WalkTables,
    ) -> Result<(Self, Option<String>), Refusal> {
        let linear_conflict = || Self::LinearConflict(LinearConflict::new(puzzle));
        let heuristic = match choice {
            HeuristicChoice::Misplaced => Self::Misplaced(Misplaced::new(puzzle)),
            HeuristicChoice::Manhattan => Self::Manhattan(Manhattan::new(puzzle)),
            HeuristicChoice::LinearConflict => linear_conflict(),
            HeuristicChoice::WalkingDistance => {
                if let Some(walking) = walking_distance(puzzle, budget, walks, usize::MAX) {
                    return Ok((walking, None));
                }
                // Tables of other sizes and goals may have used up the budget.
                if WalkingDistance::bytes_needed(puzzle, budget.cap() as usize).is_none() {
                    let why = format!("their walking-distance tables need more than {}", Bytes(budget.cap()));
                    return Err(Refusal { reason: GiveUp::Memory, why });
                }
                let note = "no memory is left for the walking-distance tables of some goals; using \
                            --heuristic linear-conflict for their boards";
                return Ok((linear_conflict(), Some(note.into())));
            }
            // Small tables are built quickly and stay in the cache.
            _ => walking_distance(puzzle, budget, walks, 2 << 20).unwrap_or_else(linear_conflict),
        };
        Ok((heuristic, None))
    }
}

/// Creates the walking distance and reserves its tables. Returns none if they need more than
/// `max_bytes`, or if the missing ones need more than the budget has left.
fn walking_distance<C: Cells>(
    puzzle: &Tiles<C>,
    budget: &Budget,
    walks: &mut WalkTables,
    max_bytes: usize,
) -> Option<AnyHeuristic> {
    if max_bytes < usize::MAX {
        WalkingDistance::bytes_needed(puzzle, max_bytes)?;
    }
    let bytes = walks.bytes_missing(puzzle, max_bytes.min(budget.left() as usize))?;
    budget.reserve(bytes as u64).ok()?;
    WalkingDistance::with(puzzle, walks, bytes).map(AnyHeuristic::WalkingDistance)
}

impl<C: Cells> Heuristic<Tiles<C>> for AnyHeuristic {
    type Memo = AnyMemo<MemoOf<LinearConflict, C>, MemoOf<WalkingDistance, C>>;
    type Payload = ();
    type SuccessorBatch = NoBatch;

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
            _ => unreachable!("the memo belongs to another heuristic"),
        }
    }

    #[inline]
    fn estimate(&self, memo: &Self::Memo) -> u32 {
        match (self, memo) {
            (_, &AnyMemo::Number(estimate)) => estimate,
            (Self::LinearConflict(h), AnyMemo::Conflicts(memo)) => Heuristic::<Tiles<C>>::estimate(h, memo),
            (Self::WalkingDistance(h), AnyMemo::Walk(memo)) => Heuristic::<Tiles<C>>::estimate(h, memo),
            _ => unreachable!("the memo belongs to another heuristic"),
        }
    }

    #[inline]
    fn payload(&self, _: &Self::Memo) {}

    #[inline]
    fn restore(&self, puzzle: &Tiles<C>, state: &TileState<C>, estimate: u32, (): ()) -> Self::Memo {
        match self {
            Self::Misplaced(_) | Self::Manhattan(_) => AnyMemo::Number(estimate),
            Self::LinearConflict(h) => AnyMemo::Conflicts(h.restore(puzzle, state, estimate, ())),
            Self::WalkingDistance(h) => AnyMemo::Walk(h.evaluate(puzzle, state)),
        }
    }
}
