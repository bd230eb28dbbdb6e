//! The file from which a killed search of many hours goes on.
//!
//! It says which puzzle it belongs to and how far each root of its frontier is
//! searched ([`Standing`]), with a version and a checksum. It is written under
//! another name and renamed, so that there is always a whole one.

use super::Notices;
use crate::heuristic::pdb::checksum;
use crate::output::Instance;
use crate::quantity::Bytes;
use crate::search::keeper::{Keeper, Root, Standing};
use parking_lot::Mutex;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What every file begins with, and the version of what follows.
const MAGIC: &[u8; 8] = b"bs-rest\n";
const VERSION: u64 = 1;

/// Time between two files, and before the first: soon, so that whoever waits
/// sees that there is one.
const EVERY: Duration = Duration::from_secs(20);
const FIRST: Duration = Duration::from_millis(500);

/// The memory in which the frontier of such a search is found: it has to be
/// found again before the search goes on.
const FRONTIER: usize = 128 << 20;

/// Bytes before a text of any length.
const FIXED: usize = 8 * 8;

/// Why a file is not a checkpoint that can be used.
#[derive(Debug, thiserror::Error)]
pub enum BadCheckpoint {
    /// It cannot be read or written.
    #[error("{0}")]
    File(#[from] io::Error),
    /// It is something else.
    #[error("this is not a checkpoint of batch-solve")]
    Foreign,
    /// It is of another version.
    #[error("this is a checkpoint of version {0}, and this program reads version {VERSION}")]
    Version(u64),
    /// It is damaged.
    #[error("the checkpoint is damaged")]
    Damaged,
    /// It belongs to another puzzle or search.
    #[error("the checkpoint does not belong to this search: {0}")]
    Other(String),
}

/// What a checkpoint says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    /// The puzzle: its board and its goal, as text.
    pub puzzle: String,
    /// How far its search has come.
    pub standing: Standing,
}

impl Checkpoint {
    /// Reads a checkpoint's bytes.
    pub fn parse(bytes: &[u8]) -> Result<Self, BadCheckpoint> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(BadCheckpoint::Foreign)?;
        let word = |at: usize| -> Option<u64> {
            Some(u64::from_le_bytes(rest.get(8 * at..8 * at + 8)?.try_into().ok()?))
        };
        let version = word(0).ok_or(BadCheckpoint::Damaged)?;
        if version != VERSION {
            return Err(BadCheckpoint::Version(version));
        }
        Self::parse_body(rest, word).ok_or(BadCheckpoint::Damaged)
    }

    fn parse_body(bytes: &[u8], word: impl Fn(usize) -> Option<u64>) -> Option<Self> {
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
        if sum_of(body) != u64::from_le_bytes(sum.try_into().ok()?) {
            return None;
        }
        let length = |at: usize| usize::try_from(word(at)?).ok();
        let (puzzle, heuristic, roots) = (length(1)?, length(2)?, length(3)?);
        let (region, expanded, generated) = (word(4)?, word(5)?, word(6)?);
        let texts = body.get(FIXED - 8..)?;
        let (puzzle, texts) = texts.split_at_checked(puzzle)?;
        let (heuristic, list) = texts.split_at_checked(heuristic)?;
        if list.len() != roots.checked_mul(6)? {
            return None;
        }
        let root = |bytes: &[u8]| -> Option<Root> {
            let (slot, level) = bytes.split_at_checked(4)?;
            Some((u32::from_le_bytes(slot.try_into().ok()?), u16::from_le_bytes(level.try_into().ok()?)))
        };
        let roots: Vec<Root> = list.chunks_exact(6).map(root).collect::<Option<_>>()?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let is_sorted = roots.windows(2).all(|pair| pair[0].0 < pair[1].0);
        is_sorted.then_some(Self {
            puzzle: text(puzzle)?,
            standing: Standing { heuristic: text(heuristic)?, region, expanded, generated, roots },
        })
    }

    /// The bytes of a checkpoint.
    pub fn to_bytes(puzzle: &str, standing: &Standing) -> Vec<u8> {
        let Standing { heuristic, region, expanded, generated, roots } = standing;
        let texts = puzzle.len() + heuristic.len();
        let mut bytes = Vec::with_capacity(FIXED + texts + 6 * roots.len());
        let lengths = [puzzle.len(), heuristic.len(), roots.len()].map(|length| length as u64);
        let words = [VERSION].into_iter().chain(lengths).chain([*region, *expanded, *generated]);
        words.for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.extend(puzzle.as_bytes());
        bytes.extend(heuristic.as_bytes());
        for (slot, level) in roots {
            bytes.extend(slot.to_le_bytes());
            bytes.extend(level.to_le_bytes());
        }
        Self::seal(&bytes)
    }

    /// What stands between the beginning of every file and its checksum, between
    /// these two.
    pub fn seal(body: &[u8]) -> Vec<u8> {
        [MAGIC, body, &sum_of(body).to_le_bytes()].concat()
    }
}

