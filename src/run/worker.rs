//! A worker: reads blocks of records, decides what can be decided at once, and goes
//! on with what cannot.

use super::RunError;
use super::checkpoint::{BadCheckpoint, Checkpoints, OneSearch};
use super::resume::Mark;
use crate::input::Block;
use crate::large::staged::Staged;
use crate::memory::{Region, limits};
use crate::model::interrupt::StopCondition;
use crate::model::report::{Effort, GiveUp, Instance, Report, Verdict};
use crate::options::Options;
use crate::output::{Style, Summary, replay};
use crate::puzzle::tiles::{Board, Goal, is_solvable};
use crate::run::reorder::{Closed, Part, ReorderBuffer, moves};
use crate::run::scheduler::{Next, Place, Scheduler};
use crate::run::source::{Asked, RECORDS, RecordSource, Taken};
use crate::search::checkpoint::CheckpointSink;
use crate::search::{HelperPool, Limits, NoHelpers};
use crate::solve::cache::{CachedSolver, SolverCache};
use crate::solve::counters::Counters;
use crate::solve::memory_plan::MemoryPlan;
use crate::solve::plan::Tier;
use crate::solve::solver::{Attempt, Solver};
use crate::solve::trays;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a worker waits for its turn to read.
const PATIENCE: Duration = Duration::from_millis(5);

/// What all workers share.
pub(crate) struct Shared<'r> {
    pub(crate) options: &'r Options,
    pub(crate) style: Style,
    pub(crate) stop_condition: &'r StopCondition,
    pub(crate) solver_cache: SolverCache<'r>,
    pub(crate) scheduler: &'r Scheduler<Job>,
    pub(crate) source: Mutex<RecordSource<'r>>,
    pub(crate) window: ReorderBuffer<'r>,
    pub(crate) counters: &'r Counters,
    pub(crate) large: Mutex<Region<'r>>,
    pub(crate) checkpoints: Option<Checkpoints<'r>>,
    /// Why the run has to end, if it has.
    pub(crate) failed: Mutex<Option<RunError>>,
    /// A solution that does not replay.
    pub(crate) wrong: Mutex<Option<String>>,
    /// What a solution may take of which a worker has a block full in its hands,
    /// in bytes, and one for which the large part and a slice are given back.
    pub(crate) light: u64,
    pub(crate) most_weight: u64,
    /// Bytes of the large part.
    pub(crate) large_bytes: u64,
}

