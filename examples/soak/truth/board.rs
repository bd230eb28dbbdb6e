//! A tile board, written as plainly as possible and apart from the program's.

use crate::random::Random;

/// The tiles row by row, 0 for the blank.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Board {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) tiles: Vec<u16>,
}

/// The goals that have names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum GoalName {
    BlankLast,
    BlankFirst,
    Snail,
}

impl GoalName {
    pub(crate) const ALL: [Self; 3] = [Self::BlankLast, Self::BlankFirst, Self::Snail];

    /// Returns the word of the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::BlankLast => "blank-last",
            Self::BlankFirst => "blank-first",
            Self::Snail => "snail",
        }
    }

    /// Returns the goal board of a size.
    pub(crate) fn board(self, rows: usize, cols: usize) -> Board {
        let cells = rows * cols;
        let mut tiles: Vec<u16> = (0..cells as u16).collect();
        match self {
            Self::BlankFirst => {}
            Self::BlankLast => tiles.rotate_left(1),
            Self::Snail => {
                for (cell, tile) in spiral(rows, cols).into_iter().zip(1..) {
                    tiles[cell] = if tile == cells { 0 } else { tile as u16 };
                }
            }
        }
        Board { rows, cols, tiles }
    }
}

/// Returns the cells clockwise from the first one inwards.
fn spiral(rows: usize, cols: usize) -> Vec<usize> {
    let (mut top, mut bottom, mut left, mut right) = (0, rows, 0, cols);
    let mut cells = Vec::new();
    while top < bottom && left < right {
        cells.extend((left..right).map(|col| top * cols + col));
        cells.extend((top + 1..bottom).map(|row| row * cols + right - 1));
        if bottom - top > 1 {
            cells.extend((left..right - 1).rev().map(|col| (bottom - 1) * cols + col));
        }
        if right - left > 1 {
            cells.extend((top + 1..bottom - 1).rev().map(|row| row * cols + left));
        }
        (top, bottom, left, right) = (top + 1, bottom - 1, left + 1, right - 1);
    }
    cells
}

impl Board {
    /// Returns a board with its tiles in any order; half of them are unsolvable.
    pub(crate) fn random(random: &mut Random, rows: usize, cols: usize) -> Self {
        let mut tiles: Vec<u16> = (0..(rows * cols) as u16).collect();
        random.shuffle(&mut tiles);
        Self { rows, cols, tiles }
    }

    /// Returns the board after `moves` random moves, none of which undoes the
    /// one before.
    pub(crate) fn walk(mut self, random: &mut Random, moves: usize) -> Self {
        let mut last = ' ';
        for _ in 0..moves {
            loop {
                let letter = random.pick(&['U', 'R', 'D', 'L']);
                if letter != opposite(last) && self.slide(letter) {
                    last = letter;
                    break;
                }
            }
        }
        self
    }

    /// Returns the cell of the blank.
    pub(crate) fn blank(&self) -> usize {
        self.tiles.iter().position(|&tile| tile == 0).expect("a blank")
    }

    /// Moves the blank up, right, down or left, if it can.
    pub(crate) fn slide(&mut self, letter: char) -> bool {
        let blank = self.blank();
        let (row, col) = (blank / self.cols, blank % self.cols);
        let to = match letter {
            'U' if row > 0 => blank - self.cols,
            'D' if row + 1 < self.rows => blank + self.cols,
            'L' if col > 0 => blank - 1,
            'R' if col + 1 < self.cols => blank + 1,
            _ => return false,
        };
        self.tiles.swap(blank, to);
        true
    }

    /// Exchanges two tiles: a solvable board becomes unsolvable.
    pub(crate) fn exchange_tiles(&mut self) {
        let mut tiles = (0..self.tiles.len()).filter(|&cell| self.tiles[cell] != 0);
        let (first, second) = (tiles.next().expect("a tile"), tiles.next().expect("a tile"));
        self.tiles.swap(first, second);
    }

    /// Returns whether `goal` can be reached: the parity of the permutation is
    /// that of the distance of the blank.
    pub(crate) fn is_solvable(&self, goal: &Self) -> bool {
        let place: Vec<usize> = self
            .tiles
            .iter()
            .map(|tile| goal.tiles.iter().position(|other| other == tile).expect("a tile"))
            .collect();
        let mut odd = false;
        for (cell, to) in place.iter().enumerate() {
            odd ^= place[..cell].iter().filter(|before| *before > to).count() % 2 == 1;
        }
        let (from, to) = (self.blank(), goal.blank());
        let way = (from / self.cols).abs_diff(to / self.cols) + (from % self.cols).abs_diff(to % self.cols);
        odd == (way % 2 == 1)
    }

    /// Replays letters of the blank, and returns the length of the way in
    /// single moves or in runs; nothing if it does not end at `goal`.
    pub(crate) fn replay(&self, letters: &str, goal: &Self, line: bool) -> Option<u64> {
        let (mut board, mut length, mut last) = (self.clone(), 0, ' ');
        for letter in letters.chars() {
            if !board.slide(letter) {
                return None;
            }
            length += u64::from(!line || letter != last);
            last = letter;
        }
        (board == *goal).then_some(length)
    }
}

/// Returns the letter of the way back.
pub(crate) fn opposite(letter: char) -> char {
    match letter {
        'U' => 'D',
        'D' => 'U',
        'L' => 'R',
        'R' => 'L',
        other => other,
    }
}
