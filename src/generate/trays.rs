//! Generates random trays; equal seeds give equal trays on every machine.

use super::below;
use super::farthest::{Farthest, farthest};
use crate::memory::budget::OutOfBudget;
use crate::puzzle::trays::{Block, Layout, Metric, Piece, Place, Rect, Tray, TrayError, oracle};
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};

/// Trays to generate.
#[derive(Clone, PartialEq, Debug)]
pub struct TrayRequest {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Number of trays.
    pub count: u64,
    /// Seed of the random stream.
    pub seed: u64,
    /// Number of empty cells; ignored if all shapes are counted.
    pub holes: usize,
    /// Shapes of the blocks.
    pub shapes: Vec<BlockShape>,
    /// Number of blocks with a goal.
    pub goals: usize,
    /// Choice of the goal.
    pub goal: TrayGoal,
}

/// A shape of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockShape {
    /// Rows.
    pub height: u16,
    /// Columns.
    pub width: u16,
    /// Number of blocks with this shape. If no shape has a number, each shape is equally likely
    /// where it fits.
    pub count: Option<u16>,
}

impl From<(u16, u16)> for BlockShape {
    fn from((height, width): (u16, u16)) -> Self {
        Self { height, width, count: None }
    }
}

impl BlockShape {
    /// Returns the number of cells.
    pub fn area(&self) -> usize {
        usize::from(self.height) * usize::from(self.width)
    }
}

/// Choice of the goal of a tray.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrayGoal {
    /// The positions after this many random piece moves: the tray is solvable.
    Moves(u64),
    /// Random positions: the tray may be unsolvable.
    Anywhere,
    /// The largest block in the corner farthest from it: the tray may be unsolvable.
    Corner,
    /// A block at the position that is reached last by piece moves, among the nearest `max_states`
    /// states: the tray is solvable, and in no fewer moves. For trays of up to 64 cells.
    Farthest {
        /// Maximum number of states searched.
        max_states: u64,
        /// Memory for these states, in bytes.
        memory: u64,
    },
}

/// Iterator over the trays of a request.
#[derive(Clone, Debug)]
pub struct Trays {
    request: TrayRequest,
    left: u64,
    stream: Xoshiro256PlusPlus,
}

/// Reason why a tray was not generated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GenerateError {
    /// The stop condition held.
    #[error("interrupted")]
    Stopped,
    /// The states do not fit the memory; the number excludes the memory of the program itself.
    #[error(transparent)]
    Memory(#[from] OutOfBudget),
    /// The system has no more memory.
    #[error("the system has no memory for the search (lower --farthest)")]
    Refused,
}

/// Positions tried for a block, per cell of the tray.
const TRIES: usize = 30;

/// Moves of a walk between two checks of `stop`.
const STOP_EVERY: u64 = 64;

/// Blocks, and the index of the one that must have a goal.
type End = (Vec<Block>, Option<usize>);

/// Attempts to fill a tray with counted blocks.
const FILLINGS: usize = 1000;

impl TrayRequest {
    /// Returns the requested trays, or an error if the size is not valid.
    pub fn trays(self) -> Result<Trays, TrayError> {
        Tray::check_size(self.rows as i64, self.cols as i64)?;
        Ok(Trays { left: self.count, stream: Xoshiro256PlusPlus::seed_from_u64(self.seed), request: self })
    }
}

/// Iterates without a stop condition. The iterator ends if memory is short; [`Trays::next_unless`]
/// returns the error.
impl Iterator for Trays {
    type Item = Tray;

    fn next(&mut self) -> Option<Tray> {
        self.next_unless(&|| false).unwrap_or_default()
    }
}

impl Trays {
    /// Returns the next tray; `None` after the last. `stop` is called before each tray and
    /// periodically during a long walk or search.
    pub fn next_unless(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<Tray>, GenerateError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        // A tray without blocks has no goal; the next attempt may have blocks.
        for _ in 0..100 {
            if stop() {
                return Err(GenerateError::Stopped);
            }
            if let Some(tray) = self.tray(stop)? {
                return Ok(Some(tray));
            }
        }
        Ok(None)
    }

    fn below(&mut self, bound: usize) -> usize {
        below(&mut self.stream, bound as u64) as usize
    }

