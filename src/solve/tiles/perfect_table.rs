//! The complete tables of a run: one for each size and goal's blank, tables when
//! it pays, and counted.

use crate::heuristic::PerfectTable;
use crate::memory::budget::Budget;
use crate::model::report::{Effort, Solution, Verdict};
use crate::options::{Algorithm, HeuristicChoice, Options};
use crate::puzzle::tiles::{Board, Metric, Size, Tiles};
use crate::quantity::Bytes;
use crate::solve::solver::{Attempt, Solver};
use ahash::HashMap;
use parking_lot::Mutex;
use std::sync::Arc;

/// A search takes about as long as so many states of a table.
const STATES_PER_SEARCH: usize = 2000;

/// The tables that there are so far.
pub(crate) struct PerfectTables {
    /// Whether the choice of method is free.
    enabled: bool,
    tables: Mutex<HashMap<(Size, usize), MaybeTable>>,
}

/// A table, or that there was no room for it.
type MaybeTable = Option<Arc<PerfectTable>>;

impl PerfectTables {
    /// None yet.
    pub(crate) fn new(options: &Options) -> Self {
        // Which tables fit depends on who comes first.
        let enabled = !options.deterministic
            && options.algorithm == Algorithm::Auto
            && options.heuristic == HeuristicChoice::Auto
            && options.tile_metric == Metric::Tile;
        Self { enabled, tables: Mutex::default() }
    }

    /// The first record of a run whose board is looked up in a table, if boards
    /// of this size ever are; the records before it are searched in less time
    /// than the table takes.
    ///
    /// It depends on nothing but the input, so that where all tables fit every
    /// board is answered in the same way, however many threads there are.
    pub(crate) fn first_record(&self, size: Size) -> Option<u64> {
        let states = PerfectTable::states(size.cells()).filter(|_| self.enabled)?;
        Some((states / STATES_PER_SEARCH) as u64)
    }

    /// A solver for boards with this goal that looks them up; none if the budget
    /// has no room for its table. `explain` hears of a new one.
    pub(crate) fn solver(
        &self,
        goal: &Board,
        budget: &Budget,
        explain: impl Fn(&str),
    ) -> Option<Arc<dyn Solver>> {
        let (size, puzzle) = (goal.size(), Tiles::<u64>::new(goal)?);
        let states = PerfectTable::states(size.cells())?;
        let bytes = PerfectTable::bytes(states) as u64;
        let mut tables = self.tables.lock();
        let table = tables.entry((size, goal.blank())).or_insert_with(|| {
            let table = budget.reserve(bytes).ok().and_then(|()| PerfectTable::new(&puzzle)).map(Arc::new);
            let what = if table.is_some() { "looked up in" } else { "searched for want of" };
            explain(&format!("{size}: now {what} a complete table of {states} states, {}", Bytes(bytes)));
            table
        });
        Some(Arc::new(TableSolver { table: table.clone()?, puzzle }))
    }
}

/// Boards of one goal, looked up.
struct TableSolver {
    table: Arc<PerfectTable>,
    puzzle: Tiles<u64>,
}

/// Room for the moves of every 3×3 board.
const MOVES: usize = 32;

impl Solver for TableSolver {
    fn attempt(&self, board: &Board, _: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let (labels, tiles) = (self.puzzle.labels(), board.tiles());
        let mut moves = Vec::with_capacity(MOVES);
        for segment in self.table.path(|cell| labels[tiles[cell] as usize].into(), board.blank()) {
            moves.extend(segment.moves());
        }
        effort.algorithm = "table";
        effort.heuristic = "complete";
        let length = moves.len() as u32;
        Some(Verdict::Solved(Solution { moves: moves.into(), length, optimal: true, bound: length }))
    }
}
