//! Chooses the pattern databases of a run.
//!
//! A large database solves a board in a fraction of the time, but it must be built or read first,
//! and it takes memory from the searches. For each kind of board in the input, the choice minimises
//! the expected time of the whole batch among the databases that fit. The contents of a stream are
//! unknown: memory is reserved, and the database is loaded when enough boards have arrived that it
//! would have paid.
//!
//! If node counts must be repeatable ([`Options::repeats_counts`]), the choice depends on options
//! and input only: times are those of one thread with an empty database folder, and streams are not
//! sampled. With `--deterministic` it does not depend on the memory cap either: databases have a
//! fixed share, and a cap that is too small for the choice is an error.

pub(crate) mod costs;
pub(crate) mod sample;

use super::counters::Counters;
use crate::memory::budget::{Budget, OutOfBudget, least_cap};
use crate::model::interrupt::StopCondition;
use crate::options::{Algorithm, HeuristicChoice, Options, Quality};
use crate::pdb::{BuildError, Event, Library, Needs, Partition};
use crate::puzzle::tiles::{Metric, Size};
use crate::quantity::{Bytes, Count};
use crate::search::astar;
use crate::solve::Observer;
use crate::solve::SetupError;
use crate::solve::databases::costs::{break_even_boards, seconds_per_board, seconds_to_set_up};
use crate::solve::databases::sample::BoardKind;
use crate::solve::memory_plan::MemoryPlan;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The databases of a run.
#[derive(Debug, Default)]
pub(crate) struct Databases {
    pub(crate) library: Library,
    chosen: Vec<PartitionChoice>,
    /// Whether databases may be used, whether they must be, and the partition that was requested.
    enabled: bool,
    forced: bool,
    partition: Option<Partition>,
    /// Whether the choice may depend on options, input and memory cap only (`repeatable`), and not
    /// even on the cap (`deterministic`).
    repeatable: bool,
    deterministic: bool,
    /// The unused rest of [`DETERMINISTIC_BYTES`].
    deterministic_bytes_left: u64,
    /// Time spent on building and reading databases.
    time: Duration,
}

/// A partition, its needs, and the needs that the choice assumed.
struct Chosen {
    partition: Partition,
    needs: Needs,
    assumed: Needs,
}

/// The memory that a run reserves before and after its databases, as functions of the cap.
#[derive(Clone, Copy)]
pub(crate) struct OtherNeeds<'a> {
    pub(crate) before: &'a dyn Fn(u64) -> u64,
    /// The bytes for the rest of a run with a number of threads.
    pub(crate) after: &'a dyn Fn(u64, usize) -> u64,
    pub(crate) threads: usize,
}

impl OtherNeeds<'_> {
    /// Returns the bytes needed after the databases, including those that searches with databases
    /// use outside the arena.
    fn after(&self, cap: u64) -> u64 {
        (self.after)(cap, self.threads) + self.threads as u64 * astar::BYTES_OUTSIDE_REGION
    }
}

/// The partition for one kind of board.
#[derive(Debug)]
struct PartitionChoice {
    size: Size,
    blank: usize,
    partition: Partition,
    /// The first record for which the databases are used.
    first_record: u64,
    in_memory: bool,
}

/// Board sizes for which a database pays: smaller boards are solved without, larger ones would need
/// too many patterns.
const CELLS: std::ops::RangeInclusive<usize> = 10..=25;

/// The largest number of states of a database that is built during the run.
const MAX_LATE_STATES: u64 = 40_000_000;

/// The largest boards for which shortest solutions are the default.
pub(crate) const SMALL: usize = 16;

/// The largest boards that can have a database.
const MAX_CELLS: usize = 25;

/// The bytes for all databases with `--deterministic`, enough for 7-7-1 of the 15-puzzle; and the
/// peak while those for a stream are built, enough for 6-6-3.
const DETERMINISTIC_BYTES: u64 = 40 << 20;
const DETERMINISTIC_STREAM_BYTES: u64 = 12 << 20;

/// The number of threads assumed by a choice that must not depend on it.
const ASSUMED_THREADS: usize = 64;

