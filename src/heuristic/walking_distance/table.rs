//! Table of all counts of a shape, with distances and transitions, by breadth-first search.
//!
//! A *count* is a matrix: how many tiles of each row belong to which row, and the row of the
//! blank. It is packed into a word: one field for each pair of rows, except the last field of
//! each row, which follows from the others; and the blank's row on top. A move of the blank
//! between two rows takes one tile across, so it adds a constant to the count.
//!
//! Rows stand for columns as well: the same code serves both axes.

/// The shape of boards with `lines` rows of `length` cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::heuristic) struct Shape {
    /// Number of rows, or of columns for walks between columns.
    pub(super) lines: usize,
    pub(super) length: usize,
    /// The row of the goal's blank.
    pub(super) goal: usize,
}

/// The transitions of every count, and its distance from the goal's count.
#[derive(Debug)]
pub(in crate::heuristic) struct Table {
    shape: Shape,
    /// The counts, sorted by distance.
    counts: Vec<u64>,
    distances: Vec<u16>,
    /// The numbers of the counts after each step: [`Shape::stride`] for each count.
    next: Next,
    /// For each count one bit per step: whether it leads nearer to the goal's count.
    pub(super) nearer: Vec<u16>,
    /// Open-addressing table of count numbers plus one.
    slots: Vec<u32>,
}

/// Count numbers, 16 bits wide if they fit.
#[derive(Debug)]
enum Next {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

/// Largest number of steps of a count: the bits of a mask.
pub(super) const STEPS: usize = 16;

impl Shape {
    /// Returns the bits of a field.
    fn bits(self) -> usize {
        self.length.ilog2() as usize + 1
    }

    /// Returns the offset of the field for tiles in `row` that belong to `home`; `None` for the
    /// last field of a row.
    fn field(self, row: usize, home: usize) -> Option<usize> {
        (home + 1 < self.lines).then(|| (row * (self.lines - 1) + home) * self.bits())
    }

    /// Returns the offset of the blank's row in a count.
    fn top(self) -> usize {
        self.lines * (self.lines - 1) * self.bits()
    }

    /// Returns whether a count fits a word, and its steps a mask.
    fn is_small(self) -> bool {
        2 * self.lines <= STEPS && self.top() + (self.lines.ilog2() as usize) < 64
    }

    /// Returns the number of a step: the blank moves one row up or down and is replaced by a
    /// tile that belongs to the row `home`.
    pub(in crate::heuristic) fn step(home: usize, down: bool) -> usize {
        2 * home + usize::from(down)
    }

    /// Returns the entries reserved for the steps of one count.
    pub(super) fn stride(self) -> usize {
        (2 * self.lines).next_power_of_two()
    }

    /// Returns the count of a board, from the row and the goal row of each tile, and the row of
    /// the blank.
    pub(in crate::heuristic) fn count(
        self,
        tiles: impl Iterator<Item = (usize, usize)>,
        blank: usize,
    ) -> u64 {
        let fields = tiles.filter_map(|(row, home)| self.field(row, home));
        fields.map(|field| 1 << field).sum::<u64>() + ((blank as u64) << self.top())
    }

    /// Returns the row of the blank.
    fn blank(self, count: u64) -> usize {
        (count >> self.top()) as usize
    }

    /// Returns the row above or below a row.
    fn beside(self, row: usize, down: bool) -> Option<usize> {
        if down { Some(row + 1).filter(|&row| row < self.lines) } else { row.checked_sub(1) }
    }

    /// Iterates over the goal rows of the tiles in a row other than the blank's.
    fn homes(self, count: u64, row: usize) -> impl Iterator<Item = usize> {
        let mut left = self.length as u64;
        (0..self.lines).filter(move |&home| {
            let field = self.field(row, home);
            let here = field.map_or(left, |field| (count >> field) & ((1 << self.bits()) - 1));
            left -= here;
            here > 0
        })
    }

