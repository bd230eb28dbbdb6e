//! The score of a board in one stage: a rectangle whose first line is to be solved.
//!
//! Cells and tiles are numbered relative to the side of the line ([`View`]), so the line is always
//! the first row. A lower score is better. It has two parts, one for the tiles of the line and one
//! for all others. Each part is the sum of
//!
//! * `(1 + 2·0.8^k)·d^1.7` for each tile, where `d` is its distance from home and `k` the number of
//!   lines to be solved before its own (the numbers are those of [`Weights`]);
//! * a penalty for each pair of tiles in their home row or column in the wrong order;
//! * a penalty for each place of the line between solved tiles, because its tile cannot enter
//!   without moving one of them.
//!
//! Scores are updated incrementally: [`Stage::change`] evaluates a move, [`Stage::apply`] completes
//! the score of the selected ones.

use crate::large::beam::disorder::{LANES, Label, disorder};
use crate::large::beam::params::Weights;
use crate::large::peel::{Side, Unsolved, View};
use crate::puzzle::tiles::Direction;

/// No neighbour.
const EDGE: u16 = u16::MAX;

/// The purpose of a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Task {
    /// Moves all tiles close to their homes.
    Gather,
    /// Solves the line of a side.
    Line(Side),
    /// Solves the rest.
    All,
}

impl Task {
    /// Returns the side whose line is to be solved.
    pub(super) fn side(self) -> Option<Side> {
        match self {
            Self::Line(side) => Some(side),
            Self::Gather | Self::All => None,
        }
    }
}

/// A stage and its tables.
pub(super) struct Stage {
    pub(super) unsolved: Unsolved,
    pub(super) task: Task,
    pub(super) view: View,
    pub(super) cells: usize,
    width: usize,
    /// The home of the blank.
    blank: usize,
    /// Tiles below this number belong to the line.
    line_tiles: usize,
    /// The score for each distance, for each number of lines before the tile's own.
    tile_scores: Vec<i32>,
    closed_in: i32,
    directions: [Direction; 4],
    spots: Vec<Spot>,
}

/// A cell, and the tile whose home it is.
struct Spot {
    row: u16,
    col: u16,
    /// The column-major number.
    across: u16,
    /// The neighbours by direction of the view.
    neighbour: [u16; 4],
    /// The offset of the tile's scores in `tile_scores`.
    score_offset: u32,
    /// The penalty for a pair in the wrong order with this tile.
    disorder: i32,
    /// Random factors of the cell and the tile; the hash of a board is the sum of their products.
    cell_factor: u64,
    tile_factor: u64,
}

impl Spot {
    #[inline(always)]
    fn distance(&self, other: &Self) -> usize {
        usize::from(self.row.abs_diff(other.row) + self.col.abs_diff(other.col))
    }
}

/// The score of a board, with hashes for its incremental update.
#[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Score {
    /// The hash of the board.
    pub(super) hash: u64,
    /// The hash of the positions of the line's tiles.
    pub(super) line_hash: u64,
    /// A bit for each solved tile of the line.
    pub(super) line_home: u64,
    /// The score of the line's tiles.
    pub(super) line: i32,
    /// The score of the other tiles.
    pub(super) others: i32,
}

/// The hash and the scores after a move.
#[derive(Clone, Copy)]
pub(super) struct ScoreChange {
    pub(super) hash: u64,
    pub(super) line: i32,
    pub(super) others: i32,
}

impl Stage {
    /// Creates a stage for the `unsolved` rectangle of a board with `board_cols` columns. The lines
    /// of `later` are solved after this one, in this order; `blank` is the home of the blank on the
    /// board.
    pub(super) fn new(
        unsolved: Unsolved,
        task: Task,
        later: &[Side],
        (board_cols, blank): (usize, usize),
        weights: &Weights,
    ) -> Self {
        let side = task.side();
        let view = View::new(unsolved, side.unwrap_or(Side::Top), board_cols);
        let (width, height) = (view.width, view.height);
        let cells = width * height;
        let number = |cell: usize| view.number(cell, board_cols);
        let mut lines_ahead = vec![0; cells];
        let mut inner = unsolved;
        for (ahead, &side) in side.iter().chain(later).enumerate() {
            inner = inner.without(side);
            for row in inner.top..inner.top + inner.rows {
                for col in inner.left..inner.left + inner.cols {
                    lines_ahead[number(row * board_cols + col)] = ahead + 1;
                }
            }
        }
        let blank = number(blank);
        let lines = lines_ahead.iter().max().map_or(0, |&most| most + 1);
        let reach = width + height;
        let tile_scores =
            (0..lines * reach).map(|index| weights.tile_score(index % reach, index / reach)).collect();
        let neighbour = |cell: usize| {
            let (row, col) = (cell / width, cell % width);
            let open = [row > 0, col + 1 < width, row + 1 < height, col > 0];
            let cells = [cell.wrapping_sub(width), cell + 1, cell + width, cell.wrapping_sub(1)];
            [0, 1, 2, 3].map(|direction| if open[direction] { cells[direction] as u16 } else { EDGE })
        };
        let mut factors = HashFactors(0x5eed);
        Self {
            unsolved,
            task,
            view,
            cells,
            width,
            blank,
            line_tiles: match task {
                Task::Gather | Task::All => 0,
                Task::Line(_) => width,
            },
            tile_scores,
            closed_in: if side.is_some() { weights.closed_in() } else { 0 },
            directions: Direction::ALL.map(|direction| view.direction(direction)),
            spots: (0..cells)
                .map(|cell| Spot {
                    row: (cell / width) as u16,
                    col: (cell % width) as u16,
                    across: (cell % width * height + cell / width) as u16,
                    score_offset: (lines_ahead[cell] * reach) as u32,
                    neighbour: neighbour(cell),
                    disorder: weights.disorder(lines_ahead[cell]),
                    cell_factor: factors.next(),
                    tile_factor: factors.next() | 1,
                })
                .collect(),
        }
    }

