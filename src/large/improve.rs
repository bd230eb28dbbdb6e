//! Anytime improvement: shorter and shorter solutions until the deadline.
//!
//! 1. The staged solver gives a first solution at once.
//! 2. Beams run one after the other, each as wide as its share of the time allows. Helper threads
//!    run beams of their own, which solve the lines in another order or start at the goal. Two
//!    different beams find as much as one of twice the width, and need no synchronisation.
//! 3. Windows of the best path are shortened for the rest of the time. The path is cut into
//!    segments so that all threads can work on it.

use super::beam::{self, BeamParams, Weights, Work};
use super::staged::Staged;
use super::windows::Windows;
use crate::large::mutable_board::{MutableBoard, backward};
use crate::puzzle::tiles::{Direction, Size};
use crate::search::{HelperPool, Limits, Stop};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The resources of an improvement.
pub struct Resources<'a> {
    /// The limits; their deadline ends the improvement.
    pub limits: Limits<'a>,
    /// The pool of helper threads.
    pub helpers: &'a dyn HelperPool,
    /// The largest number of threads, the caller included.
    pub threads: usize,
    /// Memory for beams.
    pub memory: &'a mut [u64],
    /// A lower bound on the length of a solution.
    pub bound: usize,
    /// The width of the beams, if the user chose one.
    pub width: Option<usize>,
}

/// The best solution so far.
struct Incumbent {
    path: Mutex<Vec<Direction>>,
    length: AtomicUsize,
}

impl Incumbent {
    fn offer(&self, path: Vec<Direction>) {
        let mut best = self.path.lock();
        if path.len() < best.len() {
            self.length.store(path.len(), Relaxed);
            *best = path;
        }
    }
}

/// The time for an improvement without a deadline.
pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Returns the shortest solution of `field` found before the deadline. `initial` is a solution to
/// start from, if there is one. With no limit other than time, a solution is always found.
pub fn improve(
    field: &MutableBoard,
    initial: Option<Vec<Direction>>,
    resources: Resources<'_>,
    work: &mut Work,
) -> Result<Vec<Direction>, Stop> {
    let started = Instant::now();
    let first = match initial {
        Some(path) => path,
        None => {
            let mut staged = field.clone();
            let halt = resources.limits.halt;
            Staged::new(field.size()).solve(&mut staged, &Limits { halt, ..Limits::default() })?;
            staged.into_moves()
        }
    };
    let deadline = resources.limits.deadline.unwrap_or(started + DEFAULT_TIME);
    let best = Incumbent { length: AtomicUsize::new(first.len()), path: Mutex::new(first) };
    let limits = Limits { deadline: Some(deadline), ..resources.limits };
    let rounds = Rounds {
        field,
        best: &best,
        limits,
        helpers: resources.helpers,
        bound: resources.bound,
        beams_started: AtomicUsize::new(0),
    };
    loop {
        let round_started = Instant::now();
        if beam::supports(field.size()) {
            rounds.run_beams(
                round_started,
                deadline,
                (resources.threads, resources.memory, resources.width),
                work,
            );
        }
        rounds.shorten_windows(work);
        // Beams with other side orders may find more, if enough time is left.
        let left = deadline.saturating_duration_since(Instant::now());
        let enough = left > (deadline - started) / 10 && limits.reached(0).is_none();
        if !enough || !beam::supports(field.size()) || resources.width.is_some() || rounds.is_shortest() {
            break;
        }
    }
    Ok(best.path.into_inner())
}

/// The start and the end of a round of beams.
struct Schedule {
    started: Instant,
    deadline: Instant,
    total: Duration,
}

/// The state shared by the rounds of an improvement.
struct Rounds<'a> {
    field: &'a MutableBoard,
    best: &'a Incumbent,
    limits: Limits<'a>,
    helpers: &'a dyn HelperPool,
    bound: usize,
    /// The number of beams started so far.
    beams_started: AtomicUsize,
}

