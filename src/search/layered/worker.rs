//! The work on one bucket: expanding its states, or removing its duplicates.

use super::WhenFull;
use super::engine::{End, Engine, Phase, Task};
use super::layer::{Layer, in_chunk, states};
use super::layout::Layout;
use super::table::Table;
use crate::memory::Packed;
use crate::memory::chunks::{Chain, Full};
use crate::puzzle::batched::{BATCH, Batched, Neighbours};
use crate::search::{Statistics, Stop};
use std::sync::atomic::Ordering::Relaxed;

/// One worker.
pub(super) struct Worker<'w, 'a, 'm, P: Batched> {
    engine: &'w Engine<'a, 'm, P>,
    /// For each bucket a cache line of states that are written to it together, and their
    /// number.
    lines: &'w mut [P::State],
    line_len: &'w mut [u8],
    table: Table<'w, P::State>,
    workspace: P::Workspace,
    /// The reason to end the search, if this worker found one.
    pub(super) end: Option<End<P::State>>,
}

impl<'w, 'a, 'm, P: Batched> Worker<'w, 'a, 'm, P> {
    /// Creates a worker in its own part of the region.
    pub(super) fn new(engine: &'w Engine<'a, 'm, P>, memory: &'w mut [u64]) -> Self {
        let Layout { slots, bucket_bits, .. } = engine.layout;
        let (slots, memory) = memory.split_at_mut(slots * P::State::WORDS);
        let (lines, line_len) = memory.split_at_mut(8 << bucket_bits);
        let line_len: &mut [u8] = &mut bytemuck::cast_slice_mut(line_len)[..1 << bucket_bits];
        line_len.fill(0);
        Self {
            engine,
            lines: bytemuck::cast_slice_mut(lines),
            line_len,
            table: Table::new(bytemuck::cast_slice_mut(slots), engine.puzzle.used_move_bits()),
            workspace: P::Workspace::default(),
            end: None,
        }
    }

    /// Processes a bucket.
    pub(super) fn process(&mut self, task: &Task, bucket: usize) -> Statistics {
        match task.phase {
            Phase::Expand => self.expand(task, bucket),
            Phase::Merge => self.merge(task, bucket),
        }
    }

    fn expand(&mut self, task: &Task, bucket: usize) -> Statistics {
        let engine = self.engine;
        let chain = task.current.bucket(&engine.pool, bucket);
        let mut batch = [P::State::NONE; BATCH];
        let mut writer = BucketWriter {
            engine,
            task,
            lines: &mut *self.lines,
            line_len: &mut *self.line_len,
            table: &mut self.table,
            generated: 0,
            end: &mut self.end,
        };
        for chunk in engine.pool.chunks(&chain) {
            for cells in chunk.chunks(BATCH * P::State::WORDS) {
                if engine.is_over.load(Relaxed) {
                    break;
                }
                let states = &mut batch[..cells.len() / P::State::WORDS];
                states.iter_mut().zip(in_chunk(cells)).for_each(|(slot, state)| *slot = state);
                engine.puzzle.expand(states, &mut self.workspace, &mut writer);
            }
        }
        let expanded = (chain.len() / P::State::WORDS) as u64;
        Statistics { expanded, generated: writer.generated, ..Statistics::default() }
    }

    fn merge(&mut self, task: &Task, bucket: usize) -> Statistics {
        let mut chain = self.engine.buckets[bucket].lock();
        if remove_duplicates(self.engine, task, &mut chain, bucket, &mut self.table).is_err() {
            self.end = Some(End::Stopped(Stop::Memory));
        }
        Statistics { stored: (chain.len() / P::State::WORDS) as u64, ..Statistics::default() }
    }

    /// Ends this worker's part of a task: writes all partly filled lines.
    pub(super) fn flush_lines(&mut self, task: &Task) {
        if task.phase == Phase::Merge {
            return;
        }
        let line = Layout::states_per_line::<P::State>();
        for bucket in 0..1 << task.next_bits {
            let line_len = std::mem::take(&mut self.line_len[bucket]) as usize;
            if line_len > 0 && !self.engine.is_over.load(Relaxed) {
                let states = &self.lines[bucket * line..][..line_len];
                if write_to_bucket(self.engine, task, bucket, states, &mut self.table).is_err() {
                    self.end = Some(End::Stopped(Stop::Memory));
                }
            }
        }
    }
}

/// Receives neighbours and writes them to their buckets, a line at a time.
struct BucketWriter<'w, 'x, 'a, 'm, P: Batched> {
    engine: &'x Engine<'a, 'm, P>,
    task: &'x Task,
    lines: &'x mut [P::State],
    line_len: &'x mut [u8],
    table: &'x mut Table<'w, P::State>,
    generated: u64,
    end: &'x mut Option<End<P::State>>,
}