    fn tray(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<Tray>, GenerateError> {
        let Some(blocks) = self.blocks() else { return Ok(None) };
        let (rows, cols) = (self.request.rows as i64, self.request.cols as i64);
        // The walk works with any goal.
        let first = blocks.get(..1).unwrap_or_default();
        let Ok(tray) = Tray::new(rows, cols, &[], &blocks, first) else { return Ok(None) };
        let Some((end, first)) = self.end(&tray, stop)? else { return Ok(None) };
        Ok(self.with_goal(&tray, &blocks, &end, first))
    }

    /// Returns the positions of blocks that may have a goal, and the block that must have one.
    fn end(&mut self, tray: &Tray, stop: &dyn Fn() -> bool) -> Result<Option<End>, GenerateError> {
        let end = match self.request.goal {
            TrayGoal::Moves(moves) => (self.walk(tray, moves, stop)?, None),
            TrayGoal::Anywhere => {
                (tray.blocks().iter().map(|&block| self.anywhere(tray, block)).collect(), None)
            }
            TrayGoal::Corner => {
                let mut end = tray.blocks().to_vec();
                let largest = (0..end.len()).max_by_key(|&block| tray.rect(end[block]).area());
                let Some(largest) = largest else { return Ok(None) };
                end[largest] = opposite_corner(tray, end[largest]);
                (end, Some(largest))
            }
            TrayGoal::Farthest { max_states, memory } => match farthest(tray, max_states, memory, stop)? {
                Some(Farthest { blocks, last }) => (blocks, Some(last)),
                None => return Ok(None),
            },
        };
        Ok(Some(end))
    }

    /// Returns the tray with goals for some blocks of `end`.
    fn with_goal(
        &mut self,
        tray: &Tray,
        blocks: &[Piece],
        end: &[Block],
        first: Option<usize>,
    ) -> Option<Tray> {
        let (rows, cols) = (self.request.rows as i64, self.request.cols as i64);
        let goals = self.request.goals.clamp(1, blocks.len());
        // Blocks that moved come first: a goal that is already met is not interesting.
        let mut order: Vec<usize> = (0..end.len()).collect();
        for last in (1..order.len()).rev() {
            let other = self.below(last + 1);
            order.swap(last, other);
        }
        order.sort_by_key(|&block| (first != Some(block), tray.blocks().binary_search(&end[block]).is_ok()));
        let goal: Vec<Piece> =
            order[..goals].iter().map(|&block| Piece::plain(tray.rect(end[block]))).collect();
        Tray::new(rows, cols, &[], blocks, &goal).ok()
    }

    /// Returns random blocks; `None` if the counted blocks did not fit in this attempt.
    fn blocks(&mut self) -> Option<Vec<Piece>> {
        let shapes = self.request.shapes.clone();
        if shapes.iter().all(|shape| shape.count.is_none()) {
            return Some(self.place_uncounted(&shapes));
        }
        let mut requested: Vec<BlockShape> = Vec::new();
        shapes.iter().for_each(|shape| requested.extend((0..shape.count.unwrap_or(0)).map(|_| *shape)));
        // Large blocks are placed first.
        requested.sort_by_key(|shape| std::cmp::Reverse(shape.area()));
        (0..FILLINGS).find_map(|_| self.place_counted(&requested))
    }

    /// Places all of these blocks, each at random among the remaining positions; `None` if there is
    /// no position left.
    fn place_counted(&mut self, requested: &[BlockShape]) -> Option<Vec<Piece>> {
        let TrayRequest { rows, cols, .. } = self.request;
        let mut occupied = vec![false; rows * cols];
        let mut blocks = Vec::new();
        for shape in requested {
            let rect =
                |cell| Rect { at: Place::of_cell(cell, cols), height: shape.height, width: shape.width };
            let fits = |&cell: &usize| {
                let rect = rect(cell);
                rect.fits(rows, cols) && rect.cells(cols).all(|cell| !occupied[cell])
            };
            let places: Vec<usize> = (0..rows * cols).filter(fits).collect();
            let rect = rect(*places.get(below(&mut self.stream, places.len().max(1) as u64) as usize)?);
            rect.cells(cols).for_each(|cell| occupied[cell] = true);
            blocks.push(Piece::plain(rect));
        }
        Some(blocks)
    }

    /// Places blocks until only the holes are left, or no more blocks fit.
    fn place_uncounted(&mut self, shapes: &[BlockShape]) -> Vec<Piece> {
        let TrayRequest { rows, cols, holes, .. } = self.request;
        let mut occupied = vec![false; rows * cols];
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
            let BlockShape { height, width, .. } = shapes[self.below(shapes.len())];
            let (tall, wide) = (height as usize, width as usize);
            if tall > rows || wide > cols || tall * wide > left {
                continue;
            }
            let at = match occupied.iter().position(|&occupied| from_first && !occupied) {
                Some(cell) => Place::of_cell(cell, cols),
                None => Place::new(self.below(rows - tall + 1) as u16, self.below(cols - wide + 1) as u16),
            };
            let rect = Rect { at, height, width };
            if rect.fits(rows, cols) && rect.cells(cols).all(|cell| !occupied[cell]) {
                rect.cells(cols).for_each(|cell| occupied[cell] = true);
                left -= rect.area();
                blocks.push(Piece::plain(rect));
            }
        }
        blocks
    }

