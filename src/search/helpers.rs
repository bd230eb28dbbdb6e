//! Threads that help with a search.
//!
//! A search starts on its owner's thread, without locks. It polls for idle threads; when there
//! are some, it lets all of them join.

use crate::memory::limits::STACK;

/// Threads that may join a search.
pub trait HelperPool: Sync {
    /// Returns whether a thread is idle now. Called often, so it must be cheap.
    fn has_idle(&self) -> bool;

    /// Runs `work` on this thread and on all threads that join, and returns when all of them
    /// have returned from it. `work` may be called by any number of threads, at any time; it
    /// returns when nothing is left to do.
    fn run_shared(&self, work: &(dyn Fn() + Sync));
}

/// No threads but the owner's.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHelpers;

impl HelperPool for NoHelpers {
    fn has_idle(&self) -> bool {
        false
    }

    fn run_shared(&self, work: &(dyn Fn() + Sync)) {
        work();
    }
}

/// A fixed number of threads from the start, including the owner's.
#[derive(Clone, Copy, Debug)]
pub struct SpawnThreads(pub usize);

impl HelperPool for SpawnThreads {
    fn has_idle(&self) -> bool {
        self.0 > 1
    }

    fn run_shared(&self, work: &(dyn Fn() + Sync)) {
        std::thread::scope(|scope| {
            for _ in 1..self.0 {
                // If the system refuses a thread, fewer do the work.
                if std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
    }
}
