//! Small trays in one word: exact, dense, and expanded in batches.
//!
//! **The code.** Scan the floor row by row and name what starts at each cell that is not covered
//! yet: a block of some class, or a hole. The sequence of names determines the state, since each
//! name says which cells to skip later. It is equal for all states that differ only in which of
//! several interchangeable blocks is where. Each name occurs a fixed number of times, so the
//! sequence is coded as nested bit planes (`tree.rs`): 30 to 50 bits for most trays of 20 to 36
//! cells.
//!
//! Encoding starts from bitboards, one per class with a bit at each block's first cell. It takes
//! one `pext` per plane, whatever lies between the cells. Decoding takes one `pdep` per plane, and
//! one more for each block of more than one cell, to find the cells of the following names.
//!
//! **Used-move bits** (Korf 2004, used-operator bits). Beside its code, a state has four bits per
//! hole, one for each direction in which a block may enter it. A hole with a set bit is not entered
//! in that direction. When a block has moved, bits of all holes around it are set against it:
//!
//! * *piece*: in all directions. Every state that one more move of the block reaches was also one
//!   move away from the previous state.
//! * *slide*: in the two directions in line with the move, for the same reason.
//! * *step*: in the direction it came from, since that would undo the move.
//!
//! A move excluded by such a bit leads to a state no farther from the start than the state itself,
//! so it may be omitted. A state combines the bits of all states of the previous layer that lead to
//! it. Claim: these bits exclude *every* move back to that layer, whatever the number of holes.
//! Proof: let `t` in layer d + 1 have a move to `u` in layer d. The reverse move leads from `u` to
//! `t`. If it was tried when `u` was expanded, `t` has the bit. If it was omitted, then the same
//! block (in line, for slides) had come to `u` from some `w` in layer d − 1; but then one move from
//! `w` reaches `t` (or `t` is `w`, for steps), and `t` lies in layer d or before, a contradiction.
//! So the previous layer is not needed to detect duplicates. Within its own and the next layer, a state can
//! still be reached in many ways. Blocks are distinguished by their positions, so the proof holds
//! for interchangeable blocks.
//!
//! Cost of a state, in instructions, on a tray of 5×6 cells with 15 blocks of four shapes: about
//! 150 to decode and 100 to find the blocks that can move; then, per neighbour, 40 to find the
//! target and 60 to encode it.

mod bits;
mod moves;
mod tree;
mod word;

pub use moves::Batch;
pub use word::Word;

use super::{Block, Metric, Place, Shift, Tray};
use crate::memory::key::MULTIPLY;
use crate::puzzle::Move;
use bits::{singles, spread};
use tree::{Masks, SYMBOLS, Tree};

/// A tray whose states fit a word `W`, including used-move bits.
#[derive(Clone, Debug)]
pub struct Dense<W> {
    metric: Metric,
    /// First cell and number of columns of the tray without border rows and columns of walls only.
    origin: Place,
    cols: u32,
    /// Cells that are not walls, counted from the origin.
    floor: u64,
    shapes: Vec<Shape>,
    tree: Tree,
    /// One bit per name of a sequence.
    names: u64,
    /// Number of holes, and of blocks with more than one cell.
    holes: u32,
    large: usize,
    /// Columns of the original tray.
    tray_cols: usize,
    word: std::marker::PhantomData<W>,
}

/// A class of blocks as bits. The position of a block is its first cell.
#[derive(Clone, Copy, Debug)]
struct Shape {
    height: u32,
    width: u32,
    blocks: usize,
    /// Cells of a block at cell 0, and those without the first.
    cells: u64,
    others: u64,
    /// Positions inside the tray, and those from which a block can move right and left.
    inside: u64,
    right: u64,
    left: u64,
    /// Height in cells (at most 63), and a mask of all ones if that is less than the tray's.
    down: u32,
    lower: u64,
    /// Goal positions of blocks of this class.
    goal: u64,
}

impl<W: Word> Dense<W> {
    /// Creates the dense form of a tray; `None` if it does not fit, has no holes, or has only
    /// holes.
    pub fn new(tray: &Tray, metric: Metric) -> Option<Self> {
        let (tray_cols, cells) = (tray.cols(), 0..tray.cells());
        let floor: Vec<Place> =
            cells.filter(|&cell| !tray.is_wall(cell)).map(|cell| Place::of_cell(cell, tray_cols)).collect();
        let rows = || floor.iter().map(|place| place.row);
        let columns = || floor.iter().map(|place| place.col);
        let origin = Place::new(rows().min()?, columns().min()?);
        let rows = u32::from(rows().max()? - origin.row) + 1;
        let cols = u32::from(columns().max()? - origin.col) + 1;
        if rows * cols > 64 || cols > 63 {
            return None;
        }
        let holes = tray.holes();
        let counts: Vec<usize> =
            tray.classes().iter().map(|class| class.blocks.len()).chain([holes]).collect();
        if holes == 0 {
            return None;
        }
        let tree = Tree::new(&counts, <W as crate::memory::Packed>::BITS.checked_sub(4 * holes as u32)?)?;
        let mut dense = Self {
            metric,
            origin,
            cols,
            floor: 0,
            shapes: Vec::new(),
            tree,
            names: u64::MAX >> (64 - counts.iter().sum::<usize>()),
            holes: holes as u32,
            large: 0,
            tray_cols,
            word: std::marker::PhantomData,
        };
        dense.floor = floor.iter().filter_map(|&place| dense.bit(place)).fold(0, |all, bit| all | bit);
        for class in tray.classes() {
            let goals = tray.goal()[class.goals.clone()].iter();
            let goal = goals.fold(0, |all, goal| all | dense.bit(goal.at).unwrap_or(u64::MAX));
            let shape = Shape::new(
                (rows, cols),
                (u32::from(class.height), u32::from(class.width)),
                class.blocks.len(),
                goal,
            );
            dense.large += if shape.others != 0 { shape.blocks } else { 0 };
            dense.shapes.push(shape);
        }
        Some(dense)
    }

