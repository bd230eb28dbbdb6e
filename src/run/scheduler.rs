//! Scheduler of a run: decides what each worker does next.
//!
//! A worker that asks for work ([`Scheduler::next`]) gets the first of these that is possible:
//!
//! 1. the oldest job that waits for the large region, if the region is free;
//! 2. the oldest job that waits for a slice;
//! 3. a new block of input, while few enough blocks and bytes are in progress;
//! 4. a share of the oldest running search ([`super::helpers`]);
//! 5. otherwise it sleeps until something changes.
//!
//! Back-pressure: while the reorder buffer is over its limit, only the job that blocks it is
//! scheduled.
//!
//! The choice itself is a pure function, [`pick`].

use super::helpers::{self, HasLoans, Loans};
use crate::search::HelperPool;
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

pub(crate) use super::helpers::Seq;

/// Pause before an idle worker tries to read from a slow stream again.
const READ_RETRY: Duration = Duration::from_millis(50);

/// Sequence number of the oldest running job, readable without the scheduler's lock.
#[derive(Debug)]
pub(crate) struct OldestJob(AtomicU64);

impl OldestJob {
    const NONE: Seq = Seq::MAX;

    /// Returns whether any job is running.
    pub(crate) fn is_some(&self) -> bool {
        self.get() != Self::NONE
    }

    fn get(&self) -> Seq {
        self.0.load(Ordering::Relaxed)
    }
}

/// The next task of a worker.
pub(crate) enum Next<J> {
    /// Read another block.
    Read,
    /// Solve the job in the worker's slice.
    Slice(Seq, J),
    /// Solve the job in the large region, which is reserved for it.
    Large(Seq, J),
    /// End the worker.
    Shutdown,
}

/// Queues and counters that all workers share.
pub(crate) struct Scheduler<J> {
    state: Mutex<State<J>>,
    /// Notified when a sleeping worker may have something to do.
    wake: Condvar,
    /// Number of sleeping workers. Searches read it often, without the lock.
    idle: AtomicUsize,
    oldest: Arc<OldestJob>,
    stopped: Arc<AtomicBool>,
    limits: Limits,
    /// Bytes of results that wait for an earlier result.
    pending_bytes: AtomicU64,
}

/// Limits on the blocks in progress.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Blocks that are read and not yet written.
    max_blocks: u64,
    /// Bytes of their input, and bytes of results that wait for an earlier one.
    max_bytes: u64,
}

struct State<J> {
    slice_queue: BTreeMap<Seq, J>,
    large_queue: BTreeMap<Seq, J>,
    large_busy: bool,
    /// Jobs of `large_queue` whose results are too large to wait for an earlier one.
    large_results: BTreeSet<Seq>,
    running: BTreeSet<Seq>,
    loans: Loans,
    blocks_started: u64,
    blocks_finished: u64,
    blocks_written: u64,
    /// Input bytes of the blocks that are started and not finished.
    input_bytes: u64,
    input_ended: bool,
    /// Workers that are reading a block.
    readers: usize,
    /// Whether the input has nothing to read at the moment.
    input_slow: bool,
}

impl<J> State<J> {
    fn new() -> Self {
        Self {
            slice_queue: BTreeMap::new(),
            large_queue: BTreeMap::new(),
            large_busy: false,
            large_results: BTreeSet::new(),
            running: BTreeSet::new(),
            loans: Loans::new(),
            blocks_started: 0,
            blocks_finished: 0,
            blocks_written: 0,
            input_bytes: 0,
            input_ended: false,
            readers: 0,
            input_slow: false,
        }
    }

    /// Returns the lowest sequence number that is queued or running.
    fn first_undecided(&self) -> Seq {
        let queued = [self.slice_queue.first_key_value(), self.large_queue.first_key_value()];
        let queued = queued.into_iter().flatten().map(|(&seq, _)| seq);
        queued.chain(self.running.first().copied()).min().unwrap_or(Seq::MAX)
    }
}

