//! One stage of a beam search: a rectangle whose first line is to be solved.
//!
//! Cells and tiles are numbered as seen from the line's side ([`View`]): the
//! line is always the first row. A board's score tells how far it is from a good
//! next stage, the lower the better. It has two parts, one for the line's own
//! tiles and one for all others, and each is a sum over tiles of
//! `(1 + 2·0.8^k)·d^1.7`, where `d` is the tile's distance from home and `k` the
//! number of lines that come before its own; plus a fine for each pair of tiles
//! in their home row or column in the wrong order, and for each place of the
//! line that is closed in by tiles that are home, because its own tile cannot
//! enter any more without moving one of them.

use super::weights::Weights;
use crate::large::peel::{Rest, Side, View};
use crate::puzzle::tiles::Direction;

/// The number of a tile: the cell where it belongs.
pub(super) trait Label: bytemuck::Pod + Ord + Send + Sync {
    fn new(index: usize) -> Self;
    fn index(self) -> usize;
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
}

/// No cell.
const EDGE: u16 = u16::MAX;

/// What a stage is about, and tables for it.
pub(super) struct Stage {
    pub(super) rest: Rest,
    /// The side whose line is to be solved; all tiles where there is none.
    pub(super) side: Option<Side>,
    pub(super) view: View,
    pub(super) cells: usize,
    width: usize,
    /// The blank's home.
    blank: usize,
    /// Tiles below this number are the line's own.
    own: usize,
    /// For each tile, a score for each cell.
    far: Vec<i32>,
    /// The fine for a pair in the wrong order, by its first tile.
    disorder: Vec<i32>,
    closed_in: i32,
    /// For each cell, its neighbours by direction of the view.
    beside: Vec<[u16; 4]>,
    row: Vec<u16>,
    col: Vec<u16>,
    /// Random factors, for each tile and for each cell.
    tile_code: Vec<u64>,
    cell_code: Vec<u64>,
}

/// What is known of a board.
#[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Facts {
    /// Tells boards apart.
    pub(super) code: u64,
    /// Tells arrangements of the line's own tiles apart.
    pub(super) own_code: u64,
    /// Which of the line's own tiles are home.
    pub(super) home: u64,
    /// The score of the line's own tiles.
    pub(super) own: i32,
    /// The score of the others.
    pub(super) others: i32,
}

/// What a move changes.
#[derive(Clone, Copy)]
pub(super) struct Change {
    pub(super) code: u64,
    pub(super) own: i32,
    pub(super) others: i32,
}

impl Stage {
    /// The stage for what is left of a board of so many columns. The lines of
    /// `later` come after this one, in their order; the blank belongs in a cell
    /// of the board.
    pub(super) fn new(
        rest: Rest,
        side: Option<Side>,
        later: &[Side],
        (board_cols, blank): (usize, usize),
        weights: &Weights,
    ) -> Self {
        let view = View::new(rest, side.unwrap_or(Side::Top), board_cols);
        let (width, height) = (view.width, view.height);
        let cells = width * height;
        let number = |cell: usize| view.number(cell, board_cols);
        let mut lines_ahead = vec![0; cells];
        let mut inner = rest;
        for (ahead, &side) in side.iter().chain(later).enumerate() {
            inner = inner.without(side);
            for row in inner.top..inner.top + inner.rows {
                for col in inner.left..inner.left + inner.cols {
                    lines_ahead[number(row * board_cols + col)] = ahead + 1;
                }
            }
        }
        let blank = number(blank);
        let row: Vec<u16> = (0..cells).map(|cell| (cell / width) as u16).collect();
        let col: Vec<u16> = (0..cells).map(|cell| (cell % width) as u16).collect();
        let mut far = vec![0; cells * cells];
        for tile in (0..cells).filter(|&tile| tile != blank) {
            for cell in 0..cells {
                let distance = row[tile].abs_diff(row[cell]) + col[tile].abs_diff(col[cell]);
                far[tile * cells + cell] = weights.far(distance.into(), lines_ahead[tile]);
            }
        }
        let beside = |cell: usize| {
            let (row, col) = (cell / width, cell % width);
            let open = [row > 0, col + 1 < width, row + 1 < height, col > 0];
            let cells = [cell.wrapping_sub(width), cell + 1, cell + width, cell.wrapping_sub(1)];
            [0, 1, 2, 3].map(|direction| if open[direction] { cells[direction] as u16 } else { EDGE })
        };
        let mut codes = Codes(0x5eed);
        Self {
            rest,
            side,
            view,
            cells,
            width,
            blank,
            own: if side.is_some() { width } else { cells },
            far,
            disorder: lines_ahead.iter().map(|&ahead| weights.disorder(ahead)).collect(),
            closed_in: if side.is_some() { weights.closed_in() } else { 0 },
            beside: (0..cells).map(beside).collect(),
            row,
            col,
            tile_code: (0..cells).map(|_| codes.next() | 1).collect(),
            cell_code: (0..cells).map(|_| codes.next()).collect(),
        }
    }