impl Shared<'_> {
    /// The limits of a puzzle on which some effort was spent already.
    fn limits<'h>(&self, spent: &Effort, halt: &'h (dyn Fn() -> bool + Sync)) -> Limits<'h> {
        let own = self.options.timeout.map(|timeout| Instant::now() + timeout.saturating_sub(spent.time));
        let deadline = own.into_iter().chain(self.stop_condition.deadline).min();
        // Of a puzzle's own time, a quarter.
        let quarter = own.map(|own| own - own.saturating_duration_since(Instant::now()) * 3 / 4);
        let any_solution_until = quarter.map(|until| deadline.map_or(until, |deadline| until.min(deadline)));
        Limits {
            max_nodes: self.options.max_nodes,
            deadline,
            any_solution_until,
            halt: Some(halt),
            on_nodes: None,
            on_bound: None,
            checkpoint_sink: None,
        }
    }

    /// Who keeps the standing of a puzzle's search, if anybody does.
    fn checkpoint_sink(&self, job: &Job, tier: Tier) -> Result<Option<OneSearch<'_>>, RunError> {
        let Some(checkpoints) = self.checkpoints.as_ref().filter(|_| tier == Tier::Large) else {
            return Ok(None);
        };
        match &job.report.instance {
            Some(instance @ Instance::Tiles { board, .. }) if board.size().cells() > 16 => {
                let checkpoint_sink = checkpoints.checkpoint_sink(instance, self.large_bytes as usize);
                checkpoint_sink.map(Some).map_err(|bad| self.bad_checkpoint(bad))
            }
            _ => Ok(None),
        }
    }

    /// Why nothing more is begun, if the run has to end.
    fn ended_by(&self) -> Option<GiveUp> {
        if self.stop_condition.interrupt.is_raised() {
            return Some(GiveUp::Interrupted);
        }
        self.stop_condition.is_past_deadline().then_some(GiveUp::Time)
    }

    /// Whether only the end of the whole run, by a signal or its deadline, made a
    /// verdict what it is.
    fn is_cut_short(&self, verdict: &Verdict, deadline: Option<Instant>) -> bool {
        let could_be_better = match verdict {
            Verdict::Solved(solution) => !solution.optimal,
            Verdict::GaveUp { reason, .. } => matches!(reason, GiveUp::Time | GiveUp::Interrupted),
            Verdict::Unsolvable { .. } | Verdict::Invalid { .. } => false,
        };
        let is_over = |ends| deadline == Some(ends) && Instant::now() >= ends;
        could_be_better
            && (self.stop_condition.interrupt.is_raised()
                || self.stop_condition.deadline.is_some_and(is_over))
    }

    fn bad_checkpoint(&self, bad: BadCheckpoint) -> RunError {
        RunError::Checkpoint(self.options.checkpoint.clone().unwrap_or_default(), bad)
    }

    /// Whether the result of a puzzle may be so large that not every worker can
    /// have one at once.
    fn is_heavy(&self, instance: &Instance) -> bool {
        matches!(instance, Instance::Tiles { board, .. } if weight(board) > self.light)
    }

    /// Whether the result of a board fits the memory when nothing else uses the
    /// large part and the worker's slice. Its list of moves grows by doubling, which
    /// counts where the address space is limited.
    fn has_room(&self, board: &Board) -> bool {
        let weight = weight(board);
        let needed = weight + Staged::bytes(board.size()) as u64;
        let is_mappable = || limits::address_space_left().is_none_or(|left| left > needed + weight);
        weight <= self.light || (needed <= self.most_weight && is_mappable())
    }

    /// Tries a puzzle in its way.
    fn attempt(
        &self,
        solver: Option<&dyn Solver>,
        instance: &Instance,
        attempt: Attempt<'_, '_>,
        effort: &mut Effort,
    ) -> Option<Verdict> {
        match (solver, instance) {
            _ if attempt.tier != Tier::Large && self.is_heavy(instance) => None,
            (_, Instance::Tiles { board, .. }) if !self.has_room(board) => {
                Some(Verdict::GaveUp { reason: GiveUp::Memory, bound: 0 })
            }
            (Some(solver), Instance::Tiles { board, .. }) => solver.attempt(board, attempt, effort),
            (_, Instance::Tray { tray, metric }) => {
                if attempt.tier != Tier::Large && trays::is_large(tray) {
                    return None;
                }
                let plan = trays::TrayPlan::new(self.options, *metric);
                if let Some(reason) = plan.refusal() {
                    self.solver_cache.warn_unsupported_trays(&reason);
                }
                let table_bytes = if self.options.deterministic {
                    MemoryPlan::TRAY_TABLES as usize
                } else {
                    self.solver_cache.tables_left() as usize / self.options.threads
                };
                trays::attempt(tray, plan, table_bytes, attempt, effort)
            }
            (None, Instance::Tiles { .. }) => unreachable!("boards have solvers"),
        }
    }
}

/// A puzzle that was not decided at once.
pub(crate) struct Job {
    batch: Arc<Batch>,
    slot: usize,
    report: Report,
    /// Records of the whole run before it. Its solver is looked for when its turn
    /// comes: each may have another, and waiting they would take memory.
    before: u64,
}

/// The results of one block, from the first that was not decided at once.
struct Batch {
    seq: u64,
    /// Bytes of input, of all records and of each one on average.
    bytes: u64,
    share: u64,
    /// How far the input is at the block's end.
    mark: Option<Mark>,
    inner: Mutex<Results>,
}

/// What there is of a block's results.
struct Results {
    slots: Vec<Slot>,
    /// How many of them have been handed to the window.
    passed_on: usize,
}

/// A record's result.
enum Slot {
    /// There is none: the record belongs to another shard, or it was not begun
    /// before the run was interrupted.
    Skipped,
    /// It is still to come.
    Undecided,
    /// Here it is, and whether it was cut short.
    Decided(Box<Report>, bool),
}

/// What became of a record at the first look.
#[derive(PartialEq)]
enum Fate {
    Decided,
    /// Decided only because the run ends.
    CutShort,
    /// It needs more than a look.
    Undecided,
}

/// One thread's part of a run.
pub(crate) struct Worker<'w, 'r> {
    shared: &'w Shared<'r>,
    slice: Region<'r>,
    block: Block,
    /// The block's file, in a copy that no other worker counts.
    file: Arc<str>,
    summary: Summary,
    /// What is known of the last size and goal: most files have but one.
    last: Option<CachedSolver>,
}

impl<'w, 'r> Worker<'w, 'r> {
    pub(crate) fn new(shared: &'w Shared<'r>, slice: Region<'r>) -> Self {
        Self { shared, slice, block: Block::default(), file: "".into(), summary: Summary::new(), last: None }
    }

