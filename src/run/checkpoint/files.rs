//! Assignment of checkpoint files to boards.
//!
//! The file that the user named belongs to one board at a time. While it holds the search of another
//! board, a board uses a second file beside it, named after a hash of the board. So nothing is lost
//! when a run over several boards starts over: the first boards are searched again, and the killed
//! search continues when its board is reached.

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

/// Maximum memory for the frontier of a search with checkpoints. The frontier must be computed again
/// before the search continues, so it is kept small.
const MAX_FRONTIER: usize = 128 << 20;

/// The checkpoints of a run.
pub(crate) struct Checkpoints<'n> {
    path: PathBuf,
    /// Memory cap of the run.
    memory: u64,
    /// Board that owns the file at `path`.
    owner: Mutex<Option<String>>,
    pub(crate) observer: &'n dyn Observer,
}

impl<'n> Checkpoints<'n> {
    /// Reads the file at `path`, if there is one. It must belong to a board of the input:
    /// `is_in_input` returns `true` for it. `memory` is the cap of the run.
    pub(crate) fn open(
        path: &Path,
        memory: u64,
        is_in_input: impl Fn(&str) -> bool,
        observer: &'n dyn Observer,
    ) -> Result<Self, BadCheckpoint> {
        let found = read(path, memory)?;
        let owner = found.map(|found| found.puzzle);
        if let Some(puzzle) = owner.as_ref().filter(|puzzle| !is_in_input(puzzle)) {
            return Err(BadCheckpoint::Other(format!("it is of the puzzle {puzzle}")));
        }
        // Resolve symbolic links, so that replacing the file keeps the link.
        let path = if owner.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        // Fail now, and not after hours of search, if the folder is not writable.
        Draft::new(&path, ".draft")?;
        Ok(Self { path, memory, owner: Mutex::new(owner), observer })
    }

    /// Returns the checkpoint of a puzzle's search, which has `bytes` of memory. Rejects a checkpoint
    /// that needs more.
    pub(crate) fn checkpoint_sink(
        &self,
        instance: &Instance,
        bytes: usize,
    ) -> Result<OneSearch<'_>, BadCheckpoint> {
        let Some(puzzle) = puzzle_name(instance) else {
            return Err(BadCheckpoint::Other("checkpoints are for tile boards only".into()));
        };
        let path = self.claim(&puzzle);
        let found = read(&path, self.memory)?;
        if let Some(other) = found.as_ref().filter(|found| found.puzzle != puzzle) {
            return Err(BadCheckpoint::Other(format!("it is of the puzzle {}", other.puzzle)));
        }
        let region = found.as_ref().map_or(0, |found| found.snapshot.region);
        if region > max_frontier(bytes) as u64 {
            return Err(BadCheckpoint::Other(format!(
                "its frontier takes {}, but this --memory leaves {} for it",
                Bytes(region),
                Bytes(max_frontier(bytes) as u64)
            )));
        }
        Ok(OneSearch::new(self, path, puzzle, found.map(|found| found.snapshot)))
    }

    /// Returns the file of a board. The board becomes the owner of the file at `path` if that has none.
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

    /// Records that a board has no checkpoint any more.
    pub(crate) fn release_file(&self, puzzle: &str) {
        let mut owner = self.owner.lock();
        if owner.as_deref() == Some(puzzle) {
            *owner = None;
        }
    }
}

/// Returns the text that identifies a board and its goal; `None` for a tray.
fn puzzle_name(instance: &Instance) -> Option<String> {
    let Instance::Tiles { board, goal, .. } = instance else { return None };
    let numbers: Vec<String> = board.tiles().iter().map(u16::to_string).collect();
    Some(format!("{}: {} to {}", board.size(), numbers.join(" "), goal.name()))
}

/// Returns whether the input of a run contains `puzzle`. A stream may contain any puzzle.
pub(crate) fn may_be_in_input(options: &Options, defaults: &Defaults, puzzle: &str) -> bool {
    let mut block = Block::default();
    options.files.iter().any(|file| {
        if file == "-" || fs::metadata(file).is_ok_and(|file| !file.is_file() && !file.is_dir()) {
            return true;
        }
        let Ok(mut reader) = Reader::open(file, defaults.clone()) else { return false };
        while let Ok(true) = reader.next_block(&mut block, RECORDS) {
            let mut records = (0..block.len()).filter_map(|index| block.parse(index).ok());
            if records.any(|instance| puzzle_name(&instance).as_deref() == Some(puzzle)) {
                return true;
            }
        }
        false
    })
}

