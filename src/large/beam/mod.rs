//! Beam search, line by line.
//!
//! All boards that some number of moves can reach, but of these only the best:
//! level by level, each with one move more, at most a fixed number of boards is
//! kept. The first `Stage` of a large board brings all tiles near their homes
//! (`gather`); then each is about one line. Boards that have solved it wait for
//! the next stage, which begins at the level of the first of them. Solved lines
//! stay solved.
//!
//! Several threads can work on one beam (`part`, `team`).
//!
//! Four things keep a beam out of dead ends. Only a part of it may have the blank
//! in one cell: without that, all boards are soon about one corner, where they
//! polish what is good already, and none carries the blank to where the work is.
//! Only a part may share one arrangement of the line's tiles. The longer a stage lasts, the more the line
//! counts ([`Weights`]). And now and then the staged solver finishes the line
//! from one of the best boards; what it makes takes its place in the level that
//! it reaches, so that a stage always ends.

mod barrier;
mod disorder;
mod driver;
mod gather;
mod help;
mod history;
mod layer;
mod pace;
mod params;
mod room;
mod score;
mod select;
mod shard;

pub use crate::large::beam::params::Weights;

use crate::large::beam::disorder::Label;
use crate::large::beam::driver::Beam;
use crate::large::beam::score::Stage;
use crate::large::beam::shard::Shared;
use crate::large::mutable_board::MutableBoard;
use crate::puzzle::tiles::{Direction, Size};
use crate::search::{HelperPool, Limits, NoHelpers, Stop};
use history::History;
use layer::{Finished, Layer};
use parking_lot::Mutex;
use select::{MOST_PARTS, Selection};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Boards with no side longer than this are solved in one stage.
const CORE: usize = 3;

/// Wide beams do better without stages on boards of so many cells: then lines
/// only weigh more, the earlier they come.
const FEW_CELLS: usize = 36;
const WIDE: usize = 1000;

/// Boards thinner than this have no room to bring tiles near their homes without
/// lines.
const THICK: usize = 4;

/// The widest beam: the history's numbers go no further.
const WIDEST: usize = 1 << 20;

/// The narrowest beam that is tried for want of time.
const NARROWEST: usize = 16;

/// No direction has this number.
const NO_MOVE: u8 = 8;

/// How a beam search goes about a board.
#[derive(Clone, Copy, Debug)]
pub struct BeamParams {
    /// Boards in a level, at most.
    pub width: usize,
    /// When the search should be over: it then chooses its width by itself, for
    /// each line anew.
    pub ends: Option<Instant>,
    /// Which side comes first where two would do, a bit for each square that is
    /// left on the way.
    pub turns: u32,
    /// The score.
    pub weights: Weights,
}

impl BeamParams {
    /// Some values of `turns`, each beam with another.
    pub const TURNS: [u32; 8] =
        [0x5555_5555, 0xaaaa_aaaa, 0, 0x3333_3333, !0, 0xcccc_cccc, 0x6666_6666, 0x9999_9999];
}

/// What a beam search did.
#[derive(Clone, Copy, Default, Debug)]
pub struct Work {
    /// Boards whose moves were tried.
    pub expanded: u64,
    /// Moves tried.
    pub generated: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.expanded += other.expanded;
        self.generated += other.generated;
    }
}

/// Whether boards of a size can be searched by beams.
pub fn suits(size: Size) -> bool {
    size.rows().max(size.cols()) <= Stage::WIDEST
}

/// The widest beam for boards of a size in so much memory; 0 if none fits.
pub fn widest(size: Size, bytes: usize) -> usize {
    (bytes.saturating_sub(fixed_bytes(size)) / bytes_per_board(size)).min(WIDEST)
}

/// What does not depend on the width.
fn fixed_bytes(size: Size) -> usize {
    (16 << 10) + 64 * size.cells()
}

/// What each part of a beam of so many needs beside its share of the width.
fn part_bytes(size: Size, parts: usize) -> usize {
    let board = 4 * size.cells() + 256;
    Selection::fixed_bytes(parts) + 16 * board
}

