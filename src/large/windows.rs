//! Shorter ways between two boards of a path.
//!
//! A window is a stretch of the path. Its length less the Manhattan distance
//! between its targets is its *slack*: twice the number of moves in it that lead
//! nowhere. Depth-first search for a way with less slack is quick while that is
//! small, however long the window is; so windows are chosen by their slack.

use crate::large::mutable_board::{MutableBoard, beside};
use crate::puzzle::tiles::{Direction, Size};

/// Shortens stretches of paths on boards of one size.
pub struct Windows {
    size: Size,
    /// Where each tile is at the end of the window, as row and column.
    targets: Vec<[u8; 2]>,
    found: Vec<Direction>,
    /// Moves tried.
    tried: u64,
}

/// Moves tried in one window, at moves_left.
const MAX_MOVES: u64 = 60_000;

/// Windows are no longer than this.
const MAX_LENGTH: usize = 90;

impl Windows {
    /// For boards of a size.
    pub fn new(size: Size) -> Self {
        Self { size, targets: vec![[0; 2]; size.cells()], found: Vec::new(), tried: 0 }
    }

    /// Moves tried so far.
    pub fn tried(&self) -> u64 {
        self.tried
    }

    /// Shortens a path from a field, window by window, each with up to so much
    /// slack, until `stop`. The field's own moves do not matter.
    pub fn shorten(
        &mut self,
        field: &MutableBoard,
        path: &mut Vec<Direction>,
        slack: usize,
        mut stop: impl FnMut() -> bool,
    ) {
        let mut start = field.clone();
        let mut at = 0;
        while at + 4 < path.len() && !stop() {
            let length = self.measure(&start, &path[at..], slack);
            if length > 3 && self.search(&mut start, length) {
                path.splice(at..at + length, self.found.drain(..));
                // What lies before may join up with what is new.
                let back = at.min(12);
                for step in path[at - back..at].iter().rev() {
                    start.shift(step.opposite());
                }
                at -= back;
                continue;
            }
            let forward = (length / 5).clamp(1, path.len() - at);
            path[at..at + forward].iter().for_each(|&step| start.shift(step));
            at += forward;
        }
    }

    /// The length of the longest window at the start of a path that has some
    /// slack, but no more than this; notes where the tiles are at its end.
    fn measure(&mut self, start: &MutableBoard, path: &[Direction], slack: usize) -> usize {
        let cols = self.size.cols();
        let mut field = start.clone();
        let (mut distance, mut length) = (0isize, 0);
        for (made, &step) in path.iter().take(MAX_LENGTH).enumerate() {
            field.shift(step);
            // The tile that made way lies where the blank was.
            let cell = beside(field.blank(), step.opposite(), cols);
            let from = start.cell_of(field.cells()[cell].into());
            let away =
                |cell: usize| (cell / cols).abs_diff(from / cols) + (cell % cols).abs_diff(from % cols);
            distance += away(cell) as isize - away(field.blank()) as isize;
            let loose = made + 1 - distance as usize;
            if loose > slack {
                break;
            }
            if loose > 0 {
                length = made + 1;
            }
        }
        let mut field = start.clone();
        path[..length].iter().for_each(|&step| field.shift(step));
        for home in 0..self.size.cells() {
            let cell = field.cell_of(home);
            self.targets[home] = [(cell / cols) as u8, (cell % cols) as u8];
        }
        length
    }

    /// Looks for a way to the window's end that is shorter by two moves at
    /// least; leaves the field as it was.
    fn search(&mut self, field: &mut MutableBoard, length: usize) -> bool {
        let cols = self.size.cols();
        let blank = usize::from(field.cells()[field.blank()]);
        let mut distance = 0;
        for (cell, &home) in field.cells().iter().enumerate() {
            if usize::from(home) != blank {
                let [row, col] = self.targets[usize::from(home)];
                distance += (cell / cols).abs_diff(row.into()) + (cell % cols).abs_diff(col.into());
            }
        }
        if distance + 2 > length {
            return false;
        }
        self.found.clear();
        let mut moves_left = MAX_MOVES;
        // Shorter ways first: they are found, or ruled out, soonest.
        let mut bound = distance + (length - distance) % 2;
        while bound + 2 <= length {
            if self.depth_first(field, (distance, bound), blank, &mut moves_left) {
                return true;
            }
            bound += 2;
        }
        false
    }

    /// Depth-first search for a way of `bound` moves. The field targets as it was.
    fn depth_first(
        &mut self,
        field: &mut MutableBoard,
        (distance, bound): (usize, usize),
        blank: usize,
        moves_left: &mut u64,
    ) -> bool {
        let (rows, cols) = (self.size.rows(), self.size.cols());
        let made = self.found.len();
        if distance == 0 {
            let [row, col] = self.targets[blank];
            if field.blank() == usize::from(row) * cols + usize::from(col) {
                return true;
            }
        }
        let (row, col) = (field.blank() / cols, field.blank() % cols);
        for direction in Direction::ALL {
            if self.found.last() == Some(&direction.opposite()) {
                continue;
            }
            // The tile moves against the blank's direction.
            let (inside, nearer) = match direction {
                Direction::Up => (row > 0, row > 0 && self.target(field, row - 1, col)[0] as usize >= row),
                Direction::Down => {
                    (row + 1 < rows, row + 1 < rows && self.target(field, row + 1, col)[0] as usize <= row)
                }
                Direction::Left => (col > 0, col > 0 && self.target(field, row, col - 1)[1] as usize >= col),
                Direction::Right => {
                    (col + 1 < cols, col + 1 < cols && self.target(field, row, col + 1)[1] as usize <= col)
                }
            };
            if !inside {
                continue;
            }
            let next = if nearer { distance - 1 } else { distance + 1 };
            if made + 1 + next > bound {
                continue;
            }
            if *moves_left == 0 {
                return false;
            }
            *moves_left -= 1;
            self.tried += 1;
            field.shift(direction);
            self.found.push(direction);
            let done = self.depth_first(field, (next, bound), blank, moves_left);
            field.shift(direction.opposite());
            if done {
                return true;
            }
            self.found.pop();
        }
        false
    }

    /// Where the tile in a cell is at the end of the window.
    fn target(&self, field: &MutableBoard, row: usize, col: usize) -> [u8; 2] {
        self.targets[usize::from(field.cells()[row * self.size.cols() + col])]
    }
}
