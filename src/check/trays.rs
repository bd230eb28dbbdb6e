//! Judges whether the claim of a result about a tray is true.
//!
//! Blocks are moved over a separate grid: nothing is shared with the code that searches for
//! solutions or replays them before they are written.

use super::outcome::{Blocks, Claim, Moves, Solved};
use super::verdict::{Judgement, compare, judge_bound};
use crate::puzzle::trays::oracle::{self, Answer};
use crate::puzzle::trays::{Metric, Tray};

/// Maximum number of states searched to prove that a tray is unsolvable; beyond it the claim is
/// accepted without proof.
const MOST: usize = 20_000;

/// Maximum number of cells of all states together, and of one tray; a claim about a larger tray is
/// accepted without proof. The slow search stores every state in full.
const MOST_CELLS: usize = 1 << 20;
const LARGEST: usize = 256;

/// Returns the judgement of a true claim, or the error of a false one.
pub(super) fn judge(tray: &Tray, claim: &Claim, known: Option<u64>) -> Result<Judgement, String> {
    match claim {
        Claim::Solved(solved) => judge_solution(tray, solved, known),
        Claim::GaveUp { bound } => {
            judge_bound(*bound, known, "known shortest length")?;
            Ok(Judgement::GaveUp)
        }
        _ if known.is_some() => Err("reported as unsolvable, but the length of a solution is known".into()),
        _ if tray.unmatched_goal().is_some() => Ok(Judgement::Unsolvable { is_proved: true }),
        _ if tray.cells() > LARGEST => Ok(Judgement::Unsolvable { is_proved: false }),
        _ => match oracle::solve(tray, Metric::Step, MOST.min(MOST_CELLS / tray.cells())) {
            Answer::Solved(_) => Err("reported as unsolvable, but it has a solution".into()),
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
    let mut grid = Grid::new(tray);
    if moves.start.as_ref().is_some_and(|start| !grid.matches(start)) {
        return Err("configuration 0 is not the record's tray".into());
    }
    for (number, &step) in (1..).zip(&moves.steps) {
        grid.apply(step, metric).map_err(|wrong| {
            let [row, col, to_row, to_col] = step;
            format!("move {number}, {row} {col} {to_row} {to_col}: {wrong}")
        })?;
    }
    if !grid.meets_goal() {
        return Err("the moves do not end at the goal".into());
    }
    if moves.count != solved.length {
        return Err(format!("the result claims length {}, but it has {} moves", solved.length, moves.count));
    }
    // UsableResult lengths count moves of pieces.
    compare(solved, moves.count, known.filter(|_| metric == Metric::Piece))
}

/// The tray as a grid: the block on each cell, and the rectangle of each block.
struct Grid<'t> {
    tray: &'t Tray,
    cells: Vec<Option<usize>>,
    /// Row, column, height, width.
    blocks: Vec<[i64; 4]>,
}

impl<'t> Grid<'t> {
    fn new(tray: &'t Tray) -> Self {
        let rect = |&block| {
            let rect = tray.rect(block);
            [rect.at.row, rect.at.col, rect.height, rect.width].map(i64::from)
        };
        let blocks: Vec<[i64; 4]> = tray.blocks().iter().map(rect).collect();
        let mut grid = Self { tray, cells: vec![None; tray.cells()], blocks };
        for number in 0..grid.blocks.len() {
            grid.fill(number, Some(number));
        }
        grid
    }

    fn fill(&mut self, number: usize, with: Option<usize>) {
        let [row, col, height, width] = self.blocks[number];
        for row in row..row + height {
            for col in col..col + width {
                self.cells[row as usize * self.tray.cols() + col as usize] = with;
            }
        }
    }

    /// Returns whether `shown` has the same blocks at the same positions under any names: 0 is
    /// empty, −1 a wall.
    fn matches(&self, shown: &[i64]) -> bool {
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

    /// Returns the block with its top-left cell at (`row`, `col`).
    fn block_at(&self, row: i64, col: i64) -> Option<usize> {
        let cell = self.is_inside(row, col).then(|| row as usize * self.tray.cols() + col as usize)?;
        self.cells[cell].filter(|&number| self.blocks[number][..2] == [row, col])
    }

    /// Returns whether block `number` fits with its top-left cell at (`row`, `col`).
    fn fits(&self, number: usize, row: i64, col: i64) -> bool {
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

    /// Moves a block, if the metric allows it and the cells are free.
    fn apply(&mut self, [row, col, to_row, to_col]: [i64; 4], metric: Metric) -> Result<(), String> {
        let number = self.block_at(row, col).ok_or("no block has its top-left cell there")?;
        // A file may contain any number.
        if !self.is_inside(to_row, to_col) {
            return Err("the block leaves the tray".into());
        }
        let (down, right) = (to_row - row, to_col - col);
        let cells = down.abs() + right.abs();
        let free = match metric {
            _ if cells == 0 => return Err("the block does not move".into()),
            Metric::Step if cells != 1 => return Err("it moves more than one cell".into()),
            Metric::Slide if down != 0 && right != 0 => return Err("the move is not straight".into()),
            Metric::Step | Metric::Slide => (1..=cells)
                .all(|cell| self.fits(number, row + down.signum() * cell, col + right.signum() * cell)),
            Metric::Piece => self.can_reach(number, (row, col), (to_row, to_col)),
        };
        if !free {
            return Err("the block is obstructed".into());
        }
        self.fill(number, None);
        self.blocks[number][..2].copy_from_slice(&[to_row, to_col]);
        self.fill(number, Some(number));
        Ok(())
    }

    /// Returns whether a block can move from `from` to `to`, cell by cell.
    fn can_reach(&self, number: usize, from: (i64, i64), to: (i64, i64)) -> bool {
        let cols = self.tray.cols() as i64;
        let mut visited = vec![false; self.cells.len()];
        let mut open = vec![from];
        while let Some((row, col)) = open.pop() {
            if (row, col) == to {
                return true;
            }
            for (row, col) in [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)] {
                if self.fits(number, row, col)
                    && !std::mem::replace(&mut visited[(row * cols + col) as usize], true)
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
