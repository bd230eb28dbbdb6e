//! The place to which a block of a tray comes last: a goal that takes as many
//! moves as a goal for one block can.

use crate::puzzle::Puzzle;
use crate::puzzle::trays::{Block, Mask, Metric, Packed, PackedState, Place, Tray};
use ahash::AHashSet;

/// An arrangement in which a block is where none of its kind was before.
pub(super) struct Farthest {
    /// The arrangement.
    pub(super) blocks: Vec<Block>,
    /// The block, as its number in it.
    pub(super) last: usize,
}

/// The first arrangement with a block in the place that is reached last by piece
/// moves, among the nearest `most` arrangements; none if nothing can move, or if
/// the tray has too many cells or blocks for one word.
pub(super) fn farthest(tray: &Tray, most: u64) -> Option<Farthest> {
    let puzzle = Packed::<u64, u128>::new(tray, Metric::Piece)?;
    let start = puzzle.start();
    let mut reached = start.anchors;
    let mut last = None;
    let mut layer = vec![puzzle.pack(&start)];
    let mut seen: AHashSet<u128> = layer.iter().copied().collect();
    'layers: while !layer.is_empty() {
        let mut next = Vec::new();
        for &key in &layer {
            let state = puzzle.unpack(key);
            for step in puzzle.moves(&state, None) {
                let child = puzzle.apply(&state, step);
                let key = puzzle.pack(&child);
                if !seen.insert(key) {
                    continue;
                }
                next.push(key);
                let new = (0..puzzle.classes()).find(|&class| child.anchors[class] & !reached[class] != 0);
                if let Some(class) = new {
                    let places = child.anchors[class] & !reached[class];
                    last = Some((key, class, places.lowest()));
                    reached[class] |= places;
                }
                if seen.len() as u64 >= most {
                    break 'layers;
                }
            }
        }
        layer = next;
    }
    let (key, class, cell) = last?;
    let blocks = blocks(tray, &puzzle.unpack(key));
    let block = Block { class: class as _, at: Place::of_cell(cell as usize, tray.cols()) };
    let last = blocks.iter().position(|&other| other == block)?;
    Some(Farthest { blocks, last })
}

fn blocks(tray: &Tray, state: &PackedState<u64>) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(tray.blocks().len());
    for (class, &anchors) in state.anchors.iter().enumerate() {
        let mut cells = anchors;
        while !cells.is_none() {
            let at = Place::of_cell(cells.lowest() as usize, tray.cols());
            blocks.push(Block { class: class as _, at });
            cells = cells.without_lowest();
        }
    }
    blocks
}