    /// The longest side of a board: `line_home` has a bit for each tile of a line.
    pub(super) const MAX_SIDE: usize = 64;

    /// Returns the sum of the tiles' distances from their homes.
    pub(super) fn distance<L: Label>(&self, board: &[L]) -> usize {
        let away = |(cell, &label): (usize, &L)| {
            let distance = self.spots[cell].distance(&self.spots[label.index()]);
            if label.index() == self.blank { 0 } else { distance }
        };
        board.iter().enumerate().map(away).sum()
    }

    /// Returns the bit set of all tiles of the line. Without a line, as in the gather stage, no
    /// tile is in the set and no place is closed, whatever this returns.
    fn all_home(&self) -> u64 {
        let tiles = self.line_tiles as u32 - u32::from(self.blank < self.line_tiles);
        u64::MAX.unbounded_shr(64 - tiles)
    }

    /// Returns whether a board has finished this stage.
    #[inline]
    pub(super) fn is_done(&self, score: &Score) -> bool {
        match self.task {
            Task::Gather => false,
            Task::Line(_) => score.line_home == self.all_home(),
            Task::All => score.others == 0,
        }
    }

    /// Returns the neighbour of the cell `blank` in a direction of the view.
    #[inline(always)]
    pub(super) fn neighbour(&self, blank: usize, direction: usize) -> Option<usize> {
        match self.spots[blank].neighbour[direction & 3] {
            EDGE => None,
            cell => Some(cell.into()),
        }
    }

    /// Returns the bit of a tile of the line.
    #[inline(always)]
    fn bit(&self, tile: usize) -> u64 {
        // The blank has no bit, so the tiles after it are one bit lower.
        1 << (tile - usize::from(tile > self.blank))
    }

    /// Returns the penalty for closed places: unsolved places whose neighbours in the line are all
    /// solved.
    #[inline(always)]
    fn closed_penalty(&self, home: u64) -> i32 {
        let all = self.all_home();
        let last = (all >> 1) + 1;
        let closed = ((home << 1) | 1) & ((home >> 1) | last) & !home & all;
        closed.count_ones() as i32 * self.closed_in
    }

    /// Returns the score of a tile in a cell.
    #[inline(always)]
    fn tile_score(&self, tile: &Spot, cell: &Spot) -> i32 {
        self.tile_scores[tile.score_offset as usize + tile.distance(cell)]
    }

    /// The number of labels of a board in memory: row-major, then column-major with the tiles
    /// renumbered, then padding for vector reads.
    pub(super) const fn labels(cells: usize) -> usize {
        2 * cells + LANES
    }

    /// Returns the column-major number of a cell or tile.
    #[inline(always)]
    pub(super) fn across(&self, number: usize) -> usize {
        self.spots[number].across.into()
    }

    /// Writes the column-major half of a board from its row-major half.
    pub(super) fn write_across<L: Label>(&self, board: &mut [L]) {
        let (rows, cols) = board.split_at_mut(self.cells);
        for (cell, label) in rows.iter().enumerate() {
            cols[self.across(cell)] = L::new(self.across(label.index()));
        }
    }

    /// Counts the other tiles in the row of `cell` that belong there and are on the wrong side of
    /// `tile`, which belongs there, too.
    #[inline(always)]
    fn disorder_in_row<L: Label>(&self, board: &[L], cell: &Spot, tile: &Spot) -> i32 {
        let start = usize::from(cell.row) * self.width;
        disorder(&board[start..], start, self.width, cell.col.into(), tile.col.into())
    }

