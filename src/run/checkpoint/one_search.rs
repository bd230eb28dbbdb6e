//! The checkpoint of one board's search.
//!
//! The first snapshot is written soon after the frontier is found; from then on the intervals
//! double. So a search that is killed every few seconds still makes progress, and one that runs for
//! hours spends next to no time on checkpoints.

use super::files::{Checkpoints, max_frontier};
use super::{BadCheckpoint, Checkpoint};
use crate::files::disk::{self, Draft};
use crate::search::checkpoint::{CheckpointSink, Snapshot};
use parking_lot::Mutex;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time from the frontier to the first checkpoint.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Maximum time between two checkpoints.
const MAX_PAUSE: Duration = Duration::from_secs(20);

/// Minimum ratio of an interval to the time that writing a checkpoint takes.
const MIN_RATIO: u32 = 20;

/// Writes the snapshots of one puzzle's search to its checkpoint file.
pub(crate) struct OneSearch<'c> {
    checkpoints: &'c Checkpoints<'c>,
    path: PathBuf,
    puzzle: String,
    /// Snapshot of an earlier run.
    found: Option<Snapshot>,
    /// The file at `path`, if it belongs to this search.
    file: Mutex<Option<File>>,
    frontier_found: AtomicBool,
    schedule: Mutex<Schedule>,
    rejected: Mutex<Option<BadCheckpoint>>,
    /// Whether the last write failed.
    write_failed: AtomicBool,
}

/// Times at which checkpoints are due.
struct Schedule {
    next: Option<Instant>,
    pause: Duration,
    /// Time at which the last one became due.
    started: Instant,
}

impl Schedule {
    fn new() -> Self {
        Self { next: None, pause: FIRST_PAUSE, started: Instant::now() }
    }

    /// Returns whether a checkpoint is due. Returns `true` once; that caller writes it.
    fn is_due(&mut self, now: Instant) -> bool {
        let due = self.next.is_some_and(|next| now >= next);
        if due {
            (self.next, self.started) = (None, now);
        }
        due
    }

    /// Records that the checkpoint that was due has been written, and schedules the next.
    fn done(&mut self, now: Instant) {
        self.pause = (self.pause * 2).max(MIN_RATIO * (now - self.started)).min(MAX_PAUSE);
        self.next = Some(now + self.pause);
    }
}

impl<'c> OneSearch<'c> {
    pub(crate) fn new(
        checkpoints: &'c Checkpoints<'c>,
        path: PathBuf,
        puzzle: String,
        found: Option<Snapshot>,
    ) -> Self {
        let file = found.as_ref().and_then(|_| disk::open_regular(&path).ok());
        Self {
            checkpoints,
            path,
            puzzle,
            found,
            file: Mutex::new(file),
            frontier_found: AtomicBool::new(false),
            schedule: Mutex::new(Schedule::new()),
            rejected: Mutex::new(None),
            write_failed: AtomicBool::new(false),
        }
    }

    /// Takes the reason why the found snapshot does not belong to this search, if so.
    pub(crate) fn take_rejection(&self) -> Option<BadCheckpoint> {
        self.rejected.lock().take()
    }

    fn warn(&self, message: &str) {
        self.checkpoints.observer.warn(&format!("--checkpoint {}: {message}", self.path.display()));
    }

    /// Ends the search. Removes the checkpoint if the puzzle is `decided`.
    pub(crate) fn finish(&self, decided: bool) {
        let mut file = self.file.lock();
        if decided && let Some(file) = file.take() {
            let _ = disk::remove_own(&self.path, &file);
        }
        if file.is_none() {
            self.checkpoints.release_file(&self.puzzle);
        }
        if !decided && !self.is_frontier_found() {
            self.warn("no checkpoint was written: the search ended before it had a frontier");
        }
    }

    fn write(&self, snapshot: &Snapshot) -> io::Result<()> {
        let mut file = self.file.lock();
        let mut draft = Draft::new(&self.path, ".draft")?;
        draft.write_all(&Checkpoint::to_bytes(&self.puzzle, snapshot))?;
        draft.sync()?;
        // Only a file of this search may be replaced.
        *file = Some(if file.is_some() { draft.replace()? } else { draft.create()? });
        Ok(())
    }
}

impl CheckpointSink for OneSearch<'_> {
    // The frontier of an earlier run needs the size that it had then; `Checkpoints` has checked that
    // it is available.
    fn frontier_bytes(&self, bytes: usize) -> usize {
        self.found.as_ref().map_or(max_frontier(bytes), |found| (found.region as usize).min(bytes))
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        self.found.as_ref()
    }

    fn frontier_found(&self) {
        self.frontier_found.store(true, Ordering::Relaxed);
        self.schedule.lock().next = Some(Instant::now() + FIRST_PAUSE);
    }

    fn is_frontier_found(&self) -> bool {
        self.frontier_found.load(Ordering::Relaxed)
    }

    fn unsupported(&self, heuristic: &str) {
        self.warn(&format!(
            "no checkpoint is written: only searches with pattern databases have one, and this one uses \
             {heuristic} (try --heuristic pdb or more --memory)"
        ));
    }

    fn reject(&self, why: &str) {
        *self.rejected.lock() = Some(BadCheckpoint::Other(why.into()));
    }

    fn is_due(&self) -> bool {
        self.schedule.lock().is_due(Instant::now())
    }

    fn save(&self, snapshot: &Snapshot) {
        // The search is worth more than its checkpoint: a write error does not end it, and the next
        // write may succeed.
        match self.write(snapshot) {
            Err(error) if !self.write_failed.swap(true, Ordering::Relaxed) => {
                self.warn(&format!("cannot be written, will retry: {error}"));
            }
            Ok(()) if self.write_failed.swap(false, Ordering::Relaxed) => self.warn("is written again"),
            _ => {}
        }
        self.schedule.lock().done(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_checkpoints_are_frequent_and_later_ones_rare() {
        let mut schedule = Schedule::new();
        let start = Instant::now();
        assert!(!schedule.is_due(start + MAX_PAUSE), "no frontier yet");
        schedule.next = Some(start + FIRST_PAUSE);
        let (mut now, mut times) = (start, Vec::new());
        while now < start + Duration::from_secs(300) {
            now += Duration::from_millis(10);
            if schedule.is_due(now) {
                assert!(!schedule.is_due(now), "one caller writes it");
                times.push((now - start).as_millis());
                schedule.done(now + Duration::from_millis(1));
            }
        }
        assert!(times[..5].iter().all(|&millis| millis < 5000), "{times:?}");
        assert!(times.len() < 25, "{times:?}");
        // Slow writes are rare from the start.
        let mut schedule = Schedule { next: Some(now), ..Schedule::new() };
        assert!(schedule.is_due(now));
        schedule.done(now + Duration::from_millis(700));
        assert!(
            !schedule.is_due(now + Duration::from_secs(14)) && schedule.is_due(now + Duration::from_secs(15))
        );
    }
}
