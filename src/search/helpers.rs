//! Who may help with a search.
//!
//! A search starts alone, on its owner's thread and without locks. Now and then
//! it asks whether somebody idle would help; if so, it is opened to all.

use crate::memory::limits::STACK;

/// Threads that may help with a search.
pub trait HelperPool: Sync {
    /// Whether somebody would help now. Asked often: it must be cheap.
    fn has_idle(&self) -> bool;

    /// Runs `work` on this thread and on any others that come, and returns when
    /// all of them have left it. It may be called from any number of threads at
    /// once, at any time, and returns when there is nothing left to do.
    fn run_shared(&self, work: &(dyn Fn() + Sync));
}

/// Nobody but the owner.
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

/// A fixed number of threads, the owner's included, from the start.
#[derive(Clone, Copy, Debug)]
pub struct SpawnThreads(pub usize);

impl HelperPool for SpawnThreads {
    fn has_idle(&self) -> bool {
        self.0 > 1
    }

    fn run_shared(&self, work: &(dyn Fn() + Sync)) {
        std::thread::scope(|scope| {
            for _ in 1..self.0 {
                // Where the system gives no more threads, fewer do the work.
                if std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
    }
}
