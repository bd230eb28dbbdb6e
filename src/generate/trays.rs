//! Random trays, the same for the same seed on every machine.

use super::below;
use super::farthest::{Farthest, farthest};
use crate::memory::budget::OutOfBudget;
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
    /// How many cells stay empty; of no effect if all shapes are counted.
    pub holes: usize,
    /// The blocks.
    pub shapes: Vec<BlockShape>,
    /// How many blocks have a goal.
    pub goals: usize,
    /// How the goal comes about.
    pub goal: TrayGoal,
}

/// A shape that blocks may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockShape {
    /// Rows.
    pub height: u16,
    /// Columns.
    pub width: u16,
    /// How many blocks have it; if none of the shapes has a number, each is
    /// equally likely where it fits.
    pub count: Option<u16>,
}

impl From<(u16, u16)> for BlockShape {
    fn from((height, width): (u16, u16)) -> Self {
        Self { height, width, count: None }
    }
}

impl BlockShape {
    /// Its cells.
    pub fn area(&self) -> usize {
        usize::from(self.height) * usize::from(self.width)
    }
}

/// How the goal of a tray comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrayGoal {
    /// Where blocks are after so many random moves of a piece each: the tray can
    /// be solved.
    Moves(u64),
    /// Anywhere: the tray may have no solution.
    Anywhere,
    /// The largest block in the corner that is farthest from it: the tray may
    /// have no solution.
    Corner,
    /// A block in the place that is reached last by moves of a piece each, among
    /// so many arrangements: the tray can be solved, and not in fewer moves. For
    /// trays of up to 64 cells.
    Farthest {
        /// Arrangements that are searched, at most.
        most: u64,
        /// Bytes for them.
        memory: u64,
    },
}

/// The trays of a request, one after the other.
#[derive(Clone, Debug)]
pub struct Trays {
    request: TrayRequest,
    left: u64,
    stream: Xoshiro256PlusPlus,
}

/// Why a tray was not made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GenerateError {
    /// Somebody asked for an end.
    #[error("interrupted")]
    Stopped,
    /// So many arrangements do not fit the memory; the number is without what the
    /// program itself takes.
    #[error(transparent)]
    Memory(#[from] OutOfBudget),
    /// The system has no more memory.
    #[error("the system refuses memory for the search")]
    Refused,
}

/// Places that are tried for a block, for each cell of the tray.
const TRIES: usize = 30;

/// Moves of a walk between two looks at whether to stop.
const STOP_EVERY: u64 = 64;

/// Arranged blocks, and the number of the one that has a goal in any case.
type End = (Vec<Block>, Option<usize>);

/// Fillings of a tray with counted blocks that are tried.
const FILLINGS: usize = 1000;

impl TrayRequest {
    /// The trays asked for, or why there are none.
    pub fn trays(self) -> Result<Trays, TrayError> {
        Tray::check_size(self.rows as i64, self.cols as i64)?;
        Ok(Trays { left: self.count, stream: Xoshiro256PlusPlus::seed_from_u64(self.seed), request: self })
    }
}

/// Without an end asked for; where memory is short the trays end
/// ([`Trays::next_unless`] says why).
impl Iterator for Trays {
    type Item = Tray;

    fn next(&mut self) -> Option<Tray> {
        self.next_unless(&|| false).unwrap_or_default()
    }
}

impl Trays {
    /// Returns the next tray; none after the last. `stop` is asked before each tray
    /// and now and then on a long walk or search.
    pub fn next_unless(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<Tray>, GenerateError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        // A tray without blocks has no goal; the next one may.
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
        // Any goal will do for the walk.
        let first = blocks.get(..1).unwrap_or_default();
        let Ok(tray) = Tray::new(rows, cols, &[], &blocks, first) else { return Ok(None) };
        let Some((end, first)) = self.end(&tray, stop)? else { return Ok(None) };
        Ok(self.with_goal(&tray, &blocks, &end, first))
    }

