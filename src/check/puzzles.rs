//! Iterates over the records of all puzzle files.

use crate::input::{Block, Defaults, InputError, Invalid, Reader};
use crate::model::report::Instance;
use std::sync::Arc;

/// Number of records read from a file at a time.
const BLOCK: usize = 256;

/// A record.
pub(super) struct Puzzle {
    /// Index of its file.
    pub(super) file: usize,
    pub(super) n: u64,
    pub(super) line: u64,
    /// Its own id, or its number.
    pub(super) id: Box<str>,
    /// UsableResult length of a shortest solution.
    pub(super) length: Option<u32>,
    pub(super) instance: Result<Instance, Invalid>,
}

impl Puzzle {
    /// Returns the approximate memory use in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let content = match &self.instance {
            Ok(Instance::Tiles { board, .. }) => 4 * board.size().cells(),
            Ok(Instance::Tray { tray, .. }) => 16 * tray.cells() + 64 * tray.blocks().len(),
            Err(invalid) => invalid.what.len(),
        };
        (size_of::<Self>() + self.id.len() + content) as u64
    }
}

/// A file of puzzles to check results against.
pub enum PuzzleFile {
    /// An open file.
    Open(Box<Reader>),
    /// A file that is opened when it is reached, and closed at its end.
    Named {
        /// Its name as text.
        name: Box<str>,
        /// Defaults for its records.
        defaults: Arc<Defaults>,
    },
}

impl From<Reader> for PuzzleFile {
    fn from(reader: Reader) -> Self {
        Self::Open(reader.into())
    }
}

impl PuzzleFile {
    fn name(&self) -> Arc<str> {
        match self {
            Self::Open(reader) => reader.file().clone(),
            Self::Named { name, .. } => (&**name).into(),
        }
    }

    /// Returns the reader of its records.
    pub fn open(self) -> Result<Reader, InputError> {
        match self {
            Self::Open(reader) => Ok(*reader),
            Self::Named { name, defaults } => Reader::open(&name, (*defaults).clone()),
        }
    }
}

/// Iterator over the records of several files.
pub(super) struct Puzzles {
    names: Vec<Arc<str>>,
    files: std::vec::IntoIter<PuzzleFile>,
    /// The open file, and its index.
    reader: Option<Reader>,
    file: usize,
    block: Block,
    at: usize,
}

impl Puzzles {
    pub(super) fn new(files: Vec<PuzzleFile>) -> Self {
        let names = files.iter().map(PuzzleFile::name).collect();
        Self { names, files: files.into_iter(), reader: None, file: 0, block: Block::default(), at: 0 }
    }

    /// Returns the names of the files.
    pub(super) fn files(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// Returns the next record, or `None` at the end of the last file.
    pub(super) fn next(&mut self) -> Result<Option<Puzzle>, InputError> {
        while self.at == self.block.len() {
            self.at = 0;
            let reader = match &mut self.reader {
                Some(reader) => reader,
                None => match self.files.next() {
                    Some(file) => self.reader.insert(file.open()?),
                    None => return Ok(None),
                },
            };
            if !reader.next_block(&mut self.block, BLOCK)? {
                reader.finish()?;
                self.reader = None;
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
