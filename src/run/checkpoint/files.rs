//! Which file belongs to which board.
//!
//! The file that the user named belongs to one board at a time. While it holds the search of
//! another board, a board uses a file beside it, named after a hash of the board. So nothing is
//! lost when a run over several boards starts over: the first boards are searched again, and the
//! search that was killed continues when its turn comes.

use super::super::Observer;
use super::one_search::OneSearch;
use super::{BadCheckpoint, Checkpoint, MAGIC};
use crate::files::disk::{self, Draft};
use crate::input::{Block, Defaults, Reader};
use crate::model::report::Instance;
use crate::options::Options;
use crate::quantity::Bytes;
use crate::run::source::RECORDS;
use parking_lot::Mutex;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use twox_hash::XxHash64;

/// The memory in which the frontier of such a search is found: it has to be
/// found again before the search continues.
const FRONTIER: usize = 128 << 20;

/// The checkpoints of a run.
pub(crate) struct Checkpoints<'n> {
    path: PathBuf,
    /// The cap of the run.
    memory: u64,
    /// The board that the file at `path` belongs to, if to any.
    owner: Mutex<Option<String>>,
    pub(crate) observer: &'n dyn Observer,
}

impl<'n> Checkpoints<'n> {
    /// Reads the file at `path`, if there is one. It must belong to a board for which `has` is
    /// true. `memory` is the cap of the run.
    pub(crate) fn open(
        path: &Path,
        memory: u64,
        has: impl Fn(&str) -> bool,
        observer: &'n dyn Observer,
    ) -> Result<Self, BadCheckpoint> {
        let found = read(path, memory)?;
        let owner = found.map(|found| found.puzzle);
        if let Some(puzzle) = owner.as_ref().filter(|puzzle| !has(puzzle)) {
            return Err(BadCheckpoint::Other(format!("it is of the puzzle {puzzle}")));
        }
        // A symbolic link stays one.
        let path = if owner.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        // Whoever cannot write here should know before hours have passed.
        Draft::new(&path, ".draft")?;
        Ok(Self { path, memory, owner: Mutex::new(owner), observer })
    }

    /// The keeper for a puzzle's search, which has `bytes` of memory. A checkpoint that needs more
    /// is refused.
    pub(crate) fn checkpoint_sink(
        &self,
        instance: &Instance,
        bytes: usize,
    ) -> Result<OneSearch<'_>, BadCheckpoint> {
        let Some(puzzle) = name(instance) else {
            return Err(BadCheckpoint::Other("it is for boards of tiles".into()));
        };
        let path = self.claim(&puzzle);
        let found = read(&path, self.memory)?;
        if let Some(other) = found.as_ref().filter(|found| found.puzzle != puzzle) {
            return Err(BadCheckpoint::Other(format!("it is of the puzzle {}", other.puzzle)));
        }
        let region = found.as_ref().map_or(0, |found| found.snapshot.region);
        if region > most_frontier(bytes) as u64 {
            return Err(BadCheckpoint::Other(format!(
                "its frontier takes {}, and with this --memory there are {} for it",
                Bytes(region),
                Bytes(most_frontier(bytes) as u64)
            )));
        }
        Ok(OneSearch::new(self, path, puzzle, found.map(|found| found.snapshot)))
    }

    /// The file of a board.
    fn claim(&self, puzzle: &str) -> PathBuf {
        let mut owner = self.owner.lock();
        let mut beside = self.path.as_os_str().to_owned();
        beside.push(format!(".{:016x}", XxHash64::oneshot(0, puzzle.as_bytes())));
        let beside = PathBuf::from(beside);
        if owner.is_none() && !beside.exists() {
            *owner = Some(puzzle.to_owned());
        }
        if owner.as_deref() == Some(puzzle) { self.path.clone() } else { beside }
    }

    /// Says that there is no file of a board any more.
    pub(crate) fn release(&self, puzzle: &str) {
        let mut owner = self.owner.lock();
        if owner.as_deref() == Some(puzzle) {
            *owner = None;
        }
    }
}

/// How a checkpoint names a board and its goal; none for a tray.
fn name(instance: &Instance) -> Option<String> {
    let Instance::Tiles { board, goal, .. } = instance else { return None };
    let numbers: Vec<String> = board.tiles().iter().map(u16::to_string).collect();
    Some(format!("{}: {} to {}", board.size(), numbers.join(" "), goal.name()))
}

/// Whether a puzzle is, or may be, in the input of a run. A stream may bring anything.
pub(crate) fn may_be_in_input(options: &Options, defaults: &Defaults, puzzle: &str) -> bool {
    let mut block = Block::default();
    options.files.iter().any(|file| {
        if file == "-" || fs::metadata(file).is_ok_and(|file| !file.is_file() && !file.is_dir()) {
            return true;
        }
        let Ok(mut reader) = Reader::open(file, defaults.clone()) else { return false };
        while let Ok(true) = reader.next_block(&mut block, RECORDS) {
            let mut records = (0..block.len()).filter_map(|index| block.parse(index).ok());
            if records.any(|instance| name(&instance).as_deref() == Some(puzzle)) {
                return true;
            }
        }
        false
    })
}