    /// Works until nothing is left to do.
    pub(crate) fn work(mut self) {
        loop {
            match self.shared.scheduler.next() {
                Next::Nothing => break,
                Next::Read => self.read(),
                Next::Slice(place, job) => self.solve(place, job, Tier::Slice),
                Next::Large(place, job) => self.solve(place, job, Tier::Large),
            }
        }
        self.shared.window.add(&self.summary);
    }

    /// Takes the next block and decides what can be decided at once.
    fn read(&mut self) {
        let scheduler = self.shared.scheduler;
        // Whoever reads may wait for a slow writer: there are better things to do.
        let Some(mut source) = self.shared.source.try_lock_for(PATIENCE) else {
            return scheduler.read_later();
        };
        let asked = source.next(&mut self.block);
        drop(source);
        let Taken { seq, before, file, bytes, answered: mut left_out, mark } = match asked {
            Asked::Block(taken) => taken,
            Asked::NotYet => return scheduler.read_later(),
            Asked::Ended => return scheduler.input_ended(),
        };
        scheduler.block_read(bytes);
        if self.file != file {
            self.file = (*file).into();
        }
        let text = Vec::with_capacity(64 * self.block.len());
        let mut passed_on = Part { text, bytes, is_last: true, mark, ..Part::default() };
        // What comes after the first record that is still to be decided.
        let mut slots = Vec::new();
        let mut jobs = Vec::new();
        let mut generated = 0;
        let mut interrupted = false;
        let mut ours_here = 0;
        for index in 0..self.block.len() {
            let ours = self.shared.options.is_in_shard(self.block.number(index));
            if interrupted || !ours || left_out > 0 {
                left_out -= u64::from(ours && left_out > 0);
                if !slots.is_empty() {
                    slots.push(Slot::Skipped);
                }
                continue;
            }
            ours_here += 1;
            let (report, fate) = self.at_once(index, before + index as u64);
            let cut_short = fate == Fate::CutShort;
            // The first one that is not decided for that reason says so, and marks
            // the place where results are missing.
            interrupted = matches!(report.verdict, Verdict::GaveUp { reason: GiveUp::Interrupted, .. });
            generated += report.effort.generated;
            if fate == Fate::Undecided {
                jobs.push((slots.len(), index, report));
                slots.push(Slot::Undecided);
            } else if !slots.is_empty() {
                scheduler.hold(moves(&report));
                slots.push(Slot::Decided(Box::new(report), cut_short));
            } else if self.write(report, &mut passed_on) {
                passed_on.count(cut_short);
            } else {
                return;
            }
        }
        self.shared.counters.add_nodes(generated);
        let share = bytes / self.block.len().max(1) as u64;
        let undecided = jobs.len() as u64;
        self.shared.counters.add_records(ours_here - undecided, bytes - undecided * share);
        if jobs.is_empty() {
            return self.put(seq, passed_on);
        }
        let mark = passed_on.mark.clone();
        self.put(seq, Part { bytes: 0, is_last: false, ..passed_on });
        let batch =
            Arc::new(Batch { seq, bytes, share, mark, inner: Mutex::new(Results { slots, passed_on: 0 }) });
        for (slot, index, report) in jobs {
            let job = Job { batch: batch.clone(), slot, report, before: before + index as u64 };
            scheduler.put_off(seq * RECORDS as u64 + index as u64, job);
        }
    }

