//! Small trays for searches: one bit set per class.
//!
//! A bit stands for a cell, row by row. A class is the set of its blocks' top-left cells, so
//! interchangeable blocks need no sorting. The positions where a block fits are computed for all
//! cells at once by shifting the set of free cells over itself.
//!
//! The key lists cells, a few bits each: those of every class and of the holes, except for the
//! largest group, which the others imply. A tray full of unit blocks is a puzzle about its holes; a
//! large empty tray with two blocks is a puzzle about two positions.

use super::{Metric, Place, Shift, Tray};
use crate::puzzle::{Key, Move, Puzzle};
use bytemuck::Pod;
use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// Maximum number of classes of a packed tray.
pub const CLASSES: usize = 8;

/// Maximum number of blocks of a packed tray.
pub(super) const BLOCKS: usize = 32;

/// A set of cells.
pub trait Mask:
    Copy
    + Eq
    + Debug
    + Send
    + Sync
    + 'static
    + Not<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
{
    /// Maximum number of cells.
    const CELLS: usize;
    /// The empty set.
    const NONE: Self;
    /// The set of the first cell.
    const FIRST: Self;

    /// Returns the lowest cell of a non-empty set.
    fn lowest(self) -> u32;

    /// Returns the set without its lowest cell.
    fn without_lowest(self) -> Self;

    /// Returns the number of cells.
    fn count(self) -> u32;

    /// Returns the set of one cell.
    #[inline(always)]
    fn cell(cell: u32) -> Self {
        Self::FIRST << cell
    }

    /// Returns whether the set is empty.
    #[inline(always)]
    fn is_none(self) -> bool {
        self == Self::NONE
    }
}

macro_rules! mask {
    ($word:ty) => {
        impl Mask for $word {
            const CELLS: usize = <$word>::BITS as usize;
            const NONE: Self = 0;
            const FIRST: Self = 1;

            #[inline(always)]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn without_lowest(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
        }
    };
}

mask!(u64);
mask!(u128);

/// A key that works as a stack of cells.
pub trait CellKey: Key + Pod + Shl<u32, Output = Self> + Shr<u32, Output = Self> {
    /// Returns the key with `cell` appended in `bits` bits.
    fn push(self, bits: u32, cell: u32) -> Self;

    /// Returns its lowest bits.
    fn last(self, bits: u32) -> u32;

    /// The empty key.
    const EMPTY: Self;
}

macro_rules! cell_key {
    ($word:ty) => {
        impl CellKey for $word {
            const EMPTY: Self = 0;

            #[inline(always)]
            fn push(self, bits: u32, cell: u32) -> Self {
                (self << bits) | Self::from(cell)
            }

            #[inline(always)]
            fn last(self, bits: u32) -> u32 {
                self as u32 & ((1 << bits) - 1)
            }
        }
    };
}

cell_key!(u64);
cell_key!(u128);

/// Properties of a class.
#[derive(Clone, Copy, Debug)]
struct Shape<M> {
    height: u32,
    width: u32,
    count: u32,
    /// Cells of a block at the first cell.
    block: M,
    /// Positions at which a block is inside the tray.
    inside: M,
    goal: M,
}

/// A tray of few cells, classes and blocks, in one metric.
#[derive(Debug)]
pub struct Packed<M, K> {
    cols: u32,
    metric: Metric,
    shapes: Vec<Shape<M>>,
    /// Cells beside a block, for each class and position.
    rims: Vec<M>,
    floor: M,
    first_col: M,
    last_col: M,
    /// Bits per cell.
    bits: u32,
    key_bits: u32,
    /// Group that the key omits: a class, or the holes.
    implied: Option<usize>,
    holes: u32,
    start: PackedState<M>,
    key: std::marker::PhantomData<K>,
}

/// A state: the blocks of each class, and the free cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackedState<M> {
    /// Top-left cells of each class's blocks.
    pub anchors: [M; CLASSES],
    /// Free cells.
    pub free: M,
}

