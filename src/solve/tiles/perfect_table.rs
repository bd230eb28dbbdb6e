//! The perfect tables of a run: one for each size and blank of the goal, built when it pays.

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

/// The number of table states that can be filled in the time of one search.
const STATES_PER_SEARCH: usize = 2000;

/// The tables built so far.
pub(crate) struct PerfectTables {
    /// Whether algorithm, heuristic and metric allow tables.
    enabled: bool,
    tables: Mutex<HashMap<(Size, usize), MaybeTable>>,
}

/// A table, or none if it did not fit the budget.
type MaybeTable = Option<Arc<PerfectTable>>;

impl PerfectTables {
    /// Creates an empty set of tables.
    pub(crate) fn new(options: &Options) -> Self {
        // In a deterministic run the result must not depend on which tables fit first.
        let enabled = !options.deterministic
            && options.algorithm == Algorithm::Auto
            && options.heuristic == HeuristicChoice::Auto
            && options.tile_metric == Metric::Tile;
        Self { enabled, tables: Mutex::default() }
    }

    /// Returns the first record whose board is looked up in a table, if boards of this size ever
    /// are. The records before it are searched in less time than the table takes.
    ///
    /// This depends on the input only. If all tables fit, every board is therefore answered in the
    /// same way, whatever the number of threads.
    pub(crate) fn first_record(&self, size: Size) -> Option<u64> {
        let states = PerfectTable::states(size.cells()).filter(|_| self.enabled)?;
        Some((states / STATES_PER_SEARCH) as u64)
    }

    /// Returns a solver that looks up boards with this goal, or none if its table does not fit the
    /// budget. `explain` is called for a new table.
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
            let what = if table.is_some() { "looked up in" } else { "searched: no memory for" };
            explain(&format!("{size}: {what} a perfect table of {states} states, {}", Bytes(bytes)));
            table
        });
        Some(Arc::new(TableSolver { table: table.clone()?, puzzle }))
    }
}

/// Looks up boards of one goal in a perfect table.
struct TableSolver {
    table: Arc<PerfectTable>,
    puzzle: Tiles<u64>,
}

/// The longest solution of a 3×3 board, rounded up.
const MAX_MOVES: usize = 32;

impl Solver for TableSolver {
    fn attempt(&self, board: &Board, _: Attempt<'_, '_>, effort: &mut Effort) -> Option<Verdict> {
        let (labels, tiles) = (self.puzzle.labels(), board.tiles());
        let mut moves = Vec::with_capacity(MAX_MOVES);
        for segment in self.table.path(|cell| labels[tiles[cell] as usize].into(), board.blank()) {
            moves.extend(segment.moves());
        }
        effort.algorithm = "table";
        effort.heuristic = "complete";
        let length = moves.len() as u32;
        Some(Verdict::Solved(Solution { moves: moves.into(), length, optimal: true, bound: length }))
    }
}
