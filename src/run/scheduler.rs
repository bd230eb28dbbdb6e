//! What the workers of a run do next, and how they help each other.
//!
//! Puzzles that were not decided at once wait here, the oldest first. A worker
//! with nothing else to do helps the oldest puzzle that is being solved: nobody
//! idles while something runs.

use crate::search::HelperPool;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Where a record is in the order of the run: its block, then its place there.
pub(crate) type Place = u64;

/// How long a worker with nothing to do waits before it asks a slow writer for
/// input again.
const ASK_AGAIN: Duration = Duration::from_millis(50);

/// The oldest place that is being solved, for those who ask often.
#[derive(Debug)]
pub(crate) struct Oldest(AtomicU64);

impl Oldest {
    const NONE: Place = Place::MAX;

    /// Whether anything is being solved.
    pub(crate) fn is_some(&self) -> bool {
        self.get() != Self::NONE
    }

    fn get(&self) -> Place {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a worker is to do.
pub(crate) enum Next<J> {
    /// Read another block.
    Read,
    /// Solve this in the worker's slice.
    Slice(Place, J),
    /// Solve this in the large part, which nobody else uses now.
    Large(Place, J),
    /// Go home.
    Nothing,
}

/// The workers' common knowledge.
pub(crate) struct Scheduler<J> {
    state: Mutex<State<J>>,
    wake: Condvar,
    /// Workers with nothing to do, for searches that ask often.
    hungry: AtomicUsize,
    oldest: Arc<Oldest>,
    stopped: Arc<AtomicBool>,
    most_blocks: u64,
    most_bytes: u64,
    /// Bytes of results that wait for an earlier one.
    held: AtomicU64,
}

struct State<J> {
    slice: BTreeMap<Place, J>,
    large: BTreeMap<Place, J>,
    large_busy: bool,
    /// Of those that wait for the large part, those whose results are so large
    /// that none may wait for an earlier one.
    heavy: BTreeSet<Place>,
    running: BTreeSet<Place>,
    open: Vec<Open>,
    /// Blocks taken, finished and written so far.
    taken: u64,
    finished: u64,
    written: u64,
    /// Bytes of blocks that are taken and not finished.
    bytes: u64,
    input_ended: bool,
    /// Workers that were sent to read and have not come back, and whether it is
    /// known that there is nothing to read yet.
    reading: usize,
    input_slow: bool,
}

impl<J> State<J> {
    /// The first place that is not decided.
    fn first(&self) -> Place {
        let waiting = [self.slice.first_key_value(), self.large.first_key_value()];
        let waiting = waiting.into_iter().flatten().map(|(&place, _)| place);
        waiting.chain(self.running.first().copied()).min().unwrap_or(Place::MAX)
    }
}

/// A search that is open to helpers.
struct Open {
    place: Place,
    work: Work,
    helpers: usize,
    closed: bool,
    /// Whether a helper panicked: whatever the search says, it is not to be
    /// believed.
    broken: bool,
}

/// A borrowed piece of work whose owner waits until nobody uses it.
#[derive(Clone, Copy)]
struct Work(*const (dyn Fn() + Sync));

#[allow(unsafe_code)]
// SAFETY: what it points to is `Sync`, and lives until its owner has seen that
// nobody uses it (see `Opened`).
unsafe impl Send for Work {}

impl<J> Scheduler<J> {
    /// A scheduler that keeps so many blocks, and about so many bytes of them, under
    /// way at once.
    pub(crate) fn new(most_blocks: u64, most_bytes: u64) -> Self {
        let state = State {
            slice: BTreeMap::new(),
            large: BTreeMap::new(),
            large_busy: false,
            heavy: BTreeSet::new(),
            running: BTreeSet::new(),
            open: Vec::new(),
            taken: 0,
            finished: 0,
            written: 0,
            bytes: 0,
            input_ended: false,
            reading: 0,
            input_slow: false,
        };
        Self {
            state: Mutex::new(state),
            wake: Condvar::new(),
            hungry: AtomicUsize::new(0),
            oldest: Arc::new(Oldest(AtomicU64::new(Oldest::NONE))),
            stopped: Arc::default(),
            most_blocks,
            most_bytes,
            held: AtomicU64::new(0),
        }
    }

    /// Finds something to do; helps others, or waits, until there is something.
    pub(crate) fn next(&self) -> Next<J> {
        let mut state = self.state.lock();
        loop {
            if self.is_stopped() || (state.input_ended && state.finished == state.taken) {
                self.wake.notify_all();
                return Next::Nothing;
            }
            // While too many results wait, only what they wait for is gone on with.
            let crowded = self.held.load(Ordering::Relaxed) >= self.most_bytes;
            let first = state.first();
            if !state.large_busy
                && let Some((&place, _)) = state.large.first_key_value()
                && (place == first || !(crowded || state.heavy.contains(&place)))
                && let Some((place, job)) = state.large.pop_first()
            {
                state.large_busy = true;
                state.heavy.remove(&place);
                self.begin(&mut state, place);
                return Next::Large(place, job);
            }
            if let Some((&place, _)) = state.slice.first_key_value()
                && (place == first || !crowded)
                && let Some((place, job)) = state.slice.pop_first()
            {
                self.begin(&mut state, place);
                return Next::Slice(place, job);
            }
            let under_way = state.taken - state.written;
            if !state.input_ended
                && !state.input_slow
                && (!crowded || under_way == 0)
                && under_way < self.most_blocks
                && (state.bytes < self.most_bytes || under_way == 0)
            {
                state.taken += 1;
                state.reading += 1;
                return Next::Read;
            }
            let oldest = state.open.iter_mut().filter(|open| !open.closed).min_by_key(|open| open.place);
            if let Some(open) = oldest {
                open.helpers += 1;
                let (place, work) = (open.place, open.work);
                MutexGuard::unlocked(&mut state, || {
                    let _leave = Leave { scheduler: self, place };
                    #[allow(unsafe_code)]
                    // SAFETY: the owner waits in `Opened::drop` while there are
                    // helpers, and this is one until `_leave` is dropped.
                    let work = unsafe { &*work.0 };
                    work();
                });
                continue;
            }
            self.hungry.fetch_add(1, Ordering::Relaxed);
            if state.input_slow {
                if self.wake.wait_for(&mut state, ASK_AGAIN).timed_out() {
                    state.input_slow = false;
                }
            } else {
                self.wake.wait(&mut state);
            }
            self.hungry.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// There was nothing to read: neither this time nor later.
    pub(crate) fn input_ended(&self) {
        let mut state = self.state.lock();
        state.taken -= 1;
        state.reading -= 1;
        state.input_ended = true;
        self.wake.notify_all();
    }

    /// There was no time to read: somebody else takes long over it, or a writer
    /// does while something is being solved.
    pub(crate) fn read_later(&self) {
        let mut state = self.state.lock();
        state.taken -= 1;
        state.reading -= 1;
        state.input_slow = state.reading > 0 || self.oldest.is_some();
        self.wake.notify_all();
    }

    /// A block was read that takes so many bytes.
    pub(crate) fn block_read(&self, bytes: u64) {
        let mut state = self.state.lock();
        state.bytes += bytes;
        state.reading -= 1;
        if std::mem::take(&mut state.input_slow) {
            self.wake.notify_all();
        }
    }

    /// A block is finished, and so many blocks have been written now.
    pub(crate) fn block_finished(&self, bytes: u64, written: u64) {
        let mut state = self.state.lock();
        state.finished += 1;
        state.bytes -= bytes;
        state.written = state.written.max(written);
        if self.hungry.load(Ordering::Relaxed) > 0 {
            self.wake.notify_all();
        }
    }

    /// A puzzle waits for a worker's slice.
    pub(crate) fn put_off(&self, place: Place, job: J) {
        self.state.lock().slice.insert(place, job);
        self.wake.notify_all();
    }

    /// A puzzle has outgrown its slice and waits for the large part; if it is
    /// `heavy`, also until nothing that comes before it is left.
    pub(crate) fn outgrown(&self, place: Place, job: J, heavy: bool) {
        let mut state = self.state.lock();
        self.end(&mut state, place);
        state.large.insert(place, job);
        if heavy {
            state.heavy.insert(place);
        }
        self.wake.notify_all();
    }

    /// A puzzle is decided; `large`: the large part is free again.
    pub(crate) fn decided(&self, place: Place, large: bool) {
        let mut state = self.state.lock();
        self.end(&mut state, place);
        state.input_slow &= state.reading > 0;
        if large {
            state.large_busy = false;
        }
        self.wake.notify_all();
    }

    /// So many more bytes of results wait.
    pub(crate) fn hold(&self, bytes: u64) {
        self.held.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes of results do not wait any more.
    pub(crate) fn release(&self, bytes: u64) {
        let before = self.held.fetch_sub(bytes, Ordering::Relaxed);
        if before >= self.most_bytes && before - bytes < self.most_bytes {
            // Under the lock, so that nobody goes to sleep without knowing.
            let _state = self.state.lock();
            self.wake.notify_all();
        }
    }

    /// Sends everybody home.
    pub(crate) fn stop(&self) {
        let _state = self.state.lock();
        self.stopped.store(true, Ordering::Relaxed);
        self.wake.notify_all();
    }

    /// A flag that is up once everybody was sent home.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stopped.clone()
    }

    /// The oldest place that is being solved.
    pub(crate) fn oldest(&self) -> Arc<Oldest> {
        self.oldest.clone()
    }

    /// Whether everybody was sent home.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The company for the puzzle at a place.
    pub(crate) fn post(&self, place: Place) -> Post<'_, J> {
        Post { scheduler: self, place }
    }

    fn begin(&self, state: &mut State<J>, place: Place) {
        state.running.insert(place);
        self.note_oldest(state);
    }

    fn end(&self, state: &mut State<J>, place: Place) {
        state.running.remove(&place);
        self.note_oldest(state);
    }

    fn note_oldest(&self, state: &State<J>) {
        self.oldest.0.store(state.running.first().copied().unwrap_or(Oldest::NONE), Ordering::Relaxed);
    }
}

/// Who may help with the puzzle at a place: whoever is hungry, if it is the
/// oldest.
pub(crate) struct Post<'c, J> {
    scheduler: &'c Scheduler<J>,
    place: Place,
}

impl<J: Send> HelperPool for Post<'_, J> {
    fn has_idle(&self) -> bool {
        self.scheduler.hungry.load(Ordering::Relaxed) > 0 && self.scheduler.oldest.get() == self.place
    }

    fn run_shared(&self, work: &(dyn Fn() + Sync)) {
        let pointer: *const (dyn Fn() + Sync + '_) = work;
        #[allow(unsafe_code)]
        // SAFETY: only the lifetime changes; `Opened` sees to it that nobody
        // uses the pointer after this function has returned, or unwound.
        let pointer: *const (dyn Fn() + Sync + 'static) = unsafe { std::mem::transmute(pointer) };
        let open = Open { place: self.place, work: Work(pointer), helpers: 0, closed: false, broken: false };
        self.scheduler.state.lock().open.push(open);
        let mut opened = Opened { scheduler: self.scheduler, place: self.place };
        self.scheduler.wake.notify_all();
        work();
        // The helper's own message has been printed.
        assert!(!opened.close(), "a worker that helped with this puzzle panicked");
    }
}

/// An open search; when dropped, it is closed and all helpers have left.
struct Opened<'c, J> {
    scheduler: &'c Scheduler<J>,
    place: Place,
}

impl<J> Opened<'_, J> {
    /// Waits until all helpers have left; says whether one of them panicked.
    fn close(&mut self) -> bool {
        let mut state = self.scheduler.state.lock();
        loop {
            let Some(index) = state.open.iter().position(|open| open.place == self.place) else {
                return false;
            };
            state.open[index].closed = true;
            if state.open[index].helpers == 0 {
                return state.open.swap_remove(index).broken;
            }
            self.scheduler.wake.wait(&mut state);
        }
    }
}

impl<J> Drop for Opened<'_, J> {
    fn drop(&mut self) {
        self.close();
    }
}

/// A helper at work; when dropped, it has left.
struct Leave<'c, J> {
    scheduler: &'c Scheduler<J>,
    place: Place,
}

impl<J> Drop for Leave<'_, J> {
    fn drop(&mut self) {
        let mut state = self.scheduler.state.lock();
        if let Some(open) = state.open.iter_mut().find(|open| open.place == self.place) {
            open.helpers -= 1;
            open.broken |= std::thread::panicking();
            // Whoever leaves found nothing more to do there.
            open.closed = true;
        }
        self.scheduler.wake.notify_all();
    }
}