/// Reads a file that should be a checkpoint, if there is one. One that takes much of the memory
/// is of a search with far more.
fn read(path: &Path, memory: u64) -> Result<Option<Checkpoint>, BadCheckpoint> {
    let most = memory / 8;
    let file = match disk::open_regular(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most && bytes.starts_with(MAGIC) {
        let what = format!("it is larger than {}, an eighth of --memory", Bytes(most));
        return Err(BadCheckpoint::Other(what));
    }
    Checkpoint::parse(&bytes).map(Some)
}

/// The most that a frontier may take of `bytes`: half of them, as recording a
/// standing and continuing from one take about as much.
pub(crate) fn most_frontier(bytes: usize) -> usize {
    (bytes / 2).min(FRONTIER) & !0xfff
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::checkpoint::{CheckpointSink, Snapshot};

    fn snapshot() -> Snapshot {
        let roots = (0..100).map(|at| (3 * at, 80 + at as u16 % 3)).collect();
        Snapshot { heuristic: "pdb:6-6-6-6x2".into(), region: 1 << 27, expanded: 5, generated: 11, roots }
    }

    fn open<'n>(path: &Path, memory: u64, heard: &'n Heard) -> Result<Checkpoints<'n>, BadCheckpoint> {
        Checkpoints::open(path, memory, |_| true, heard)
    }

    /// What was told, line by line.
    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl Observer for Heard {
        fn input_error(&self, _: &crate::input::InputError) {}

        fn warn(&self, what: &str) {
            self.0.lock().push(what.into());
        }

        fn explain(&self, _: &str) {}
    }

    fn instance() -> Instance {
        board("4x5: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 0 19")
    }

    fn board(text: &str) -> Instance {
        let board = crate::input::parse_board(text, None);
        let (goal, metric) = (Default::default(), Default::default());
        Instance::Tiles { board: board.unwrap(), goal, metric }
    }

    #[test]
    fn a_disk_that_is_full_for_a_while_does_not_end_a_search() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("folder");
        fs::create_dir(&folder).unwrap();
        let heard = Heard::default();
        let path = folder.join("rest");
        let checkpoints = open(&path, 1 << 30, &heard).unwrap();
        let checkpoint_sink = checkpoints.checkpoint_sink(&instance(), 1 << 29).unwrap();
        checkpoint_sink.frontier_found();
        fs::remove_dir(&folder).unwrap();
        checkpoint_sink.save(&snapshot());
        checkpoint_sink.save(&snapshot());
        fs::create_dir(&folder).unwrap();
        checkpoint_sink.save(&snapshot());
        assert!(checkpoint_sink.refused().is_none());
        let lines = heard.0.lock().clone();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].contains("cannot be written, and is tried again") && lines[1].contains("again"));
        // With what was written, in as much memory and in less.
        let again = open(&path, 1 << 30, &heard).unwrap();
        assert_eq!(again.checkpoint_sink(&instance(), 1 << 28).unwrap().frontier_bytes(1 << 28), 1 << 27);
        let again = open(&path, 1 << 30, &heard).unwrap();
        let refused = again.checkpoint_sink(&instance(), 1 << 27).err().unwrap().to_string();
        assert!(refused.contains("its frontier takes 128 MiB"), "{refused}");
        let refused = open(&path, 1 << 12, &heard).err().unwrap().to_string();
        assert!(refused.contains("an eighth of --memory"), "{refused}");
        assert!(matches!(open(Path::new("/dev/zero"), 1 << 30, &heard), Err(BadCheckpoint::File(_))));
        checkpoint_sink.ended(true);
        assert!(!path.exists());
    }

    #[test]
    fn every_board_has_a_checkpoint_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let (path, heard) = (dir.path().join("rest"), Heard::default());
        let boards = ["18 0 19", "18 19 0", "0 18 19"];
        let boards =
            boards.map(|end| board(&format!("4x5: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 {end}")));
        let expanding = |expanded| Snapshot { expanded, ..snapshot() };
        // Killed during the third.
        let checkpoints = open(&path, 1 << 30, &heard).unwrap();
        for (number, board) in boards.iter().enumerate() {
            let checkpoint_sink = checkpoints.checkpoint_sink(board, 1 << 29).unwrap();
            checkpoint_sink.save(&expanding(number as u64));
            if number < 2 {
                checkpoint_sink.ended(true);
                assert!(!path.exists());
            }
        }
        // And then during the first.
        let checkpoints = open(&path, 1 << 30, &heard).unwrap();
        let checkpoint_sink = checkpoints.checkpoint_sink(&boards[0], 1 << 29).unwrap();
        assert_eq!(checkpoint_sink.snapshot(), None);
        checkpoint_sink.save(&expanding(7));
        let checkpoints = open(&path, 1 << 30, &heard).unwrap();
        for (board, known) in boards.iter().zip([Some(7), None, Some(2)]) {
            let checkpoint_sink = checkpoints.checkpoint_sink(board, 1 << 29).unwrap();
            assert_eq!(checkpoint_sink.snapshot().map(|snapshot| snapshot.expanded), known);
            checkpoint_sink.ended(true);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        // One of no board of the run is refused and stays.
        checkpoints.checkpoint_sink(&boards[0], 1 << 29).unwrap().save(&snapshot());
        let refused = Checkpoints::open(&path, 1 << 30, |_| false, &heard).err().unwrap().to_string();
        assert!(refused.contains("it is of the puzzle 4x5: 1 2 3") && path.exists(), "{refused}");
        // Nor is a file replaced that came there in the meantime.
        fs::remove_file(&path).unwrap();
        let checkpoints = open(&path, 1 << 30, &heard).unwrap();
        let checkpoint_sink = checkpoints.checkpoint_sink(&boards[1], 1 << 29).unwrap();
        fs::write(&path, "another's").unwrap();
        checkpoint_sink.save(&snapshot());
        checkpoint_sink.ended(true);
        assert_eq!(fs::read_to_string(&path).unwrap(), "another's");
    }
}