    /// Where the blocks are that may have a goal, and which of them comes first.
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
            TrayGoal::Farthest { most, memory } => match farthest(tray, most, memory, stop)? {
                Some(Farthest { blocks, last }) => (blocks, Some(last)),
                None => return Ok(None),
            },
        };
        Ok(Some(end))
    }

    /// The tray with goals for some blocks of `end`.
    fn with_goal(
        &mut self,
        tray: &Tray,
        blocks: &[Piece],
        end: &[Block],
        first: Option<usize>,
    ) -> Option<Tray> {
        let (rows, cols) = (self.request.rows as i64, self.request.cols as i64);
        let goals = self.request.goals.clamp(1, blocks.len());
        // Those that moved come first: a goal that is met already is dull.
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

    /// Blocks at random; none if those that are counted did not fit this time.
    fn blocks(&mut self) -> Option<Vec<Piece>> {
        let shapes = self.request.shapes.clone();
        if shapes.iter().all(|shape| shape.count.is_none()) {
            return Some(self.as_they_fit(&shapes));
        }
        let mut wanted: Vec<BlockShape> = Vec::new();
        shapes.iter().for_each(|shape| wanted.extend((0..shape.count.unwrap_or(0)).map(|_| *shape)));
        // Large blocks need their room first.
        wanted.sort_by_key(|shape| std::cmp::Reverse(shape.area()));
        (0..FILLINGS).find_map(|_| self.all_of(&wanted))
    }

    /// Every one of these blocks, each at random among the places that are left;
    /// none if there is no such place.
    fn all_of(&mut self, wanted: &[BlockShape]) -> Option<Vec<Piece>> {
        let TrayRequest { rows, cols, .. } = self.request;
        let mut taken = vec![false; rows * cols];
        let mut blocks = Vec::new();
        for shape in wanted {
            let rect =
                |cell| Rect { at: Place::of_cell(cell, cols), height: shape.height, width: shape.width };
            let fits = |&cell: &usize| {
                let rect = rect(cell);
                rect.fits(rows, cols) && rect.cells(cols).all(|cell| !taken[cell])
            };
            let places: Vec<usize> = (0..rows * cols).filter(fits).collect();
            let rect = rect(*places.get(below(&mut self.stream, places.len().max(1) as u64) as usize)?);
            rect.cells(cols).for_each(|cell| taken[cell] = true);
            blocks.push(Piece::plain(rect));
        }
        Some(blocks)
    }

    /// Blocks until only the holes are left, or nothing more fits.
    fn as_they_fit(&mut self, shapes: &[BlockShape]) -> Vec<Piece> {
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
            let BlockShape { height, width, .. } = shapes[self.below(shapes.len())];
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

    /// A block of the same class anywhere.
    fn anywhere(&mut self, tray: &Tray, block: Block) -> Block {
        let rect = tray.rect(block);
        let row = self.below(tray.rows() - rect.height as usize + 1) as u16;
        let col = self.below(tray.cols() - rect.width as usize + 1) as u16;
        Block { at: Place::new(row, col), ..block }
    }
}

/// A block in the corner that is farthest from where it is.
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

    #[test]
    fn counted_blocks_are_all_there() {
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
            goal: TrayGoal::Farthest { most: 5000, memory: 1 << 20 },
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
        let asked = std::cell::Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) > 3;
        for goal in [TrayGoal::Moves(u64::MAX), TrayGoal::Farthest { most: u64::MAX, memory: 1 << 30 }] {
            asked.set(0);
            let request = TrayRequest { rows: 6, cols: 6, goal, ..request() };
            assert_eq!(request.trays().unwrap().next_unless(&stop), Err(GenerateError::Stopped));
        }
    }

    #[test]
    fn a_search_that_does_not_fit_the_memory_says_what_would_do() {
        let made = |most, memory| {
            let goal = TrayGoal::Farthest { most, memory };
            TrayRequest { rows: 6, cols: 6, goal, ..request() }.trays().unwrap().next_unless(&|| false)
        };
        let Err(GenerateError::Memory(short)) = made(100_000, 1 << 20) else { panic!("it fits") };
        let tray = made(100_000, short.needed).unwrap().unwrap();
        assert_eq!(made(100_000, 1 << 30).unwrap(), Some(tray));
        assert!(made(20_000, 1 << 20).is_ok());
    }
}