    /// Counts the other tiles in the column of `cell` that belong there and are on the wrong side
    /// of `tile`, which belongs there, too.
    #[inline(always)]
    fn disorder_in_col<L: Label>(&self, board: &[L], cell: &Spot, tile: &Spot) -> i32 {
        let height = self.view.height;
        let start = usize::from(cell.col) * height;
        disorder(&board[self.cells + start..], start, height, cell.row.into(), tile.row.into())
    }

    /// Computes the score of a board from scratch.
    pub(super) fn score<L: Label>(&self, board: &[L]) -> Score {
        let mut score = Score::default();
        let blank = L::new(self.blank);
        let at = board.iter().position(|&label| label == blank).unwrap_or(0);
        // The blank must not count as a tile. It is therefore replaced with the tile that is
        // compared, which is never in the wrong order with itself.
        let mut scratch = board.to_vec();
        scratch.resize(Self::labels(self.cells), blank);
        self.write_across(&mut scratch);
        for (cell, &label) in board.iter().enumerate().filter(|&(_, &label)| label != blank) {
            let tile = label.index();
            scratch[at] = label;
            scratch[self.cells + self.across(at)] = L::new(self.across(tile));
            let (here, home) = (&self.spots[cell], &self.spots[tile]);
            let mut twice = 2 * self.tile_score(home, here);
            if home.row == here.row {
                twice += home.disorder * self.disorder_in_row(&scratch, here, home);
            }
            if home.col == here.col {
                twice += home.disorder * self.disorder_in_col(&scratch, here, home);
            }
            let hash = home.tile_factor.wrapping_mul(here.cell_factor);
            score.hash = score.hash.wrapping_add(hash);
            if tile < self.line_tiles {
                score.line += twice;
                score.line_hash = score.line_hash.wrapping_add(hash);
                if tile == cell {
                    score.line_home |= self.bit(tile);
                }
            } else {
                score.others += twice;
            }
        }
        score.line = score.line / 2 + self.closed_penalty(score.line_home);
        score.others /= 2;
        score
    }

    /// Returns the score after the tile in `from` slides into the empty cell `to`.
    #[inline(always)]
    pub(super) fn change<L: Label>(
        &self,
        board: &[L],
        score: &Score,
        from: usize,
        to: usize,
        vertical: bool,
    ) -> ScoreChange {
        let tile = board[from].index();
        let (home, here, there) = (&self.spots[tile], &self.spots[from], &self.spots[to]);
        // A tile that leaves its line loses its penalties, one that enters gains them. Counting
        // always is faster than a branch that is hard to predict.
        let (leaves, enters, wrong) = if vertical {
            let (leaves, enters) = (home.row == here.row, home.row == there.row);
            (leaves, enters, self.disorder_in_row(board, if leaves { here } else { there }, home))
        } else {
            let (leaves, enters) = (home.col == here.col, home.col == there.col);
            (leaves, enters, self.disorder_in_col(board, if leaves { here } else { there }, home))
        };
        let penalty = home.disorder * (i32::from(enters) - i32::from(leaves));
        let delta = self.tile_score(home, there) - self.tile_score(home, here) + penalty * wrong;
        let hash = score.hash.wrapping_add(self.hash_change(tile, from, to));
        if tile >= self.line_tiles {
            return ScoreChange { hash, line: score.line, others: score.others + delta };
        }
        let line_home = self.home_after(score.line_home, tile, from, to);
        let closed_in = self.closed_penalty(line_home) - self.closed_penalty(score.line_home);
        ScoreChange { hash, line: score.line + delta + closed_in, others: score.others }
    }

    /// Returns the full score after the move that `change` evaluated.
    #[inline(always)]
    pub(super) fn apply<L: Label>(
        &self,
        board: &[L],
        score: &Score,
        change: &ScoreChange,
        from: usize,
        to: usize,
    ) -> Score {
        let tile = board[from].index();
        let ScoreChange { hash, line, others } = *change;
        if tile >= self.line_tiles {
            return Score { hash, line, others, ..*score };
        }
        let line_hash = score.line_hash.wrapping_add(self.hash_change(tile, from, to));
        Score { hash, line_hash, line_home: self.home_after(score.line_home, tile, from, to), line, others }
    }

    #[inline(always)]
    fn hash_change(&self, tile: usize, from: usize, to: usize) -> u64 {
        let step = self.spots[to].cell_factor.wrapping_sub(self.spots[from].cell_factor);
        self.spots[tile].tile_factor.wrapping_mul(step)
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

    /// Returns the board's cell of a number.
    pub(super) fn cell(&self, number: usize) -> usize {
        self.view.cell(number / self.width, number % self.width)
    }

    /// Converts a direction of the view to one of the board.
    #[inline(always)]
    pub(super) fn direction(&self, index: usize) -> Direction {
        self.directions[index & 3]
    }
}

/// A generator of random factors (SplitMix64).
struct HashFactors(u64);

impl HashFactors {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}
