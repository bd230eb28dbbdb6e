//! The shards of a beam, and the work on each shard in each phase of a level.
//!
//! In most levels every shard works alone: it generates the successors of its boards and selects
//! the best (*advance*). Every few levels the shards exchange boards:
//!
//! 1. *Expand*: each shard generates the successors of its boards and groups them by the shard to
//!    which they belong. The hash of a board determines its shard, so equal boards meet in one
//!    shard, which can drop duplicates without communication.
//! 2. *Select*: each shard selects the best candidates that belong to it.
//!
//! An exchange in every level would cost more than it gains, because reading what another core has
//! just written is slow.

use super::bump::BumpAllocator;
use super::history::{Node, PackedNode, pack};
use super::layer::{Entry, Finished, Layer};
use super::select::{Candidate, MAX_SHARDS, Offers, Selection};
use super::{History, nodes_per_board};
use crate::large::beam::barrier::PhaseBarrier;
use crate::large::beam::disorder::Label;
use crate::large::beam::score::Stage;
use crate::large::mutable_board::MutableBoard;
use crossbeam::utils::CachePadded;
use parking_lot::{Mutex, RwLock};

/// The part of a shard that other shards read while they select.
pub(super) struct CurrentLevel<'m, L> {
    pub(super) layer: Layer<'m, L>,
    pub(super) offers: Offers<'m>,
}

/// The part of a shard that only its own thread uses.
pub(super) struct NextLevel<'m, L> {
    /// The level that is being selected.
    pub(super) layer: Layer<'m, L>,
    pub(super) finished: Finished<'m, L>,
    selection: Selection<'m>,
    /// The number of boards in the next level with the blank in each cell.
    blank_counts: Vec<u32>,
    /// The history nodes of the selected boards.
    new_nodes: &'m mut [PackedNode],
    pub(super) selected: usize,
    /// Whether one of them has solved the line.
    pub(super) any_solved: bool,
}

/// A shard. The two halves are padded so that one thread's writes do not share a cache line with
/// another thread's reads.
pub(super) struct Shard<'m, L> {
    pub(super) current: CachePadded<RwLock<CurrentLevel<'m, L>>>,
    pub(super) next: CachePadded<Mutex<NextLevel<'m, L>>>,
}

/// The work on each shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Adds the boards that wait for the level.
    Join,
    /// Makes the best successors of a shard's boards its next level.
    Advance,
    /// Generates the successors of all boards, grouped by their shard.
    Expand,
    /// Makes the best candidates the next level.
    Select,
}

/// The current phase and its parameters.
pub(super) struct Job {
    pub(super) phase: Phase,
    pub(super) stage: Stage,
    /// The level that is expanded or joined.
    pub(super) level: u32,
    /// The weight of the line's tiles, in 256ths.
    pub(super) line_weight: i64,
    /// The number of shards that have boards.
    pub(super) active: usize,
    /// The largest number of boards of a shard in a level, and of their history nodes.
    pub(super) width: usize,
    pub(super) max_nodes: usize,
    pub(super) first_nodes: [Node; MAX_SHARDS],
    /// The largest number of boards with one arrangement of the line's tiles, and with the blank in
    /// one cell.
    pub(super) max_per_line_state: u32,
    pub(super) max_per_blank: u32,
}

/// The state that all threads of a beam share.
pub(super) struct Shared<'m, L> {
    pub(super) shards: Vec<Shard<'m, L>>,
    /// None before the first stage.
    pub(super) job: RwLock<Option<Job>>,
    barrier: PhaseBarrier,
}

/// Returns the largest number of history nodes of a level of `width` boards: some boards leave the
/// level because they have solved the line.
pub(super) fn max_nodes(width: usize) -> usize {
    width + width / 4 + 64
}

/// The number of bytes per board for the history nodes of a level.
pub(super) const NEW_NODE_BYTES: usize = 2 * size_of::<PackedNode>();

impl<'m, L: Label> Shared<'m, L> {
    /// Creates a beam of `width` boards in `shards` shards, and its history. Returns none if the
    /// memory is too small.
    pub(super) fn new(
        field: &MutableBoard,
        width: usize,
        shards: usize,
        memory: &'m mut [u64],
    ) -> Option<(Self, History<'m>)> {
        let cells = field.size().cells();
        let mut allocator = BumpAllocator::new(memory);
        let shard_width = width.div_ceil(shards);
        let mut all = Vec::with_capacity(shards);
        for _ in 0..shards {
            let current = CurrentLevel {
                layer: Layer::new(&mut allocator, shard_width, cells)?,
                offers: Offers::new(&mut allocator, shard_width, shards)?,
            };
            let next = NextLevel {
                layer: Layer::new(&mut allocator, shard_width, cells)?,
                finished: Finished::new(&mut allocator, shard_width, cells)?,
                selection: Selection::new(&mut allocator, shard_width, shards)?,
                blank_counts: vec![0; cells],
                new_nodes: allocator.alloc(max_nodes(shard_width))?,
                selected: 0,
                any_solved: false,
            };
            all.push(Shard { current: RwLock::new(current).into(), next: Mutex::new(next).into() });
        }
        all[0].next.get_mut().finished.start(field.cells(), field.blank());
        let history = History::new(&mut allocator, width * nodes_per_board(field.size()) + 1024)?;
        Some((Self { shards: all, job: RwLock::new(None), barrier: PhaseBarrier::new(shards) }, history))
    }

    /// Runs the current phase for all shards, with helpers if `parallel`. Returns `false` if a
    /// thread panicked.
    pub(super) fn run_phase(&self, parallel: bool) -> bool {
        if parallel {
            return self.barrier.run_phase(&|shard| self.run_shard(shard));
        }
        (0..self.shards.len()).for_each(|shard| self.run_shard(shard));
        true
    }

