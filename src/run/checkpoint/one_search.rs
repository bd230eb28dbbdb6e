//! The checkpoint of one board's search.
//!
//! The first is written soon after the frontier is there, and the intervals double from then
//! on. So a search that is killed every few seconds still makes progress, and one that runs for
//! hours spends next to no time on checkpoints.

use super::files::{Checkpoints, most_frontier};
use super::{BadCheckpoint, Checkpoint};
use crate::files::disk::{self, Draft};
use crate::search::checkpoint::{CheckpointSink, Snapshot};
use parking_lot::Mutex;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time before the first checkpoint, and the longest time between two.
const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(20);

/// An interval is at least this many times as long as writing a checkpoint takes.
const TIMES: u32 = 20;

/// Keeps the standing of one puzzle's search.
pub(crate) struct OneSearch<'c> {
    checkpoints: &'c Checkpoints<'c>,
    path: PathBuf,
    puzzle: String,
    found: Option<Snapshot>,
    /// The file at `path`, if it is of this search.
    file: Mutex<Option<File>>,
    begun: AtomicBool,
    pace: Mutex<Pace>,
    refused: Mutex<Option<BadCheckpoint>>,
    /// Whether the last standing could not be written.
    unwritten: AtomicBool,
}

/// When a checkpoint is due.
struct Pace {
    next: Option<Instant>,
    pause: Duration,
    /// When the last one was asked for.
    asked: Instant,
}

impl Pace {
    fn new() -> Self {
        Self { next: None, pause: FIRST, asked: Instant::now() }
    }

    /// Whether a checkpoint is due now. The caller that is told so writes it.
    fn is_due(&mut self, now: Instant) -> bool {
        let due = self.next.is_some_and(|next| now >= next);
        if due {
            (self.next, self.asked) = (None, now);
        }
        due
    }

    /// Says that the checkpoint that was due has been written.
    fn done(&mut self, now: Instant) {
        self.pause = (self.pause * 2).max(TIMES * (now - self.asked)).min(LONGEST);
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
            begun: AtomicBool::new(false),
            pace: Mutex::new(Pace::new()),
            refused: Mutex::new(None),
            unwritten: AtomicBool::new(false),
        }
    }

    /// Why the standing that was found is none of this search, if so.
    pub(crate) fn refused(&self) -> Option<BadCheckpoint> {
        self.refused.lock().take()
    }

    fn warn(&self, what: &str) {
        self.checkpoints.observer.warn(&format!("--checkpoint {}: {what}", self.path.display()));
    }

    /// The search is over. If the puzzle is decided, its checkpoint is removed.
    pub(crate) fn ended(&self, decided: bool) {
        let mut file = self.file.lock();
        if decided && let Some(file) = file.take() {
            let _ = disk::remove_own(&self.path, &file);
        }
        if file.is_none() {
            self.checkpoints.release(&self.puzzle);
        }
        if !decided && !self.is_frontier_found() {
            self.warn("nothing was kept: the search ended before it came to a frontier");
        }
    }

    fn write(&self, snapshot: &Snapshot) -> io::Result<()> {
        let mut file = self.file.lock();
        let mut draft = Draft::new(&self.path, ".draft")?;
        draft.write_all(&Checkpoint::to_bytes(&self.puzzle, snapshot))?;
        draft.sync()?;
        // Only a file of this search is replaced.
        *file = Some(if file.is_some() { draft.replace()? } else { draft.create()? });
        Ok(())
    }
}

impl CheckpointSink for OneSearch<'_> {
    // As many as when it was found first, which was seen to be there.
    fn frontier_bytes(&self, bytes: usize) -> usize {
        self.found.as_ref().map_or(most_frontier(bytes), |found| (found.region as usize).min(bytes))
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        self.found.as_ref()
    }

    fn frontier_found(&self) {
        self.begun.store(true, Ordering::Relaxed);
        self.pace.lock().next = Some(Instant::now() + FIRST);
    }

    fn is_frontier_found(&self) -> bool {
        self.begun.load(Ordering::Relaxed)
    }

    fn unsupported(&self, heuristic: &str) {
        self.warn(&format!(
            "nothing is kept: that needs pattern databases, and this search uses {heuristic} (--heuristic pdb, \
             more --memory)"
        ));
    }

    fn reject(&self, why: &str) {
        *self.refused.lock() = Some(BadCheckpoint::Other(why.into()));
    }

    fn is_due(&self) -> bool {
        self.pace.lock().is_due(Instant::now())
    }

    fn save(&self, snapshot: &Snapshot) {
        // The search is worth more than its checkpoint: it continues, and the next
        // one may do better.
        match self.write(snapshot) {
            Err(error) if !self.unwritten.swap(true, Ordering::Relaxed) => {
                self.warn(&format!("cannot be written, and is tried again: {error}"));
            }
            Ok(()) if self.unwritten.swap(false, Ordering::Relaxed) => self.warn("is written again"),
            _ => {}
        }
        self.pace.lock().done(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_checkpoints_come_soon_and_the_others_rarely() {
        let mut pace = Pace::new();
        let start = Instant::now();
        assert!(!pace.is_due(start + LONGEST), "the frontier is not there yet");
        pace.next = Some(start + FIRST);
        let (mut now, mut times) = (start, Vec::new());
        while now < start + Duration::from_secs(300) {
            now += Duration::from_millis(10);
            if pace.is_due(now) {
                assert!(!pace.is_due(now), "one caller writes it");
                times.push((now - start).as_millis());
                pace.done(now + Duration::from_millis(1));
            }
        }
        assert!(times[..5].iter().all(|&millis| millis < 5000), "{times:?}");
        assert!(times.len() < 25, "{times:?}");
        // Slow ones come rarely from the start.
        let mut pace = Pace { next: Some(now), ..Pace::new() };
        assert!(pace.is_due(now));
        pace.done(now + Duration::from_millis(700));
        assert!(!pace.is_due(now + Duration::from_secs(14)) && pace.is_due(now + Duration::from_secs(15)));
    }
}
