//! The state of one layered search, shared by all its workers, and the transition from layer to
//! layer.

use super::WhenFull;
use super::layer::Layer;
use super::layout::Layout;
use super::worker::Worker;
use crate::memory::Region;
use crate::memory::chunks::{Chain, Full, Pool};
use crate::puzzle::batched::Batched;
use crate::search::{HelperPool, Limits, Statistics, Stop};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Layers with at least this many states are shared with other threads.
const MIN_SHARED_STATES: u64 = 1 << 14;

/// A layered search in a region of memory.
pub(super) struct Engine<'a, 'm, P: Batched> {
    pub(super) puzzle: &'a P,
    pub(super) limits: &'a Limits<'a>,
    pub(super) when_full: WhenFull,
    pub(super) layout: Layout,
    pub(super) pool: Pool<'m>,
    /// The next layer's buckets, filled while the current layer is expanded.
    pub(super) buckets: Box<[Mutex<Chain>]>,
    /// Layers before the current one, the oldest first. They serve to find the path and are
    /// dropped when their memory is needed.
    pub(super) past_layers: Mutex<VecDeque<Layer>>,
    /// Memory for workers that have not yet joined.
    worker_memory: Mutex<Vec<&'m mut [u64]>>,
    plan: Mutex<Plan<P::State>>,
    changed: Condvar,
    /// Whether the search is over. Read without the lock on the plan.
    pub(super) is_over: AtomicBool,
}

/// The progress of a search. Its lock is taken once for each bucket and held briefly.
struct Plan<E> {
    task: Task,
    /// Buckets of the task: the next one to take, and their number.
    next: usize,
    buckets: usize,
    /// Workers that may have unfinished buckets.
    busy: usize,
    depth: u32,
    stop_depth: Option<u32>,
    end: Option<End<E>>,
    statistics: Statistics,
}

/// The work that is done for each bucket.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub(super) phase: Phase,
    /// The layer that is expanded, and the previous one if moves may lead back to it.
    pub(super) current: Layer,
    pub(super) previous: Option<Layer>,
    /// Number of the next layer's buckets, as a power of two.
    pub(super) next_bits: u32,
    /// Whether a goal ends the search.
    pub(super) for_goal: bool,
}

/// The two phases of the step from one layer to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Buckets of the current layer are expanded.
    Expand,
    /// Duplicates are removed from buckets of the next layer.
    Merge,
}

/// The result of a search from one state.
#[derive(Clone, Copy, Debug)]
pub(super) enum End<E> {
    /// A goal was reached, one move beyond the last layer.
    Goal(E),
    /// The last layer has the requested depth.
    DepthReached,
    /// No states are left.
    Exhausted,
    /// A limit was reached first.
    Stopped(Stop),
}

/// A finished search.
pub(super) struct SearchResult<E> {
    pub(super) end: End<E>,
    /// The layers still in memory, and the depth of the last one.
    pub(super) layers: VecDeque<Layer>,
    pub(super) depth: u32,
    /// Lower bound on the distance of a goal.
    pub(super) bound: u32,
    pub(super) statistics: Statistics,
}

impl<'a, 'm, P: Batched> Engine<'a, 'm, P> {
    /// Creates a search that works in `region`. Returns `None` if the region is too small.
    pub(super) fn new(
        puzzle: &'a P,
        limits: &'a Limits<'a>,
        region: &'m mut Region<'_>,
        when_full: WhenFull,
    ) -> Option<Self> {
        let layout = Layout::new::<P::State>(region.bytes())?;
        let worker_bytes = layout.worker_bytes::<P::State>();
        let all_worker_bytes = layout.workers * worker_bytes;
        let ([_, worker_memory, chunks], watermark) = region.split(0, all_worker_bytes);
        let worker_memory = worker_memory.words.chunks_exact_mut(worker_bytes / 8).rev().collect();
        let nothing =
            Layer::new::<P::State>(&Pool::new(&mut [], layout.chunk, watermark, 0), 0, std::iter::empty())
                .ok()?;
        Some(Self {
            puzzle,
            limits,
            when_full,
            layout,
            pool: Pool::new(chunks.words, layout.chunk, watermark, all_worker_bytes),
            buckets: (0..1 << layout.bucket_bits).map(|_| Mutex::new(Chain::EMPTY)).collect(),
            past_layers: Mutex::default(),
            worker_memory: Mutex::new(worker_memory),
            plan: Mutex::new(Plan {
                task: Task {
                    phase: Phase::Expand,
                    current: nothing,
                    previous: None,
                    next_bits: 0,
                    for_goal: true,
                },
                next: 0,
                buckets: 0,
                busy: 0,
                depth: 0,
                stop_depth: None,
                end: None,
                statistics: Statistics::default(),
            }),
            changed: Condvar::new(),
            is_over: AtomicBool::new(false),
        })
    }

