//! Beam search, line by line.
//!
//! All boards that some number of moves can reach, but of these only the best:
//! level by level, each with one move more, at most a fixed number of boards is
//! kept. The first `Stage` of a large board brings all tiles near their homes
//! (`gather`); then each is about one line. Boards that have solved it wait for
//! the next stage, which begins at the level of the first of them. Solved lines
//! stay solved.
//!
//! Several threads can work on one beam (`shard`, `team`).
//!
//! Four things keep a beam out of dead ends. Only a shard of it may have the blank
//! in one cell: without that, all boards are soon about one corner, where they
//! polish what is good already, and none carries the blank to where the work is.
//! Only a shard may share one arrangement of the line's tiles. The longer a stage lasts, the more the line
//! counts ([`Weights`]). And now and then the staged solver finishes the line
//! from one of the best boards; what it makes takes its place in the level that
//! it reaches, so that a stage always ends.

mod barrier;
mod bump;
mod disorder;
mod driver;
mod gather;
mod help;
mod history;
mod layer;
mod pace;
mod params;
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
use select::{MAX_SHARDS, Selection};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Boards with no side longer than this are solved in one stage.
const ENDGAME_SIDE: usize = 3;

/// Wide beams do better without stages on boards of so many cells: then lines
/// only weigh more, the earlier they come.
const SINGLE_STAGE_CELLS: usize = 36;
const SINGLE_STAGE_WIDTH: usize = 1000;

/// Boards thinner than this have no room to bring tiles near their homes without
/// lines.
const MIN_GATHER_SIDE: usize = 4;

/// The max_width beam: the history's numbers go no further.
const MAX_WIDTH: usize = 1 << 20;

/// The narrowest beam that is tried for want of time.
const MIN_WIDTH: usize = 16;

/// No direction has this number.
const NO_MOVE: u8 = 8;

/// How a beam search goes about a board.
#[derive(Clone, Copy, Debug)]
pub struct BeamParams {
    /// Boards in a level, at most.
    pub width: usize,
    /// When the search should be over: it then chooses its width by itself, for
    /// each line anew.
    pub deadline: Option<Instant>,
    /// Which side comes first where two would do, a bit for each square that is
    /// left on the way.
    pub side_order: u32,
    /// The score.
    pub weights: Weights,
}

impl BeamParams {
    /// Some values of `turns`, each beam with another.
    pub const SIDE_ORDERS: [u32; 8] =
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
    size.rows().max(size.cols()) <= Stage::MAX_SIDE
}

/// The max_width beam for boards of a size in so much memory; 0 if none fits.
pub fn max_width(size: Size, bytes: usize) -> usize {
    (bytes.saturating_sub(fixed_bytes(size)) / bytes_per_board(size)).min(MAX_WIDTH)
}

/// What does not depend on the width.
fn fixed_bytes(size: Size) -> usize {
    (16 << 10) + 64 * size.cells()
}

/// What each shard of a beam of so many needs beside its share of the width.
fn shard_bytes(size: Size, shards: usize) -> usize {
    let board = 4 * size.cells() + 256;
    Selection::fixed_bytes(shards) + 16 * board
}

/// The memory that a beam of a width needs.
pub fn bytes(size: Size, width: usize) -> usize {
    fixed_bytes(size) + width * bytes_per_board(size)
}

/// The max_width beam that a fast machine can search in some time.
pub fn max_width_in(size: Size, time: Duration) -> usize {
    let levels = (size.cells() as f64).powf(1.5);
    (time.as_secs_f64() / (levels * 60e-9)) as usize + MIN_WIDTH
}

/// Nodes of history for each board in a level: about as many as there are levels
/// since the boards of a beam had their last common ancestor.
fn nodes_per_board(size: Size) -> usize {
    40 + 8 * size.rows().max(size.cols())
}

fn bytes_per_board(size: Size) -> usize {
    let cells = size.cells();
    let boards = if cells <= 256 {
        2 * Layer::<u8>::bytes(cells) + Finished::<u8>::bytes(cells)
    } else {
        2 * Layer::<u16>::bytes(cells) + Finished::<u16>::bytes(cells)
    };
    boards
        + crate::large::beam::shard::NEW_NODE_BYTES
        + Selection::BYTES
        + nodes_per_board(size) * History::BYTES
}

/// Searches a solution shorter than `best` moves; none if the beam was too
/// narrow to find one. Where a limit comes first, the staged solver takes over.
pub fn solve(
    field: &MutableBoard,
    params: &BeamParams,
    best: usize,
    limits: &Limits<'_>,
    memory: &mut [u64],
    work: &mut Work,
) -> Result<Option<Vec<Direction>>, Stop> {
    solve_parallel(field, params, best, limits, (&NoHelpers, 1), memory, work)
}

/// The same by all threads that come, in so many shards at most. What is found
/// depends on the number of shards, but not on how many come, as long as the params
/// leaves the width alone.
pub fn solve_parallel(
    field: &MutableBoard,
    params: &BeamParams,
    best: usize,
    limits: &Limits<'_>,
    (helpers, shards): (&dyn HelperPool, usize),
    memory: &mut [u64],
    work: &mut Work,
) -> Result<Option<Vec<Direction>>, Stop> {
    if field.size().cells() <= 256 {
        search::<u8>(field, params, best, limits, (helpers, shards), memory, work)
    } else {
        search::<u16>(field, params, best, limits, (helpers, shards), memory, work)
    }
}

/// Boards of a level that are useful_shards a shard of their own: two narrow beams find less
/// than one of twice the width.
const MIN_SHARD_WIDTH: usize = 400;

fn search<L: Label>(
    field: &MutableBoard,
    params: &BeamParams,
    best: usize,
    limits: &Limits<'_>,
    (helpers, shards): (&dyn HelperPool, usize),
    memory: &mut [u64],
    work: &mut Work,
) -> Result<Option<Vec<Direction>>, Stop> {
    let size = field.size();
    let mut shards = shards.min(params.width / MIN_SHARD_WIDTH).clamp(1, MAX_SHARDS);
    while shards > 1 && 8 * memory.len() < bytes(size, params.width) + shards * shard_bytes(size, shards) {
        shards -= 1;
    }
    let (shared, history) = Shared::<L>::new(field, params.width, shards, memory).ok_or(Stop::Memory)?;
    if shards == 1 {
        return Beam::new(field, params, &shared, history, work).run(best, limits);
    }
    // More than can really run at once would only wait for each other.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let arrivals = AtomicUsize::new(0);
    let owner = Mutex::new(Some((history, work)));
    let found = Mutex::new(None);
    helpers.run_shared(&|| {
        // Whoever comes first leads; more than there are shards would be in the way.
        let arrival = arrivals.fetch_add(1, Relaxed);
        if arrival >= shards.min(cores) {
            return;
        }
        let owned = owner.lock().take();
        match owned {
            None => shared.help(),
            Some((history, work)) => {
                let _close = shared.close_on_drop();
                *found.lock() = Some(Beam::new(field, params, &shared, history, work).run(best, limits));
            }
        }
    });
    found.into_inner().unwrap_or(Err(Stop::Interrupted))
}