impl Databases {
    /// Chooses databases for a batch, loads them and reserves their memory. Enough of the budget is
    /// left for the run.
    pub(crate) fn prepare(
        options: &Options,
        kinds: &[BoardKind],
        budget: &Budget,
        mut others: OtherNeeds<'_>,
        counters: &Counters,
        stop_condition: &StopCondition,
        observer: &dyn Observer,
    ) -> Result<Self, SetupError> {
        let mut new = Self {
            library: Library::new(options.store.clone()),
            chosen: Vec::new(),
            enabled: options.may_use_databases(),
            forced: options.heuristic == HeuristicChoice::Pdb,
            partition: options.partition.clone(),
            repeatable: options.repeats_counts(),
            deterministic: options.deterministic,
            deterministic_bytes_left: DETERMINISTIC_BYTES,
            time: Duration::ZERO,
        };
        if !new.enabled {
            return Ok(new);
        }
        let is_searched = |kind: &&BoardKind| match kind.size.cells() {
            ..=SMALL => true,
            // Larger boards get shortest solutions only on request.
            cells => cells <= MAX_CELLS && options.requires_shortest(),
        };
        // A repeatable choice must not depend on the number of threads.
        others.threads = match () {
            () if new.deterministic => 1,
            () if new.repeatable => others.threads.max(ASSUMED_THREADS),
            () => others.threads,
        };
        let rest = others.after(budget.cap());
        for &kind in kinds.iter().filter(is_searched) {
            let Some(Chosen { partition, needs, assumed }) =
                new.choose(options, kind, budget, others, observer)?
            else {
                continue;
            };
            let BoardKind { size, blank, from_stream, .. } = kind;
            // There will not be more memory for building later than now.
            if from_stream && !new.forced && budget.left().saturating_sub(rest) >= assumed.peak {
                budget.reserve(assumed.peak)?;
                let first_record =
                    break_even_boards(size.cells(), &partition, &assumed, new.threads(options));
                new.chosen.push(PartitionChoice { size, blank, partition, first_record, in_memory: false });
                continue;
            }
            match new.fetch(options, kind, &partition, counters, stop_condition, observer) {
                Ok(()) => {}
                // The run notices the stop condition itself.
                Err(BuildError::Stopped) => break,
                Err(error @ BuildError::Memory(_)) if new.deterministic => {
                    return Err(SetupError::Database(partition.name(), error));
                }
                Err(error @ BuildError::Memory(_)) => {
                    observer.warn(&format!("{}: {error}", partition.name()));
                    continue;
                }
            }
            budget.reserve(needs.bytes)?;
            new.chosen.push(PartitionChoice { size, blank, partition, first_record: 0, in_memory: true });
        }
        // In a deterministic run the workers' shares include this.
        if !new.chosen.is_empty() && !new.deterministic {
            budget.reserve(options.threads as u64 * astar::BYTES_OUTSIDE_REGION)?;
        }
        Ok(new)
    }

    /// Returns the bytes that each worker needs outside its slice.
    pub(crate) fn bytes_outside_slice(&self) -> u64 {
        if self.chosen.is_empty() { 0 } else { astar::BYTES_OUTSIDE_REGION }
    }

    /// Returns the time spent on building and reading databases so far.
    pub(crate) fn time(&self) -> Duration {
        self.time
    }

    /// Returns the first record for which boards of this kind use databases.
    pub(crate) fn first_record(&self, size: Size, blank: usize) -> u64 {
        let of_kind = |choice: &&PartitionChoice| (choice.size, choice.blank) == (size, blank);
        self.chosen.iter().find(of_kind).map_or(0, |choice| choice.first_record)
    }

    /// Loads the databases for a kind of board whose loading was deferred.
    pub(crate) fn load_deferred(
        &mut self,
        size: Size,
        blank: usize,
        options: &Options,
        counters: &Counters,
        stop_condition: &StopCondition,
        observer: &dyn Observer,
    ) {
        let missing =
            |choice: &PartitionChoice| !choice.in_memory && (choice.size, choice.blank) == (size, blank);
        let Some(index) = self.chosen.iter().position(missing) else { return };
        let partition = self.chosen[index].partition.clone();
        let kind = BoardKind { size, blank, count: 0, work: 0, from_stream: true };
        match self.fetch(options, kind, &partition, counters, stop_condition, observer) {
            Ok(()) => self.chosen[index].in_memory = true,
            Err(error) => {
                self.chosen.remove(index);
                if let BuildError::Memory(_) = error {
                    observer.warn(&format!("{}: {error}", partition.name()));
                }
            }
        }
    }

