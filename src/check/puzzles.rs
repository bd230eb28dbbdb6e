//! The records of all puzzle files, one by one.

use crate::input::{Block, Defaults, InputError, Invalid, Reader};
use crate::model::report::Instance;
use std::sync::Arc;

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

/// A file of puzzles to check results against.
pub enum PuzzleFile {
    /// One that is open already.
    Open(Box<Reader>),
    /// One that is opened when its turn comes, and closed at its end.
    Named {
        /// The text of its name.
        name: Box<str>,
        /// What its records start with.
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

    /// The reader of its records.
    pub fn open(self) -> Result<Reader, InputError> {
        match self {
            Self::Open(reader) => Ok(*reader),
            Self::Named { name, defaults } => Reader::open(&name, (*defaults).clone()),
        }
    }
}

/// The records to come.
pub(super) struct Puzzles {
    names: Vec<Arc<str>>,
    files: std::vec::IntoIter<PuzzleFile>,
    /// The file that is being read, and its number.
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

    /// The files' names.
    pub(super) fn files(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// The next record; none at the end of the last file.
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
