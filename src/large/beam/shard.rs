//! A shard of a beam, and what is done with each shard in each phase of a level.
//!
//! In most levels each shard goes on by itself: it makes the successors of its
//! boards and chooses the best of them (*advance*). Every so many levels shards
//! exchange boards. These belong to shards by their codes, so that two equal boards
//! meet in one shard, which can leave one out without asking the others: each shard
//! makes the successors of its boards and sorts them by the shards to which they
//! belong (*expand*), then chooses the best of all that belong to itself (*select*).
//! To do so in every level would cost more than it brings: what one processor has
//! written is far away for another.

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

/// What others look at while they choose.
pub(super) struct CurrentLevel<'m, L> {
    pub(super) layer: Layer<'m, L>,
    pub(super) offers: Offers<'m>,
}

/// What a shard keeps to itself.
pub(super) struct NextLevel<'m, L> {
    /// The level that is being selected.
    pub(super) layer: Layer<'m, L>,
    pub(super) finished: Finished<'m, L>,
    selection: Selection<'m>,
    /// Boards of the next level with the blank in each cell.
    blank_counts: Vec<u32>,
    /// The nodes of the boards that were selected.
    new_nodes: &'m mut [PackedNode],
    pub(super) selected: usize,
    /// Whether one of them has solved the line.
    pub(super) any_solved: bool,
}

/// Both sides of a shard. What one thread writes and another reads at the same time
/// must not lie in one line of the cache.
pub(super) struct Shard<'m, L> {
    pub(super) current: CachePadded<RwLock<CurrentLevel<'m, L>>>,
    pub(super) next: CachePadded<Mutex<NextLevel<'m, L>>>,
}

/// What is to be done with each shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Boards that wait for the level become shard of it.
    Join,
    /// The best successors of a shard's boards become its next level.
    Advance,
    /// The successors of all boards are offered to the shards to which they belong.
    Expand,
    /// The best of them become the next level.
    Select,
}

/// What is being done now.
pub(super) struct Job {
    pub(super) phase: Phase,
    pub(super) stage: Stage,
    /// The level that is being expanded, or joined.
    pub(super) level: u32,
    /// The weight of the line's own tiles, in 256ths.
    pub(super) line_weight: i64,
    /// The first so many shards have boards.
    pub(super) active: usize,
    /// Boards of a shard in a level, at most, and their nodes.
    pub(super) width: usize,
    pub(super) max_nodes: usize,
    pub(super) first_nodes: [Node; MAX_SHARDS],
    /// How many boards may be max_per_line_state, and how many may have the blank in one cell.
    pub(super) max_per_line_state: u32,
    pub(super) max_per_blank: u32,
}

/// What all who work on a beam share.
pub(super) struct Shared<'m, L> {
    pub(super) shards: Vec<Shard<'m, L>>,
    /// There is none before the first stage.
    pub(super) job: RwLock<Option<Job>>,
    barrier: PhaseBarrier,
}

/// Nodes that a level of so many boards may have: some boards leave it because
/// they have solved the line.
pub(super) fn max_nodes(width: usize) -> usize {
    width + width / 4 + 64
}

/// Bytes of the nodes of a level, for each board.
pub(super) const NEW_NODE_BYTES: usize = 2 * size_of::<PackedNode>();

impl<'m, L: Label> Shared<'m, L> {
    /// A beam of so many boards in so many shards, and its history; none if the
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

    /// Does the job with all shards, `parallel` with whoever has come, or alone; false
    /// if somebody broke down.
    pub(super) fn run_phase(&self, parallel: bool) -> bool {
        if parallel {
            return self.barrier.run_phase(&|shard| self.run_shard(shard));
        }
        (0..self.shards.len()).for_each(|shard| self.run_shard(shard));
        true
    }

    /// Helps until the beam has ended.
    pub(super) fn help(&self) {
        self.barrier.help(&|shard| self.run_shard(shard));
    }

    /// For who leads: the others leave when this is dropped.
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
    /// Offers the successors of all boards, to this shard or to where they belong.
    fn expand(&mut self, job: &Job, shards: Option<usize>) {
        let Self { layer, offers } = self;
        let stage = &job.stage;
        offers.clear(shards);
        for (index, (board, entry)) in layer.iter().enumerate() {
            let blank = usize::from(entry.blank);
            for direction in 0..4 {
                let Some(from) = stage.beside(blank, direction) else { continue };
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
    /// Forgets what was before a stage, and takes its boards in. The new number
    /// of each cell, and tile, is given; none for those that are solved.
    pub(super) fn enter(&mut self, cells: usize, numbers: &[Option<u16>]) {
        self.finished.enter(cells, numbers);
        self.layer.clear(cells);
        self.selection.clear();
    }

    /// Takes boards that wait for a level into it.
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

    /// Chooses the next level among the successors of boards of several layers.
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
            let Some(from) = stage.beside(to, direction) else { return true };
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

    /// The new_nodes of the nodes that were selected.
    pub(super) fn new_nodes(&self) -> &[PackedNode] {
        &self.new_nodes[..self.selected]
    }
}
