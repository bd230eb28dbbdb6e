//! Small trays in one word: exact, dense, and expanded by the batch.
//!
//! **The code.** Scan the floor row by row and name what begins at each cell
//! that is not covered yet: a block of some class, or a hole. The sequence of
//! these names tells the whole arrangement, since each name says which cells to
//! skip further on; and it is the same for all arrangements that differ only in
//! which of several equal blocks lies where. It always has the same numbers of
//! each name, so it is coded as nested bit planes (`tree.rs`): 30 to 50 bits for
//! most trays of 20 to 36 cells.
//!
//! To make a code from bitboards, one for each class with a bit at each block's
//! first cell, takes one `pext` a plane, whatever lies between the cells. To
//! undo it takes one `pdep` a plane, and one more for each block that covers
//! more than one cell, to find where the following names belong.
//!
//! **Marks.** Beside its code, a state has four bits for each hole, one for each
//! way in which a block may enter it. A marked hole is not entered that way.
//! When a block has been moved, all holes around it are marked against it:
//!
//! * *piece*: on all sides. Whatever one more move of the block can reach, one
//!   move from the state before could reach as well.
//! * *slide*: on the two sides in line with the move, for the same reason.
//! * *step*: on the side it came from, since that would undo the move.
//!
//! So a marked move leads to a state no farther from the start than the marked
//! state itself, and may be left out. A state takes over the used_moves of all states
//! of the layer before that lead to it, and these cover *every* move back to
//! that layer, however many holes there are. For let `t` in layer d + 1 have a
//! move to `u` in layer d. Undone, it leads from `u` to `t`; was it tried when
//! `u` was expanded, then `t` got the mark. Was it left out, then because the
//! same block (in line, for slides) had come to `u` from some `w` in layer
//! d − 1; but then one move from `w` reaches `t` (or `t` is `w`, for steps), and
//! `t` lies in layer d or before. So the layer before need not be kept to find
//! duplicates; within its own layer, and for the next one, a state can still
//! come up in many ways. Blocks are told apart by where they lie, so all this
//! holds for interchangeable blocks.
//!
//! What a state costs, in instructions, on a tray of 5×6 cells with 15 blocks of
//! four shapes: about 150 to decode, 100 to find what can move, then for each
//! neighbour 40 to find where to and 60 to code it.

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

/// A tray whose arrangements fit a word `W`, used_moves included.
#[derive(Clone, Debug)]
pub struct Dense<W> {
    metric: Metric,
    /// What is left of the tray without rows and columns of nothing but walls at
    /// its edges: the first cell, and the number of columns.
    origin: Place,
    cols: u32,
    /// The cells that are not walls; cells are counted from the origin.
    floor: u64,
    shapes: Vec<Shape>,
    tree: Tree,
    /// One bit for each name in a sequence.
    names: u64,
    /// The holes, and the blocks of more than one cell.
    holes: u32,
    large: usize,
    /// Columns of the tray itself.
    tray_cols: usize,
    word: std::marker::PhantomData<W>,
}

/// A class of blocks, as bits. A block lies where its first cell lies.
#[derive(Clone, Copy, Debug)]
struct Shape {
    height: u32,
    width: u32,
    blocks: usize,
    /// Its cells if it lies on cell 0, and those but the first.
    cells: u64,
    others: u64,
    /// Where it may lie, and where from it may go right and left.
    inside: u64,
    right: u64,
    left: u64,
    /// Its height in cells (at most 63), and all ones if that is less than the
    /// tray's.
    down: u32,
    lower: u64,
    /// Where the goal wants blocks of this class.
    goal: u64,
}

impl<W: Word> Dense<W> {
    /// The dense form of a tray; none if it does not fit, has no holes, or has
    /// nothing else.
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

    /// The state of an arrangement of the tray's blocks, without used_moves.
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

    /// The arrangement of a state.
    pub fn blocks(&self, state: W) -> Vec<Block> {
        let masks = self.boards(state);
        let of_class = |class: usize| {
            singles(masks[class]).map(move |bit| Block { class: class as u32, at: self.place(bit) })
        };
        (0..self.shapes.len()).flat_map(of_class).collect()
    }

    /// A hash of what matters most about a state: where the holes are, and where
    /// the blocks are whose shape the goal asks for.
    pub fn kind(&self, state: W) -> u64 {
        let boards = self.boards(state);
        let asked =
            self.shapes.iter().zip(&boards).filter(|(shape, _)| shape.goal != 0).map(|(_, &anchors)| anchors);
        asked
            .chain([boards[self.shapes.len()]])
            .fold(0, |hash: u64, board| (hash.rotate_left(29) ^ board).wrapping_mul(MULTIPLY[0] as u64))
    }

    /// The bits of a state that are in use: its code and its used_moves.
    pub fn bits(&self) -> u32 {
        self.tree.bits + 4 * self.holes
    }

    /// The block and where it went, as a number.
    pub fn shift(&self, step: Move) -> Shift {
        let place = |cell| Place::of_cell(cell as usize, self.tray_cols);
        Shift { from: place(step.0 >> 16), to: place(step.0 & 0xffff) }
    }

    /// For each class where its blocks lie, then the holes.
    fn boards(&self, state: W) -> Masks {
        let mut masks: Masks = [0; 2 * SYMBOLS];
        self.tree.decode::<W, 0>(state.code(self.tree.bits), self.names, &mut masks);
        let mut others = [0; 64];
        let starts = self.starts(&masks, &mut others);
        masks[..=self.shapes.len()].iter_mut().for_each(|mask| *mask = spread(*mask, starts));
        masks
    }

    /// The cells where the names of a sequence begin. `others` is scratch.
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
            // All names up to this one have found their cells.
            starts &= !cells.wrapping_mul(spread(name, starts));
        }
        starts
    }

    /// A cell as a bit, if it is inside.
    fn bit(&self, place: Place) -> Option<u64> {
        let row = u32::from(place.row.checked_sub(self.origin.row)?);
        let col = u32::from(place.col.checked_sub(self.origin.col)?);
        (col < self.cols).then(|| 1u64.checked_shl(row * self.cols + col)).flatten()
    }

    /// The cell of a bit.
    fn place(&self, bit: u64) -> Place {
        let within = Place::of_cell(bit.trailing_zeros() as usize, self.cols as usize);
        Place::new(within.row + self.origin.row, within.col + self.origin.col)
    }
}

impl Shape {
    /// Blocks of this height and width in a tray of so many rows and columns.
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
