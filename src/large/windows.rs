//! Windows: shortcuts between two boards of a path.
//!
//! A window is a segment of the path. Its *slack* is its length minus the Manhattan distance
//! between its ends: twice the number of moves that do not reduce the distance. Depth-first search
//! for a path with less slack is fast while the slack is small, however long the window is. Windows
//! are therefore chosen by their slack.

use crate::large::mutable_board::{MutableBoard, neighbour};
use crate::puzzle::tiles::{Direction, Size};

/// Shortens paths on boards of one size.
pub struct Windows {
    size: Size,
    /// Row and column of each tile at the end of the window.
    targets: Vec<[u8; 2]>,
    found: Vec<Direction>,
    /// The number of moves tried.
    tried: u64,
}

/// The largest number of moves tried in one window.
const MAX_MOVES: u64 = 60_000;

/// The largest length of a window.
const MAX_LENGTH: usize = 90;

impl Windows {
    /// Creates a solver of windows for boards of one size.
    pub fn new(size: Size) -> Self {
        Self { size, targets: vec![[0; 2]; size.cells()], found: Vec::new(), tried: 0 }
    }

    /// Returns the number of moves tried so far.
    pub fn tried(&self) -> u64 {
        self.tried
    }

    /// Shortens `path`, which starts at `field`, window by window with at most `slack`, until
    /// `stop` returns `true`. The history of `field` is ignored.
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
                // The moves before the shortcut may combine with it.
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

    /// Returns the length of the longest prefix of `path` with slack above 0 and at most `slack`,
    /// and stores its end in `targets`.
    fn measure(&mut self, start: &MutableBoard, path: &[Direction], slack: usize) -> usize {
        let cols = self.size.cols();
        let mut field = start.clone();
        let (mut distance, mut length) = (0isize, 0);
        for (made, &step) in path.iter().take(MAX_LENGTH).enumerate() {
            field.shift(step);
            // The tile that moved is in the previous cell of the blank.
            let cell = neighbour(field.blank(), step.opposite(), cols);
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

    /// Searches a path to the end of the window that is at least two moves shorter. `field` is
    /// unchanged on return.
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
        // Iterative deepening: short paths are found or refuted fastest.
        let mut bound = distance + (length - distance) % 2;
        while bound + 2 <= length {
            if self.depth_first(field, (distance, bound), blank, &mut moves_left) {
                return true;
            }
            bound += 2;
        }
        false
    }

    /// Depth-first search for a path of `bound` moves. `field` is unchanged on return.
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
            // The tile moves opposite to the blank.
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

    /// Returns the position, at the end of the window, of the tile at `row` and `col`.
    fn target(&self, field: &MutableBoard, row: usize, col: usize) -> [u8; 2] {
        self.targets[usize::from(field.cells()[row * self.size.cols() + col])]
    }
}