    /// Returns the state of a list of blocks, without used-move bits.
    pub fn state(&self, blocks: &[Block]) -> W {
        let mut masks: Masks = [0; 2 * SYMBOLS];
        let mut holes = self.floor;
        for block in blocks {
            let bit = self.bit(block.at).unwrap_or(0);
            masks[block.class as usize] |= bit;
            holes &= !self.shapes[block.class as usize].cells.wrapping_mul(bit);
        }
        masks[self.shapes.len()] = holes;
        self.tree.encode::<W, 0>(&mut masks).state(self.tree.bits, W::NONE)
    }

    /// Returns the blocks of a state.
    pub fn blocks(&self, state: W) -> Vec<Block> {
        let masks = self.boards(state);
        let of_class = |class: usize| {
            singles(masks[class]).map(move |bit| Block { class: class as u32, at: self.place(bit) })
        };
        (0..self.shapes.len()).flat_map(of_class).collect()
    }

    /// Returns a hash of the main features of a state: the holes, and the positions of blocks whose
    /// shape occurs in the goal.
    pub fn kind(&self, state: W) -> u64 {
        let boards = self.boards(state);
        let goal_anchors =
            self.shapes.iter().zip(&boards).filter(|(shape, _)| shape.goal != 0).map(|(_, &anchors)| anchors);
        goal_anchors
            .chain([boards[self.shapes.len()]])
            .fold(0, |hash: u64, board| (hash.rotate_left(29) ^ board).wrapping_mul(MULTIPLY[0] as u64))
    }

    /// Returns the number of bits of a state: code and used-move bits.
    pub fn bits(&self) -> u32 {
        self.tree.bits + 4 * self.holes
    }

    /// Returns a move as a `Shift`.
    pub fn shift(&self, step: Move) -> Shift {
        let place = |cell| Place::of_cell(cell as usize, self.tray_cols);
        Shift { from: place(step.0 >> 16), to: place(step.0 & 0xffff) }
    }

    /// Returns the positions of each class, then the holes.
    fn boards(&self, state: W) -> Masks {
        let mut masks: Masks = [0; 2 * SYMBOLS];
        self.tree.decode::<W, 0>(state.code(self.tree.bits), self.names, &mut masks);
        let mut others = [0; 64];
        let starts = self.starts(&masks, &mut others);
        masks[..=self.shapes.len()].iter_mut().for_each(|mask| *mask = spread(*mask, starts));
        masks
    }

    /// Returns the cells where the names of a sequence start. `others` is scratch space.
    #[inline(always)]
    fn starts(&self, sequence: &Masks, others: &mut [u64; 64]) -> u64 {
        let mut large = 0;
        for (shape, &mask) in self.shapes.iter().zip(sequence) {
            if shape.others == 0 {
                continue;
            }
            large |= mask;
            let mut rest = mask;
            for _ in 0..shape.blocks {
                others[rest.trailing_zeros() as usize & 63] = shape.others;
                rest &= rest.wrapping_sub(1);
            }
        }
        let mut starts = self.floor;
        for _ in 0..self.large {
            let name = large & large.wrapping_neg();
            let cells = others[large.trailing_zeros() as usize & 63];
            large ^= name;
            // All names up to this one have their cells.
            starts &= !cells.wrapping_mul(spread(name, starts));
        }
        starts
    }

    /// Returns a cell as a bit, if it is inside.
    fn bit(&self, place: Place) -> Option<u64> {
        let row = u32::from(place.row.checked_sub(self.origin.row)?);
        let col = u32::from(place.col.checked_sub(self.origin.col)?);
        (col < self.cols).then(|| 1u64.checked_shl(row * self.cols + col)).flatten()
    }

    /// Returns the cell of a bit.
    fn place(&self, bit: u64) -> Place {
        let within = Place::of_cell(bit.trailing_zeros() as usize, self.cols as usize);
        Place::new(within.row + self.origin.row, within.col + self.origin.col)
    }
}

impl Shape {
    /// Creates the shape of blocks of `height` × `width` in a tray of `rows` × `cols`.
    fn new((rows, cols): (u32, u32), (height, width): (u32, u32), blocks: usize, goal: u64) -> Self {
        let cells = |rows: std::ops::Range<u32>, columns: std::ops::Range<u32>| {
            let row = columns.fold(0, |all, col| all | 1u64 << col);
            rows.fold(0, |all, number| all | row << (number * cols))
        };
        let block = cells(0..height, 0..width);
        let last = (rows - height + 1, cols - width + 1);
        Self {
            height,
            width,
            blocks,
            cells: block,
            others: block & !1,
            inside: cells(0..last.0, 0..last.1),
            right: cells(0..last.0, 0..last.1 - 1),
            left: cells(0..last.0, 1..last.1),
            down: (height * cols).min(63),
            lower: if height < rows { u64::MAX } else { 0 },
            goal,
        }
    }
}
