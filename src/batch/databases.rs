//! Which pattern databases a run uses.
//!
//! A large database solves a board in a fraction of the time, but has to be made
//! or read first, and takes memory from the searches. For each kind of board in
//! the files, the one is chosen with which the whole batch is expected to take
//! the least time, of those that fit. What a stream will bring is a guess: the
//! memory is set aside, and the database is fetched when so many boards have come
//! that it would have paid for them.

use super::counters::Counters;
use super::settings::{Algorithm, HeuristicChoice, Quality, Settings};
use super::shares::Shares;
use super::survey::Kind;
use super::{Notices, RunError};
use crate::batch::interrupt::Ending;
use crate::heuristic::pdb::{BuildError, Event, Library, Needs, Partition};
use crate::memory::budget::{Budget, Short, least_cap};
use crate::puzzle::tiles::{Metric, Size};
use crate::quantity::{Bytes, Count};
use crate::search::best_first;

/// The databases of a run.
#[derive(Debug, Default)]
pub(super) struct Databases {
    pub(super) library: Library,
    chosen: Vec<Choice>,
    /// Whether searches may be guided by databases at all, whether they must be,
    /// and how these must divide the tiles.
    wanted: bool,
    forced: bool,
    partition: Option<Partition>,
}

/// What a run reserves before and after its databases, under a cap.
#[derive(Clone, Copy)]
pub(super) struct OtherNeeds<'a> {
    pub(super) before: &'a dyn Fn(u64) -> u64,
    pub(super) after: &'a dyn Fn(u64) -> u64,
}

/// The partition for one kind of board.
#[derive(Debug)]
struct Choice {
    size: Size,
    blank: usize,
    partition: Partition,
    /// The first record of the run for which its databases are used.
    from: u64,
    in_memory: bool,
}

/// Boards of so many cells are worth a database: smaller ones are solved in no
/// time, larger ones are too many.
const CELLS: std::ops::RangeInclusive<usize> = 10..=25;

/// States of databases that are made while a run is going on, at most.
const IN_A_MOMENT: u64 = 40_000_000;

/// The largest boards that are solved by shortest solutions unless asked
/// otherwise.
const SMALL: usize = 16;

/// The largest boards that may have a database.
const MOST_CELLS: usize = 25;

/// States of a database that one thread makes in a second, and bytes that are
/// read and checked.
const STATES_PER_SECOND: f64 = 120e6;
const BYTES_PER_SECOND: f64 = 1e9;

/// About how long one thread takes for a random board without a database, in
/// seconds, and how many times less with one, by the size of its largest
/// pattern (docs/benchmarks.md).
fn seconds_for_a_board(cells: usize, largest: Option<usize>) -> f64 {
    let without = match cells {
        25.. => 1e7,
        21..=24 => 1e5,
        20 => 1e3,
        17..=19 => 20.0,
        16 => 0.25,
        15 => 0.05,
        14 => 0.02,
        11..=13 => 0.002,
        _ => 0.0001,
    };
    let gain = match largest {
        None => 1.0,
        Some(..=4) => 1.5,
        Some(5) => 2.5,
        Some(6) => 8.0,
        Some(7) => 60.0,
        Some(_) => 400.0,
    };
    without / gain + 20e-6
}

/// How long it takes to make or read databases.
fn seconds_to_set_up(needs: &Needs, threads: f64) -> f64 {
    needs.states as f64 / STATES_PER_SECOND / threads + needs.to_read as f64 / BYTES_PER_SECOND
}

/// How many boards one thread searches without databases in the time that these
/// take. One small board is not worth them; a large one is.
fn pays_from(cells: usize, partition: &Partition, needs: &Needs, threads: usize) -> u64 {
    let gain = seconds_for_a_board(cells, None) - seconds_for_a_board(cells, partition.largest());
    let boards = (seconds_to_set_up(needs, threads.min(cores()) as f64) / gain) as u64;
    boards.max(u64::from(cells <= SMALL))
}

