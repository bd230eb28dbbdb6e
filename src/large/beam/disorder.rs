//! Counts the tiles of a line that are in the wrong order, sixteen at a time.

/// The number of a tile: its home cell.
pub(super) trait Label: bytemuck::Pod + Ord + Send + Sync {
    fn new(index: usize) -> Self;
    fn index(self) -> usize;

    /// Compares tiles, numbered relative to `first`, with `home`. Returns a bit mask of the tiles
    /// below `home` and one of the tiles above `home` and below `end`.
    fn sides(tiles: &[Self; LANES], first: Self, home: Self, end: Self) -> (u32, u32);
}

/// The number of tiles that are compared at once.
pub(super) const LANES: usize = 16;

/// Counts the tiles among the first `width` of `line` that belong to this line and are on the wrong
/// side of the tile in place `at` whose home is place `home`. The tiles of the line are numbered
/// from `first`. The slice must continue after the line up to a whole group of [`LANES`].
#[inline(always)]
pub(super) fn disorder<L: Label>(line: &[L], first: usize, width: usize, at: usize, home: usize) -> i32 {
    let (first, home, end) = (L::new(first), L::new(home), L::new(width));
    let wrong = |tiles: &[L; LANES], start: usize| {
        let (below, above) = L::sides(tiles, first, home, end);
        // The places of this group before and after `at`.
        let before = bits_below(at.saturating_sub(start));
        let after = bits_below(width - start) & !bits_below((at + 1).saturating_sub(start));
        (above & before | below & after).count_ones() as i32
    };
    let (groups, _) = line.as_chunks();
    match groups {
        [only, ..] if width <= LANES => wrong(only, 0),
        _ => groups.iter().zip((0..width).step_by(LANES)).map(|(tiles, start)| wrong(tiles, start)).sum(),
    }
}

/// Returns a mask of the lowest `count` bits, at most [`LANES`].
#[inline(always)]
fn bits_below(count: usize) -> u32 {
    (1 << count.min(LANES)) - 1
}

impl Label for u8 {
    #[inline(always)]
    fn new(index: usize) -> Self {
        index as Self
    }

    #[inline(always)]
    fn index(self) -> usize {
        self.into()
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    fn sides(tiles: &[Self; LANES], first: Self, home: Self, end: Self) -> (u32, u32) {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { sse2::sides_of_bytes(tiles, first, home, end) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    fn sides(tiles: &[Self; LANES], first: Self, home: Self, end: Self) -> (u32, u32) {
        sides_scalar(tiles.map(|tile| tile.wrapping_sub(first)), home, end)
    }
}

impl Label for u16 {
    #[inline(always)]
    fn new(index: usize) -> Self {
        index as Self
    }

    #[inline(always)]
    fn index(self) -> usize {
        self.into()
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    fn sides(tiles: &[Self; LANES], first: Self, home: Self, end: Self) -> (u32, u32) {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { sse2::sides_of_words(tiles, first, home, end) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    fn sides(tiles: &[Self; LANES], first: Self, home: Self, end: Self) -> (u32, u32) {
        sides_scalar(tiles.map(|tile| tile.wrapping_sub(first)), home, end)
    }
}

/// The scalar version of [`Label::sides`]. Tiles of other lines have relative numbers of at least
/// `end`.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn sides_scalar<L: Label>(tiles: [L; LANES], home: L, end: L) -> (u32, u32) {
    let (mut below, mut above) = (0, 0);
    for (lane, tile) in tiles.into_iter().enumerate() {
        below |= u32::from(tile < home) << lane;
        above |= u32::from(tile > home && tile < end) << lane;
    }
    (below, above)
}

/// Versions of [`Label::sides`] with SSE2, which every x86-64 processor has. Automatic
/// vectorisation is not reliable here.
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use super::LANES;
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn sides_of_bytes(tiles: &[u8; LANES], first: u8, home: u8, end: u8) -> (u32, u32) {
        let all = |byte: u8| _mm_set1_epi8(byte as i8);
        let none = _mm_setzero_si128();
        // `limit - tile`, saturated at zero, is positive exactly for tiles below the limit.
        let is_below =
            |tiles, limit| !_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_subs_epu8(all(limit), tiles), none)) as u32;
        let places = _mm_sub_epi8(bytemuck::cast(*tiles), all(first));
        let beyond = home.wrapping_add(1);
        let past = _mm_sub_epi8(places, all(beyond));
        (is_below(places, home), is_below(past, end.wrapping_sub(beyond)))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn sides_of_words(tiles: &[u16; LANES], first: u16, home: u16, end: u16) -> (u32, u32) {
        let all = |word: u16| _mm_set1_epi16(word as i16);
        let none = _mm_setzero_si128();
        let is_below = |[low, high]: [__m128i; 2], limit| {
            let is_not = |tiles| _mm_cmpeq_epi16(_mm_subs_epu16(all(limit), tiles), none);
            !_mm_movemask_epi8(_mm_packs_epi16(is_not(low), is_not(high))) as u32
        };
        let halves: [__m128i; 2] = bytemuck::cast(*tiles);
        let places = halves.map(|half| _mm_sub_epi16(half, all(first)));
        let beyond = home.wrapping_add(1);
        let past = places.map(|half| _mm_sub_epi16(half, all(beyond)));
        (is_below(places, home), is_below(past, end.wrapping_sub(beyond)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts pairs one by one.
    fn slow(line: &[usize], first: usize, width: usize, at: usize, home: usize) -> i32 {
        let wrong = |(place, &tile): (usize, &usize)| {
            let belongs = (first..first + width).contains(&tile);
            let passes = if place < at { tile > first + home } else { tile < first + home };
            belongs && place != at && passes
        };
        line.iter().take(width).enumerate().filter(|&found| wrong(found)).count() as i32
    }

    #[test]
    fn vector_counts_equal_scalar_counts() {
        let mut seed = 1u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        for _ in 0..20_000 {
            let width = 2 + random(38);
            let first = random(6) * width;
            let line: Vec<usize> = (0..width.next_multiple_of(LANES) + LANES).map(|_| random(250)).collect();
            let (at, home) = (random(width), random(width));
            let expected = slow(&line, first, width, at, home);
            let bytes: Vec<u8> = line.iter().map(|&tile| tile as u8).collect();
            let words: Vec<u16> = line.iter().map(|&tile| tile as u16).collect();
            assert_eq!(disorder(&bytes, first, width, at, home), expected, "{line:?}");
            assert_eq!(disorder(&words, first, width, at, home), expected, "{line:?}");
            let tiles: [u8; LANES] = bytes[..LANES].try_into().unwrap();
            let places = tiles.map(|tile| tile.wrapping_sub(first as u8));
            let (below, above) = u8::sides(&tiles, first as u8, home as u8, width as u8);
            let lanes = (1 << LANES) - 1;
            assert_eq!((below & lanes, above & lanes), sides_scalar(places, home as u8, width as u8));
        }
    }
}