impl<J> HasLoans for State<J> {
    fn loans(&mut self) -> &mut Loans {
        &mut self.loans
    }
}

/// What a worker should do, as decided by [`pick`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pick {
    /// End: the input has ended and all blocks are finished.
    Shutdown,
    /// Solve the first job of the large queue.
    Large,
    /// Solve the first job of the slice queue.
    Slice,
    /// Read a block.
    Read,
    /// Help a running search, or sleep if none accepts helpers.
    HelpOrWait,
}

/// Chooses the next task of a worker. `pending_bytes` are the bytes of results that wait for an
/// earlier result.
fn pick<J>(state: &State<J>, limits: Limits, pending_bytes: u64) -> Pick {
    if state.input_ended && state.blocks_finished == state.blocks_started {
        return Pick::Shutdown;
    }
    // Back-pressure: while the reorder buffer is over its limit, schedule only the job that
    // blocks it.
    let over_limit = pending_bytes >= limits.max_bytes;
    let first = state.first_undecided();
    if !state.large_busy
        && let Some((seq, _)) = state.large_queue.first_key_value()
        && (*seq == first || !(over_limit || state.large_results.contains(seq)))
    {
        return Pick::Large;
    }
    if let Some((&seq, _)) = state.slice_queue.first_key_value()
        && (seq == first || !over_limit)
    {
        return Pick::Slice;
    }
    // With no block in progress, one is read whatever the limits: the run must make progress.
    let in_progress = state.blocks_started - state.blocks_written;
    if !state.input_ended
        && !state.input_slow
        && (!over_limit || in_progress == 0)
        && in_progress < limits.max_blocks
        && (state.input_bytes < limits.max_bytes || in_progress == 0)
    {
        return Pick::Read;
    }
    Pick::HelpOrWait
}

impl<J> Scheduler<J> {
    /// Creates a scheduler that keeps up to `max_blocks` blocks, and about `max_bytes` bytes of
    /// them, in progress.
    pub(crate) fn new(max_blocks: u64, max_bytes: u64) -> Self {
        Self {
            state: Mutex::new(State::new()),
            wake: Condvar::new(),
            idle: AtomicUsize::new(0),
            oldest: Arc::new(OldestJob(AtomicU64::new(OldestJob::NONE))),
            stopped: Arc::default(),
            limits: Limits { max_blocks, max_bytes },
            pending_bytes: AtomicU64::new(0),
        }
    }

    /// Returns the next task. Helps running searches, or sleeps, until there is one.
    pub(crate) fn next(&self) -> Next<J> {
        let mut state = self.state.lock();
        loop {
            let picked = match self.is_stopped() {
                true => Pick::Shutdown,
                false => pick(&state, self.limits, self.pending_bytes.load(Ordering::Relaxed)),
            };
            match picked {
                Pick::Shutdown => {
                    self.wake.notify_all();
                    return Next::Shutdown;
                }
                Pick::Large => {
                    if let Some((seq, job)) = state.large_queue.pop_first() {
                        state.large_busy = true;
                        state.large_results.remove(&seq);
                        self.begin(&mut state, seq);
                        return Next::Large(seq, job);
                    }
                }
                Pick::Slice => {
                    if let Some((seq, job)) = state.slice_queue.pop_first() {
                        self.begin(&mut state, seq);
                        return Next::Slice(seq, job);
                    }
                }
                Pick::Read => {
                    state.blocks_started += 1;
                    state.readers += 1;
                    return Next::Read;
                }
                Pick::HelpOrWait => {
                    if helpers::help_oldest(&mut state, &self.wake) {
                        continue;
                    }
                    self.idle.fetch_add(1, Ordering::Relaxed);
                    if state.input_slow {
                        if self.wake.wait_for(&mut state, READ_RETRY).timed_out() {
                            state.input_slow = false;
                        }
                    } else {
                        self.wake.wait(&mut state);
                    }
                    self.idle.fetch_sub(1, Ordering::Relaxed);
                }
            }
        }
    }