    /// Reads a record and tries it for a moment. `place` counts the records of the
    /// run before it.
    fn at_once(&mut self, index: usize, place: u64) -> (Report, Fate) {
        let mut started = Instant::now();
        let (header, instance) = self.block.record(index);
        let mut report = Report {
            file: self.file.clone(),
            n: header.n,
            id: header.id.map(Into::into),
            line: header.line,
            instance: None,
            verdict: Verdict::Unsolvable { hint: None },
            effort: Effort::default(),
        };
        let instance = match instance {
            Ok(instance) => instance,
            Err(invalid) => {
                report.verdict = Verdict::Invalid { reason: invalid.to_string().into() };
                return (report, Fate::Decided);
            }
        };
        if let Some(reason) = self.shared.ended_by() {
            report.instance = Some(instance);
            report.verdict = Verdict::GaveUp { reason, bound: 0 };
            return (report, Fate::CutShort);
        }
        let way = match &instance {
            Instance::Tiles { board, goal, .. } => {
                let (known, is_new) =
                    self.shared.solver_cache.look_up(&mut self.last, board.size(), goal, place);
                if is_new {
                    // Tables that were made now are for all boards, not for this one.
                    started = Instant::now();
                }
                if !known.parity.admits(board) {
                    report.verdict = Verdict::Unsolvable { hint: hint(board, goal) };
                    report.instance = Some(instance);
                    return (report, Fate::Decided);
                }
                Some(known)
            }
            Instance::Tray { .. } => {
                self.shared.solver_cache.warn_tray_heuristic();
                None
            }
        };
        let interrupt = &self.shared.stop_condition.interrupt;
        let halt = || interrupt.is_raised();
        let limits = self.shared.limits(&report.effort, &halt);
        let deadline = limits.deadline;
        let attempt = Attempt { tier: Tier::Quick, limits, region: &mut self.slice, helpers: &NoHelpers };
        let verdict = match (&instance, way) {
            (Instance::Tiles { .. }, Some(_)) if self.shared.is_heavy(&instance) => None,
            (Instance::Tiles { board, .. }, Some(known)) => {
                known.solver.attempt(board, attempt, &mut report.effort)
            }
            _ => self.shared.attempt(None, &instance, attempt, &mut report.effort),
        };
        report.effort.time = started.elapsed();
        report.instance = Some(instance);
        let Some(verdict) = verdict else { return (report, Fate::Undecided) };
        let cut_short = self.shared.is_cut_short(&verdict, deadline);
        report.verdict = verdict;
        (report, if cut_short { Fate::CutShort } else { Fate::Decided })
    }

    /// Goes on with a puzzle that was put off.
    fn solve(&mut self, place: Place, mut job: Job, tier: Tier) {
        let (shared, scheduler) = (self.shared, self.shared.scheduler);
        if let Some(reason) = shared.ended_by() {
            job.report.verdict = Verdict::GaveUp { reason, bound: 0 };
            return self.decided(place, job, tier, true);
        }
        let solver = match &job.report.instance {
            Some(Instance::Tiles { board, goal, .. }) => Some(
                shared.solver_cache.look_up(&mut self.last, board.size(), goal, job.before).0.solver.clone(),
            ),
            _ => None,
        };
        let started = Instant::now();
        let generated = job.report.effort.generated;
        let halt = || shared.stop_condition.interrupt.is_raised() || scheduler.is_stopped();
        // What the search has said of its nodes while it runs.
        let told = AtomicU64::new(0);
        let on_nodes = |nodes: u64| {
            let before = told.fetch_max(nodes, Ordering::Relaxed);
            shared.counters.add_nodes(nodes.saturating_sub(before));
        };
        let on_bound = |cost: u32| shared.counters.search(cost);
        let checkpoint_sink = match shared.checkpoint_sink(&job, tier) {
            Ok(checkpoint_sink) => checkpoint_sink,
            Err(error) => {
                *shared.failed.lock() = Some(error);
                return scheduler.stop();
            }
        };
        let limits = Limits {
            on_nodes: Some(&on_nodes),
            on_bound: (tier == Tier::Large).then_some(&on_bound),
            checkpoint_sink: checkpoint_sink
                .as_ref()
                .map(|checkpoint_sink| checkpoint_sink as &dyn CheckpointSink),
            ..shared.limits(&job.report.effort, &halt)
        };
        let deadline = limits.deadline;
        let mut large;
        let heavy = job.report.instance.as_ref().is_some_and(|instance| shared.is_heavy(instance));
        let region = if tier == Tier::Large {
            if heavy {
                self.slice.release_pages();
            }
            large = shared.large.lock();
            &mut *large
        } else {
            &mut self.slice
        };
        let helpers = scheduler.post(place);
        let helpers: &dyn HelperPool = if shared.options.deterministic { &NoHelpers } else { &helpers };
        let attempt = Attempt { tier, limits, region, helpers };
        let Report { instance: Some(instance), effort, .. } = &mut job.report else {
            unreachable!("what is put off was read")
        };
        // What keeping a search takes comes from what is given back here, too.
        if tier == Tier::Large && (heavy || checkpoint_sink.is_some()) {
            attempt.region.release_pages();
        }
        let verdict = shared.attempt(solver.as_deref(), instance, attempt, effort);
        job.report.effort.time += started.elapsed();
        if tier == Tier::Large {
            shared.counters.search_ended();
        }
        if let Some(checkpoint_sink) = &checkpoint_sink {
            if let Some(refused) = checkpoint_sink.refused() {
                *shared.failed.lock() = Some(shared.bad_checkpoint(refused));
                return scheduler.stop();
            }
            let is_proved = match &verdict {
                Some(Verdict::Solved(solution)) => solution.optimal,
                verdict => matches!(verdict, Some(Verdict::Unsolvable { .. })),
            };
            checkpoint_sink.ended(is_proved);
        }
        let done = job.report.effort.generated.saturating_sub(generated);
        shared.counters.add_nodes(done.saturating_sub(told.into_inner()));
        let Some(verdict) = verdict else { return scheduler.outgrown(place, job, heavy) };
        shared.counters.add_records(1, job.batch.share);
        let cut_short = shared.is_cut_short(&verdict, deadline);
        job.report.verdict = verdict;
        self.decided(place, job, tier, cut_short);
    }