/// The checksum of bytes, the last word filled up with zeros.
fn sum_of(bytes: &[u8]) -> u64 {
    const CHUNK: usize = 512;
    let mut words = [0u64; CHUNK];
    bytes.chunks(8 * CHUNK).fold(bytes.len() as u64, |sum, chunk| {
        words = [0; CHUNK];
        for (word, bytes) in words.iter_mut().zip(chunk.chunks(8)) {
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(whole);
        }
        checksum(sum, &words)
    })
}

/// A run's checkpoint: what was found when it began, and where it is written.
pub(super) struct Checkpoints<'n> {
    path: PathBuf,
    found: Mutex<Option<Checkpoint>>,
    notices: &'n dyn Notices,
}

impl<'n> Checkpoints<'n> {
    /// Reads what is in a file, if there is one; `memory` is the cap of the run.
    pub(super) fn open(path: &Path, memory: u64, notices: &'n dyn Notices) -> Result<Self, BadCheckpoint> {
        let found = match File::open(path) {
            Ok(file) => Some(read(file, memory)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        // Whoever cannot write here should know before hours have passed.
        if found.is_none() {
            File::create(draft(path)).and_then(|_| fs::remove_file(draft(path)))?;
        }
        Ok(Self { path: path.into(), found: Mutex::new(found), notices })
    }

    /// The keeper for a puzzle's search, which has so many bytes. A checkpoint of
    /// another puzzle is refused, and one that needs more.
    pub(super) fn keeper(&self, instance: &Instance, bytes: usize) -> Result<OneSearch<'_>, BadCheckpoint> {
        let Instance::Tiles { board, goal, .. } = instance else {
            return Err(BadCheckpoint::Other("it is for boards of tiles".into()));
        };
        let numbers: Vec<String> = board.tiles().iter().map(u16::to_string).collect();
        let puzzle = format!("{}: {} to {}", board.size(), numbers.join(" "), goal.name());
        let found = self.found.lock().take();
        if let Some(other) = found.as_ref().filter(|found| found.puzzle != puzzle) {
            return Err(BadCheckpoint::Other(format!("it is of the puzzle {}", other.puzzle)));
        }
        let region = found.as_ref().map_or(0, |found| found.standing.region);
        if region > most_frontier(bytes) as u64 {
            return Err(BadCheckpoint::Other(format!(
                "its frontier takes {}, and with this --memory there are {} for it",
                Bytes(region),
                Bytes(most_frontier(bytes) as u64)
            )));
        }
        Ok(OneSearch {
            path: &self.path,
            notices: self.notices,
            puzzle,
            found: found.map(|found| found.standing),
            begun: AtomicBool::new(false),
            next: Mutex::new(Instant::now() + FIRST),
            refused: Mutex::new(None),
            unwritten: AtomicBool::new(false),
        })
    }
}

/// Reads a file that should be a checkpoint. One that takes much of the memory is
/// of a search with far more, and something that is no file has no end.
fn read(file: File, memory: u64) -> Result<Checkpoint, BadCheckpoint> {
    let most = memory / 8;
    if !file.metadata()?.is_file() {
        return Err(BadCheckpoint::Foreign);
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most && bytes.starts_with(MAGIC) {
        let what = format!("it is larger than {}, an eighth of --memory", Bytes(most));
        return Err(BadCheckpoint::Other(what));
    }
    Checkpoint::parse(&bytes)
}

/// The most that a frontier may take of so many bytes: half of them, as telling a
/// standing and going on from one take about as much.
fn most_frontier(bytes: usize) -> usize {
    (bytes / 2).min(FRONTIER) & !0xfff
}

fn draft(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".draft");
    name.into()
}

/// Keeps the standing of one puzzle's search.
pub(super) struct OneSearch<'c> {
    path: &'c Path,
    puzzle: String,
    found: Option<Standing>,
    notices: &'c dyn Notices,
    begun: AtomicBool,
    next: Mutex<Instant>,
    refused: Mutex<Option<BadCheckpoint>>,
    /// Whether the last standing could not be written.
    unwritten: AtomicBool,
}

impl OneSearch<'_> {
    /// Why the standing that was found is none of this search, if so.
    pub(super) fn refused(&self) -> Option<BadCheckpoint> {
        self.refused.lock().take()
    }

    fn warn(&self, what: &str) {
        self.notices.warn(&format!("--checkpoint {}: {what}", self.path.display()));
    }

    /// The search is over. If the puzzle is decided nothing has to be kept of it.
    pub(super) fn ended(&self, decided: bool) {
        if decided && (self.has_begun() || self.found.is_some()) {
            let _ = fs::remove_file(self.path);
        }
        if !decided && !self.has_begun() {
            self.warn("nothing was kept: the search ended before it came to a frontier");
        }
    }

    fn write(&self, standing: &Standing) -> io::Result<()> {
        let draft = draft(self.path);
        let mut file = File::create(&draft)?;
        file.write_all(&Checkpoint::to_bytes(&self.puzzle, standing))?;
        file.sync_all()?;
        fs::rename(&draft, self.path)
    }
}