    /// Helps until the beam ends.
    pub(super) fn help(&self) {
        self.barrier.help(&|shard| self.run_shard(shard));
    }

    /// Returns a guard for the owner; helpers leave when it is dropped.
    pub(super) fn close_on_drop(&self) -> impl Drop {
        self.barrier.close_on_drop()
    }

    fn run_shard(&self, shard: usize) {
        let job = self.job.read();
        let Some(job) = &*job else { return };
        match job.phase {
            Phase::Join => self.shards[shard].next.lock().join(job, job.level),
            Phase::Advance => {
                let (current, next) =
                    (&mut *self.shards[shard].current.write(), &mut *self.shards[shard].next.lock());
                current.expand(job, None);
                next.select(job, &[&current.layer], &[current.offers.all()], job.first_nodes[shard]);
                next.join(job, job.level + 1);
            }
            Phase::Expand => self.shards[shard].current.write().expand(job, Some(job.active)),
            Phase::Select => {
                let current_levels: Vec<_> = self.shards.iter().map(|shard| shard.current.read()).collect();
                let layers: Vec<&Layer<'m, L>> =
                    current_levels.iter().map(|current| &current.layer).collect();
                let offers: Vec<&[Candidate]> =
                    current_levels.iter().map(|current| current.offers.of_shard(shard)).collect();
                let next = &mut *self.shards[shard].next.lock();
                next.select(job, &layers, &offers, job.first_nodes[shard]);
                next.join(job, job.level + 1);
            }
        }
    }
}

impl<L: Label> CurrentLevel<'_, L> {
    /// Generates the successors of all boards, for this shard alone or distributed among the first
    /// `shards` shards.
    fn expand(&mut self, job: &Job, shards: Option<usize>) {
        let Self { layer, offers } = self;
        let stage = &job.stage;
        offers.clear(shards);
        for (index, (board, entry)) in layer.iter().enumerate() {
            let blank = usize::from(entry.blank);
            for direction in 0..4 {
                let Some(from) = stage.neighbour(blank, direction) else { continue };
                if direction as u8 ^ 2 == entry.last {
                    continue;
                }
                let change = stage.change(board, &entry.score, from, blank, direction % 2 == 0);
                let key = change.others + ((i64::from(change.line) * job.line_weight) >> 8) as i32;
                offers.add(Candidate {
                    hash: change.hash,
                    key,
                    line: change.line,
                    others: change.others,
                    parent: (index as u32) << 2 | direction as u32,
                });
            }
        }
    }
}

impl<L: Label> NextLevel<'_, L> {
    /// Starts a stage: moves the solved boards to it and clears the rest. `numbers` has the new
    /// number of each cell or tile; none for those that are solved.
    pub(super) fn enter(&mut self, cells: usize, numbers: &[Option<u16>]) {
        self.finished.enter(cells, numbers);
        self.layer.clear(cells);
        self.selection.clear();
    }

    /// Moves boards that wait for `level` into the next level.
    fn join(&mut self, job: &Job, level: u32) {
        let Self { layer, finished, .. } = self;
        let mut next = finished.next_of_level(level, 0);
        while let Some(index) = next {
            let (board, entry) = finished.waiting(index);
            let score = job.stage.score(board);
            if job.stage.is_done(&score) {
                finished.keep_waiting(index);
                self.any_solved = true;
            } else {
                layer.add(&job.stage, board, Entry { score, ..entry });
            }
            next = finished.next_of_level(level, index + 1);
        }
    }

    /// Selects the next level among the successors of boards of several layers.
    fn select(&mut self, job: &Job, layers: &[&Layer<'_, L>], offers: &[&[Candidate]], first: Node) {
        let Self { layer, finished, selection, blank_counts, new_nodes, .. } = self;
        let (stage, new_nodes) = (&job.stage, &mut new_nodes[..job.max_nodes]);
        let (mut selected, mut any_solved) = (0, false);
        blank_counts.fill(0);
        let prefetch_parent = |shard: usize, candidate: &Candidate| {
            layers[shard].prefetch((candidate.parent >> 2) as usize);
        };
        selection.select(offers, prefetch_parent, |shard, candidate, recent| {
            let (parent, direction) = ((candidate.parent >> 2) as usize, (candidate.parent & 3) as usize);
            let (board, entry) = layers[shard].get(parent);
            let to = usize::from(entry.blank);
            let Some(from) = stage.neighbour(to, direction) else { return true };
            if blank_counts[from] >= job.max_per_blank {
                return true;
            }
            let score = stage.apply(board, &entry.score, &candidate.change(), from, to);
            let is_done = stage.is_done(&score);
            if !is_done && !recent.admit(score.line_hash, job.max_per_line_state) {
                return true;
            }
            recent.insert(candidate.hash);
            new_nodes[selected] = pack(entry.node, stage.direction(direction));
            let node = first + selected as Node;
            selected += 1;
            let next = Entry { score, node, blank: from as u16, last: direction as u8, unused: 0 };
            if is_done {
                any_solved = true;
                finished.add(job.level + 1, &board[..stage.cells], next, Some((from, to)));
                return selected < new_nodes.len();
            }
            blank_counts[from] += 1;
            layer.push_successor(stage, board, next, (from, to));
            layer.len() < job.width && selected < new_nodes.len()
        });
        (self.selected, self.any_solved) = (selected, any_solved);
    }

    /// Returns the history nodes of the selected boards.
    pub(super) fn new_nodes(&self) -> &[PackedNode] {
        &self.new_nodes[..self.selected]
    }
}
