//! What the benchmarks share: memory like the solver's, and the fixtures.
//!
//! `cargo bench` measures; `cargo bench -- --test` runs everything once, on a
//! small scale, and checks the answers.

// Each benchmark uses its own part of this.
#![allow(dead_code)]

use batch_solve::input::{Block, Defaults, Reader};
use batch_solve::model::report::Instance;
use batch_solve::puzzle::tiles::{Board, Goal};
use bytemuck::Pod;
use memmap2::{Advice, MmapMut};
use std::time::Duration;

/// Whether answers are to be checked and nothing is to be measured.
pub(crate) fn is_test() -> bool {
    std::env::args().any(|argument| argument == "--test")
}

/// The larger number for measuring, the smaller one for checking.
pub(crate) fn scale(measured: usize, checked: usize) -> usize {
    if is_test() { checked } else { measured }
}

/// Criterion for benchmarks of which one turn takes long.
pub(crate) fn criterion(seconds: u64) -> criterion::Criterion {
    criterion::Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(seconds))
        .configure_from_args()
}

/// Zeroed memory with huge pages asked for.
pub(crate) struct Memory(MmapMut);

impl Memory {
    pub(crate) fn new(bytes: usize) -> Self {
        let map = MmapMut::map_anon(bytes).expect("memory for the benchmark");
        // Refused on some systems: then it is only slower.
        let _ = map.advise(Advice::HugePage);
        Self(map)
    }

    pub(crate) fn slice<T: Pod>(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

/// A board with its goal and the length of a shortest solution.
pub(crate) struct Known {
    pub(crate) board: Board,
    pub(crate) goal: Goal,
    pub(crate) length: u32,
}

/// One of the 100 published instances of the 15-puzzle.
pub(crate) fn published(id: &str) -> Known {
    instance(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/korf100.txt"), id)
}

/// An instance of a fixture, with the length that the fixture says.
pub(crate) fn instance(file: &str, id: &str) -> Known {
    let mut reader = Reader::open(file, Defaults::default()).expect("the fixture is there");
    let mut block = Block::default();
    while reader.next_block(&mut block, 100).expect("the fixture can be read") {
        let index = (0..block.len()).find(|&index| block.header(index).id == Some(id));
        if let Some(index) = index {
            let Instance::Tiles { board, goal, .. } = block.parse(index).expect("the fixture is valid")
            else {
                continue;
            };
            let length = block.header(index).length.expect("the length is published");
            return Known { board, goal, length };
        }
    }
    panic!("no instance {id}");
}
