//! Moves of dense trays, in batches.
//!
//! 1. Decode all states of the batch.
//! 2. For each class, find the blocks that can move, for all states at once, and list the states
//!    that have any.
//! 3. Process the list.

use super::bits::{gather, singles, spread};
use super::tree::{Masks, SYMBOLS};
use super::{Dense, Shape, Word};
use crate::puzzle::Move;
use crate::puzzle::batched::{BATCH, Batched, Neighbours};
use crate::puzzle::trays::Metric;

/// Directions in which a block can enter a hole.
const UP: usize = 0;
const RIGHT: usize = 1;
const DOWN: usize = 2;
const LEFT: usize = 3;

/// All directions, one bit each.
const ALL: u32 = 0b1111;

/// The decoded states of a batch.
#[derive(Debug)]
pub struct Batch {
    /// Positions of each class, then the holes, in each state.
    boards: Box<[[u64; BATCH]; SYMBOLS]>,
    /// Holes that may be entered in each direction.
    open: Box<[[u64; BATCH]; 4]>,
    /// States in which blocks of the current class can move, and these blocks.
    listed: [u8; BATCH],
    movable: [u64; BATCH],
    others: [u64; 64],
    /// The state in which a block is moved.
    masks: Masks,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            boards: Box::new([[0; BATCH]; SYMBOLS]),
            open: Box::new([[0; BATCH]; 4]),
            listed: [0; BATCH],
            movable: [0; BATCH],
            others: [0; 64],
            masks: [0; 2 * SYMBOLS],
        }
    }
}

impl<W: Word> Batched for Dense<W> {
    type State = W;
    type Workspace = Batch;

    fn used_move_bits(&self) -> u32 {
        4 * self.holes
    }

    fn reaches_previous_layer(&self) -> bool {
        false
    }

    fn expand<S: Neighbours<W>>(&self, states: &[W], batch: &mut Batch, neighbours: &mut S) {
        // Loops over few classes are unrolled.
        match self.shapes.len() {
            2 => self.expand_classes::<S, 2>(states, batch, neighbours),
            3 => self.expand_classes::<S, 3>(states, batch, neighbours),
            4 => self.expand_classes::<S, 4>(states, batch, neighbours),
            5 => self.expand_classes::<S, 5>(states, batch, neighbours),
            _ => self.expand_classes::<S, 0>(states, batch, neighbours),
        }
    }

    fn is_goal(&self, state: W) -> bool {
        let boards = self.boards(state);
        self.meets_goal(|class| boards[class])
    }

    fn step(&self, from: W, to: W) -> Move {
        let (before, after) = (self.boards(from), self.boards(to));
        let cell = |bit| self.place(bit).cell(self.tray_cols) as u32;
        let moved = |class: &usize| before[*class] != after[*class];
        let class = (0..self.shapes.len()).find(moved).expect("neighbours differ by a block");
        let changed = before[class] ^ after[class];
        Move(cell(changed & before[class]) << 16 | cell(changed & after[class]))
    }
}

impl<W: Word> Dense<W> {
    /// Expands a batch. `N` is the number of classes, here and below, or 0 for any.
    fn expand_classes<S: Neighbours<W>, const N: usize>(
        &self,
        states: &[W],
        batch: &mut Batch,
        neighbours: &mut S,
    ) {
        self.decode::<N>(states, batch);
        for class in 0..self.classes::<N>() {
            match self.metric {
                Metric::Piece => self.pieces::<S, N>(class, states.len(), batch, neighbours),
                Metric::Slide => self.straight::<S, N, true>(class, states.len(), batch, neighbours),
                Metric::Step => self.straight::<S, N, false>(class, states.len(), batch, neighbours),
            }
        }
    }

    #[inline(always)]
    fn classes<const N: usize>(&self) -> usize {
        if N == 0 { self.shapes.len().min(SYMBOLS - 1) } else { N }
    }

    #[inline(never)]
    fn decode<const N: usize>(&self, states: &[W], batch: &mut Batch) {
        let classes = self.classes::<N>();
        let mut masks: Masks = [0; 2 * SYMBOLS];
        for (i, &state) in states.iter().enumerate().take(BATCH) {
            self.tree.decode::<W, N>(state.code(self.tree.bits), self.names, &mut masks);
            let starts = self.starts(&masks, &mut batch.others);
            for (board, &mask) in batch.boards[..=classes].iter_mut().zip(&masks) {
                board[i] = spread(mask, starts);
            }
            let holes = batch.boards[classes][i];
            for (way, open) in batch.open.iter_mut().enumerate() {
                open[i] = holes & !spread(state.plane((way as u32 * self.holes) as u8), holes);
            }
        }
    }