    /// Returns the partition for a kind of board whose databases are in memory. For a kind that the
    /// sample did not show, loads one that is built quickly and fits the budget.
    pub(crate) fn partition(&mut self, size: Size, blank: usize, budget: &Budget) -> Option<Partition> {
        let same = |choice: &&PartitionChoice| choice.size == size && choice.blank == blank;
        let exact = self.chosen.iter().find(same);
        if self.deterministic {
            // The set of databases in memory depends on the timing of threads.
            return exact.map(|choice| choice.partition.clone());
        }
        // A new goal may be a mirror image of one whose databases are in memory.
        let found = exact
            .or_else(|| self.chosen.iter().find(|choice| self.library.has(&choice.partition, size, blank)))
            .map(|choice| choice.partition.clone());
        let is_small = self.forced || CELLS.contains(&size.cells());
        if found.is_some() || !self.enabled || !is_small || size.cells() > SMALL {
            return found;
        }
        for partition in self.candidates(size).into_iter().rev() {
            let Some(needs) = self.library.needs(&partition, size, blank) else { continue };
            if needs.states <= MAX_LATE_STATES
                && needs.peak <= budget.left()
                && self.library.fetch(&partition, size, blank, 1, &|_| true).is_ok_and(|fits| fits)
                && budget.reserve(needs.bytes).is_ok()
            {
                self.chosen.push(PartitionChoice {
                    size,
                    blank,
                    partition: partition.clone(),
                    first_record: 0,
                    in_memory: true,
                });
                return Some(partition);
            }
        }
        None
    }

    /// Returns why requested databases are not used for boards of this size.
    pub(crate) fn explain_missing(&mut self, size: Size, blank: usize) -> String {
        let why = match self.candidates(size).first() {
            None => "this size has no pattern databases".into(),
            Some(partition) => match partition.misfit(size) {
                Some(misfit) => misfit,
                None if self.library.needs(partition, size, blank).is_none() => {
                    format!("the databases of {} would be too large", partition.name())
                }
                None if self.deterministic => {
                    "with --deterministic, only boards among the first records of a file get databases".into()
                }
                None => format!("no memory is left for the databases of {}", partition.name()),
            },
        };
        format!("{why}; using --heuristic auto")
    }

    /// Returns the number of threads that the choice assumes.
    fn threads(&self, options: &Options) -> f64 {
        if self.repeatable { 1.0 } else { options.threads.min(cores()) as f64 }
    }

    fn candidates(&self, size: Size) -> Vec<Partition> {
        match &self.partition {
            Some(partition) => partition.variants(),
            None => Partition::candidates(size.cells()),
        }
    }

    /// Returns the best partition for a kind of board, and its needs.
    fn choose(
        &mut self,
        options: &Options,
        kind: BoardKind,
        budget: &Budget,
        others: OtherNeeds<'_>,
        observer: &dyn Observer,
    ) -> Result<Option<Chosen>, SetupError> {
        let BoardKind { size, blank, count, work, from_stream } = kind;
        let forced = self.forced;
        if !forced && !CELLS.contains(&size.cells()) {
            return Ok(None);
        }
        let left = budget.left();
        // Reservations so far that do not depend on the cap.
        let fixed = (budget.cap() - left).saturating_sub((others.before)(budget.cap()));
        let threads = self.threads(options);
        let without = work as f64 * seconds_per_board(size.cells(), None) / threads;
        let mut best = (!forced).then_some((without, None));
        let mut least: Option<u64> = None;
        let mut explanations = vec![format!("none: {without:.1} s")];
        for partition in self.candidates(size) {
            let Some(needs) = self.library.needs(&partition, size, blank) else { continue };
            let assumed = match self.repeatable {
                true => self.library.needs_from_scratch(&partition, size, blank).unwrap_or(needs),
                false => needs,
            };
            // Databases loaded later are built while everything else is in memory.
            let is_deferred = self.deterministic && from_stream && !forced;
            let bytes_during_run = if is_deferred { assumed.peak } else { needs.bytes };
            let with = |cap| (assumed.peak + MemoryPlan::PROGRAM).max(bytes_during_run + others.after(cap));
            let needed = least_cap(|cap| fixed + (others.before)(cap) + with(cap));
            if self.deterministic && self.partition.is_none() {
                let is_too_large = assumed.bytes > self.deterministic_bytes_left
                    || from_stream && assumed.peak > DETERMINISTIC_STREAM_BYTES;
                if is_too_large {
                    explanations.push(format!("{partition}: exceeds the fixed share of --deterministic"));
                    continue;
                }
            } else if with(budget.cap()) > left {
                explanations.push(format!("{partition}: needs {}", Bytes(needed)));
                least = Some(least.map_or(needed, |least| least.min(needed)));
                continue;
            }
            let is_wide = size.cells() > SMALL;
            // Leave memory for the search.
            if is_wide && !self.deterministic && needs.bytes > left / 3 && matches!(best, Some((_, Some(_))))
            {
                explanations.push(format!(
                    "{partition}: {} would leave too little memory for the search",
                    Bytes(needs.bytes)
                ));
                continue;
            }
            let set_up = seconds_to_set_up(&assumed, threads);
            let more = if is_wide { partition.divisions() as f64 } else { 1.0 };
            let each = seconds_per_board(size.cells(), partition.largest()) / more.sqrt();
            let all = set_up + work as f64 * each / threads;
            explanations.push(format!(
                "{partition}: {all:.1} s including {set_up:.1} s of set-up, {}",
                Bytes(needs.bytes)
            ));
            if best.as_ref().is_none_or(|(time, _)| all < *time) {
                best = Some((all, Some((Chosen { partition, needs, assumed }, needed))));
            }
        }
        let chosen = best.and_then(|(_, chosen)| chosen);
        if options.explain {
            let name = chosen.as_ref().map_or("no database", |(chosen, _)| chosen.partition.name());
            let about = match count {
                _ if from_stream => "boards of a stream, once enough have arrived".into(),
                0 => "an unknown number of boards".into(),
                count if work > 4 * count => {
                    format!(
                        "about {} boards as hard as {} typical ones",
                        Count(count as f64),
                        Count(work as f64)
                    )
                }
                count => format!("about {} boards", Count(count as f64)),
            };
            observer.explain(&format!(
                "{size}: {name}, for {about}; expected time of the whole batch: {}",
                explanations.join("; ")
            ));
        }
        match (chosen, least) {
            (None, Some(needed)) if forced => Err(OutOfBudget { cap: budget.cap(), needed }.into()),
            // A smaller database would change the search.
            (Some((_, needed)), _) if self.deterministic && needed > budget.cap() => {
                Err(OutOfBudget { cap: budget.cap(), needed }.into())
            }
            (Some((chosen, _)), _) => {
                self.deterministic_bytes_left =
                    self.deterministic_bytes_left.saturating_sub(chosen.assumed.bytes);
                Ok(Some(chosen))
            }
            (None, _) => Ok(None),
        }
    }