    /// Returns the blocks after random moves.
    fn walk(
        &mut self,
        tray: &Tray,
        moves: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Block>, GenerateError> {
        let mut layout = Layout::new(tray);
        for made in 0..moves {
            if made % STOP_EVERY == 0 && stop() {
                return Err(GenerateError::Stopped);
            }
            let mut blocks = layout.blocks().to_vec();
            blocks.sort_unstable();
            let ways = oracle::neighbours(tray, &blocks, Metric::Piece);
            if ways.is_empty() {
                break;
            }
            let (shift, _) = ways[self.below(ways.len())];
            layout.shift(shift, Metric::Piece).expect("a move of the arrangement");
        }
        Ok(layout.blocks().to_vec())
    }

    /// Returns a block of the class of `block` at a random position.
    fn anywhere(&mut self, tray: &Tray, block: Block) -> Block {
        let rect = tray.rect(block);
        let row = self.below(tray.rows() - rect.height as usize + 1) as u16;
        let col = self.below(tray.cols() - rect.width as usize + 1) as u16;
        Block { at: Place::new(row, col), ..block }
    }
}

/// Returns a block in the corner farthest from its position.
fn opposite_corner(tray: &Tray, block: Block) -> Block {
    let rect = tray.rect(block);
    let far = |at: u16, length: u16, side: usize| {
        let last = side as u16 - length;
        if 2 * at < last { last } else { 0 }
    };
    let row = far(block.at.row, rect.height, tray.rows());
    let col = far(block.at.col, rect.width, tray.cols());
    Block { at: Place::new(row, col), ..block }
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
            shapes: [(1, 1), (1, 2), (2, 1), (2, 2)].map(BlockShape::from).into(),
            goals: 1,
            goal: TrayGoal::Moves(20),
        }
    }

    #[test]
    fn trays_match_the_request() {
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

    #[test]
    fn counted_blocks_are_all_placed() {
        let counted = |(height, width), count| BlockShape { height, width, count: Some(count) };
        let shapes = vec![counted((1, 1), 6), counted((2, 2), 1), counted((1, 2), 6), counted((2, 1), 6)];
        let request = TrayRequest { rows: 6, cols: 6, shapes, goal: TrayGoal::Corner, ..request() };
        for tray in request.trays().unwrap() {
            assert_eq!((tray.blocks().len(), tray.holes(), tray.goal().len()), (19, 2, 1));
            let mut counts: Vec<usize> = tray.classes().iter().map(|class| class.blocks.len()).collect();
            counts.sort_unstable();
            assert_eq!(counts, [1, 6, 6, 6]);
            let goal = tray.rect(tray.goal()[0]);
            assert_eq!((goal.area(), goal.at.row % 4, goal.at.col % 4), (4, 0, 0));
            assert!(!tray.is_solved());
        }
        let too_many = TrayRequest { shapes: vec![counted((2, 2), 6)], ..self::request() };
        assert_eq!(too_many.trays().unwrap().count(), 0);
    }

    #[test]
    fn the_farthest_goal_is_as_far_as_one_block_can_be() {
        let request = TrayRequest {
            rows: 3,
            cols: 4,
            goal: TrayGoal::Farthest { max_states: 5000, memory: 1 << 20 },
            count: 20,
            ..request()
        };
        for tray in request.trays().unwrap() {
            let far = oracle::solve(&tray, Metric::Piece, 100_000).length().expect("a goal that was reached");
            assert!(far > 0);
            for class in 0..tray.classes().len() {
                for cell in 0..tray.cells() {
                    let block = Block { class: class as _, at: Place::of_cell(cell, 4) };
                    let goal = [Piece::plain(tray.rect(block))];
                    let blocks: Vec<Piece> =
                        tray.blocks().iter().map(|&block| Piece::plain(tray.rect(block))).collect();
                    let Ok(other) = Tray::new(3, 4, &[], &blocks, &goal) else { continue };
                    assert!(oracle::solve(&other, Metric::Piece, 100_000).length().is_none_or(|n| n <= far));
                }
            }
        }
    }

    #[test]
    fn a_stop_ends_a_long_walk_and_a_long_search() {
        let calls = std::cell::Cell::new(0);
        let stop = || calls.replace(calls.get() + 1) > 3;
        for goal in [TrayGoal::Moves(u64::MAX), TrayGoal::Farthest { max_states: u64::MAX, memory: 1 << 30 }]
        {
            calls.set(0);
            let request = TrayRequest { rows: 6, cols: 6, goal, ..request() };
            assert_eq!(request.trays().unwrap().next_unless(&stop), Err(GenerateError::Stopped));
        }
    }

    #[test]
    fn a_search_that_does_not_fit_reports_a_sufficient_cap() {
        let made = |max_states, memory| {
            let goal = TrayGoal::Farthest { max_states, memory };
            TrayRequest { rows: 6, cols: 6, goal, ..request() }.trays().unwrap().next_unless(&|| false)
        };
        let Err(GenerateError::Memory(short)) = made(100_000, 1 << 20) else { panic!("it fits") };
        let tray = made(100_000, short.needed).unwrap().unwrap();
        assert_eq!(made(100_000, 1 << 30).unwrap(), Some(tray));
        assert!(made(20_000, 1 << 20).is_ok());
    }
}