/// The memory that a beam of a width needs.
pub fn bytes(size: Size, width: usize) -> usize {
    fixed_bytes(size) + width * bytes_per_board(size)
}

/// The widest beam that a fast machine can search in some time.
pub fn widest_in(size: Size, time: Duration) -> usize {
    let levels = (size.cells() as f64).powf(1.5);
    (time.as_secs_f64() / (levels * 60e-9)) as usize + NARROWEST
}

/// Nodes of history for each board in a level: about as many as there are levels
/// since the boards of a beam had their last common ancestor.
fn nodes(size: Size) -> usize {
    40 + 8 * size.rows().max(size.cols())
}

fn bytes_per_board(size: Size) -> usize {
    let cells = size.cells();
    let boards = if cells <= 256 {
        2 * Layer::<u8>::bytes(cells) + Finished::<u8>::bytes(cells)
    } else {
        2 * Layer::<u16>::bytes(cells) + Finished::<u16>::bytes(cells)
    };
    boards + crate::large::beam::shard::WORDS_BYTES + Selection::BYTES + nodes(size) * History::BYTES
}

/// Searches a solution shorter than `best` moves; none if the beam was too
/// narrow to find one. Where a limit comes first, the staged solver takes over.
pub fn solve(
    field: &MutableBoard,
    course: &BeamParams,
    best: usize,
    limits: &Limits<'_>,
    memory: &mut [u64],
    work: &mut Work,
) -> Result<Option<Vec<Direction>>, Stop> {
    solve_together(field, course, best, limits, (&NoHelpers, 1), memory, work)
}

/// The same by all threads that come, in so many parts at most. What is found
/// depends on the number of parts, but not on how many come, as long as the course
/// leaves the width alone.
pub fn solve_together(
    field: &MutableBoard,
    course: &BeamParams,
    best: usize,
    limits: &Limits<'_>,
    (helpers, parts): (&dyn HelperPool, usize),
    memory: &mut [u64],
    work: &mut Work,
) -> Result<Option<Vec<Direction>>, Stop> {
    if field.size().cells() <= 256 {
        search::<u8>(field, course, best, limits, (helpers, parts), memory, work)
    } else {
        search::<u16>(field, course, best, limits, (helpers, parts), memory, work)
    }
}

/// Boards of a level that are worth a part of their own: two narrow beams find less
/// than one of twice the width.
const WORTH_A_PART: usize = 400;

fn search<L: Label>(
    field: &MutableBoard,
    course: &BeamParams,
    best: usize,
    limits: &Limits<'_>,
    (helpers, parts): (&dyn HelperPool, usize),
    memory: &mut [u64],
    work: &mut Work,
) -> Result<Option<Vec<Direction>>, Stop> {
    let size = field.size();
    let mut parts = parts.min(course.width / WORTH_A_PART).clamp(1, MOST_PARTS);
    while parts > 1 && 8 * memory.len() < bytes(size, course.width) + parts * part_bytes(size, parts) {
        parts -= 1;
    }
    let (shared, history) = Shared::<L>::new(field, course.width, parts, memory).ok_or(Stop::Memory)?;
    if parts == 1 {
        return Beam::new(field, course, &shared, history, work).run(best, limits);
    }
    // More than can really run at once would only wait for each other.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let seats = AtomicUsize::new(0);
    let owner = Mutex::new(Some((history, work)));
    let found = Mutex::new(None);
    helpers.run_shared(&|| {
        // Whoever comes first leads; more than there are parts would be in the way.
        let seat = seats.fetch_add(1, Relaxed);
        if seat >= parts.min(cores) {
            return;
        }
        let lead = owner.lock().take();
        match lead {
            None => shared.help(),
            Some((history, work)) => {
                let _ends = shared.ends();
                *found.lock() = Some(Beam::new(field, course, &shared, history, work).run(best, limits));
            }
        }
    });
    found.into_inner().unwrap_or(Err(Stop::Interrupted))
}
