//! Beam search, line by line.
//!
//! 1. On a large board, a first stage moves all tiles close to their homes (`gather`).
//! 2. Each further `Stage` solves one line. Level by level, all boards of the beam are expanded
//!    and the best successors are kept, up to the width. Boards that have solved the line wait for
//!    the next stage, which starts at the level of the first of them. Solved lines stay solved.
//! 3. The last stage solves the rest.
//!
//! Four rules keep the beam out of dead ends:
//!
//! * At most a fraction of the beam may have the blank in the same cell. Otherwise all boards soon
//!   work on one corner, and none moves the blank to where it is needed.
//! * At most a fraction may share one arrangement of the line's tiles.
//! * The longer a stage lasts, the larger the weight of the line ([`Weights`]).
//! * From time to time the staged solver finishes the line from one of the best boards. The result
//!   joins the level that it reaches, so every stage ends.
//!
//! Several threads can work on one beam (`shard`, `barrier`).

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

/// Rectangles with no side longer than this are solved in one stage.
const ENDGAME_SIDE: usize = 3;

/// Boards of at most this many cells are solved in one stage by beams of at least this width. Lines
/// then only have weights that fall with their order.
const SINGLE_STAGE_CELLS: usize = 36;
const SINGLE_STAGE_WIDTH: usize = 1000;

/// Boards with a shorter side than this skip the gather stage: they have no space for it.
const MIN_GATHER_SIDE: usize = 4;

/// The largest width: history nodes have 30 bits.
const MAX_WIDTH: usize = 1 << 20;

/// The smallest width that is used under a deadline.
const MIN_WIDTH: usize = 16;

/// The last move of a board without one.
const NO_MOVE: u8 = 8;

/// The parameters of a beam search.
#[derive(Clone, Copy, Debug)]
pub struct BeamParams {
    /// The largest number of boards in a level.
    pub width: usize,
    /// The time at which the search should end. If set, the width is adjusted to it.
    pub deadline: Option<Instant>,
    /// The order of the sides: bits that choose between sides that could come next.
    pub side_order: u32,
    /// The weights of the score.
    pub weights: Weights,
}

impl BeamParams {
    /// Values of `side_order` for different beams.
    pub const SIDE_ORDERS: [u32; 8] =
        [0x5555_5555, 0xaaaa_aaaa, 0, 0x3333_3333, !0, 0xcccc_cccc, 0x6666_6666, 0x9999_9999];
}

/// The effort of a beam search.
#[derive(Clone, Copy, Default, Debug)]
pub struct Work {
    /// Boards expanded.
    pub expanded: u64,
    /// Moves generated.
    pub generated: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.expanded += other.expanded;
        self.generated += other.generated;
    }
}

/// Returns whether boards of this size can be searched by a beam.
pub fn supports(size: Size) -> bool {
    size.rows().max(size.cols()) <= Stage::MAX_SIDE
}

/// Returns the largest width that fits `bytes`; 0 if none does.
pub fn max_width(size: Size, bytes: usize) -> usize {
    (bytes.saturating_sub(fixed_bytes(size)) / bytes_per_board(size)).min(MAX_WIDTH)
}

/// Returns the bytes that do not depend on the width.
fn fixed_bytes(size: Size) -> usize {
    (16 << 10) + 64 * size.cells()
}

/// Returns the bytes of one of `shards` shards that do not depend on the width.
fn shard_bytes(size: Size, shards: usize) -> usize {
    let board = 4 * size.cells() + 256;
    Selection::fixed_bytes(shards) + 16 * board
}

/// Returns the memory of a beam of this width.
pub fn bytes(size: Size, width: usize) -> usize {
    fixed_bytes(size) + width * bytes_per_board(size)
}

/// Returns the largest width that a fast machine can search in `time`.
pub fn max_width_in(size: Size, time: Duration) -> usize {
    let levels = (size.cells() as f64).powf(1.5);
    (time.as_secs_f64() / (levels * 60e-9)) as usize + MIN_WIDTH
}

/// Returns the number of history nodes per board of the width: about the number of levels back to
/// the last common ancestor of a beam.
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

/// Searches a solution shorter than `best` moves. Returns none if the beam was too narrow. If a
/// limit is reached, the staged solver finishes the best board.
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

/// Searches like [`solve`], in up to `shards` shards, with all threads that join. The result
/// depends on the number of shards but not on the number of threads, unless `params` has a
/// deadline.
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

/// The smallest width of a shard: two narrow beams find less than one of twice the width.
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
    // More threads than cores would only wait for each other.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let arrivals = AtomicUsize::new(0);
    let owner = Mutex::new(Some((history, work)));
    let found = Mutex::new(None);
    helpers.run_shared(&|| {
        // The first thread becomes the owner; threads beyond the number of shards leave.
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