    /// Returns the bytes of a table with this number of counts.
    fn bytes(self, counts: usize) -> usize {
        let next = self.stride() * if counts <= 1 << 16 { 2 } else { 4 };
        counts * (size_of::<u64>() + 2 * size_of::<u16>() + next) + 4 * slots(counts)
    }

    /// Returns the number of counts and the bytes of their table, or `None` if that is more
    /// than `max_bytes`. Takes no longer than enumerating the counts that fit.
    pub(super) fn size(self, max_bytes: usize) -> Option<(usize, usize)> {
        if !self.is_small() {
            return None;
        }
        let bytes_per_count = size_of::<u64>() + 2 * size_of::<u16>() + 2 * self.stride() + 8;
        // All matrices with these row and column sums. Their number does not depend on the
        // blank's row.
        let mut column_left = vec![self.length; self.lines];
        column_left[self.goal] -= 1;
        let mut counter = Counter {
            lines: self.lines,
            length: self.length,
            max_found: max_bytes / bytes_per_count / self.lines,
            found: 0,
        };
        counter.fill(0, 0, self.length - 1, &mut column_left);
        let counts = counter.found * self.lines;
        let bytes = self.bytes(counts);
        (counter.found <= counter.max_found && bytes <= max_bytes).then_some((counts, bytes))
    }
}

/// Counts matrices with given row and column sums, up to a limit.
struct Counter {
    lines: usize,
    length: usize,
    max_found: usize,
    found: usize,
}

impl Counter {
    /// Fills the fields from (`row`, `col`) on, where `left` must still go into the row and
    /// `column_left` into each column.
    fn fill(&mut self, row: usize, col: usize, left: usize, column_left: &mut [usize]) {
        let last = self.lines - 1;
        if row == last {
            // The last row is determined.
            self.found += 1;
        } else if col == last {
            column_left[last] -= left;
            self.fill(row + 1, 0, self.length, column_left);
            column_left[last] += left;
        } else {
            // The columns to the right must have room for the rest.
            let behind: usize = column_left[col + 1..].iter().sum();
            let (min, max) = (left.saturating_sub(behind), left.min(column_left[col]));
            if (row + 1, col + 1) == (last, last) {
                // Each value gives one matrix.
                self.found += max - min + 1;
                return;
            }
            for put in min..=max {
                if self.found > self.max_found {
                    break;
                }
                column_left[col] -= put;
                self.fill(row, col + 1, left - put, column_left);
                column_left[col] += put;
            }
        }
    }
}

/// Returns the slots of a hash table for this number of counts.
fn slots(counts: usize) -> usize {
    (2 * counts).next_power_of_two()
}

impl Table {
    /// Builds the table of a shape. Returns `None` if it needs more than `max_bytes`.
    pub(in crate::heuristic) fn build(shape: Shape, max_bytes: usize) -> Option<Self> {
        let (counts, _) = shape.size(max_bytes)?;
        let mut table = Self {
            shape,
            counts: Vec::with_capacity(counts),
            distances: Vec::with_capacity(counts),
            next: if counts <= 1 << 16 {
                Next::Narrow(vec![0; counts * shape.stride()])
            } else {
                Next::Wide(vec![0; counts * shape.stride()])
            },
            nearer: Vec::with_capacity(counts),
            slots: vec![0; slots(counts)],
        };
        let at_home = (0..shape.lines)
            .flat_map(|row| std::iter::repeat_n((row, row), shape.length - usize::from(row == shape.goal)));
        table.number(shape.count(at_home, shape.goal), 0);
        while table.nearer.len() < table.counts.len() {
            let nearer = table.expand(table.nearer.len());
            table.nearer.push(nearer);
        }
        Some(table)
    }