    /// The largest number of cells whose tiles fit the set of those at home.
    pub(super) const WIDEST: usize = 64;

    /// The set of all the line's own tiles.
    fn all_home(&self) -> u64 {
        let tiles = self.own as u32 - u32::from(self.blank < self.own);
        u64::MAX >> (64 - tiles)
    }

    /// Whether a board is done with this stage.
    #[inline]
    pub(super) fn is_done(&self, facts: &Facts) -> bool {
        facts.home == self.all_home()
    }

    /// The cell beside the blank's in a direction of the view.
    #[inline(always)]
    pub(super) fn beside(&self, blank: usize, direction: usize) -> Option<usize> {
        match self.beside[blank][direction] {
            EDGE => None,
            cell => Some(cell.into()),
        }
    }

    /// The bit of one of the line's own tiles.
    #[inline(always)]
    fn bit(&self, tile: usize) -> u64 {
        // The blank has none, so those behind it are one place lower.
        1 << (tile - usize::from(tile > self.blank))
    }

    /// The fine for places that are closed in.
    #[inline(always)]
    fn fine(&self, home: u64) -> i32 {
        let all = self.all_home();
        let last = (all >> 1) + 1;
        let closed = ((home << 1) | 1) & ((home >> 1) | last) & !home & all;
        closed.count_ones() as i32 * self.closed_in
    }

    /// Tiles in a row, other than the one at `cell`, that belong there and are on
    /// the wrong side of `tile`.
    #[inline(always)]
    fn disorder_in_row<L: Label>(&self, board: &[L], cell: usize, tile: L) -> i32 {
        let start = cell - usize::from(self.col[cell]);
        let row = &board[start..start + self.width];
        let (low, high) = (L::new(start), L::new(start + self.width - 1));
        let (before, after) = row.split_at(cell - start);
        let wrong_before = before.iter().map(|&other| i32::from(other > tile && other <= high)).sum::<i32>();
        let wrong_after =
            after[1..].iter().map(|&other| i32::from(other < tile && other >= low)).sum::<i32>();
        wrong_before + wrong_after
    }

    /// The same for a column.
    #[inline(always)]
    fn disorder_in_col<L: Label>(&self, board: &[L], cell: usize, tile: L) -> i32 {
        let col = self.col[cell];
        let belongs = |other: L| self.col[other.index()] == col;
        let column = board[col.into()..].iter().step_by(self.width);
        let row = usize::from(self.row[cell]);
        let mut wrong = 0;
        for (at, &other) in column.enumerate() {
            let passes = if at < row { other > tile } else { other < tile };
            wrong += i32::from(passes && at != row && belongs(other));
        }
        wrong
    }