/// Reads a checkpoint, if the file exists. Rejects one larger than an eighth of `memory`: its search
/// had far more memory.
fn read(path: &Path, memory: u64) -> Result<Option<Checkpoint>, BadCheckpoint> {
    let max = memory / 8;
    let file = match disk::open_regular(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max && bytes.starts_with(MAGIC) {
        let message = format!("it is larger than {}, an eighth of --memory", Bytes(max));
        return Err(BadCheckpoint::Other(message));
    }
    Checkpoint::parse(&bytes).map(Some)
}

/// Returns the maximum size of a frontier in `bytes` of memory: half, because writing a snapshot and
/// continuing from one take about as much again.
pub(crate) fn max_frontier(bytes: usize) -> usize {
    (bytes / 2).min(MAX_FRONTIER) & !0xfff
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::checkpoint::{CheckpointSink, Snapshot};

    fn snapshot() -> Snapshot {
        let roots = (0..100).map(|at| (3 * at, 80 + at as u16 % 3)).collect();
        Snapshot { heuristic: "pdb:6-6-6-6x2".into(), region: 1 << 27, expanded: 5, generated: 11, roots }
    }

    fn open<'n>(
        path: &Path,
        memory: u64,
        observer: &'n RecordingObserver,
    ) -> Result<Checkpoints<'n>, BadCheckpoint> {
        Checkpoints::open(path, memory, |_| true, observer)
    }

    /// Records all warnings.
    #[derive(Default)]
    struct RecordingObserver(Mutex<Vec<String>>);

    impl Observer for RecordingObserver {
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
    fn a_write_error_does_not_end_a_search() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("folder");
        fs::create_dir(&folder).unwrap();
        let observer = RecordingObserver::default();
        let path = folder.join("rest");
        let checkpoints = open(&path, 1 << 30, &observer).unwrap();
        let checkpoint_sink = checkpoints.checkpoint_sink(&instance(), 1 << 29).unwrap();
        checkpoint_sink.frontier_found();
        fs::remove_dir(&folder).unwrap();
        checkpoint_sink.save(&snapshot());
        checkpoint_sink.save(&snapshot());
        fs::create_dir(&folder).unwrap();
        checkpoint_sink.save(&snapshot());
        assert!(checkpoint_sink.take_rejection().is_none());
        let lines = observer.0.lock().clone();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].contains("cannot be written, will retry") && lines[1].contains("written again"));
        // The written checkpoint, with enough memory and with less.
        let again = open(&path, 1 << 30, &observer).unwrap();
        assert_eq!(again.checkpoint_sink(&instance(), 1 << 28).unwrap().frontier_bytes(1 << 28), 1 << 27);
        let again = open(&path, 1 << 30, &observer).unwrap();
        let refused = again.checkpoint_sink(&instance(), 1 << 27).err().unwrap().to_string();
        assert!(refused.contains("its frontier takes 128 MiB"), "{refused}");
        let refused = open(&path, 1 << 12, &observer).err().unwrap().to_string();
        assert!(refused.contains("an eighth of --memory"), "{refused}");
        assert!(matches!(open(Path::new("/dev/zero"), 1 << 30, &observer), Err(BadCheckpoint::File(_))));
        checkpoint_sink.finish(true);
        assert!(!path.exists());
    }

    #[test]
    fn every_board_has_its_own_checkpoint() {
        let dir = tempfile::tempdir().unwrap();
        let (path, observer) = (dir.path().join("rest"), RecordingObserver::default());
        let boards = ["18 0 19", "18 19 0", "0 18 19"];
        let boards =
            boards.map(|end| board(&format!("4x5: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 {end}")));
        let expanding = |expanded| Snapshot { expanded, ..snapshot() };
        // A run that is killed during the third search.
        let checkpoints = open(&path, 1 << 30, &observer).unwrap();
        for (number, board) in boards.iter().enumerate() {
            let checkpoint_sink = checkpoints.checkpoint_sink(board, 1 << 29).unwrap();
            checkpoint_sink.save(&expanding(number as u64));
            if number < 2 {
                checkpoint_sink.finish(true);
                assert!(!path.exists());
            }
        }
        // A second run, killed during the first search.
        let checkpoints = open(&path, 1 << 30, &observer).unwrap();
        let checkpoint_sink = checkpoints.checkpoint_sink(&boards[0], 1 << 29).unwrap();
        assert_eq!(checkpoint_sink.snapshot(), None);
        checkpoint_sink.save(&expanding(7));
        let checkpoints = open(&path, 1 << 30, &observer).unwrap();
        for (board, known) in boards.iter().zip([Some(7), None, Some(2)]) {
            let checkpoint_sink = checkpoints.checkpoint_sink(board, 1 << 29).unwrap();
            assert_eq!(checkpoint_sink.snapshot().map(|snapshot| snapshot.expanded), known);
            checkpoint_sink.finish(true);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        // A checkpoint of a board that is not in the input is rejected and stays.
        checkpoints.checkpoint_sink(&boards[0], 1 << 29).unwrap().save(&snapshot());
        let refused = Checkpoints::open(&path, 1 << 30, |_| false, &observer).err().unwrap().to_string();
        assert!(refused.contains("it is of the puzzle 4x5: 1 2 3") && path.exists(), "{refused}");
        // A file that another program created in the meantime is not replaced.
        fs::remove_file(&path).unwrap();
        let checkpoints = open(&path, 1 << 30, &observer).unwrap();
        let checkpoint_sink = checkpoints.checkpoint_sink(&boards[1], 1 << 29).unwrap();
        fs::write(&path, "another's").unwrap();
        checkpoint_sink.save(&snapshot());
        checkpoint_sink.finish(true);
        assert_eq!(fs::read_to_string(&path).unwrap(), "another's");
    }
}