impl Keeper for OneSearch<'_> {
    // As many as when it was found first, which was seen to be there.
    fn frontier(&self, bytes: usize) -> usize {
        self.found.as_ref().map_or(most_frontier(bytes), |found| (found.region as usize).min(bytes))
    }

    fn standing(&self) -> Option<&Standing> {
        self.found.as_ref()
    }

    fn begin(&self) {
        self.begun.store(true, Ordering::Relaxed);
    }

    fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed)
    }

    fn unkept(&self, heuristic: &str) {
        self.warn(&format!(
            "nothing is kept: that needs pattern databases, and this search uses {heuristic} (--heuristic pdb, \
             more --memory)"
        ));
    }

    fn refuse(&self, why: &str) {
        *self.refused.lock() = Some(BadCheckpoint::Other(why.into()));
    }

    fn is_due(&self) -> bool {
        let mut next = self.next.lock();
        let now = Instant::now();
        let due = now >= *next;
        if due {
            *next = now + EVERY;
        }
        due
    }

    fn keep(&self, standing: &Standing) {
        // The search is worth more than its checkpoint: it goes on, and the next
        // one may do better.
        match self.write(standing) {
            Err(error) if !self.unwritten.swap(true, Ordering::Relaxed) => {
                self.warn(&format!("cannot be written, and is tried again: {error}"));
            }
            Ok(()) if self.unwritten.swap(false, Ordering::Relaxed) => self.warn("is written again"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing() -> Standing {
        let roots = (0..100).map(|at| (3 * at, 80 + at as u16 % 3)).collect();
        Standing { heuristic: "pdb:6-6-6-6x2".into(), region: 1 << 27, expanded: 5, generated: 11, roots }
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = Checkpoint::to_bytes("5x5: some", &standing());
        let read = Checkpoint::parse(&bytes).unwrap();
        assert_eq!(read, Checkpoint { puzzle: "5x5: some".into(), standing: standing() });
        let empty = Standing { roots: Vec::new(), ..standing() };
        assert_eq!(Checkpoint::parse(&Checkpoint::to_bytes("", &empty)).unwrap().standing, empty);
    }

    /// What was told, line by line.
    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl Notices for Heard {
        fn input_error(&self, _: &crate::input::InputError) {}

        fn warn(&self, what: &str) {
            self.0.lock().push(what.into());
        }

        fn explain(&self, _: &str) {}
    }

    fn instance() -> Instance {
        let board = crate::input::parse_board("4x5: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 0 19", None);
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
        let checkpoints = Checkpoints::open(&path, 1 << 30, &heard).unwrap();
        let keeper = checkpoints.keeper(&instance(), 1 << 29).unwrap();
        keeper.begin();
        fs::remove_dir(&folder).unwrap();
        keeper.keep(&standing());
        keeper.keep(&standing());
        fs::create_dir(&folder).unwrap();
        keeper.keep(&standing());
        assert!(keeper.refused().is_none());
        let lines = heard.0.lock().clone();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].contains("cannot be written, and is tried again") && lines[1].contains("again"));
        // With what was written, in as much memory and in less.
        let again = Checkpoints::open(&path, 1 << 30, &heard).unwrap();
        assert_eq!(again.keeper(&instance(), 1 << 28).unwrap().frontier(1 << 28), 1 << 27);
        let again = Checkpoints::open(&path, 1 << 30, &heard).unwrap();
        let refused = again.keeper(&instance(), 1 << 27).err().unwrap().to_string();
        assert!(refused.contains("its frontier takes 128 MiB"), "{refused}");
        let refused = Checkpoints::open(&path, 1 << 12, &heard).err().unwrap().to_string();
        assert!(refused.contains("an eighth of --memory"), "{refused}");
        assert!(matches!(
            Checkpoints::open(Path::new("/dev/zero"), 1 << 30, &heard),
            Err(BadCheckpoint::Foreign)
        ));
        keeper.ended(true);
        assert!(!path.exists());
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let bytes = Checkpoint::to_bytes("5x5: some", &standing());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                assert!(Checkpoint::parse(&other).is_err(), "{at}");
            }
            assert!(Checkpoint::parse(&bytes[..at]).is_err());
        }
        assert!(Checkpoint::parse(&[&bytes[..], b"x"].concat()).is_err());
        assert!(matches!(Checkpoint::parse(b"1 2 3"), Err(BadCheckpoint::Foreign)));
    }
}
