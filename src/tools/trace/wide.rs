//! Visited states on boards of any size: their labels one after the other, two
//! bytes each.
//!
//! A successor is not written out before it is known to be new: it is the state
//! before with one tile moved, and its hash and its Manhattan distance follow
//! from that one tile.

use super::index::Index;
use super::visits::Visits;
use crate::puzzle::tiles::{Board, Direction, Size};

/// States in the order of their visits.
pub(super) struct WideLog {
    size: Size,
    goal_blank: usize,
    labels: Vec<u16>,
    marks: Vec<Mark>,
    index: Index,
}

/// What is kept of a state beside its labels.
#[derive(Clone, Copy)]
struct Mark {
    hash: u64,
    parent: u32,
    estimate: u32,
    blank: u32,
}

/// A logged state, with the tile in cell `blank` moved to `from`, where the blank
/// was; the state itself if both are one.
#[derive(Clone, Copy)]
pub(super) struct WideState {
    base: u32,
    from: u32,
    blank: u32,
    estimate: u32,
    hash: u64,
}

impl WideLog {
    /// Bytes for each state of so many cells.
    pub(super) fn bytes(cells: usize) -> u64 {
        (size_of::<u16>() * cells + size_of::<Mark>()) as u64 + Index::BYTES
    }

    /// A log that begins with a board.
    pub(super) fn new(start: &Board, goal: &Board) -> Self {
        let size = goal.size();
        let mut names = vec![0u16; size.cells()];
        let in_order = goal.tiles().iter().filter(|&&tile| tile != 0);
        in_order.zip(1..).for_each(|(&tile, label)| names[usize::from(tile)] = label);
        let labels: Vec<u16> = start.tiles().iter().map(|&tile| names[usize::from(tile)]).collect();
        let hash =
            labels.iter().enumerate().fold(0u64, |sum, (cell, &label)| sum.wrapping_add(mix(cell, label)));
        let mut log = Self { size, goal_blank: goal.blank(), labels, marks: Vec::new(), index: Index::new() };
        let estimate = (0..size.cells()).map(|cell| log.distance(log.labels[cell], cell)).sum();
        log.marks.push(Mark { hash, parent: 0, estimate, blank: start.blank() as u32 });
        if let Some(place) = log.index.place(hash, |_| false) {
            log.index.put(place, 0, |_| hash);
        }
        log
    }

    /// How far a label in a cell is from its place.
    fn distance(&self, label: u16, cell: usize) -> u32 {
        if label == 0 {
            return 0;
        }
        let cols = self.size.cols();
        let before = usize::from(label) - 1;
        let home = before + usize::from(before >= self.goal_blank);
        ((home / cols).abs_diff(cell / cols) + (home % cols).abs_diff(cell % cols)) as u32
    }

    fn labels_of(&self, number: u32) -> &[u16] {
        let cells = self.size.cells();
        &self.labels[number as usize * cells..][..cells]
    }

    /// Whether a logged state is this one.
    fn is(&self, number: u32, state: &WideState) -> bool {
        if self.marks[number as usize].hash != state.hash {
            return false;
        }
        let (here, base) = (self.labels_of(number), self.labels_of(state.base));
        let (from, blank) = (state.from as usize, state.blank as usize);
        let (low, high) = (from.min(blank), from.max(blank));
        here[blank] == 0
            && (from == blank || here[from] == base[blank])
            && here[..low] == base[..low]
            && here[high + 1..] == base[high + 1..]
            && (low == high || here[low + 1..high] == base[low + 1..high])
    }
}

impl Visits for WideLog {
    type State = WideState;

    fn len(&self) -> u32 {
        self.marks.len() as u32
    }

    fn state(&self, number: u32) -> WideState {
        let Mark { hash, estimate, blank, .. } = self.marks[number as usize];
        WideState { base: number, from: blank, blank, estimate, hash }
    }

    fn parent(&self, number: u32) -> u32 {
        self.marks[number as usize].parent
    }

    fn successor(&self, state: &WideState, direction: Direction) -> Option<WideState> {
        debug_assert_eq!(state.from, state.blank, "only what was visited has successors here");
        let cols = self.size.cols();
        let from = state.blank as usize;
        let blank = match direction {
            Direction::Up => from.checked_sub(cols)?,
            Direction::Right => (from % cols + 1 < cols).then_some(from + 1)?,
            Direction::Down => (from + cols < self.size.cells()).then_some(from + cols)?,
            Direction::Left => (!from.is_multiple_of(cols)).then(|| from - 1)?,
        };
        let label = self.labels_of(state.base)[blank];
        let hash = state.hash.wrapping_sub(mix(blank, label)).wrapping_sub(mix(from, 0));
        let hash = hash.wrapping_add(mix(from, label)).wrapping_add(mix(blank, 0));
        let estimate = state.estimate - self.distance(label, blank) + self.distance(label, from);
        Some(WideState { base: state.base, from: from as u32, blank: blank as u32, estimate, hash })
    }

    fn visit(&mut self, state: &WideState, parent: u32) -> Option<u32> {
        let place = self.index.place(state.hash, |number| self.is(number, state))?;
        let number = self.len();
        let cells = self.size.cells();
        let base = state.base as usize * cells;
        self.labels.extend_from_within(base..base + cells);
        let new = self.labels.len() - cells;
        self.labels.swap(new + state.from as usize, new + state.blank as usize);
        let WideState { hash, estimate, blank, .. } = *state;
        self.marks.push(Mark { hash, parent, estimate, blank });
        self.index.put(place, number, |number| self.marks[number as usize].hash);
        Some(number)
    }

    fn is_goal(&self, state: &WideState) -> bool {
        state.estimate == 0
    }

    fn estimate(&self, state: &WideState) -> u32 {
        state.estimate
    }

    fn estimate_after(&self, state: &WideState, _: u32, direction: Direction) -> u32 {
        self.successor(state, direction).map_or(state.estimate, |after| after.estimate)
    }

    fn blank(&self, state: &WideState) -> usize {
        state.blank as usize
    }

    fn label(&self, state: &WideState, cell: usize) -> usize {
        let base = self.labels_of(state.base);
        let (from, blank) = (state.from as usize, state.blank as usize);
        match cell {
            _ if cell == blank => 0,
            _ if cell == from => base[blank].into(),
            _ => base[cell].into(),
        }
    }
}

/// What a label in a cell adds to a hash.
fn mix(cell: usize, label: u16) -> u64 {
    let mut word = ((cell as u64) << 16 | u64::from(label)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
