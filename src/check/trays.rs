//! Whether what a result claims about a tray is true.
//!
//! Blocks are moved over a grid of their own here: nothing is shared with the
//! code that searches for solutions or replays them before they are written.

use super::outcome::{Blocks, Claim, Moves, Solved};
use super::verdict::{Judgement, compare, judge_bound};
use crate::puzzle::trays::oracle::{self, Answer};
use crate::puzzle::trays::{Metric, Tray};

/// A tray said to be unsolvable is searched for so many arrangements; one that
/// has more is believed.
const MOST: usize = 20_000;

/// All arrangements together have no more cells than this, and a tray with more
/// than so many is believed, too: the slow search keeps every arrangement whole.
const MOST_CELLS: usize = 1 << 20;
const LARGEST: usize = 256;

/// What is true, or what is wrong.
pub(super) fn judge(tray: &Tray, claim: &Claim, known: Option<u64>) -> Result<Judgement, String> {
    match claim {
        Claim::Solved(solved) => judge_solution(tray, solved, known),
        Claim::GaveUp { bound } => {
            judge_bound(*bound, known, "known shortest length")?;
            Ok(Judgement::GaveUp)
        }
        _ if known.is_some() => Err("said to be unsolvable, but the length of a solution is known".into()),
        _ if tray.unmatched_goal().is_some() => Ok(Judgement::Unsolvable { is_proved: true }),
        _ if tray.cells() > LARGEST => Ok(Judgement::Unsolvable { is_proved: false }),
        _ => match oracle::solve(tray, Metric::Step, MOST.min(MOST_CELLS / tray.cells())) {
            Answer::Solved(_) => Err("said to be unsolvable, but it has a solution".into()),
            Answer::Unsolvable(_) => Ok(Judgement::Unsolvable { is_proved: true }),
            Answer::TooMany => Ok(Judgement::Unsolvable { is_proved: false }),
        },
    }
}

fn judge_solution(tray: &Tray, solved: &Solved, known: Option<u64>) -> Result<Judgement, String> {
    let none = Blocks::default();
    let moves = match &solved.moves {
        Moves::Blocks(moves) => moves,
        Moves::Letters(letters) if letters.is_empty() => &none,
        Moves::Letters(_) => return Err("the moves are letters, but the record is a tray".into()),
    };
    if solved.counts_runs.is_some() {
        return Err("the metric is one of tiles, but the record is a tray".into());
    }
    let metric = solved.metric.unwrap_or_default();
    let mut hall = Hall::new(tray);
    if moves.start.as_ref().is_some_and(|start| !hall.looks_like(start)) {
        return Err("configuration 0 is not the record's tray".into());
    }
    for (number, &step) in (1..).zip(&moves.steps) {
        hall.go(step, metric).map_err(|wrong| {
            let [row, col, to_row, to_col] = step;
            format!("move {number}, {row} {col} {to_row} {to_col}: {wrong}")
        })?;
    }
    if !hall.meets_goal() {
        return Err("the moves do not end at the goal".into());
    }
    if moves.count != solved.length {
        return Err(format!("the length is said to be {}, but it is {}", solved.length, moves.count));
    }
    // Known lengths count moves of pieces.
    compare(solved, moves.count, known.filter(|_| metric == Metric::Piece))
}

/// The tray as a grid: what lies on each cell, and each block's rectangle.
struct Hall<'t> {
    tray: &'t Tray,
    cells: Vec<Option<usize>>,
    /// Row, column, height, width.
    blocks: Vec<[i64; 4]>,
}

impl<'t> Hall<'t> {
    fn new(tray: &'t Tray) -> Self {
        let rect = |&block| {
            let rect = tray.rect(block);
            [rect.at.row, rect.at.col, rect.height, rect.width].map(i64::from)
        };
        let blocks: Vec<[i64; 4]> = tray.blocks().iter().map(rect).collect();
        let mut hall = Self { tray, cells: vec![None; tray.cells()], blocks };
        for number in 0..hall.blocks.len() {
            hall.fill(number, Some(number));
        }
        hall
    }

