//! A stretch of memory that one search works in.

use bytemuck::{Pod, Zeroable};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A cache line. Regions are made of whole ones, so tables are aligned to them.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Line([u64; 8]);

/// Memory for one search after another. It remembers how far it was used, so
/// that what was never touched need not be cleared (nor become resident).
#[derive(Debug)]
pub struct Region<'m> {
    lines: &'m mut [Line],
    used: Watermark,
}

/// How far a region was used: all bytes behind that are zero.
#[derive(Debug)]
pub struct Watermark(AtomicUsize);

impl Watermark {
    /// Says that the region is used up to a place, in bytes.
    pub fn raise(&self, bytes: usize) {
        self.0.fetch_max(bytes, Ordering::Relaxed);
    }
}

/// A part of a region.
#[derive(Debug)]
pub struct Piece<'m> {
    /// The memory.
    pub words: &'m mut [u64],
    /// Words from here on are all zero.
    pub used: usize,
}

impl<'m> Region<'m> {
    /// A region of memory that is all zero.
    pub fn zeroed(lines: &'m mut [Line]) -> Self {
        Self { lines, used: Watermark(AtomicUsize::new(0)) }
    }

    /// A region of memory that may hold anything.
    pub fn used(lines: &'m mut [Line]) -> Self {
        let used = Watermark(AtomicUsize::new(size_of_val(lines)));
        Self { lines, used }
    }

    /// The region's size.
    pub fn bytes(&self) -> usize {
        size_of_val(self.lines)
    }

    /// The first `bytes` of the region, or all of it, as a region of its own.
    pub fn first(&mut self, bytes: usize) -> Region<'_> {
        let lines = self.lines.len().min(bytes / size_of::<Line>());
        let used = self.used.0.load(Ordering::Relaxed);
        self.used.raise(lines * size_of::<Line>());
        Region { lines: &mut self.lines[..lines], used: Watermark(AtomicUsize::new(used)) }
    }

    /// Gives the memory back to the system until it is used again. It must be
    /// private and anonymous, as an arena's and the allocator's are.
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
            // SAFETY: whole pages of memory that nobody else can reach while it
            // is borrowed here. Private anonymous pages read as zeros afterwards,
            // and others stay as they are: all bits make a line.
            let given =
                unsafe { libc::madvise(whole.as_mut_ptr().cast(), size_of_val(whole), libc::MADV_DONTNEED) };
            if given != 0 {
                return;
            }
            lines[..first].fill(Line::zeroed());
            lines[last..].fill(Line::zeroed());
            *self.used.0.get_mut() = 0;
        }
    }

    /// Splits the region at two places, given in bytes and rounded down to
    /// whole lines. Who uses the pieces raises the watermark.
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
