//! A first look at the files: which boards there are, and about how many.
//!
//! Tables are chosen and made before the first puzzle is solved, so somebody has
//! to look ahead: at the first records of each file, and at its size.

use super::beginning::Beginning;
use super::inputs::RECORDS;
use super::settings::Settings;
use crate::input::{Block, Defaults, Packing, Reader};
use crate::output::Instance;
use crate::puzzle::tiles::Size;
use std::fs;

/// Boards of one size whose goals have the blank in one cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Kind {
    pub(super) size: Size,
    /// The cell of the goal's blank.
    pub(super) blank: usize,
    /// How many there seem to be.
    pub(super) count: u64,
    /// Whether none of them was seen: a stream may or may not bring some.
    pub(super) guessed: bool,
}

/// Records that a stream is taken to have: it cannot be looked into.
const IN_A_STREAM: u64 = 1000;

/// The kinds of boards in all files, the most frequent first. Standard input is
/// taken to go on as it begins; what another stream brings is taken to be like the
/// files, or else of the given size.
pub(super) fn survey(
    settings: &Settings,
    defaults: &Defaults,
    beginning: &Beginning,
    otherwise: Size,
) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    let mut streams = 0;
    for file in &settings.files {
        match fs::metadata(file) {
            _ if file == "-" && !beginning.is_empty() => {
                let reader = Reader::from_stream(file, beginning.copy(), defaults.clone());
                look(reader, |records, _| (IN_A_STREAM as f64 / records as f64).max(1.0), true, &mut kinds);
            }
            _ if file == "-" => streams += 1,
            Ok(metadata) if metadata.is_file() => {
                // Compressed boards take about a third.
                let length = if Packing::of(file).is_some() { 3 * metadata.len() } else { metadata.len() };
                // A short file is read to its end; of a longer one this is a sample.
                let times = |records, bytes| match records {
                    0..RECORDS => 1.0,
                    _ => (length as f64 / bytes as f64).max(1.0),
                };
                if let Ok(reader) = Reader::open(file, defaults.clone()) {
                    look(reader, times, false, &mut kinds);
                }
            }
            Ok(metadata) if !metadata.is_dir() => streams += 1,
            // The run will say that there is nothing to read.
            _ => {}
        }
    }
    if streams > 0 {
        if kinds.is_empty() {
            let size = defaults.size.unwrap_or(otherwise);
            if let Some(goal) = defaults.goal.board(size) {
                kinds.push(Kind { size, blank: goal.blank(), count: 0, guessed: true });
            }
        }
        let all = kinds.len().max(1) as u64;
        kinds.iter_mut().for_each(|kind| kind.count += streams * IN_A_STREAM / all);
    }
    let (_, shards) = settings.shard;
    kinds.iter_mut().for_each(|kind| kind.count = kind.count.div_ceil(shards.max(1)));
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    kinds
}

/// Adds the boards that a reader brings, so many times those of its first block:
/// by its records and its bytes. What cannot be read is somebody else's trouble.
fn look(mut reader: Reader, times: impl Fn(usize, u64) -> f64, guessed: bool, kinds: &mut Vec<Kind>) {
    let mut block = Block::default();
    let Ok(true) = reader.next_block(&mut block, RECORDS) else { return };
    let factor = times(block.len(), reader.progress().0.max(1));
    let mut found: Vec<Kind> = Vec::new();
    for index in 0..block.len() {
        let Ok(Instance::Tiles { board, goal, .. }) = block.parse(index) else { continue };
        let Some(goal) = goal.board(board.size()) else { continue };
        count(&mut found, Kind { size: board.size(), blank: goal.blank(), count: 1, guessed });
    }
    for kind in found {
        count(kinds, Kind { count: (kind.count as f64 * factor) as u64, ..kind });
    }
}

fn count(kinds: &mut Vec<Kind>, more: Kind) {
    match kinds.iter_mut().find(|kind| (kind.size, kind.blank) == (more.size, more.blank)) {
        Some(kind) => kind.count += more.count,
        None => kinds.push(more),
    }
}