    /// Searches from `start` for a goal, or until a layer has the depth `stop_depth`.
    pub(super) fn search(
        &self,
        start: P::State,
        stop_depth: Option<u32>,
        helpers: &dyn HelperPool,
    ) -> SearchResult<P::State> {
        self.begin(start, stop_depth);
        if !self.work(&|| helpers.has_idle()) {
            helpers.run_shared(&|| {
                self.work(&|| false);
            });
        }
        let mut plan = self.plan.lock();
        let statistics = std::mem::take(&mut plan.statistics);
        for bucket in &self.buckets {
            self.pool.release(std::mem::replace(&mut *bucket.lock(), Chain::EMPTY));
        }
        let bound = plan.depth + if plan.task.phase == Phase::Expand { 1 } else { 2 };
        let end = plan.end.unwrap_or(End::Stopped(Stop::Memory));
        let mut layers = std::mem::take(&mut *self.past_layers.lock());
        layers.extend(plan.task.previous);
        layers.push_back(plan.task.current);
        SearchResult { end, layers, depth: plan.depth, bound, statistics }
    }

    fn begin(&self, start: P::State, stop_depth: Option<u32>) {
        let mut plan = self.plan.lock();
        let mut bucket = Chain::EMPTY;
        let layer = self
            .pool
            .append(&mut bucket, bytemuck::cast_slice(&[start]))
            .and_then(|()| Layer::new::<P::State>(&self.pool, 0, std::iter::once(bucket)));
        plan.end = match &layer {
            Err(Full) => Some(End::Stopped(Stop::Memory)),
            Ok(_) => (stop_depth == Some(0)).then_some(End::DepthReached),
        };
        if let Ok(current) = layer {
            plan.task.current = current;
        }
        self.is_over.store(plan.end.is_some(), Relaxed);
        plan.task = Task {
            phase: Phase::Expand,
            previous: None,
            next_bits: self.layout.buckets_for(1),
            for_goal: stop_depth.is_none(),
            ..plan.task
        };
        (plan.next, plan.buckets, plan.busy, plan.depth, plan.stop_depth) = (0, 1, 0, 0, stop_depth);
        plan.statistics = Statistics { stored: 1, ..Statistics::default() };
    }

    /// Runs the search on the calling thread, possibly together with others, until it is over.
    /// Returns false if it was paused because `pause` returned true.
    fn work(&self, pause: &dyn Fn() -> bool) -> bool {
        let Some(memory) = self.worker_memory.lock().pop() else { return true };
        let _guard = EndOnPanic(self);
        let finished = self.process_buckets(&mut Worker::new(self, memory), pause);
        self.worker_memory.lock().push(memory);
        finished
    }