    /// Records that the caller found the end of the input instead of a block.
    pub(crate) fn input_ended(&self) {
        let mut state = self.state.lock();
        state.blocks_started -= 1;
        state.readers -= 1;
        state.input_ended = true;
        self.wake.notify_all();
    }

    /// Records that the caller read no block: another worker is reading, or a stream has no data
    /// while a job is running.
    pub(crate) fn postpone_read(&self) {
        let mut state = self.state.lock();
        state.blocks_started -= 1;
        state.readers -= 1;
        state.input_slow = state.readers > 0 || self.oldest.is_some();
        self.wake.notify_all();
    }

    /// Records that the caller read a block of `bytes` bytes of input.
    pub(crate) fn block_read(&self, bytes: u64) {
        let mut state = self.state.lock();
        state.input_bytes += bytes;
        state.readers -= 1;
        if std::mem::take(&mut state.input_slow) {
            self.wake.notify_all();
        }
    }

    /// Records that a block of `bytes` bytes of input is finished. `written` is the number of
    /// blocks written so far.
    pub(crate) fn block_finished(&self, bytes: u64, written: u64) {
        let mut state = self.state.lock();
        state.blocks_finished += 1;
        state.input_bytes -= bytes;
        state.blocks_written = state.blocks_written.max(written);
        if self.idle.load(Ordering::Relaxed) > 0 {
            self.wake.notify_all();
        }
    }

    /// Enqueues a job for a worker's slice.
    pub(crate) fn enqueue_slice(&self, seq: Seq, job: J) {
        self.state.lock().slice_queue.insert(seq, job);
        self.wake.notify_all();
    }

    /// Enqueues a running job for the large region, because it has outgrown its slice. A job with
    /// a `large_result` starts only when all earlier jobs are complete.
    pub(crate) fn enqueue_large(&self, seq: Seq, job: J, large_result: bool) {
        let mut state = self.state.lock();
        self.end(&mut state, seq);
        state.large_queue.insert(seq, job);
        if large_result {
            state.large_results.insert(seq);
        }
        self.wake.notify_all();
    }

    /// Records that a job is complete. `large`: it ran in the large region, which is now free.
    pub(crate) fn complete(&self, seq: Seq, large: bool) {
        let mut state = self.state.lock();
        self.end(&mut state, seq);
        state.input_slow &= state.readers > 0;
        if large {
            state.large_busy = false;
        }
        self.wake.notify_all();
    }

    /// Adds to the bytes of results that wait for an earlier result.
    pub(crate) fn add_pending_bytes(&self, bytes: u64) {
        self.pending_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts from the bytes of results that wait for an earlier result.
    pub(crate) fn subtract_pending_bytes(&self, bytes: u64) {
        let before = self.pending_bytes.fetch_sub(bytes, Ordering::Relaxed);
        if before >= self.limits.max_bytes && before - bytes < self.limits.max_bytes {
            // Under the lock, so that no worker misses the change between `pick` and its sleep.
            let _state = self.state.lock();
            self.wake.notify_all();
        }
    }

    /// Ends the run: every worker gets [`Next::Shutdown`].
    pub(crate) fn stop(&self) {
        let _state = self.state.lock();
        self.stopped.store(true, Ordering::Relaxed);
        self.wake.notify_all();
    }

    /// Returns the flag that [`Scheduler::stop`] sets.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stopped.clone()
    }

    /// Returns the oldest running job.
    pub(crate) fn oldest(&self) -> Arc<OldestJob> {
        self.oldest.clone()
    }

    /// Returns whether [`Scheduler::stop`] was called.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Returns the helper pool of the job `seq`.
    pub(crate) fn helpers(&self, seq: Seq) -> JobHelpers<'_, J> {
        JobHelpers { scheduler: self, seq }
    }

    fn begin(&self, state: &mut State<J>, seq: Seq) {
        state.running.insert(seq);
        self.update_oldest(state);
    }

    fn end(&self, state: &mut State<J>, seq: Seq) {
        state.running.remove(&seq);
        self.update_oldest(state);
    }

    fn update_oldest(&self, state: &State<J>) {
        let oldest = state.running.first().copied().unwrap_or(OldestJob::NONE);
        self.oldest.0.store(oldest, Ordering::Relaxed);
    }
}

