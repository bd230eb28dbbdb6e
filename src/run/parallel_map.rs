//! Runs many small jobs on several threads, each with its own memory. Used by experiments.

use crate::memory::{Line, Region, arena::Arena, limits::STACK};
use crate::model::interrupt::Interrupt;
use parking_lot::Mutex;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Calls `work` on every job and returns the results in the order of the jobs; `None` for jobs that
/// were not started before an interrupt. Each thread has a region of `bytes` bytes. `done` counts
/// the completed jobs.
pub fn parallel_map<J: Sync, R: Send>(
    jobs: &[J],
    threads: usize,
    bytes: usize,
    interrupt: &Interrupt,
    done: &AtomicU64,
    work: impl Fn(&J, &mut Region<'_>) -> R + Sync,
) -> io::Result<Vec<Option<R>>> {
    let all = threads.max(1) * bytes;
    let mut arena = Arena::new(all, all)?;
    let mut slices = arena.divide(&vec![bytes; threads.max(1)]);
    slices.pop();
    let results: Mutex<Vec<Option<R>>> = Mutex::new(jobs.iter().map(|_| None).collect());
    let next = AtomicUsize::new(0);
    let run = &|slice: &mut [Line]| {
        let mut region = Region::zeroed(slice);
        while !interrupt.is_raised() {
            let index = next.fetch_add(1, Relaxed);
            let Some(job) = jobs.get(index) else { break };
            let result = work(job, &mut region);
            results.lock()[index] = Some(result);
            done.fetch_add(1, Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let mut slices = slices.into_iter();
        let own = slices.next();
        for slice in slices {
            // If the system refuses a thread, the others do its work.
            let thread = std::thread::Builder::new().stack_size(STACK);
            if thread.spawn_scoped(scope, move || run(slice)).is_err() {
                break;
            }
        }
        own.into_iter().for_each(run);
    });
    Ok(results.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..1000).collect();
        let done = AtomicU64::new(0);
        let squares = parallel_map(&jobs, 3, 4096, &Interrupt::new(), &done, |&job, region| {
            assert_eq!(region.bytes(), 4096);
            job * job
        });
        let expected: Vec<Option<u64>> = jobs.iter().map(|&job| Some(job * job)).collect();
        assert_eq!((squares.unwrap(), done.into_inner()), (expected, 1000));
    }

    #[test]
    fn an_interrupt_skips_the_remaining_jobs() {
        let interrupt = Interrupt::new();
        let results =
            parallel_map(&[0; 100], 1, 64, &interrupt, &AtomicU64::new(0), |_, _| interrupt.raise(2));
        assert_eq!(results.unwrap().iter().flatten().count(), 1);
    }
}
