//! Samples the input: which kinds of boards it has, and roughly how many.
//!
//! Databases are chosen and built before the first puzzle is solved, so the first records of each
//! file and its size are examined beforehand.

use crate::files::name::path_of;
use crate::input::{Block, Compression, Defaults, RECORDS, Reader};
use crate::large::bound::lower_bound;
use crate::large::mutable_board::MutableBoard;
use crate::model::report::Instance;
use crate::options::Options;
use crate::puzzle::tiles::{Board, Size};
use std::fs;
use std::io::Cursor;

/// Boards of one size whose goals have the blank in one cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct BoardKind {
    pub(crate) size: Size,
    /// The cell of the blank in the goal.
    pub(crate) blank: usize,
    /// The estimated number of boards.
    pub(crate) count: u64,
    /// The estimated work, in boards of typical difficulty.
    pub(crate) work: u64,
    /// Whether the estimate is a guess about a stream.
    pub(crate) from_stream: bool,
}

/// The assumed number of records in a stream, whose length is unknown.
const ASSUMED_STREAM_RECORDS: u64 = 1000;

/// Returns the kinds of boards in all files, the most frequent first. Standard input is assumed to
/// continue like `first_bytes`. Other streams are assumed to be like the files, or to have boards
/// of `default_size` if there are none.
pub(crate) fn sample_input(
    options: &Options,
    defaults: &Defaults,
    first_bytes: &[u8],
    default_size: Size,
) -> Vec<BoardKind> {
    let mut kinds: Vec<BoardKind> = Vec::new();
    let mut streams = 0;
    for file in &options.files {
        match fs::metadata(path_of(file)) {
            // The number of bytes available depends on the writer, so a repeatable run ignores
            // them.
            _ if file == "-" && !first_bytes.is_empty() && !options.repeats_counts() => {
                let reader = Reader::from_stream(file, Cursor::new(first_bytes.to_vec()), defaults.clone());
                sample_reader(
                    reader,
                    |records, _| (ASSUMED_STREAM_RECORDS as f64 / records as f64).max(1.0),
                    true,
                    &mut kinds,
                );
            }
            _ if file == "-" => streams += 1,
            Ok(metadata) if metadata.is_file() => {
                // Compression shrinks boards to about a third.
                let length =
                    if Compression::of(file).is_some() { 3 * metadata.len() } else { metadata.len() };
                // A short file is read to its end; a longer one is extrapolated.
                let scale = |records, bytes| match records {
                    0..RECORDS => 1.0,
                    _ => (length as f64 / bytes as f64).max(1.0),
                };
                if let Ok(reader) = Reader::open(file, defaults.clone()) {
                    sample_reader(reader, scale, false, &mut kinds);
                }
            }
            Ok(metadata) if !metadata.is_dir() => streams += 1,
            // The run reports files that cannot be read.
            _ => {}
        }
    }
    if streams > 0 {
        if kinds.is_empty() {
            let size = defaults.size.unwrap_or(default_size);
            if let Some(goal) = defaults.goal.board(size) {
                kinds.push(BoardKind { size, blank: goal.blank(), count: 0, work: 0, from_stream: true });
            }
        }
        let all = kinds.len().max(1) as u64;
        kinds.iter_mut().for_each(|kind| {
            kind.add(streams * ASSUMED_STREAM_RECORDS / all, streams * ASSUMED_STREAM_RECORDS / all)
        });
    }
    let shards = options.shard.1.max(1);
    for kind in &mut kinds {
        (kind.count, kind.work) = (kind.count.div_ceil(shards), kind.work.div_ceil(shards));
    }
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    kinds
}

/// Adds the boards in the first block of `reader`, multiplied by `scale` of the block's records and
/// bytes. Read errors are ignored; the run reports them.
fn sample_reader(
    mut reader: Reader,
    scale: impl Fn(usize, u64) -> f64,
    from_stream: bool,
    kinds: &mut Vec<BoardKind>,
) {
    let mut block = Block::default();
    let Ok(true) = reader.next_block(&mut block, RECORDS) else { return };
    let factor = scale(block.len(), reader.progress().0.max(1));
    let mut found: Vec<BoardKind> = Vec::new();
    for index in 0..block.len() {
        let Ok(Instance::Tiles { board, goal, .. }) = block.parse(index) else { continue };
        let Some(goal) = goal.board(board.size()) else { continue };
        let (size, blank, work) = (board.size(), goal.blank(), difficulty(&board, &goal));
        count(&mut found, BoardKind { size, blank, count: 1, work, from_stream });
    }
    let scale = |number: u64| (number as f64 * factor) as u64;
    for kind in found {
        count(kinds, BoardKind { count: scale(kind.count), work: scale(kind.work), ..kind });
    }
}

impl BoardKind {
    fn add(&mut self, count: u64, work: u64) {
        self.count += count;
        self.work += work;
    }
}

/// Returns the number of typical boards that take as long as this board of up to 16 cells: the
/// search doubles with every two moves that the lower bound exceeds the typical one. The hardest
/// boards take hundreds of times as long as random ones.
fn difficulty(board: &Board, goal: &Board) -> u64 {
    let (rows, cols) = (board.size().rows(), board.size().cols());
    if rows * cols > 16 {
        return 1;
    }
    let field = MutableBoard::new(board, goal);
    // The mean distance of two cells of a line of n is (n² - 1) / 3n.
    let mean_distance = |n: usize| (n * n - 1) as f64 / (3 * n) as f64;
    let typical = (rows * cols - 1) as f64 * (mean_distance(rows) + mean_distance(cols));
    2f64.powf((f64::from(lower_bound(&field)) - typical - TYPICAL_CONFLICTS) / 2.0).clamp(1.0, 1024.0) as u64
}

/// The mean contribution of linear conflicts on a random board of 16 cells, in moves.
const TYPICAL_CONFLICTS: f64 = 2.0;

fn count(kinds: &mut Vec<BoardKind>, more: BoardKind) {
    match kinds.iter_mut().find(|kind| (kind.size, kind.blank) == (more.size, more.blank)) {
        Some(kind) => kind.add(more.count, more.work),
        None => kinds.push(more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::tiles::Goal;

    #[test]
    fn hard_boards_count_as_many() {
        let size = Size::FIFTEEN;
        let goal = Goal::BlankLast.board(size).unwrap();
        let of = |tiles: [u32; 16]| difficulty(&Board::new(size, &tiles).unwrap(), &goal);
        assert_eq!(of([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0, 15]), 1);
        assert_eq!(of([8, 9, 2, 15, 1, 10, 5, 7, 13, 14, 0, 3, 6, 12, 4, 11]), 1);
        assert!(of([0, 12, 9, 13, 15, 11, 10, 14, 3, 7, 2, 5, 4, 8, 6, 1]) > 200);
    }
}
