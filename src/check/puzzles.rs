//! The records of all puzzle files, one by one.

use crate::{
    input::{Block, InputError, Invalid, Reader},
    output::Instance,
};

/// How many records are cut out of a file at a time.
const BLOCK: usize = 256;

/// One record.
pub(super) struct Puzzle {
    /// Which of the files it is in.
    pub(super) file: usize,
    pub(super) n: u64,
    pub(super) line: u64,
    /// Its own id, or its number.
    pub(super) id: Box<str>,
    /// The length known for it.
    pub(super) length: Option<u32>,
    pub(super) instance: Result<Instance, Invalid>,
}

impl Puzzle {
    /// About what it takes, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let holds = match &self.instance {
            Ok(Instance::Tiles { board, .. }) => 4 * board.size().cells(),
            Ok(Instance::Tray { tray, .. }) => 16 * tray.cells() + 64 * tray.blocks().len(),
            Err(invalid) => invalid.what.len(),
        };
        (size_of::<Self>() + self.id.len() + holds) as u64
    }
}

/// The records to come.
pub(super) struct Puzzles {
    readers: Vec<Reader>,
    file: usize,
    block: Block,
    at: usize,
}

impl Puzzles {
    pub(super) fn new(readers: Vec<Reader>) -> Self {
        Self { readers, file: 0, block: Block::default(), at: 0 }
    }

    /// The files' names.
    pub(super) fn files(&self) -> impl ExactSizeIterator<Item = &str> {
        self.readers.iter().map(|reader| &**reader.file())
    }

    /// The next record; none at the end of the last file.
    pub(super) fn next(&mut self) -> Result<Option<Puzzle>, InputError> {
        while self.at == self.block.len() {
            self.at = 0;
            let Some(reader) = self.readers.get_mut(self.file) else { return Ok(None) };
            if !reader.next_block(&mut self.block, BLOCK)? {
                reader.finish()?;
                self.file += 1;
            }
        }
        let header = self.block.header(self.at);
        let puzzle = Puzzle {
            file: self.file,
            n: header.n,
            line: header.line,
            id: header.id.map_or_else(|| header.n.to_string().into(), Into::into),
            length: header.length,
            instance: self.block.parse(self.at),
        };
        self.at += 1;
        Ok(Some(puzzle))
    }
}