impl Rounds<'_> {
    /// Returns whether the best solution has reached the lower bound.
    fn is_shortest(&self) -> bool {
        self.best.length.load(Relaxed) <= self.bound
    }

    /// Runs beams one after the other for most of the time. In each round, every thread that joins
    /// runs a beam of its own.
    fn run_beams(
        &self,
        started: Instant,
        deadline: Instant,
        (threads, memory, width): (usize, &mut [u64], Option<usize>),
        work: &mut Work,
    ) {
        let total = deadline.saturating_duration_since(started);
        let schedule = Schedule { started, deadline, total };
        let size = self.field.size();
        let needed = beam::bytes(size, beam::max_width_in(size, total));
        for &(fraction, changes_ends) in beam_schedule(size, total) {
            // Helpers may still join later, but the owner's beam must not become narrower for them.
            let shares = match self.helpers.has_idle() {
                true => threads.max(1),
                false => (8 * memory.len() / needed).clamp(1, threads.max(1)),
            };
            let share = memory.len() / shares;
            let memories: Mutex<Vec<&mut [u64]>> =
                Mutex::new(memory.chunks_mut(share.max(1)).take(shares).collect());
            let total_work = Mutex::new(Work::default());
            self.helpers.run_shared(&|| {
                // Memory is taken from the back; every other thread starts at the goal.
                let (memory, from_other_end) = {
                    let mut memories = memories.lock();
                    let Some(memory) = memories.pop() else { return };
                    (memory, (shares - 1 - memories.len()) % 2 == 1)
                };
                let mut work = Work::default();
                self.run_beam(
                    (memory, width),
                    (&schedule, fraction),
                    from_other_end != changes_ends,
                    &mut work,
                );
                *total_work.lock() += work;
            });
            *work += total_work.into_inner();
        }
    }

    /// Runs one beam that should end after a fraction of the time.
    fn run_beam(
        &self,
        (memory, width): (&mut [u64], Option<usize>),
        (&Schedule { started, deadline, total }, fraction): (&Schedule, f64),
        from_goal: bool,
        work: &mut Work,
    ) {
        let size = self.field.size();
        let params = BeamParams {
            width: width
                .unwrap_or_else(|| beam::max_width_in(size, total))
                .min(beam::max_width(size, 8 * memory.len())),
            deadline: width.is_none().then_some(started + total.mul_f64(fraction)),
            side_order: BeamParams::SIDE_ORDERS
                [self.beams_started.fetch_add(1, Relaxed) % BeamParams::SIDE_ORDERS.len()],
            weights: Weights::for_size(size),
        };
        if params.width == 0 || Instant::now() >= deadline {
            return;
        }
        let hard_deadline = started + total.mul_f64((fraction * 1.1).min(0.985));
        let limits = Limits { deadline: Some(hard_deadline.min(deadline)), ..self.limits };
        let best = self.best.length.load(Relaxed);
        let reversed = from_goal.then(|| self.field.reversed());
        let field = reversed.as_ref().unwrap_or(self.field);
        let found = beam::solve(field, &params, best, &limits, memory, work);
        if let Ok(Some(path)) = found {
            self.best.offer(if from_goal { backward(&path) } else { path });
        }
    }

    /// Shortens windows with increasing slack until the time is over or nothing is found.
    fn shorten_windows(&self, work: &mut Work) {
        let tried = Mutex::new(0u64);
        let mut slack = 4;
        let mut offset = 0;
        while slack <= MAX_SLACK && !self.is_shortest() && self.limits.reached(0).is_none() {
            let path = std::mem::take(&mut *self.best.path.lock());
            let before = path.len();
            let segments = self.segments(path, offset);
            let next = AtomicUsize::new(0);
            let is_over = AtomicBool::new(false);
            self.helpers.run_shared(&|| {
                let mut windows = Windows::new(self.field.size());
                while let Some(segment) = segments.get(next.fetch_add(1, Relaxed)) {
                    let (field, path) = &mut *segment.lock();
                    let mut polls = 0u32;
                    windows.shorten(field, path, slack, || {
                        polls += 1;
                        if polls.is_multiple_of(4) && self.limits.reached(0).is_some() {
                            is_over.store(true, Relaxed);
                        }
                        is_over.load(Relaxed)
                    });
                }
                *tried.lock() += windows.tried();
            });
            let path: Vec<Direction> =
                segments.into_iter().flat_map(|segment| segment.into_inner().1).collect();
            let after = path.len();
            self.best.length.store(after, Relaxed);
            *self.best.path.lock() = path;
            offset += SEGMENT_MOVES / 2;
            // Each slack gets two passes, with the cuts between segments in different places.
            if after == before && offset.is_multiple_of(SEGMENT_MOVES) {
                slack += 2;
            }
        }
        work.generated += tried.into_inner();
    }

    /// Cuts `path` into segments, each with the board at its start. `offset` shifts the
    /// cuts.
    fn segments(&self, path: Vec<Direction>, offset: usize) -> Vec<Mutex<(MutableBoard, Vec<Direction>)>> {
        let mut field = self.field.clone();
        let mut segments = Vec::new();
        let mut rest = path.as_slice();
        let mut size = SEGMENT_MOVES - offset % SEGMENT_MOVES;
        while !rest.is_empty() {
            let (segment, others) = rest.split_at(size.min(rest.len()));
            segments.push(Mutex::new((field.clone(), segment.to_vec())));
            segment.iter().for_each(|&step| field.shift(step));
            rest = others;
            size = SEGMENT_MOVES;
        }
        segments
    }
}

/// The largest slack for which depth-first search is affordable.
const MAX_SLACK: usize = 16;

/// The number of moves in a segment.
const SEGMENT_MOVES: usize = 256;

/// Returns the schedule of beams: the fraction of `total` at which each should end, and whether it
/// starts at the other end of the puzzle. On a small board two beams, one from each end, find more
/// than one of twice the width.
fn beam_schedule(size: Size, total: Duration) -> &'static [(f64, bool)] {
    if total < Duration::from_millis(300) {
        &[(0.92, false)]
    } else if size.cells() <= 25 {
        &[(0.04, false), (0.48, false), (0.92, true)]
    } else {
        &[(0.04, false), (0.92, false)]
    }
}