impl<P: Batched> Neighbours<P::State> for BucketWriter<'_, '_, '_, '_, P> {
    #[inline(always)]
    fn push(&mut self, state: P::State) {
        let line = Layout::states_per_line::<P::State>();
        let bucket = state.slice(0, self.task.next_bits);
        let line_len = self.line_len[bucket] as usize;
        self.lines[bucket * line + line_len] = state;
        self.generated += 1;
        self.line_len[bucket] = line_len as u8 + 1;
        if line_len + 1 == line {
            self.flush(bucket);
        }
    }

    #[cold]
    fn goal(&mut self, state: P::State) {
        if self.task.for_goal {
            *self.end = Some(End::Goal(state));
            self.engine.is_over.store(true, Relaxed);
        }
    }
}

impl<P: Batched> BucketWriter<'_, '_, '_, '_, P> {
    #[inline(never)]
    fn flush(&mut self, bucket: usize) {
        let line = Layout::states_per_line::<P::State>();
        let states = &self.lines[bucket * line..][..line];
        self.line_len[bucket] = 0;
        if write_to_bucket(self.engine, self.task, bucket, states, self.table).is_err() && self.end.is_none()
        {
            *self.end = Some(End::Stopped(Stop::Memory));
            self.engine.is_over.store(true, Relaxed);
        }
    }
}

/// Writes states to a bucket of the next layer. If memory is full, past layers are dropped
/// first; then duplicates of the bucket are removed early.
fn write_to_bucket<P: Batched>(
    engine: &Engine<'_, '_, P>,
    task: &Task,
    bucket: usize,
    states: &[P::State],
    table: &mut Table<'_, P::State>,
) -> Result<(), Full> {
    let words = bytemuck::cast_slice(states);
    let mut chain = engine.buckets[bucket].lock();
    while engine.pool.append(&mut chain, words).is_err() {
        if engine.drop_oldest_layer() {
            continue;
        }
        if engine.when_full == WhenFull::Stop {
            return Err(Full);
        }
        let before = chain.len();
        remove_duplicates(engine, task, &mut chain, bucket, table)?;
        // A removal that frees little would soon be repeated, again and again.
        if before - chain.len() < before / 16 {
            return Err(Full);
        }
        return engine.pool.append(&mut chain, words);
    }
    Ok(())
}

/// Removes from a bucket of the next layer its duplicates and the states of previous layers.
///
/// A bucket that is too large for the table is processed in parts, chosen by the bits that
/// follow those of the bucket.
fn remove_duplicates<P: Batched>(
    engine: &Engine<'_, '_, P>,
    task: &Task,
    chain: &mut Chain,
    bucket: usize,
    table: &mut Table<'_, P::State>,
) -> Result<(), Full> {
    let pool = &engine.pool;
    let count = chain.len() / P::State::WORDS;
    if count == 0 {
        return Ok(());
    }
    if count <= table.capacity() {
        table.begin_round(count, task.next_bits);
        states(pool, chain).for_each(|state| table.insert(state));
        remove_previous_layers(engine, task, bucket, task.next_bits, table);
        table.finish_round(|left| pool.rewrite(chain, bytemuck::cast_slice(left)));
        return Ok(());
    }
    let mut finer = (count / table.capacity()).ilog2() + 1;
    'finer: loop {
        let bits = task.next_bits + finer;
        let mut unique = Chain::EMPTY;
        for part in bucket << finer..(bucket + 1) << finer {
            table.begin_round(table.capacity(), bits);
            for state in states::<P::State>(pool, chain).filter(|state| state.slice(0, bits) == part) {
                if table.len() >= table.capacity() {
                    table.finish_round(|_| ());
                    pool.release(unique);
                    finer += 1;
                    continue 'finer;
                }
                table.insert(state);
            }
            remove_previous_layers(engine, task, part, bits, table);
            let appended = table.finish_round(|left| {
                let mut lines = left.chunks(Layout::states_per_line::<P::State>());
                lines.try_for_each(|line| pool.append(&mut unique, bytemuck::cast_slice(line)))
            });
            if appended.is_err() {
                pool.release(unique);
                return Err(Full);
            }
        }
        pool.release(std::mem::replace(chain, unique));
        return Ok(());
    }
}

/// Removes from the table the states of previous layers. All states in the table have the
/// number `prefix` in their highest `bits` bits.
fn remove_previous_layers<P: Batched>(
    engine: &Engine<'_, '_, P>,
    task: &Task,
    prefix: usize,
    bits: u32,
    table: &mut Table<'_, P::State>,
) {
    let layers: [Option<Layer>; 2] = [Some(task.current), task.previous];
    for layer in layers.into_iter().flatten() {
        for number in layer.overlapping(prefix, bits) {
            let chain = layer.bucket(&engine.pool, number);
            if layer.bits >= bits {
                states(&engine.pool, &chain).for_each(|state| table.remove(state));
            } else {
                let here = |state: &P::State| state.slice(0, bits) == prefix;
                states(&engine.pool, &chain).filter(here).for_each(|state| table.remove(state));
            }
        }
    }
}