/// Returns the number of key bits of a tray, if it fits words of `cells` cells.
pub fn packed_key_bits(tray: &Tray, cells: usize) -> Option<u32> {
    let small = tray.cells() <= cells && tray.classes().len() <= CLASSES && tray.blocks().len() <= BLOCKS;
    let groups = || tray.classes().iter().map(|class| class.blocks.len()).chain([tray.holes()]);
    let listed = groups().sum::<usize>() - groups().max().unwrap_or(0);
    small.then(|| (listed as u32 * cell_bits(tray.cells())).max(8))
}

fn cell_bits(cells: usize) -> u32 {
    (cells.max(2) - 1).ilog2() + 1
}

impl<M: Mask, K: CellKey> Packed<M, K> {
    /// Creates the puzzle of a tray; `None` if it is too large, or its key is too wide.
    pub fn new(tray: &Tray, metric: Metric) -> Option<Self> {
        let key_bits = packed_key_bits(tray, M::CELLS).filter(|&bits| bits <= K::BITS)?;
        let (cells, cols) = (tray.cells(), tray.cols());
        let set = |cells: &mut dyn Iterator<Item = usize>| {
            cells.fold(M::NONE, |set, cell| set | M::cell(cell as u32))
        };
        let floor = set(&mut (0..cells).filter(|&cell| !tray.is_wall(cell)));
        let mut anchors = [M::NONE; CLASSES];
        let mut free = floor;
        for &block in tray.blocks() {
            anchors[block.class as usize] |= M::cell(block.at.cell(cols) as u32);
            free &= !set(&mut tray.rect(block).cells(cols));
        }
        let mut shapes = Vec::new();
        for class in tray.classes() {
            let fits = |cell: usize| class.rect(Place::of_cell(cell, cols)).fits(tray.rows(), cols);
            let goals = tray.goal()[class.goals.clone()].iter();
            shapes.push(Shape {
                height: class.height.into(),
                width: class.width.into(),
                count: class.blocks.len() as u32,
                block: set(&mut class.rect(Place::new(0, 0)).cells(cols)),
                inside: set(&mut (0..cells).filter(|&cell| fits(cell))),
                goal: set(&mut goals.map(|goal| goal.at.cell(cols))),
            });
        }
        let column = |col: usize| set(&mut (0..cells).filter(|cell| cell % cols == col));
        let most = tray.classes().iter().map(|class| class.blocks.len()).max().unwrap_or(0);
        let implied = (most > tray.holes())
            .then(|| tray.classes().iter().position(|class| class.blocks.len() == most))
            .flatten();
        let mut packed = Self {
            cols: cols as u32,
            metric,
            shapes,
            rims: Vec::new(),
            floor,
            first_col: column(0),
            last_col: column(cols - 1),
            bits: cell_bits(cells),
            key_bits,
            implied,
            holes: tray.holes() as u32,
            start: PackedState { anchors, free },
            key: std::marker::PhantomData,
        };
        let rim = |shape: &Shape<M>, cell: u32| match (shape.inside & M::cell(cell)).is_none() {
            true => M::NONE,
            false => packed.around(shape.block << cell) & !(shape.block << cell) & floor,
        };
        let rims = packed.shapes.iter().flat_map(|shape| (0..cells as u32).map(move |cell| rim(shape, cell)));
        packed.rims = rims.collect();
        Some(packed)
    }

    /// Returns the start.
    pub fn start(&self) -> PackedState<M> {
        self.start
    }

    /// Returns the metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Returns the number of classes.
    pub fn classes(&self) -> usize {
        self.shapes.len()
    }

    /// Returns the cells where a move starts and ends.
    #[inline(always)]
    pub fn ends(&self, step: Move) -> (u32, u32) {
        (step.0 & ((1 << self.bits) - 1), step.0 >> self.bits)
    }