/// Helper pool of one job: idle workers help it while it is the oldest one running.
pub(crate) struct JobHelpers<'c, J> {
    scheduler: &'c Scheduler<J>,
    seq: Seq,
}

impl<J: Send> HelperPool for JobHelpers<'_, J> {
    fn has_idle(&self) -> bool {
        self.scheduler.idle.load(Ordering::Relaxed) > 0 && self.scheduler.oldest.get() == self.seq
    }

    fn run_shared(&self, work: &(dyn Fn() + Sync)) {
        helpers::run_shared(&self.scheduler.state, &self.scheduler.wake, self.seq, work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { max_blocks: 4, max_bytes: 1000 };

    /// A state in which `blocks` blocks have been read and none is finished.
    fn after_reading(blocks: u64) -> State<()> {
        State { blocks_started: blocks, ..State::new() }
    }

    #[test]
    fn queued_jobs_come_before_reading_and_the_large_queue_first() {
        let mut state = after_reading(1);
        assert_eq!(pick(&state, LIMITS, 0), Pick::Read);
        state.slice_queue.insert(3, ());
        assert_eq!(pick(&state, LIMITS, 0), Pick::Slice);
        state.large_queue.insert(5, ());
        assert_eq!(pick(&state, LIMITS, 0), Pick::Large);
        state.large_busy = true;
        assert_eq!(pick(&state, LIMITS, 0), Pick::Slice);
    }

    #[test]
    fn reading_stops_at_the_limits() {
        assert_eq!(pick(&after_reading(3), LIMITS, 0), Pick::Read);
        assert_eq!(pick(&after_reading(4), LIMITS, 0), Pick::HelpOrWait);
        let written = State { blocks_finished: 1, blocks_written: 1, ..after_reading(4) };
        assert_eq!(pick(&written, LIMITS, 0), Pick::Read);
        let many_bytes = State { input_bytes: 1000, ..after_reading(1) };
        assert_eq!(pick(&many_bytes, LIMITS, 0), Pick::HelpOrWait);
        let slow = State { input_slow: true, ..after_reading(1) };
        assert_eq!(pick(&slow, LIMITS, 0), Pick::HelpOrWait);
        // With nothing in progress, a block is read in any case.
        let none_in_progress = State { input_bytes: 1000, ..after_reading(0) };
        assert_eq!(pick(&none_in_progress, LIMITS, 1000), Pick::Read);
    }

    #[test]
    fn over_the_limit_only_the_job_that_blocks_the_others_is_scheduled() {
        let mut state = after_reading(1);
        state.running.insert(2);
        state.slice_queue.insert(3, ());
        state.large_queue.insert(4, ());
        assert_eq!(pick(&state, LIMITS, 999), Pick::Large);
        assert_eq!(pick(&state, LIMITS, 1000), Pick::HelpOrWait);
        state.running.clear();
        assert_eq!(pick(&state, LIMITS, 1000), Pick::Slice);
        state.slice_queue.clear();
        assert_eq!(pick(&state, LIMITS, 1000), Pick::Large);
    }

    #[test]
    fn a_large_result_waits_for_all_earlier_jobs() {
        let mut state = after_reading(4);
        state.running.insert(2);
        state.large_queue.insert(4, ());
        state.large_results.insert(4);
        assert_eq!(pick(&state, LIMITS, 0), Pick::HelpOrWait);
        state.running.clear();
        assert_eq!(pick(&state, LIMITS, 0), Pick::Large);
    }

    #[test]
    fn the_run_ends_when_all_blocks_are_finished() {
        let mut state = State { input_ended: true, ..after_reading(2) };
        assert_eq!(pick(&state, LIMITS, 0), Pick::HelpOrWait);
        state.blocks_finished = 2;
        assert_eq!(pick(&state, LIMITS, 0), Pick::Shutdown);
    }
}
