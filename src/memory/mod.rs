//! One budget of bytes, one arena, and what lives in it: the visited table, the
//! open list, and chains of chunks. Nothing here knows what a puzzle is.

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

/// Asks the processor to fetch the cache line at an address, which may be any.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[allow(unsafe_code)]
    // SAFETY: a prefetch reads nothing and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}

/// The same for a cache line that will be written to, and that another core may
/// hold.
#[inline(always)]
pub fn prefetch_to_write<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[allow(unsafe_code)]
    // SAFETY: a prefetch writes nothing and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}