    /// Returns the class of the block with its top-left cell at `cell`.
    #[inline(always)]
    pub fn class_at(&self, state: &PackedState<M>, cell: u32) -> usize {
        let bit = M::cell(cell);
        let here = |anchors: &M| !(*anchors & bit).is_none();
        state.anchors.iter().position(here).unwrap_or(CLASSES - 1)
    }

    /// Returns a move as a `Shift`.
    pub fn shift(&self, step: Move) -> Shift {
        let (from, to) = self.ends(step);
        let place = |cell: u32| Place::of_cell(cell as usize, self.cols as usize);
        Shift { from: place(from), to: place(to) }
    }

    /// Returns a `Shift` as a move.
    pub fn step(&self, shift: Shift) -> Move {
        let cell = |place: Place| place.cell(self.cols as usize) as u32;
        Move(cell(shift.from) | cell(shift.to) << self.bits)
    }

    /// Returns the positions where a block of a shape fits on free cells.
    #[inline(always)]
    fn room(&self, shape: &Shape<M>, free: M) -> M {
        let mut row = free;
        for col in 1..shape.width {
            row &= free >> col;
        }
        let mut room = row & shape.inside;
        for down in 1..shape.height {
            room &= row >> (down * self.cols);
        }
        room
    }

    /// Returns the positions one cell away from any of `places`.
    #[inline(always)]
    fn around(&self, places: M) -> M {
        (places & !self.last_col) << 1
            | (places & !self.first_col) >> 1
            | places << self.cols
            | places >> self.cols
    }

    /// Returns the positions that the block at `at` can reach in one move within `room`.
    #[inline(always)]
    fn targets(&self, room: M, at: M, last: Option<(u32, u32)>) -> M {
        match self.metric {
            Metric::Step => {
                let targets = self.around(at) & room;
                match last {
                    Some((from, to)) if at == M::cell(to) => targets & !M::cell(from),
                    _ => targets,
                }
            }
            Metric::Slide => {
                let (mut along, mut across) = (true, true);
                if let Some((from, to)) = last
                    && at == M::cell(to)
                {
                    // A second slide on the same line merges with the first.
                    along = from / self.cols != to / self.cols;
                    across = !along;
                }
                let mut targets = M::NONE;
                let mut ray = |next: &dyn Fn(M) -> M| {
                    let mut place = next(at) & room;
                    while !place.is_none() {
                        targets |= place;
                        place = next(place) & room;
                    }
                };
                if along {
                    ray(&|place| (place & !self.last_col) << 1);
                    ray(&|place| (place & !self.first_col) >> 1);
                }
                if across {
                    ray(&|place| place << self.cols);
                    ray(&|place| place >> self.cols);
                }
                targets
            }
            Metric::Piece => {
                if last.is_some_and(|(_, to)| at == M::cell(to)) {
                    return M::NONE;
                }
                let mut reached = at;
                loop {
                    let more = reached | self.around(reached) & room;
                    if more == reached {
                        return reached & !at;
                    }
                    reached = more;
                }
            }
        }
    }
}

/// Moves of a state: the targets of each block that can move.
#[derive(Clone, Copy, Debug)]
pub struct PackedMoves<M> {
    targets: [M; BLOCKS],
    from: [u8; BLOCKS],
    /// Blocks not yet processed, last first.
    left: u32,
    bits: u32,
}

impl<M: Mask> Iterator for PackedMoves<M> {
    type Item = Move;

    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        loop {
            let block = self.left.checked_sub(1)? as usize % BLOCKS;
            let targets = self.targets[block];
            if targets.is_none() {
                self.left -= 1;
                continue;
            }
            self.targets[block] = targets.without_lowest();
            return Some(Move(u32::from(self.from[block]) | targets.lowest() << self.bits));
        }
    }
}

