//! The cache of solvers, one for each size and goal: a perfect table, or a search with the
//! available databases.
//!
//! A run has few sizes and goals, and each occurs many times. A cached solver is replaced when a
//! better one becomes possible: a table or database that pays only for many boards is used from the
//! record at which it pays.

use super::counters::Counters;
use super::databases::Databases;
use super::plan::Plan;
use super::solver::Solver;
use super::suitable::{warning_for_boards, warning_for_trays};
use super::tiles::{self, Resources};
use crate::heuristic::WalkTables;
use crate::memory::budget::Budget;
use crate::model::interrupt::StopCondition;
use crate::options::Options;
use crate::puzzle::tiles::{Board, Goal, Parity, Size};
use crate::solve::Observer;
use crate::solve::tiles::perfect_table::PerfectTables;
use ahash::{HashMap, HashSet};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Once};
use std::time::Duration;

/// The largest number of cached solvers, and that of solvers with tables of their own.
const MAX_SOLVERS: usize = 16;
const MAX_SOLVERS_WITH_OWN_TABLES: usize = 4;

/// The largest number of warnings: a file may have boards of many sizes.
const MAX_WARNINGS: usize = 20;

/// The bytes for the tables of one size and goal in a deterministic run, where they must not depend
/// on other boards.
const OWN_TABLE_BYTES: u64 = 4 << 20;

/// The solver for one size and goal.
pub(crate) struct CachedSolver {
    size: Size,
    goal: Goal,
    pub(crate) parity: Parity,
    pub(crate) solver: Arc<dyn Solver>,
    /// The first record for which another solver may be better.
    pub(crate) valid_until: u64,
}

/// Solvers by size, goal and whether they were created before databases pay.
type Solvers = HashMap<(Size, Goal, bool), Arc<dyn Solver>>;

/// The solvers of a run.
pub(crate) struct SolverCache<'r> {
    options: &'r Options,
    /// Done when the warning about unsupported trays was sent.
    trays_warned: Once,
    counters: &'r Counters,
    stop_condition: &'r StopCondition,
    observer: &'r dyn Observer,
    /// The budget for tables.
    budget: Budget,
    tables: PerfectTables,
    databases: Mutex<Databases>,
    walks: Mutex<WalkTables>,
    solvers: Mutex<Solvers>,
    /// The warnings sent so far; each is sent once.
    warnings: Mutex<HashSet<String>>,
    tray_heuristic_checked: AtomicBool,
}

impl<'r> SolverCache<'r> {
    /// Creates an empty cache with `tables` bytes for tables.
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
            trays_warned: Once::new(),
            counters,
            stop_condition,
            observer,
            budget: Budget::new(tables),
            tables: PerfectTables::new(options),
            databases: Mutex::new(databases),
            walks: Mutex::default(),
            solvers: Mutex::default(),
            warnings: Mutex::default(),
            tray_heuristic_checked: AtomicBool::new(false),
        }
    }

    /// Returns the time spent on databases so far.
    pub(crate) fn databases_time(&self) -> Duration {
        self.databases.lock().time()
    }

    /// Warns, once, that trays are not solved.
    pub(crate) fn warn_unsupported_trays(&self, reason: &str) {
        self.trays_warned.call_once(|| self.observer.warn(&format!("trays are not solved: {reason}")));
    }

    /// Returns the bytes left for tables.
    pub(crate) fn tables_left(&self) -> u64 {
        self.budget.left()
    }

    /// Sends a warning unless it was sent before.
    fn warn_once(&self, warning: String) {
        let mut warnings = self.warnings.lock();
        if !warnings.contains(&warning) && warnings.len() < MAX_WARNINGS {
            self.observer.warn(&warning);
            warnings.insert(warning);
        }
    }

    /// Warns, for the first tray, if the heuristic is not one for trays.
    pub(crate) fn warn_tray_heuristic(&self) {
        if !self.tray_heuristic_checked.load(Relaxed)
            && !self.tray_heuristic_checked.swap(true, Relaxed)
            && let Some(warning) = warning_for_trays(self.options.heuristic)
        {
            self.warn_once(warning);
        }
    }

    /// Finds the solver of a size and goal for the record with number `record`.
    fn find_solver(&self, size: Size, goal: &Goal, record: u64) -> CachedSolver {
        let board = goal.board(size).expect("a goal that was read fits its board");
        let parity = Parity::new(&board);
        let table_from = self.tables.first_record(size);
        let explain = |reason: &str| {
            if self.options.explain {
                self.observer.explain(reason);
            }
        };
        let table_solver = table_from
            .filter(|&from| from <= record)
            .and_then(|_| self.tables.solver(&board, &self.budget, explain));
        let databases = self.databases.lock().first_record(size, board.blank());
        let valid_until =
            table_from.into_iter().chain([databases]).filter(|&from| record < from).min().unwrap_or(u64::MAX);
        let solver =
            table_solver.unwrap_or_else(|| self.search_solver(size, goal, &board, record < databases));
        CachedSolver { size, goal: goal.clone(), parity, solver, valid_until }
    }

    /// Returns `last` if it is still valid for this size, goal and record, otherwise replaces it.
    /// The flag is `true` if it was replaced.
    pub(crate) fn solver_for<'k>(
        &self,
        last: &'k mut Option<CachedSolver>,
        size: Size,
        goal: &Goal,
        record: u64,
    ) -> (&'k CachedSolver, bool) {
        let is_valid = |cached: &CachedSolver| {
            cached.size == size && cached.goal == *goal && record < cached.valid_until
        };
        let is_new = !last.as_ref().is_some_and(is_valid);
        if is_new {
            *last = None;
        }
        (last.get_or_insert_with(|| self.find_solver(size, goal, record)), is_new)
    }

    /// Returns the solver that searches; creates it when first needed.
    fn search_solver(
        &self,
        size: Size,
        goal: &Goal,
        board: &Board,
        without_databases: bool,
    ) -> Arc<dyn Solver> {
        let make = || {
            let plan = Plan::new(self.options, size);
            if self.options.explain {
                self.observer.explain(&plan.explain(size));
            }
            let none = Mutex::default();
            let databases = if without_databases { &none } else { &self.databases };
            let Self { options, counters, stop_condition, observer, .. } = *self;
            databases.lock().load_deferred(size, board.blank(), options, counters, stop_condition, observer);
            // The tables must not depend on the order in which threads arrive.
            let own = Budget::new(OWN_TABLE_BYTES.min(self.budget.cap()));
            let budget = if options.deterministic { &own } else { &self.budget };
            let own_walks = Mutex::default();
            let walks = if options.deterministic { &own_walks } else { &self.walks };
            let (solver, notice) = tiles::solver(board, plan, Resources { budget, walks, databases });
            if let Some(warning) = warning_for_boards(options.heuristic) {
                self.warn_once(warning);
            }
            if let Some(notice) = notice {
                self.warn_once(notice.message(size));
            }
            solver.into()
        };
        let mut solvers = self.solvers.lock();
        // A file may have another goal for each record.
        let most = if self.options.deterministic { MAX_SOLVERS_WITH_OWN_TABLES } else { MAX_SOLVERS };
        if solvers.len() >= most && !solvers.contains_key(&(size, goal.clone(), without_databases)) {
            solvers.clear();
        }
        solvers.entry((size, goal.clone(), without_databases)).or_insert_with(make).clone()
    }
}
