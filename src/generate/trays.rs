//! Random trays, the same for the same seed on every machine.

use super::below;
use crate::puzzle::trays::{Block, Layout, Metric, Piece, Place, Rect, Tray, TrayError, oracle};
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};

/// Which trays are asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct TrayRequest {
    /// Their rows.
    pub rows: usize,
    /// Their columns.
    pub cols: usize,
    /// How many.
    pub count: u64,
    /// What the random stream starts from.
    pub seed: u64,
    /// How many cells stay empty.
    pub holes: usize,
    /// Rows and columns of the blocks, each equally likely where it fits.
    pub shapes: Vec<(u16, u16)>,
    /// How many blocks have a goal.
    pub goals: usize,
    /// How the goal comes about.
    pub goal: TrayGoal,
}

/// How the goal of a tray comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrayGoal {
    /// Where blocks are after so many random moves of a piece each: the tray can
    /// be solved.
    Moves(u64),
    /// Anywhere: the tray may have no solution.
    Anywhere,
}

/// The trays of a request, one after the other.
#[derive(Clone, Debug)]
pub struct Trays {
    request: TrayRequest,
    left: u64,
    stream: Xoshiro256PlusPlus,
}

/// Places that are tried for a block, for each cell of the tray.
const TRIES: usize = 30;

impl TrayRequest {
    /// The trays asked for, or why there are none.
    pub fn trays(self) -> Result<Trays, TrayError> {
        Tray::check_size(self.rows as i64, self.cols as i64)?;
        Ok(Trays { left: self.count, stream: Xoshiro256PlusPlus::seed_from_u64(self.seed), request: self })
    }
}

impl Iterator for Trays {
    type Item = Tray;

    fn next(&mut self) -> Option<Tray> {
        self.left = self.left.checked_sub(1)?;
        // A tray without blocks has no goal; the next one may.
        (0..100).find_map(|_| self.tray())
    }
}

impl Trays {
    fn below(&mut self, bound: usize) -> usize {
        below(&mut self.stream, bound as u64) as usize
    }

    fn tray(&mut self) -> Option<Tray> {
        let blocks = self.blocks();
        let (rows, cols) = (self.request.rows as i64, self.request.cols as i64);
        // Any goal will do for the walk.
        let tray = Tray::new(rows, cols, &[], &blocks, blocks.get(..1)?).ok()?;
        let goals = self.request.goals.clamp(1, blocks.len());
        let end: Vec<Block> = match self.request.goal {
            TrayGoal::Moves(moves) => self.walk(&tray, moves),
            TrayGoal::Anywhere => tray.blocks().iter().map(|&block| self.anywhere(&tray, block)).collect(),
        };
        // Those that moved come first: a goal that is met already is dull.
        let mut order: Vec<usize> = (0..end.len()).collect();
        for last in (1..order.len()).rev() {
            let other = self.below(last + 1);
            order.swap(last, other);
        }
        order.sort_by_key(|&block| tray.blocks().binary_search(&end[block]).is_ok());
        let goal: Vec<Piece> =
            order[..goals].iter().map(|&block| Piece::plain(tray.rect(end[block]))).collect();
        Tray::new(rows, cols, &[], &blocks, &goal).ok()
    }

    /// Blocks at random until only the holes are left, or nothing more fits.
    fn blocks(&mut self) -> Vec<Piece> {
        let TrayRequest { rows, cols, holes, .. } = self.request;
        let mut taken = vec![false; rows * cols];
        let mut left = (rows * cols).saturating_sub(holes);
        let mut blocks = Vec::new();
        let mut tries = TRIES * rows * cols;
        let mut from_first = false;
        while left > 0 && (tries > 0 || !from_first) {
            if tries == 0 {
                // The rest is filled from the first free cell on.
                (from_first, tries) = (true, TRIES * rows * cols);
            }
            tries -= 1;
            let (height, width) = {
                let shape = self.below(self.request.shapes.len());
                self.request.shapes[shape]
            };
            let (tall, wide) = (height as usize, width as usize);
            if tall > rows || wide > cols || tall * wide > left {
                continue;
            }
            let at = match taken.iter().position(|&taken| from_first && !taken) {
                Some(cell) => Place::of_cell(cell, cols),
                None => Place::new(self.below(rows - tall + 1) as u16, self.below(cols - wide + 1) as u16),
            };
            let rect = Rect { at, height, width };
            if rect.fits(rows, cols) && rect.cells(cols).all(|cell| !taken[cell]) {
                rect.cells(cols).for_each(|cell| taken[cell] = true);
                left -= rect.area();
                blocks.push(Piece::plain(rect));
            }
        }
        blocks
    }

    /// Where the blocks are after random moves.
    fn walk(&mut self, tray: &Tray, moves: u64) -> Vec<Block> {
        let mut layout = Layout::new(tray);
        for _ in 0..moves {
            let mut blocks = layout.blocks().to_vec();
            blocks.sort_unstable();
            let ways = oracle::neighbours(tray, &blocks, Metric::Piece);
            if ways.is_empty() {
                break;
            }
            let (shift, _) = ways[self.below(ways.len())];
            layout.shift(shift, Metric::Piece).expect("a move of the arrangement");
        }
        layout.blocks().to_vec()
    }

    /// A block of the same class anywhere.
    fn anywhere(&mut self, tray: &Tray, block: Block) -> Block {
        let rect = tray.rect(block);
        let row = self.below(tray.rows() - rect.height as usize + 1) as u16;
        let col = self.below(tray.cols() - rect.width as usize + 1) as u16;
        Block { at: Place::new(row, col), ..block }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> TrayRequest {
        TrayRequest {
            rows: 4,
            cols: 5,
            count: 50,
            seed: 7,
            holes: 3,
            shapes: vec![(1, 1), (1, 2), (2, 1), (2, 2)],
            goals: 1,
            goal: TrayGoal::Moves(20),
        }
    }

    #[test]
    fn trays_are_as_asked_for() {
        let trays: Vec<Tray> = request().trays().unwrap().collect();
        assert_eq!(trays.len(), 50);
        assert!(trays.iter().all(|tray| tray.holes() == 3 && tray.goal().len() == 1));
        assert!(trays.iter().any(|tray| tray.classes().len() == 4));
        assert!(trays.iter().filter(|tray| !tray.is_solved()).count() > 25);
        for tray in &trays {
            assert!(!matches!(oracle::solve(tray, Metric::Piece, 3000), oracle::Answer::Unsolvable(_)));
        }
        assert_eq!(request().trays().unwrap().collect::<Vec<_>>(), trays);
        let other = TrayRequest { seed: 8, goal: TrayGoal::Anywhere, goals: 9, ..request() };
        assert!(other.trays().unwrap().all(|tray| tray.goal().len() > 1 || tray.blocks().len() == 1));
        assert!(TrayRequest { rows: 300, ..request() }.trays().is_err());
    }
}