    /// Takes the result of a puzzle that was put off.
    fn decided(&mut self, place: Place, job: Job, tier: Tier, cut_short: bool) {
        let scheduler = self.shared.scheduler;
        scheduler.decided(place, tier == Tier::Large);
        scheduler.hold(moves(&job.report));
        let mut results = job.batch.inner.lock();
        results.slots[job.slot] = Slot::Decided(Box::new(job.report), cut_short);
        self.pass_on(&job.batch, &mut results);
    }
}

impl Worker<'_, '_> {
    /// Hands the results of a block to the window, up to the first that is
    /// still to come.
    fn pass_on(&mut self, batch: &Batch, results: &mut Results) {
        let mut part = Part::default();
        let mut released = 0;
        let before = results.passed_on;
        for slot in &mut results.slots[before..] {
            match std::mem::replace(slot, Slot::Skipped) {
                Slot::Skipped => {}
                Slot::Undecided => {
                    *slot = Slot::Undecided;
                    break;
                }
                Slot::Decided(report, cut_short) => {
                    released += moves(&report);
                    if !self.write(*report, &mut part) {
                        return;
                    }
                    part.count(cut_short);
                }
            }
            results.passed_on += 1;
        }
        self.shared.scheduler.release(released);
        if results.passed_on > before {
            part.is_last = results.passed_on == results.slots.len();
            part.mark = batch.mark.clone();
            if part.is_last {
                part.bytes = batch.bytes;
            }
            self.put(batch.seq, part);
        }
    }

    /// Hands the next part of a block to the window.
    fn put(&self, seq: u64, part: Part) {
        let scheduler = self.shared.scheduler;
        let (bytes, is_last) = (part.bytes, part.is_last);
        scheduler.hold(part.held());
        match self.shared.window.put(seq, part) {
            Ok((written, released)) => {
                scheduler.release(released);
                if is_last {
                    scheduler.block_finished(bytes, written);
                }
            }
            Err(Closed) => scheduler.stop(),
        }
    }

    /// Writes a result, after a last look at it; a wrong one ends the run.
    fn write(&mut self, report: Report, part: &mut Part) -> bool {
        if let (Some(instance), Verdict::Solved(solution)) = (&report.instance, &report.verdict)
            && let Err(wrong) = replay(instance, solution)
        {
            let wrong = format!("{}, record {} (line {}): {wrong}", report.file, report.n, report.line);
            *self.shared.wrong.lock() = Some(wrong);
            self.shared.scheduler.stop();
            return false;
        }
        self.summary.add(&report);
        part.name_invalid(&report);
        if self.shared.style.is_long(&report) {
            part.long.push((part.text.len(), Box::new(report)));
        } else {
            self.shared.style.write(&mut part.text, &report);
        }
        true
    }
}

/// About how many bytes the solution of a board takes while it is found, replayed
/// and written: a byte for each of up to 1.3 moves for each cell and each row and
/// column, and as much again where the line is written as a whole.
fn weight(board: &Board) -> u64 {
    let size = board.size();
    let moves = (size.cells() * (size.rows() + size.cols())) as u64 * 13 / 10;
    moves + moves.min(LONGEST_LINE)
}

/// The longest line that is held as a whole beside its moves.
const LONGEST_LINE: u64 = 1 << 20;

/// What the user may have meant by an unsolvable board.
fn hint(board: &Board, goal: &Goal) -> Option<Box<str>> {
    let leads_to = |other: &Goal| {
        other != goal && other.board(board.size()).is_some_and(|other| is_solvable(board, &other))
    };
    let names: Vec<_> = Goal::NAMED.into_iter().filter(leads_to).map(|goal| goal.name()).collect();
    match names.len() {
        0 => None,
        1 => Some(format!("solvable for the goal {}", names[0]).into()),
        _ => Some(format!("solvable for the goals {}", names.join(" and ")).into()),
    }
}