impl Databases {
    /// Chooses databases for a batch, brings them into memory and enters them
    /// into the ledger, of which enough must be left for the run.
    pub(super) fn prepare(
        settings: &Settings,
        kinds: &[Kind],
        budget: &Budget,
        others: OtherNeeds<'_>,
        counters: &Counters,
        ending: &Ending,
        notices: &dyn Notices,
    ) -> Result<Self, RunError> {
        let mut new = Self {
            library: Library::new(settings.store.clone()),
            chosen: Vec::new(),
            wanted: settings.may_use_databases(),
            forced: settings.heuristic == HeuristicChoice::Pdb,
            partition: settings.partition.clone(),
        };
        if !new.wanted {
            return Ok(new);
        }
        let is_meant = |kind: &&Kind| match kind.size.cells() {
            ..=SMALL => true,
            // Above, shortest solutions are found for those who insist.
            cells => cells <= MOST_CELLS && settings.insists_on_shortest(),
        };
        // Searches with databases keep a little outside of the arena.
        let beside = settings.threads as u64 * best_first::BYTES_BESIDE;
        let after = |cap| (others.after)(cap) + beside;
        let others = OtherNeeds { after: &after, ..others };
        let rest = after(budget.cap());
        for &kind in kinds.iter().filter(is_meant) {
            let Some((partition, needs)) = new.choose(settings, kind, budget, others, notices)? else {
                continue;
            };
            let Kind { size, blank, guessed, .. } = kind;
            // Later there will be no more memory for making them than now.
            if guessed && !new.forced && budget.left().saturating_sub(rest) >= needs.peak {
                budget.reserve(needs.peak)?;
                let from = pays_from(size.cells(), &partition, &needs, settings.threads);
                new.chosen.push(Choice { size, blank, partition, from, in_memory: false });
                continue;
            }
            match new.fetch(settings, kind, &partition, counters, ending, notices) {
                Ok(()) => {}
                // The run will see for itself that it is over.
                Err(BuildError::Stopped) => break,
                Err(error @ BuildError::Memory(_)) => {
                    notices.warn(&format!("{}: {error}", partition.name()));
                    continue;
                }
            }
            budget.reserve(needs.bytes)?;
            new.chosen.push(Choice { size, blank, partition, from: 0, in_memory: true });
        }
        if !new.chosen.is_empty() {
            budget.reserve(beside)?;
        }
        Ok(new)
    }

    /// The first record of the run for which databases are used for such boards.
    pub(super) fn from(&self, size: Size, blank: usize) -> u64 {
        let of_kind = |choice: &&Choice| (choice.size, choice.blank) == (size, blank);
        self.chosen.iter().find(of_kind).map_or(0, |choice| choice.from)
    }

    /// Brings databases into memory for which it was too early before.
    pub(super) fn bring(
        &mut self,
        size: Size,
        blank: usize,
        settings: &Settings,
        counters: &Counters,
        ending: &Ending,
        notices: &dyn Notices,
    ) {
        let missing = |choice: &Choice| !choice.in_memory && (choice.size, choice.blank) == (size, blank);
        let Some(index) = self.chosen.iter().position(missing) else { return };
        let partition = self.chosen[index].partition.clone();
        let kind = Kind { size, blank, count: 0, work: 0, guessed: true };
        match self.fetch(settings, kind, &partition, counters, ending, notices) {
            Ok(()) => self.chosen[index].in_memory = true,
            Err(error) => {
                self.chosen.remove(index);
                if let BuildError::Memory(_) = error {
                    notices.warn(&format!("{}: {error}", partition.name()));
                }
            }
        }
    }

    /// The partition for a board whose databases are in memory. Where nobody
    /// foresaw such a board, one is fetched that is made in a moment and that the
    /// ledger has room for.
    pub(super) fn partition(&mut self, size: Size, blank: usize, ledger: &Budget) -> Option<Partition> {
        let same = |choice: &&Choice| choice.size == size && choice.blank == blank;
        let exact = self.chosen.iter().find(same);
        // A goal that nobody has seen yet may be a mirror image of one that was.
        let found = exact
            .or_else(|| self.chosen.iter().find(|choice| self.library.has(&choice.partition, size, blank)))
            .map(|choice| choice.partition.clone());
        let is_small = self.forced || CELLS.contains(&size.cells());
        if found.is_some() || !self.wanted || !is_small || size.cells() > SMALL {
            return found;
        }
        for partition in self.candidates(size).into_iter().rev() {
            let Some(needs) = self.library.needs(&partition, size, blank) else { continue };
            if needs.states <= IN_A_MOMENT
                && needs.peak <= ledger.left()
                && self.library.fetch(&partition, size, blank, 1, &|_| true).is_ok_and(|fits| fits)
                && ledger.reserve(needs.bytes).is_ok()
            {
                self.chosen.push(Choice {
                    size,
                    blank,
                    partition: partition.clone(),
                    from: 0,
                    in_memory: true,
                });
                return Some(partition);
            }
        }
        None
    }

    fn candidates(&self, size: Size) -> Vec<Partition> {
        match &self.partition {
            Some(partition) => partition.variants(),
            None => Partition::candidates(size.cells()),
        }
    }

