//! Loans of a running search to the worker threads that help with it.
//!
//! The owner of a search lends a closure to all idle threads and runs it itself. Worker threads
//! live longer than a search, so the borrow checker cannot see that a loan ends in time. This
//! file guarantees it at run time.
//!
//! Invariants:
//! * A loan is in [`Loans`] from before the first helper runs it until the last one has left it.
//! * A helper is counted, under the lock, before it runs the closure and until it has returned
//!   from it or unwound.
//! * [`run_shared`] returns or unwinds only when the loan has no helpers. By then no thread can
//!   use the pointer.
//!
//! Why not scoped threads: starting threads for each search costs more than most searches.

use parking_lot::{Condvar, Mutex, MutexGuard};

/// Sequence number of a record in the run: the number of its block times the maximum number of
/// records in a block, plus its index in the block.
pub(crate) type Seq = u64;

/// The state behind the lock that protects the loans.
pub(super) trait HasLoans {
    /// Returns the loans, the same object in every call.
    fn loans(&mut self) -> &mut Loans;
}

/// The searches that accept helpers.
pub(super) struct Loans(Vec<Loan>);

impl Loans {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }
}

struct Loan {
    seq: Seq,
    work: Work,
    /// Threads that run `work`, without the owner.
    helpers: usize,
    /// Whether further helpers are turned away.
    closed: bool,
    /// Whether a helper panicked. The result of the search is then unusable.
    panicked: bool,
}

/// A closure whose owner waits until no helper runs it.
#[derive(Clone, Copy)]
struct Work(*const (dyn Fn() + Sync));

#[allow(unsafe_code)]
// SAFETY: the closure is `Sync`, and its owner keeps it alive until no helper runs it (see
// `Lender`).
unsafe impl Send for Work {}

/// Runs `work` on this thread and on all threads that call [`help_oldest`] meanwhile. Returns
/// when all of them have left it. `changed` is notified when a loan begins and when a helper
/// leaves.
///
/// # Panics
///
/// If a helper panicked.
pub(super) fn run_shared<S: HasLoans>(
    state: &Mutex<S>,
    changed: &Condvar,
    seq: Seq,
    work: &(dyn Fn() + Sync),
) {
    let pointer: *const (dyn Fn() + Sync + '_) = work;
    #[allow(unsafe_code)]
    // SAFETY: only the lifetime changes. `Lender` waits, when this function returns or unwinds,
    // until no helper uses the pointer.
    let pointer: *const (dyn Fn() + Sync + 'static) = unsafe { std::mem::transmute(pointer) };
    let loan = Loan { seq, work: Work(pointer), helpers: 0, closed: false, panicked: false };
    state.lock().loans().0.push(loan);
    let mut lender = Lender { state, changed, seq };
    changed.notify_all();
    work();
    // The helper's own message has been printed.
    assert!(!lender.close(), "a worker that helped with this puzzle panicked");
}

/// Helps the open search with the lowest sequence number until it has no more work. Releases the
/// lock of `state` meanwhile. Returns `false` if no search is open.
pub(super) fn help_oldest<S: HasLoans>(state: &mut MutexGuard<'_, S>, changed: &Condvar) -> bool {
    let open = state.loans().0.iter_mut().filter(|loan| !loan.closed);
    let Some(loan) = open.min_by_key(|loan| loan.seq) else { return false };
    loan.helpers += 1;
    let (seq, work) = (loan.seq, loan.work);
    let mutex = MutexGuard::mutex(state);
    MutexGuard::unlocked(state, || {
        let _helper = Helper { state: mutex, changed, seq };
        #[allow(unsafe_code)]
        // SAFETY: the owner waits in `Lender::close` while the loan has helpers, and this thread
        // is counted as one until `_helper` is dropped.
        let work = unsafe { &*work.0 };
        work();
    });
    true
}

/// The owner's side of a loan. Dropping it closes the loan and waits for all helpers.
struct Lender<'c, S: HasLoans> {
    state: &'c Mutex<S>,
    changed: &'c Condvar,
    seq: Seq,
}

impl<S: HasLoans> Lender<'_, S> {
    /// Closes the loan and waits until all helpers have left. Returns whether one of them
    /// panicked.
    fn close(&mut self) -> bool {
        let mut state = self.state.lock();
        loop {
            let loans = &mut state.loans().0;
            let Some(index) = loans.iter().position(|loan| loan.seq == self.seq) else {
                return false;
            };
            loans[index].closed = true;
            if loans[index].helpers == 0 {
                return loans.swap_remove(index).panicked;
            }
            self.changed.wait(&mut state);
        }
    }
}

impl<S: HasLoans> Drop for Lender<'_, S> {
    fn drop(&mut self) {
        self.close();
    }
}

/// A helper's side of a loan. Dropping it ends the help.
struct Helper<'c, S: HasLoans> {
    state: &'c Mutex<S>,
    changed: &'c Condvar,
    seq: Seq,
}

impl<S: HasLoans> Drop for Helper<'_, S> {
    fn drop(&mut self) {
        let mut state = self.state.lock();
        if let Some(loan) = state.loans().0.iter_mut().find(|loan| loan.seq == self.seq) {
            loan.helpers -= 1;
            loan.panicked |= std::thread::panicking();
            // A helper leaves when there is no more work, so further helpers would find none.
            loan.closed = true;
        }
        self.changed.notify_all();
    }
}
