//! All walks of tiles between the rows of a board, by breadth-first search.
//!
//! What counts of a board is only how many tiles of each row belong to which
//! row, and the row of the blank. A *count* is that matrix, packed into a word:
//! a field for each row but the last field of each row, which the others give,
//! and the blank's row on top. A move of the blank between two rows takes one
//! tile across, so it adds a constant to the count.

/// The counts of boards with `lines` rows of `length` cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::heuristic) struct Shape {
    /// The rows, or the columns when walks between those are meant.
    pub(super) lines: usize,
    pub(super) length: usize,
    /// The row of the goal's blank.
    pub(super) goal: usize,
}

/// The steps from every count, and how far each is from the goal's.
#[derive(Debug)]
pub(in crate::heuristic) struct Table {
    shape: Shape,
    /// The counts, by their distance from the goal's.
    counts: Vec<u64>,
    distances: Vec<u16>,
    /// The numbers of the counts after a step: [`Shape::stride`] for each count.
    next: Next,
    /// For each count, a bit for each step that leads nearer to the goal's.
    pub(super) nearer: Vec<u16>,
    /// Numbers of counts plus one, at places given by the counts' hash values.
    slots: Vec<u32>,
}

/// Numbers of counts, as narrow as there are few.
#[derive(Debug)]
enum Next {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

/// The most steps of one count: what bits there are for in a mask.
pub(super) const STEPS: usize = 16;

impl Shape {
    /// Bits for a field.
    fn bits(self) -> usize {
        self.length.ilog2() as usize + 1
    }

    /// Where the field is for tiles in a row that belong to another; none for
    /// the last field of a row.
    fn field(self, row: usize, home: usize) -> Option<usize> {
        (home + 1 < self.lines).then(|| (row * (self.lines - 1) + home) * self.bits())
    }

    /// Where the blank's row starts in a count.
    fn top(self) -> usize {
        self.lines * (self.lines - 1) * self.bits()
    }

    /// Whether a count fits into a word, and its steps into a mask.
    fn is_small(self) -> bool {
        2 * self.lines <= STEPS && self.top() + (self.lines.ilog2() as usize) < 64
    }

    /// The number of a step: the blank goes one row up or down and takes the
    /// place of a tile that belongs to the row `home`.
    pub(in crate::heuristic) fn step(home: usize, down: bool) -> usize {
        2 * home + usize::from(down)
    }

    /// Room for the steps of one count.
    pub(super) fn stride(self) -> usize {
        (2 * self.lines).next_power_of_two()
    }

    /// The count of a board, from the row and the home row of each tile, and the
    /// row of the blank.
    pub(in crate::heuristic) fn count(
        self,
        tiles: impl Iterator<Item = (usize, usize)>,
        blank: usize,
    ) -> u64 {
        let fields = tiles.filter_map(|(row, home)| self.field(row, home));
        fields.map(|field| 1 << field).sum::<u64>() + ((blank as u64) << self.top())
    }

    /// The row of the blank.
    fn blank(self, count: u64) -> usize {
        (count >> self.top()) as usize
    }

    /// The row above or below a row.
    fn beside(self, row: usize, down: bool) -> Option<usize> {
        if down { Some(row + 1).filter(|&row| row < self.lines) } else { row.checked_sub(1) }
    }

    /// The rows that tiles belong to which are in a row other than the blank's.
    fn homes(self, count: u64, row: usize) -> impl Iterator<Item = usize> {
        let mut left = self.length as u64;
        (0..self.lines).filter(move |&home| {
            let field = self.field(row, home);
            let here = field.map_or(left, |field| (count >> field) & ((1 << self.bits()) - 1));
            left -= here;
            here > 0
        })
    }

    /// The bytes of a table with so many counts.
    fn bytes(self, counts: usize) -> usize {
        let next = self.stride() * if counts <= 1 << 16 { 2 } else { 4 };
        counts * (size_of::<u64>() + 2 * size_of::<u16>() + next) + 4 * slots(counts)
    }

    /// How many counts there are, and the bytes of their table; none if that is
    /// more than `max_bytes`. It takes no more time than counting so many.
    pub(super) fn size(self, max_bytes: usize) -> Option<(usize, usize)> {
        if !self.is_small() {
            return None;
        }
        let bytes_per_count = size_of::<u64>() + 2 * size_of::<u16>() + 2 * self.stride() + 8;
        // All matrices with these sums of rows and columns; they are as many for
        // each row that the blank can be in.
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

/// Counts matrices with given sums, and gives up beyond a number.
struct Counter {
    lines: usize,
    length: usize,
    max_found: usize,
    found: usize,
}

impl Counter {
    /// Fills the fields from a row and column on, with `left` still to be put
    /// into the row and `wanted` into each column.
    fn fill(&mut self, row: usize, col: usize, left: usize, column_left: &mut [usize]) {
        let last = self.lines - 1;
        if row == last {
            // Nothing is free in the last row.
            self.found += 1;
        } else if col == last {
            column_left[last] -= left;
            self.fill(row + 1, 0, self.length, column_left);
            column_left[last] += left;
        } else {
            // The columns behind this one must have room for the rest.
            let behind: usize = column_left[col + 1..].iter().sum();
            let (min, max) = (left.saturating_sub(behind), left.min(column_left[col]));
            if (row + 1, col + 1) == (last, last) {
                // Each of these gives one matrix.
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

/// Places for so many counts.
fn slots(counts: usize) -> usize {
    (2 * counts).next_power_of_two()
}

impl Table {
    /// The table of a shape, if it needs no more than `max_bytes`.
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

    /// Numbers all neighbours of a count; the mask of those nearer to the goal.
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

    /// The number of a count, a new one if it had none.
    fn number(&mut self, count: u64, distance: u16) -> usize {
        let slot = self.slot(count);
        if self.slots[slot] == 0 {
            self.counts.push(count);
            self.distances.push(distance);
            self.slots[slot] = self.counts.len() as u32;
        }
        self.slots[slot] as usize - 1
    }

    /// Where a count's number is, or should be.
    fn slot(&self, count: u64) -> usize {
        let last = self.slots.len() - 1;
        // The high half of the product depends on all bits of the count.
        let mut slot = (count.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & last;
        while self.slots[slot] != 0 && self.counts[self.slots[slot] as usize - 1] != count {
            slot = (slot + 1) & last;
        }
        slot
    }

    /// The number of a count that can be reached.
    pub(in crate::heuristic) fn find(&self, count: u64) -> usize {
        (self.slots[self.slot(count)] as usize).checked_sub(1).expect("every board's count is in the table")
    }

    /// The number of the count after a step from another.
    #[inline(always)]
    pub(in crate::heuristic) fn after(&self, number: usize, step: usize) -> usize {
        let at = number * self.shape.stride() + step;
        match &self.next {
            Next::Narrow(next) => next[at].into(),
            Next::Wide(next) => next[at] as usize,
        }
    }

    /// How far each count is from the goal's if any number of steps in one
    /// direction is one move.
    pub(in crate::heuristic) fn line_distances(&self) -> Vec<u8> {
        let mut distances = vec![u8::MAX; self.len()];
        // The goal's count was the first to be numbered.
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

    /// The bytes of the table.
    pub(in crate::heuristic) fn bytes(&self) -> usize {
        self.shape.bytes(self.len())
    }

    /// How far a count is from the goal's.
    pub(super) fn distance(&self, number: usize) -> u32 {
        self.distances[number].into()
    }

    /// How many counts there are.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The shape of the boards it is for.
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
