//! Who solves the boards of a size and goal: a table of all distances, or a
//! search with what databases there are.
//!
//! A run meets few sizes and goals, again and again. What was chosen for one is
//! kept, and looked at anew when something better may have become possible: a
//! table or database that pays only for many boards comes with the record from
//! which on it does.

use super::counters::Counters;
use super::databases::Databases;
use super::interrupt::Ending;
use super::plan::Plan;
use super::run::Notices;
use super::settings::Settings;
use super::solver::Solver;
use super::suitable::{note_for_boards, note_for_trays};
use super::tables::Tables;
use super::tiles::{self, Resources};
use crate::heuristic::WalkTables;
use crate::memory::budget::Budget;
use crate::puzzle::tiles::{Board, Goal, Parity, Size};
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
pub(super) struct Known {
    size: Size,
    goal: Goal,
    pub(super) parity: Parity,
    pub(super) solver: Arc<dyn Solver>,
    /// The first record of the run that another solver may be better for.
    pub(super) until: u64,
}

/// Solvers by size and goal, and whether they came too early for databases.
type Solvers = HashMap<(Size, Goal, bool), Arc<dyn Solver>>;

/// The solvers of a run.
pub(super) struct Choice<'r> {
    settings: &'r Settings,
    /// Done when the user was told that trays are refused.
    trays_refused: Once,
    counters: &'r Counters,
    ending: &'r Ending,
    notices: &'r dyn Notices,
    /// What is left of the memory for tables.
    ledger: Budget,
    tables: Tables,
    databases: Mutex<Databases>,
    walks: Mutex<WalkTables>,
    solvers: Mutex<Solvers>,
    /// Notes that were printed; each is printed once.
    notes: Mutex<HashSet<String>>,
    trays_noted: AtomicBool,
}

impl<'r> Choice<'r> {
    /// With so many bytes for tables, and what databases there are.
    pub(super) fn new(
        settings: &'r Settings,
        counters: &'r Counters,
        ending: &'r Ending,
        notices: &'r dyn Notices,
        tables: u64,
        databases: Databases,
    ) -> Self {
        Self {
            settings,
            trays_refused: Once::new(),
            counters,
            ending,
            notices,
            ledger: Budget::new(tables),
            tables: Tables::new(settings),
            databases: Mutex::new(databases),
            walks: Mutex::default(),
            solvers: Mutex::default(),
            notes: Mutex::default(),
            trays_noted: AtomicBool::new(false),
        }
    }

    /// The time spent on databases so far.
    pub(super) fn databases_time(&self) -> Duration {
        self.databases.lock().time()
    }

    /// Tells the user why trays are not solved, for the first of them.
    pub(super) fn refuse_trays(&self, reason: &str) {
        self.trays_refused.call_once(|| self.notices.warn(&format!("trays are not solved: {reason}")));
    }

    /// Bytes that are left for tables.
    pub(super) fn tables_left(&self) -> u64 {
        self.ledger.left()
    }

    /// Prints a note, if it is new.
    fn note(&self, note: String) {
        let mut notes = self.notes.lock();
        if !notes.contains(&note) && notes.len() < MOST_NOTES {
            self.notices.warn(&note);
            notes.insert(note);
        }
    }

    /// Prints a note on a heuristic that does not suit trays, for the first tray.
    pub(super) fn note_tray(&self) {
        if !self.trays_noted.load(Relaxed)
            && !self.trays_noted.swap(true, Relaxed)
            && let Some(note) = note_for_trays(self.settings.heuristic)
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
            if self.settings.explain {
                self.notices.explain(reason);
            }
        };
        let by_table = from
            .filter(|&from| from <= place)
            .and_then(|_| self.tables.solver(&board, &self.ledger, explain));
        let databases = self.databases.lock().from(size, board.blank());
        let until =
            from.into_iter().chain([databases]).filter(|&from| place < from).min().unwrap_or(u64::MAX);
        let solver = by_table.unwrap_or_else(|| self.search(size, goal, &board, place < databases));
        Known { size, goal: goal.clone(), parity, solver, until }
    }

    /// The same, if `last` does not know it already; and whether it did not.
    pub(super) fn look_up<'k>(
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
            let plan = Plan::new(self.settings, size);
            if self.settings.explain {
                self.notices.explain(&plan.explain(size));
            }
            let none = Mutex::default();
            let databases = if early { &none } else { &self.databases };
            let Self { settings, counters, ending, notices, .. } = *self;
            databases.lock().bring(size, board.blank(), settings, counters, ending, notices);
            // Which tables there are must not depend on who comes first.
            let own = Budget::new(OWN_TABLES.min(self.ledger.cap()));
            let ledger = if settings.deterministic { &own } else { &self.ledger };
            let own_walks = Mutex::default();
            let walks = if settings.deterministic { &own_walks } else { &self.walks };
            let (solver, notice) = tiles::solver(board, plan, Resources { ledger, walks, databases });
            if let Some(note) = note_for_boards(settings.heuristic) {
                self.note(note);
            }
            if let Some(notice) = notice {
                self.note(notice.message(size));
            }
            solver.into()
        };
        let mut solvers = self.solvers.lock();
        // A file may have another goal for each record.
        let most = if self.settings.deterministic { MOST_WITH_OWN_TABLES } else { MOST_SOLVERS };
        if solvers.len() >= most && !solvers.contains_key(&(size, goal.clone(), early)) {
            solvers.clear();
        }
        solvers.entry((size, goal.clone(), early)).or_insert_with(make).clone()
    }
}