    fn fetch(
        &mut self,
        options: &Options,
        kind: BoardKind,
        partition: &Partition,
        counters: &Counters,
        stop_condition: &StopCondition,
        observer: &dyn Observer,
    ) -> Result<(), BuildError> {
        let written = AtomicU64::new(0);
        let listener = |event: Event<'_>| {
            match event {
                Event::Damaged(pattern, damage) => {
                    observer.warn(&format!("the pattern database {pattern} {damage}; it is rebuilt"))
                }
                Event::NotSaved(pattern, error) => observer.warn(&format!(
                    "the pattern database {pattern} could not be saved for later runs: {error}"
                )),
                Event::Saved(_, bytes) => drop(written.fetch_add(bytes, Relaxed)),
                Event::Progress(_, made) => counters.set_database_progress((&made).into()),
            }
            !stop_condition.is_due()
        };
        let started = Instant::now();
        let fetched =
            self.library.fetch(partition, kind.size, kind.blank, options.threads.min(cores()), &listener);
        counters.end_database_progress();
        self.time += started.elapsed();
        if let (written @ 1.., Some(store)) = (written.into_inner(), &options.store) {
            let folder = store.folder().display();
            observer.warn(&format!(
                "pattern databases for {} boards: {} written to {folder} for later runs",
                kind.size,
                Bytes(written)
            ));
        }
        fetched.map(drop)
    }
}

impl Options {
    /// Returns whether node counts must not depend on the machine. Algorithms requested by name
    /// count like the textbook.
    pub(crate) fn repeats_counts(&self) -> bool {
        self.deterministic || self.algorithm != Algorithm::Auto
    }

    /// Returns whether shortest solutions are required for large boards, too.
    fn requires_shortest(&self) -> bool {
        match self.algorithm {
            Algorithm::Auto => self.quality == Quality::Optimal,
            algorithm => matches!(algorithm, Algorithm::Astar | Algorithm::Ida),
        }
    }

    /// Returns whether pattern databases may be used.
    fn may_use_databases(&self) -> bool {
        match self.heuristic {
            // Databases count single-tile moves.
            _ if self.tile_metric != Metric::Tile => false,
            HeuristicChoice::Pdb => true,
            HeuristicChoice::Auto => self.quality != Quality::Fast && self.algorithm.proves_shortest(),
            _ => false,
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
