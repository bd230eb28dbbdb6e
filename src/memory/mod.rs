//! Memory of a run: limits of the system, the budget, the arena, and the data structures
//! inside it.
//!
//! * [`limits`]: memory that the system grants, and memory in use.
//! * [`budget`]: the cap, and reservations against it.
//! * [`arena`], [`region`]: one mapping, divided into regions that searches borrow.
//! * [`key`], [`geometry`], [`visited`]: the visited table.
//! * [`buckets`]: the open list.
//! * [`packed`], [`chunks`]: states in one word and chains of words, for layered search.
//! * [`parallel_chunks`]: a slice that several threads process in parts.
//!
//! No data structure here allocates while it is used, and none depends on a puzzle.

pub mod arena;
pub mod buckets;
pub mod budget;
pub mod chunks;
pub mod geometry;
pub mod key;
pub mod limits;
pub mod packed;
pub mod parallel_chunks;
pub mod region;
pub mod visited;

pub use key::{Key, Wide};
pub use packed::Packed;
pub use region::{Line, Region};

/// Prefetches the cache line at `address`, which need not be valid.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[allow(unsafe_code)]
    // SAFETY: a prefetch is a hint: it has no effect on memory and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}

/// Prefetches the cache line at `address` for writing, which takes it from other cores.
#[inline(always)]
pub fn prefetch_to_write<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[allow(unsafe_code)]
    // SAFETY: a prefetch is a hint: it has no effect on memory and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}