    /// Emits all moves of blocks of a class, along any path of empty cells.
    #[inline(never)]
    fn pieces<S: Neighbours<W>, const N: usize>(
        &self,
        class: usize,
        states: usize,
        batch: &mut Batch,
        neighbours: &mut S,
    ) {
        let shape = self.shapes[class];
        let count = batch.list::<ALL>(&shape, self.cols, class, states);
        for item in 0..count {
            let i = batch.listed[item] as usize & (BATCH - 1);
            let mut moving = self.select_class::<N>(class, i, &batch.boards, &mut batch.masks);
            for from in singles(batch.movable[item]) {
                let free = moving.holes | shape.cells.wrapping_mul(from);
                let fits = shape.fits(free, self.cols) & shape.inside;
                let mut reached = from;
                loop {
                    let next = (reached
                        | (reached & shape.right) << 1
                        | (reached & shape.left) >> 1
                        | reached << self.cols
                        | reached >> self.cols)
                        & fits;
                    if next == reached {
                        break;
                    }
                    reached = next;
                }
                for to in singles(reached ^ from) {
                    self.push_neighbour::<S, N, _>(
                        &mut moving,
                        from,
                        to,
                        free,
                        [UP, RIGHT, DOWN, LEFT],
                        neighbours,
                    );
                }
            }
        }
    }

    /// Emits all straight moves of blocks of a class: by one cell or, with `SLIDE`, by any number.
    #[inline(never)]
    fn straight<S: Neighbours<W>, const N: usize, const SLIDE: bool>(
        &self,
        class: usize,
        states: usize,
        batch: &mut Batch,
        neighbours: &mut S,
    ) {
        let shape = self.shapes[class];
        for way in [UP, RIGHT, DOWN, LEFT] {
            let count = match way {
                UP => batch.list::<{ 1 << UP }>(&shape, self.cols, class, states),
                RIGHT => batch.list::<{ 1 << RIGHT }>(&shape, self.cols, class, states),
                DOWN => batch.list::<{ 1 << DOWN }>(&shape, self.cols, class, states),
                _ => batch.list::<{ 1 << LEFT }>(&shape, self.cols, class, states),
            };
            let back = way ^ 2;
            for item in 0..count {
                let i = batch.listed[item] as usize & (BATCH - 1);
                let mut moving = self.select_class::<N>(class, i, &batch.boards, &mut batch.masks);
                for from in singles(batch.movable[item]) {
                    let free = moving.holes | shape.cells.wrapping_mul(from);
                    let fits = shape.fits(free, self.cols) & shape.inside;
                    let mut to = from;
                    loop {
                        to = match way {
                            UP => to >> self.cols,
                            RIGHT => (to & shape.right) << 1,
                            DOWN => to << self.cols,
                            _ => (to & shape.left) >> 1,
                        } & fits;
                        if to == 0 {
                            break;
                        }
                        if !SLIDE {
                            self.push_neighbour::<S, N, _>(&mut moving, from, to, free, [back], neighbours);
                            break;
                        }
                        self.push_neighbour::<S, N, _>(&mut moving, from, to, free, [way, back], neighbours);
                    }
                }
            }
        }
    }