    fn process_buckets(&self, worker: &mut Worker<'_, 'a, 'm, P>, pause: &dyn Fn() -> bool) -> bool {
        let mut busy = false;
        let mut plan = self.plan.lock();
        while plan.end.is_none() {
            if plan.next < plan.buckets {
                let nodes = plan.statistics.stored;
                if let Some(stop) = self.limits.reached(nodes) {
                    self.end(&mut plan, End::Stopped(stop));
                    break;
                }
                let (task, bucket) = (plan.task, plan.next);
                plan.next += 1;
                plan.busy += usize::from(!std::mem::replace(&mut busy, true));
                drop(plan);
                let mut done = worker.process(&task, bucket);
                plan = self.plan.lock();
                // A bucket is merged as a whole. If it exceeds the node limit, the excess is
                // not counted as stored: the search ends before it is expanded.
                let left =
                    self.limits.max_nodes.map(|max_nodes| max_nodes.saturating_sub(plan.statistics.stored));
                done.stored = left.map_or(done.stored, |left| done.stored.min(left));
                plan.statistics += done;
            } else if busy {
                // Other workers may still process their last buckets of this task.
                let task = plan.task;
                drop(plan);
                worker.flush_lines(&task);
                plan = self.plan.lock();
                busy = false;
                plan.busy -= 1;
            } else if plan.busy > 0 {
                self.changed.wait(&mut plan);
            } else {
                self.begin_next_task(&mut plan);
                if plan.buckets > 1 || plan.end.is_some() {
                    self.changed.notify_all();
                }
                if plan.task.current.states >= MIN_SHARED_STATES && plan.end.is_none() && pause() {
                    return false;
                }
            }
            if let Some(end) = worker.end.take() {
                self.end(&mut plan, end);
            }
        }
        plan.busy -= usize::from(busy);
        true
    }

    fn end(&self, plan: &mut Plan<P::State>, end: End<P::State>) {
        // A goal takes precedence over a limit.
        if plan.end.is_none() || matches!(end, End::Goal(_)) {
            plan.end = Some(end);
        }
        self.is_over.store(true, Relaxed);
        self.changed.notify_all();
    }

    /// Begins the next task after all buckets of the current one are processed.
    fn begin_next_task(&self, plan: &mut Plan<P::State>) {
        plan.next = 0;
        if plan.task.phase == Phase::Expand {
            plan.task.phase = Phase::Merge;
            plan.buckets = 1 << plan.task.next_bits;
            return;
        }
        let bits = plan.task.next_bits;
        let buckets = self.buckets[..1 << bits].iter().map(|bucket| *bucket.lock());
        let layer = loop {
            match Layer::new::<P::State>(&self.pool, bits, buckets.clone()) {
                Ok(layer) => break layer,
                Err(Full) if self.drop_oldest_layer() => {}
                Err(Full) => return self.end(plan, End::Stopped(Stop::Memory)),
            }
        };
        self.buckets[..1 << bits].iter().for_each(|bucket| *bucket.lock() = Chain::EMPTY);
        if layer.states == 0 {
            layer.release(&self.pool);
            return self.end(plan, End::Exhausted);
        }
        let expanded = std::mem::replace(&mut plan.task.current, layer);
        let mut past_layers = self.past_layers.lock();
        if self.puzzle.reaches_previous_layer() {
            past_layers.extend(plan.task.previous.replace(expanded));
        } else {
            past_layers.push_back(expanded);
        }
        plan.depth += 1;
        plan.task.phase = Phase::Expand;
        plan.task.next_bits = self.layout.buckets_for(layer.states);
        plan.buckets = 1 << layer.bits;
        if plan.stop_depth == Some(plan.depth) {
            self.end(plan, End::DepthReached);
        }
    }

    /// Drops the oldest past layer, if there is one and [`WhenFull`] allows it. Returns whether
    /// it did.
    pub(super) fn drop_oldest_layer(&self) -> bool {
        if self.when_full == WhenFull::Stop {
            return false;
        }
        let oldest = self.past_layers.lock().pop_front();
        oldest.map(|layer| layer.release(&self.pool)).is_some()
    }
}

/// Ends the search for all workers if one panics. The others would wait forever for its
/// buckets.
struct EndOnPanic<'e, 'a, 'm, P: Batched>(&'e Engine<'a, 'm, P>);

impl<P: Batched> Drop for EndOnPanic<'_, '_, '_, P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(&mut self.0.plan.lock(), End::Stopped(Stop::Interrupted));
        }
    }
}
