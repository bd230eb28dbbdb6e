//! Who solves the boards of a size and goal: a table of all distances, or a
//! search with what databases there are.
//!
//! A run meets few sizes and goals, again and again. What was chosen for one is
//! kept, and looked at anew when something better may have become possible: a
//! table or database that pays only for many boards comes with the record from
//! which on it does.

use super::counters::Counters;
use super::databases::Databases;
use super::plan::Plan;
use super::solver::Solver;
use super::suitable::{note_for_boards, note_for_trays};
use super::tiles::{self, Resources};
use crate::heuristic::WalkTables;
use crate::memory::budget::Budget;
use crate::model::interrupt::StopCondition;
use crate::options::Options;
use crate::puzzle::tiles::{Board, Goal, Parity, Size};
use crate::solve::Observer;
use crate::solve::tiles::perfect_table::Tables;
use ahash::{HashMap, HashSet};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Once};
use std::time::Duration;

/// Solvers for so many sizes and goals are kept; with tables of their own, fewer.
const MOST_SOLVERS: usize = 16;
const MOST_WITH_OWN_TABLES: usize = 4;

/// Notes that are printed at most: a file may have boards of any number of sizes.
const MOST_NOTES: usize = 20;

/// What the tables for one size and goal may take where that must not depend on
/// others.
const OWN_TABLES: u64 = 4 << 20;

/// What is known of a size and goal.
pub(crate) struct Known {
    size: Size,
    goal: Goal,
    pub(crate) parity: Parity,
    pub(crate) solver: Arc<dyn Solver>,
    /// The first record of the run that another solver may be better for.
    pub(crate) until: u64,
}

/// Solvers by size and goal, and whether they came too early for databases.
type Solvers = HashMap<(Size, Goal, bool), Arc<dyn Solver>>;

/// The solvers of a run.
pub(crate) struct SolverCache<'r> {
    options: &'r Options,
    /// Done when the user was told that trays are refused.
    trays_refused: Once,
    counters: &'r Counters,
    stop_condition: &'r StopCondition,
    observer: &'r dyn Observer,
    /// What is left of the memory for tables.
    budget: Budget,
    tables: Tables,
    databases: Mutex<Databases>,
    walks: Mutex<WalkTables>,
    solvers: Mutex<Solvers>,
    /// Notes that were printed; each is printed once.
    notes: Mutex<HashSet<String>>,
    trays_noted: AtomicBool,
}

impl<'r> SolverCache<'r> {
    /// With so many bytes for tables, and what databases there are.
    pub(crate) fn new(
        options: &'r Options,
        counters: &'r Counters,
        stop_condition: &'r StopCondition,
        observer: &'r dyn Observer,
        tables: u64,
        databases: Databases,
    ) -> Self {
        Self {
            options,
            trays_refused: Once::new(),
            counters,
            stop_condition,
            observer,
            budget: Budget::new(tables),
            tables: Tables::new(options),
            databases: Mutex::new(databases),
            walks: Mutex::default(),
            solvers: Mutex::default(),
            notes: Mutex::default(),
            trays_noted: AtomicBool::new(false),
        }
    }

    /// The time spent on databases so far.
    pub(crate) fn databases_time(&self) -> Duration {
        self.databases.lock().time()
    }

    /// Tells the user why trays are not solved, for the first of them.
    pub(crate) fn refuse_trays(&self, reason: &str) {
        self.trays_refused.call_once(|| self.observer.warn(&format!("trays are not solved: {reason}")));
    }

    /// Bytes that are left for tables.
    pub(crate) fn tables_left(&self) -> u64 {
        self.budget.left()
    }

    /// Prints a note, if it is new.
    fn note(&self, note: String) {
        let mut notes = self.notes.lock();
        if !notes.contains(&note) && notes.len() < MOST_NOTES {
            self.observer.warn(&note);
            notes.insert(note);
        }
    }

    /// Prints a note on a heuristic that does not suit trays, for the first tray.
    pub(crate) fn note_tray(&self) {
        if !self.trays_noted.load(Relaxed)
            && !self.trays_noted.swap(true, Relaxed)
            && let Some(note) = note_for_trays(self.options.heuristic)
        {
            self.note(note);
        }
    }

    /// What is known of a size and goal, for the record of the run at `place`.
    fn known(&self, size: Size, goal: &Goal, place: u64) -> Known {
        let board = goal.board(size).expect("a goal that was read fits its board");
        let parity = Parity::new(&board);
        let from = self.tables.from(size);
        let explain = |reason: &str| {
            if self.options.explain {
                self.observer.explain(reason);
            }
        };
        let by_table = from
            .filter(|&from| from <= place)
            .and_then(|_| self.tables.solver(&board, &self.budget, explain));
        let databases = self.databases.lock().from(size, board.blank());
        let until =
            from.into_iter().chain([databases]).filter(|&from| place < from).min().unwrap_or(u64::MAX);
        let solver = by_table.unwrap_or_else(|| self.search(size, goal, &board, place < databases));
        Known { size, goal: goal.clone(), parity, solver, until }
    }

    /// The same, if `last` does not know it already; and whether it did not.
    pub(crate) fn look_up<'k>(
        &self,
        last: &'k mut Option<Known>,
        size: Size,
        goal: &Goal,
        place: u64,
    ) -> (&'k Known, bool) {
        let is_known = |known: &Known| known.size == size && known.goal == *goal && place < known.until;
        let is_new = !last.as_ref().is_some_and(is_known);
        if is_new {
            *last = None;
        }
        (last.get_or_insert_with(|| self.known(size, goal, place)), is_new)
    }

    /// The solver that searches, made when it is first needed; while it is `early`,
    /// without databases.
    fn search(&self, size: Size, goal: &Goal, board: &Board, early: bool) -> Arc<dyn Solver> {
        let make = || {
            let plan = Plan::new(self.options, size);
            if self.options.explain {
                self.observer.explain(&plan.explain(size));
            }
            let none = Mutex::default();
            let databases = if early { &none } else { &self.databases };
            let Self { options, counters, stop_condition, observer, .. } = *self;
            databases.lock().bring(size, board.blank(), options, counters, stop_condition, observer);
            // Which tables there are must not depend on who comes first.
            let own = Budget::new(OWN_TABLES.min(self.budget.cap()));
            let budget = if options.deterministic { &own } else { &self.budget };
            let own_walks = Mutex::default();
            let walks = if options.deterministic { &own_walks } else { &self.walks };
            let (solver, notice) = tiles::solver(board, plan, Resources { budget, walks, databases });
            if let Some(note) = note_for_boards(options.heuristic) {
                self.note(note);
            }
            if let Some(notice) = notice {
                self.note(notice.message(size));
            }
            solver.into()
        };
        let mut solvers = self.solvers.lock();
        // A file may have another goal for each record.
        let most = if self.options.deterministic { MOST_WITH_OWN_TABLES } else { MOST_SOLVERS };
        if solvers.len() >= most && !solvers.contains_key(&(size, goal.clone(), early)) {
            solvers.clear();
        }
        solvers.entry((size, goal.clone(), early)).or_insert_with(make).clone()
    }
}
