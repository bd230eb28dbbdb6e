//! Regions: borrowed stretches of the arena, each used by one search at a time.

use bytemuck::{Pod, Zeroable};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Cache line. Regions consist of whole lines, so tables are aligned to lines.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Line([u64; 8]);

/// Memory for one search after another. A high-water mark separates used from untouched
/// memory: untouched memory is zero, so it is not cleared and does not become resident.
#[derive(Debug)]
pub struct Region<'m> {
    lines: &'m mut [Line],
    used: Watermark,
}

/// High-water mark of a region in bytes: all bytes above it are zero.
#[derive(Debug)]
pub struct Watermark(AtomicUsize);

impl Watermark {
    /// Raises the mark to `bytes`, if it is lower.
    pub fn raise(&self, bytes: usize) {
        self.0.fetch_max(bytes, Ordering::Relaxed);
    }
}

/// Part of a region.
#[derive(Debug)]
pub struct Piece<'m> {
    /// The memory of the part.
    pub words: &'m mut [u64],
    /// Words from this index on are zero.
    pub used: usize,
}

impl<'m> Region<'m> {
    /// Creates a region in memory that is all zero.
    pub fn zeroed(lines: &'m mut [Line]) -> Self {
        Self { lines, used: Watermark(AtomicUsize::new(0)) }
    }

    /// Creates a region in memory with arbitrary content.
    pub fn used(lines: &'m mut [Line]) -> Self {
        let used = Watermark(AtomicUsize::new(size_of_val(lines)));
        Self { lines, used }
    }

    /// Returns the size of the region.
    pub fn bytes(&self) -> usize {
        size_of_val(self.lines)
    }

    /// Returns the first `bytes` of the region, or all of it, as a region.
    pub fn first(&mut self, bytes: usize) -> Region<'_> {
        let lines = self.lines.len().min(bytes / size_of::<Line>());
        let used = self.used.0.load(Ordering::Relaxed);
        self.used.raise(lines * size_of::<Line>());
        Region { lines: &mut self.lines[..lines], used: Watermark(AtomicUsize::new(used)) }
    }

    /// Returns whole pages to the system (`MADV_DONTNEED`) until they are used again. The
    /// memory must be private and anonymous, like that of an arena or of the allocator.
    pub fn release_pages(&mut self) {
        let used = self.used.0.load(Ordering::Relaxed).min(self.bytes()).next_multiple_of(size_of::<Line>());
        let lines = &mut self.lines[..used / size_of::<Line>()];
        const PAGE: usize = 64 << 10;
        let address = lines.as_ptr() as usize;
        let first = (address.next_multiple_of(PAGE) - address).min(used) / size_of::<Line>();
        let last = ((address + used) / PAGE * PAGE).saturating_sub(address) / size_of::<Line>();
        if first < last {
            let whole = &mut lines[first..last];
            #[allow(unsafe_code)]
            // SAFETY: whole pages, borrowed exclusively here. Private anonymous pages read as
            // zeros afterwards, other pages keep their content; every bit pattern is a valid
            // line.
            let status =
                unsafe { libc::madvise(whole.as_mut_ptr().cast(), size_of_val(whole), libc::MADV_DONTNEED) };
            if status != 0 {
                return;
            }
            lines[..first].fill(Line::zeroed());
            lines[last..].fill(Line::zeroed());
            *self.used.0.get_mut() = 0;
        }
    }

    /// Splits the region at two offsets in bytes, rounded down to whole lines. Users of the
    /// parts must raise the watermark.
    pub fn split(&mut self, first: usize, second: usize) -> ([Piece<'_>; 3], &Watermark) {
        let (first, second) = (first / size_of::<Line>(), second / size_of::<Line>());
        let used = self.used.0.load(Ordering::Relaxed);
        let (a, rest) = self.lines.split_at_mut(first);
        let (b, c) = rest.split_at_mut(second - first);
        let piece = |lines, start: usize| {
            let words: &mut [u64] = bytemuck::cast_slice_mut(lines);
            let used = used.saturating_sub(start * size_of::<Line>()).div_ceil(8).min(words.len());
            Piece { words, used }
        };
        ([piece(a, 0), piece(b, first), piece(c, second)], &self.used)
    }
}