impl<M: Mask, K: CellKey> Puzzle for Packed<M, K> {
    type State = PackedState<M>;
    type Key = K;
    type Moves = PackedMoves<M>;

    fn key_bits(&self) -> u32 {
        self.key_bits
    }

    fn move_bits(&self) -> u32 {
        2 * self.bits
    }

    #[inline]
    fn pack(&self, state: &PackedState<M>) -> K {
        let mut key = K::EMPTY;
        let mut list = |set: M| {
            let mut set = set;
            while !set.is_none() {
                key = key.push(self.bits, set.lowest());
                set = set.without_lowest();
            }
        };
        for (class, &anchors) in state.anchors.iter().enumerate().take(self.shapes.len()) {
            if self.implied != Some(class) {
                list(anchors);
            }
        }
        if self.implied.is_some() {
            list(state.free);
        }
        key
    }

    #[inline]
    fn unpack(&self, key: K) -> PackedState<M> {
        let mut key = key;
        let mut pull = || {
            let cell = key.last(self.bits);
            key = key >> self.bits;
            cell
        };
        let mut anchors = [M::NONE; CLASSES];
        let (mut covered, mut free) = (M::NONE, M::NONE);
        if self.implied.is_some() {
            for _ in 0..self.holes {
                free |= M::cell(pull());
            }
        }
        for (class, shape) in self.shapes.iter().enumerate().rev() {
            if self.implied == Some(class) {
                continue;
            }
            for _ in 0..shape.count {
                let cell = pull();
                anchors[class] |= M::cell(cell);
                covered |= shape.block << cell;
            }
        }
        match self.implied {
            None => free = self.floor & !covered,
            Some(class) => {
                // Cells that are neither free nor covered belong to the omitted class; the first of
                // them is always a block's top-left cell.
                let mut rest = self.floor & !covered & !free;
                while !rest.is_none() {
                    let cell = rest.lowest();
                    anchors[class] |= M::cell(cell);
                    rest &= !(self.shapes[class].block << cell);
                }
            }
        }
        PackedState { anchors, free }
    }

    #[inline(always)]
    fn is_goal(&self, state: &PackedState<M>) -> bool {
        self.shapes.iter().zip(&state.anchors).all(|(shape, &anchors)| (shape.goal & !anchors).is_none())
    }

    #[inline]
    fn moves(&self, state: &PackedState<M>, last: Option<Move>) -> PackedMoves<M> {
        let last = last.map(|step| self.ends(step));
        let mut moves =
            PackedMoves { targets: [M::NONE; BLOCKS], from: [0; BLOCKS], left: 0, bits: self.bits };
        let cells = self.rims.len() / self.shapes.len().max(1);
        for (class, shape) in self.shapes.iter().enumerate() {
            let rims = &self.rims[class * cells..];
            let mut anchors = state.anchors[class];
            while !anchors.is_none() {
                let cell = anchors.lowest();
                anchors = anchors.without_lowest();
                if (rims[cell as usize] & state.free).is_none() {
                    continue;
                }
                let room = self.room(shape, state.free | shape.block << cell);
                let targets = self.targets(room, M::cell(cell), last);
                let next = moves.left as usize % BLOCKS;
                moves.targets[next] = targets;
                moves.from[next] = cell as u8;
                moves.left += u32::from(!targets.is_none());
            }
        }
        moves
    }

    #[inline(always)]
    fn apply(&self, state: &PackedState<M>, step: Move) -> PackedState<M> {
        let (from, to) = self.ends(step);
        let class = self.class_at(state, from);
        let block = self.shapes[class].block;
        let mut after = *state;
        after.anchors[class] ^= M::cell(from) ^ M::cell(to);
        after.free = (after.free | block << from) & !(block << to);
        after
    }

    #[inline(always)]
    fn undo(&self, state: &PackedState<M>, step: Move) -> PackedState<M> {
        let (from, to) = self.ends(step);
        self.apply(state, Move(to | from << self.bits))
    }
}