    /// Numbers all neighbours of a count. Returns the mask of those nearer to the goal.
    fn expand(&mut self, number: usize) -> u16 {
        let shape = self.shape;
        let (count, distance) = (self.counts[number], self.distances[number]);
        let blank = shape.blank(count);
        let mut nearer = 0;
        for down in [false, true] {
            let Some(from) = shape.beside(blank, down) else { continue };
            for home in shape.homes(count, from) {
                let mut after = count - ((blank as u64) << shape.top()) + ((from as u64) << shape.top());
                if let (Some(from), Some(to)) = (shape.field(from, home), shape.field(blank, home)) {
                    after = after - (1 << from) + (1 << to);
                }
                let next = self.number(after, distance + 1);
                let step = Shape::step(home, down);
                nearer |= u16::from(self.distances[next] < distance) << step;
                match &mut self.next {
                    Next::Narrow(all) => all[number * shape.stride() + step] = next as u16,
                    Next::Wide(all) => all[number * shape.stride() + step] = next as u32,
                }
            }
        }
        nearer
    }

    /// Returns the number of a count; assigns a new one if it has none.
    fn number(&mut self, count: u64, distance: u16) -> usize {
        let slot = self.slot(count);
        if self.slots[slot] == 0 {
            self.counts.push(count);
            self.distances.push(distance);
            self.slots[slot] = self.counts.len() as u32;
        }
        self.slots[slot] as usize - 1
    }

    /// Returns the slot of a count, or the empty slot for it.
    fn slot(&self, count: u64) -> usize {
        let last = self.slots.len() - 1;
        // The high half of the product depends on all bits of the count.
        let mut slot = (count.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & last;
        while self.slots[slot] != 0 && self.counts[self.slots[slot] as usize - 1] != count {
            slot = (slot + 1) & last;
        }
        slot
    }

    /// Returns the number of a reachable count.
    pub(in crate::heuristic) fn find(&self, count: u64) -> usize {
        (self.slots[self.slot(count)] as usize).checked_sub(1).expect("every board's count is in the table")
    }

    /// Returns the number of the count after a step.
    #[inline(always)]
    pub(in crate::heuristic) fn after(&self, number: usize, step: usize) -> usize {
        let at = number * self.shape.stride() + step;
        match &self.next {
            Next::Narrow(next) => next[at].into(),
            Next::Wide(next) => next[at] as usize,
        }
    }

    /// Returns the distance of each count from the goal's count if any number of steps in one
    /// direction is one move.
    pub(in crate::heuristic) fn line_distances(&self) -> Vec<u8> {
        let mut distances = vec![u8::MAX; self.len()];
        // The goal's count has number 0.
        distances[0] = 0;
        let (mut layer, mut next_layer, mut straight) = (vec![0], Vec::new(), Vec::new());
        for distance in 1.. {
            for (&number, down) in layer.iter().flat_map(|number| [(number, false), (number, true)]) {
                straight.push(number);
                while let Some(number) = straight.pop() {
                    let count = self.counts[number];
                    let Some(from) = self.shape.beside(self.shape.blank(count), down) else { continue };
                    for home in self.shape.homes(count, from) {
                        let after = self.after(number, Shape::step(home, down));
                        straight.push(after);
                        if distances[after] == u8::MAX {
                            distances[after] = distance;
                            next_layer.push(after);
                        }
                    }
                }
            }
            std::mem::swap(&mut layer, &mut next_layer);
            next_layer.clear();
            if layer.is_empty() {
                break;
            }
        }
        distances
    }

    /// Returns the bytes of the table.
    pub(in crate::heuristic) fn bytes(&self) -> usize {
        self.shape.bytes(self.len())
    }

    /// Returns the distance of a count from the goal's count.
    pub(super) fn distance(&self, number: usize) -> u32 {
        self.distances[number].into()
    }

    /// Returns the number of counts.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Returns the shape of the table.
    pub(in crate::heuristic) fn shape(&self) -> Shape {
        self.shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_with_the_right_sums_is_reachable() {
        for lines in 2..=5 {
            for length in 2..=4 {
                for goal in 0..lines {
                    let shape = Shape { lines, length, goal };
                    let Some((counts, bytes)) = shape.size(32 << 20) else { continue };
                    let table = Table::build(shape, bytes).unwrap();
                    assert_eq!(table.len(), counts, "{shape:?}");
                    assert!(table.distances.is_sorted());
                }
            }
        }
    }
}