    /// All facts of a board, from nothing.
    pub(super) fn facts<L: Label>(&self, board: &[L]) -> Facts {
        let mut facts = Facts::default();
        let blank = L::new(self.blank);
        let at = board.iter().position(|&label| label == blank).unwrap_or(0);
        // The blank is on nobody's way: while counting, let it be as good as the
        // tile that is looked at.
        let mut seen = board.to_vec();
        for (cell, &label) in board.iter().enumerate().filter(|&(_, &label)| label != blank) {
            let tile = label.index();
            seen[at] = label;
            let mut twice = 2 * self.far[tile * self.cells + cell];
            if self.row[tile] == self.row[cell] {
                twice += self.disorder[tile] * self.disorder_in_row(&seen, cell, label);
            }
            if self.col[tile] == self.col[cell] {
                twice += self.disorder[tile] * self.disorder_in_col(&seen, cell, label);
            }
            let code = self.tile_code[tile].wrapping_mul(self.cell_code[cell]);
            facts.code = facts.code.wrapping_add(code);
            if tile < self.own {
                facts.own += twice;
                facts.own_code = facts.own_code.wrapping_add(code);
                if tile == cell {
                    facts.home |= self.bit(tile);
                }
            } else {
                facts.others += twice;
            }
        }
        facts.own = facts.own / 2 + self.fine(facts.home);
        facts.others /= 2;
        facts
    }

    /// What changes when the tile in `from` slides into the empty cell `to`.
    #[inline(always)]
    pub(super) fn change<L: Label>(
        &self,
        board: &[L],
        facts: &Facts,
        from: usize,
        to: usize,
        upright: bool,
    ) -> Change {
        let label = board[from];
        let tile = label.index();
        let far = &self.far[tile * self.cells..][..self.cells];
        let mut score = far[to] - far[from];
        if upright {
            if self.row[tile] == self.row[from] {
                score -= self.disorder[tile] * self.disorder_in_row(board, from, label);
            } else if self.row[tile] == self.row[to] {
                score += self.disorder[tile] * self.disorder_in_row(board, to, label);
            }
        } else if self.col[tile] == self.col[from] {
            score -= self.disorder[tile] * self.disorder_in_col(board, from, label);
        } else if self.col[tile] == self.col[to] {
            score += self.disorder[tile] * self.disorder_in_col(board, to, label);
        }
        let code = facts.code.wrapping_add(self.code_change(tile, from, to));
        if tile >= self.own {
            return Change { code, own: facts.own, others: facts.others + score };
        }
        let home = self.home_after(facts.home, tile, from, to);
        if home != facts.home {
            score += self.fine(home) - self.fine(facts.home);
        }
        Change { code, own: facts.own + score, others: facts.others }
    }

    /// The facts after a change by that move.
    #[inline(always)]
    pub(super) fn apply<L: Label>(
        &self,
        board: &[L],
        facts: &Facts,
        change: &Change,
        from: usize,
        to: usize,
    ) -> Facts {
        let tile = board[from].index();
        let Change { code, own, others } = *change;
        if tile >= self.own {
            return Facts { code, own, others, ..*facts };
        }
        let own_code = facts.own_code.wrapping_add(self.code_change(tile, from, to));
        Facts { code, own_code, home: self.home_after(facts.home, tile, from, to), own, others }
    }

    #[inline(always)]
    fn code_change(&self, tile: usize, from: usize, to: usize) -> u64 {
        self.tile_code[tile].wrapping_mul(self.cell_code[to].wrapping_sub(self.cell_code[from]))
    }

    #[inline(always)]
    fn home_after(&self, home: u64, tile: usize, from: usize, to: usize) -> u64 {
        if tile == from {
            home & !self.bit(tile)
        } else if tile == to {
            home | self.bit(tile)
        } else {
            home
        }
    }

    /// The board's cell of a number.
    pub(super) fn cell(&self, number: usize) -> usize {
        self.view.cell(number / self.width, number % self.width)
    }

    /// The board's direction for one of the view.
    pub(super) fn direction(&self, index: usize) -> Direction {
        self.view.direction(Direction::from_index(index))
    }
}

/// A stream of random codes (SplitMix64).
struct Codes(u64);

impl Codes {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}