    /// The best partition for a kind of board, and what it needs.
    fn choose(
        &mut self,
        settings: &Settings,
        kind: Kind,
        budget: &Budget,
        others: OtherNeeds<'_>,
        notices: &dyn Notices,
    ) -> Result<Option<(Partition, Needs)>, RunError> {
        let Kind { size, blank, count, work, guessed } = kind;
        let forced = self.forced;
        if !forced && !CELLS.contains(&size.cells()) {
            return Ok(None);
        }
        let left = budget.left();
        // What is reserved already and does not depend on the cap.
        let fixed = (budget.cap() - left).saturating_sub((others.before)(budget.cap()));
        let threads = settings.threads.min(cores()) as f64;
        let without = work as f64 * seconds_for_a_board(size.cells(), None) / threads;
        let mut best = (!forced).then_some((without, None));
        let mut least: Option<u64> = None;
        let mut said = vec![format!("none: {without:.1} s")];
        for partition in self.candidates(size) {
            let Some(needs) = self.library.needs(&partition, size, blank) else { continue };
            let with = |cap| (needs.peak + Shares::PROGRAM).max(needs.bytes + (others.after)(cap));
            if with(budget.cap()) > left {
                let needed = least_cap(|cap| fixed + (others.before)(cap) + with(cap));
                said.push(format!("{partition}: needs {}", Bytes(needed)));
                least = Some(least.map_or(needed, |least| least.min(needed)));
                continue;
            }
            let is_wide = size.cells() > SMALL;
            // The search wants memory, too.
            if is_wide && needs.bytes > left / 3 && matches!(best, Some((_, Some(_)))) {
                said.push(format!("{partition}: {} are too large a part", Bytes(needs.bytes)));
                continue;
            }
            let set_up = seconds_to_set_up(&needs, threads);
            let more = if is_wide { partition.divisions() as f64 } else { 1.0 };
            let each = seconds_for_a_board(size.cells(), partition.largest()) / more.sqrt();
            let all = set_up + work as f64 * each / threads;
            said.push(format!("{partition}: {all:.1} s, {set_up:.1} s of it set-up, {}", Bytes(needs.bytes)));
            if best.as_ref().is_none_or(|(time, _)| all < *time) {
                best = Some((all, Some((partition, needs))));
            }
        }
        let chosen = best.and_then(|(_, chosen)| chosen);
        if settings.explain {
            let name = chosen.as_ref().map_or("no database", |(partition, _)| partition.name());
            let about = match count {
                _ if guessed => "boards that a stream may bring, from where it pays".into(),
                0 => "some boards".into(),
                count if work > 4 * count => {
                    format!(
                        "about {} boards as hard as {} usual ones",
                        Count(count as f64),
                        Count(work as f64)
                    )
                }
                count => format!("about {} boards", Count(count as f64)),
            };
            notices.explain(&format!(
                "{size}: {name}, for {about}; expected for the whole batch: {}",
                said.join("; ")
            ));
        }
        match (chosen, least) {
            (None, Some(needed)) if forced => Err(Short { cap: budget.cap(), needed }.into()),
            (chosen, _) => Ok(chosen),
        }
    }

    fn fetch(
        &mut self,
        settings: &Settings,
        kind: Kind,
        partition: &Partition,
        counters: &Counters,
        ending: &Ending,
        notices: &dyn Notices,
    ) -> Result<(), BuildError> {
        let listener = |event: Event<'_>| {
            match event {
                Event::Damaged(pattern, damage) => {
                    notices.warn(&format!("the pattern database {pattern} {damage}; it is made again"))
                }
                Event::NotKept(pattern, error) => notices.warn(&format!(
                    "the pattern database {pattern} could not be kept for the next run: {error}"
                )),
                Event::Made(_, done, all) => counters.prepare(done, all),
            }
            !ending.is_due()
        };
        let fetched =
            self.library.fetch(partition, kind.size, kind.blank, settings.threads.min(cores()), &listener);
        counters.prepared();
        fetched.map(drop)
    }
}

impl Settings {
    /// Whether shortest solutions of large boards, too, are asked for.
    fn insists_on_shortest(&self) -> bool {
        match self.algorithm {
            Algorithm::Auto => self.quality == Quality::Optimal,
            algorithm => matches!(algorithm, Algorithm::Astar | Algorithm::Ida),
        }
    }

    /// Whether pattern databases could be of use to anybody.
    fn may_use_databases(&self) -> bool {
        match self.heuristic {
            // They count single steps.
            _ if self.tile_metric != Metric::Tile => false,
            HeuristicChoice::Pdb => true,
            // What pays depends on the machine and on what is kept on its disk.
            HeuristicChoice::Auto if self.deterministic => false,
            HeuristicChoice::Auto => self.quality != Quality::Fast && self.algorithm.proves_shortest(),
            _ => false,
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