    fn fill(&mut self, number: usize, with: Option<usize>) {
        let [row, col, height, width] = self.blocks[number];
        for row in row..row + height {
            for col in col..col + width {
                self.cells[row as usize * self.tray.cols() + col as usize] = with;
            }
        }
    }

    /// Whether a configuration shows the same blocks in the same places,
    /// whatever it calls them: 0 is empty, and −1 a wall.
    fn looks_like(&self, shown: &[i64]) -> bool {
        let mut names: Vec<Option<i64>> = vec![None; self.blocks.len()];
        let mut same = |(cell, &shown): (usize, &i64)| match self.cells[cell] {
            None => shown == if self.tray.is_wall(cell) { -1 } else { 0 },
            Some(block) => shown > 0 && *names[block].get_or_insert(shown) == shown,
        };
        let alike = shown.len() == self.cells.len() && shown.iter().enumerate().all(&mut same);
        let mut used: Vec<i64> = names.into_iter().flatten().collect();
        used.sort_unstable();
        alike && used.windows(2).all(|pair| pair[0] != pair[1])
    }

    fn is_inside(&self, row: i64, col: i64) -> bool {
        (0..self.tray.rows() as i64).contains(&row) && (0..self.tray.cols() as i64).contains(&col)
    }

    /// The block with its top-left cell here.
    fn block_at(&self, row: i64, col: i64) -> Option<usize> {
        let cell = self.is_inside(row, col).then(|| row as usize * self.tray.cols() + col as usize)?;
        self.cells[cell].filter(|&number| self.blocks[number][..2] == [row, col])
    }

    /// Whether a block has room with its top-left cell here.
    fn has_room(&self, number: usize, row: i64, col: i64) -> bool {
        let [_, _, height, width] = self.blocks[number];
        let (rows, cols) = (self.tray.rows() as i64, self.tray.cols() as i64);
        row >= 0
            && col >= 0
            && row + height <= rows
            && col + width <= cols
            && (row..row + height).all(|row| {
                (col..col + width).all(|col| {
                    let cell = (row * cols + col) as usize;
                    !self.tray.is_wall(cell) && self.cells[cell].is_none_or(|other| other == number)
                })
            })
    }

    /// Moves a block, if the metric allows it and nothing is in its way.
    fn go(&mut self, [row, col, to_row, to_col]: [i64; 4], metric: Metric) -> Result<(), String> {
        let number = self.block_at(row, col).ok_or("no block has its top-left cell there")?;
        // What a file says may be any number.
        if !self.is_inside(to_row, to_col) {
            return Err("it leaves the tray".into());
        }
        let (down, right) = (to_row - row, to_col - col);
        let cells = down.abs() + right.abs();
        let free = match metric {
            _ if cells == 0 => return Err("it goes nowhere".into()),
            Metric::Step if cells != 1 => return Err("it is more than one cell".into()),
            Metric::Slide if down != 0 && right != 0 => return Err("it is not straight".into()),
            Metric::Step | Metric::Slide => (1..=cells)
                .all(|cell| self.has_room(number, row + down.signum() * cell, col + right.signum() * cell)),
            Metric::Piece => self.finds_a_way(number, (row, col), (to_row, to_col)),
        };
        if !free {
            return Err("something is in its way".into());
        }
        self.fill(number, None);
        self.blocks[number][..2].copy_from_slice(&[to_row, to_col]);
        self.fill(number, Some(number));
        Ok(())
    }

    /// Whether a block can go from one place to another, cell by cell.
    fn finds_a_way(&self, number: usize, from: (i64, i64), to: (i64, i64)) -> bool {
        let cols = self.tray.cols() as i64;
        let mut seen = vec![false; self.cells.len()];
        let mut open = vec![from];
        while let Some((row, col)) = open.pop() {
            if (row, col) == to {
                return true;
            }
            for (row, col) in [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)] {
                if self.has_room(number, row, col)
                    && !std::mem::replace(&mut seen[(row * cols + col) as usize], true)
                {
                    open.push((row, col));
                }
            }
        }
        false
    }

    fn meets_goal(&self) -> bool {
        self.tray.goal().iter().all(|goal| {
            self.block_at(goal.at.row.into(), goal.at.col.into())
                .is_some_and(|number| self.tray.blocks()[number].class == goal.class)
        })
    }
}