    /// Prepares a state of the batch for moves of blocks of a class.
    #[inline(always)]
    fn select_class<'b, const N: usize>(
        &self,
        class: usize,
        i: usize,
        boards: &[[u64; BATCH]; SYMBOLS],
        masks: &'b mut Masks,
    ) -> MovingClass<'b> {
        let classes = self.classes::<N>();
        for symbol in 0..=classes {
            masks[symbol] = boards[symbol][i];
        }
        MovingClass { class, holes: masks[classes], anchors: masks[class], masks }
    }

    /// Emits the state in which a block has moved from `from` to `to`. `free` is the set of empty
    /// cells without the block. Sets used-move bits of the holes around it for the directions
    /// `ways`.
    #[inline(always)]
    fn push_neighbour<S: Neighbours<W>, const N: usize, const WAYS: usize>(
        &self,
        moving: &mut MovingClass<'_>,
        from: u64,
        to: u64,
        free: u64,
        ways: [usize; WAYS],
        neighbours: &mut S,
    ) {
        let shape = &self.shapes[moving.class];
        let block = shape.cells.wrapping_mul(to);
        let (anchors, holes) = (moving.anchors ^ from ^ to, free ^ block);
        moving.masks[moving.class] = anchors;
        moving.masks[self.classes::<N>()] = holes;
        let code = self.tree.encode::<W, N>(moving.masks);
        let mut used_moves = W::NONE;
        for way in ways {
            // Bits that wrap around an edge concern holes that cannot be entered from there.
            let around = match way {
                UP => block >> self.cols,
                RIGHT => block << 1,
                DOWN => block << self.cols,
                _ => block >> 1,
            };
            used_moves = used_moves.with_plane(gather(around, holes), (way as u32 * self.holes) as u8);
        }
        let state = code.state(self.tree.bits, used_moves);
        neighbours.push(state);
        if shape.goal != 0 && anchors & shape.goal == shape.goal {
            let masks = &*moving.masks;
            if self.meets_goal(|class| masks[class]) {
                neighbours.goal(state);
            }
        }
    }

    fn meets_goal(&self, anchors: impl Fn(usize) -> u64) -> bool {
        self.shapes.iter().enumerate().all(|(class, shape)| anchors(class) & shape.goal == shape.goal)
    }
}

impl Batch {
    /// Lists the states in which a block of a class can move in some of the directions `WAYS` (one
    /// bit each), and these blocks. Returns the number of states.
    fn list<const WAYS: u32>(&mut self, shape: &Shape, cols: u32, class: usize, states: usize) -> usize {
        // Constant sides give a branch-free loop over four states at a time.
        match (shape.height, shape.width) {
            (1, 1) => self.list_sized::<WAYS, 1, 1>(shape, cols, class, states),
            (1, 2) => self.list_sized::<WAYS, 1, 2>(shape, cols, class, states),
            (2, 1) => self.list_sized::<WAYS, 2, 1>(shape, cols, class, states),
            (2, 2) => self.list_sized::<WAYS, 2, 2>(shape, cols, class, states),
            _ => self.list_sized::<WAYS, 0, 0>(shape, cols, class, states),
        }
    }

    #[inline(never)]
    fn list_sized<const WAYS: u32, const HEIGHT: u32, const WIDTH: u32>(
        &mut self,
        shape: &Shape,
        cols: u32,
        class: usize,
        states: usize,
    ) -> usize {
        let height = if HEIGHT == 0 { shape.height } else { HEIGHT };
        let width = if WIDTH == 0 { shape.width } else { WIDTH };
        let [up, right, down, left] = &*self.open;
        let anchors = &self.boards[class];
        let mut can = [0u64; BATCH];
        for i in 0..BATCH {
            let mut any = 0;
            if WAYS >> UP & 1 != 0 {
                any |= row_of(up[i], width) << cols;
            }
            if WAYS >> RIGHT & 1 != 0 {
                any |= (column_of(right[i], height, cols) >> width) & shape.right;
            }
            if WAYS >> DOWN & 1 != 0 {
                any |= (row_of(down[i], width) >> shape.down) & shape.lower;
            }
            if WAYS >> LEFT & 1 != 0 {
                any |= (column_of(left[i], height, cols) << 1) & shape.left;
            }
            can[i] = any & anchors[i];
        }
        let mut count = 0;
        for (i, &blocks) in can.iter().enumerate().take(states) {
            self.listed[count] = i as u8;
            self.movable[count] = blocks;
            count += usize::from(blocks != 0);
        }
        count
    }
}

/// A state in which blocks of one class are moved, one at a time.
struct MovingClass<'b> {
    class: usize,
    holes: u64,
    /// Positions of the blocks of the class.
    anchors: u64,
    masks: &'b mut Masks,
}

impl Shape {
    /// Returns the positions where a block fits on `free` cells.
    #[inline(always)]
    fn fits(&self, free: u64, cols: u32) -> u64 {
        column_of(row_of(free, self.width), self.height, cols)
    }
}

/// Returns the cells where `width` consecutive set cells of a row start.
#[inline(always)]
fn row_of(cells: u64, width: u32) -> u64 {
    match width {
        1 => cells,
        2 => cells & cells >> 1,
        _ => (1..width).fold(cells, |all, by| all & cells >> by),
    }
}

/// Returns the cells where `height` consecutive set cells of a column start.
#[inline(always)]
fn column_of(cells: u64, height: u32, cols: u32) -> u64 {
    match height {
        1 => cells,
        2 => cells & cells >> cols,
        _ => (1..height).fold(cells, |all, by| all & cells >> (by * cols)),
    }
}
