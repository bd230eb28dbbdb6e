//! A part of a beam, and what is done with each part in each phase of a level.
//!
//! In most levels each part goes on by itself: it makes the successors of its
//! boards and chooses the best of them (*advance*). Every so many levels parts
//! exchange boards. These belong to parts by their codes, so that two equal boards
//! meet in one part, which can leave one out without asking the others: each part
//! makes the successors of its boards and sorts them by the parts to which they
//! belong (*expand*), then chooses the best of all that belong to itself (*select*).
//! To do so in every level would cost more than it brings: what one processor has
//! written is far away for another.

use super::history::{Node, Word, word};
use super::layer::{Entry, Finished, Layer};
use super::room::Room;
use super::select::{Candidate, MOST_PARTS, Offers, Selection};
use super::{History, nodes};
use crate::large::beam::barrier::Team;
use crate::large::beam::disorder::Label;
use crate::large::beam::score::Stage;
use crate::large::mutable_board::MutableBoard;
use crossbeam::utils::CachePadded;
use parking_lot::{Mutex, RwLock};

/// What others look at while they choose.
pub(super) struct Front<'m, L> {
    pub(super) layer: Layer<'m, L>,
    pub(super) offers: Offers<'m>,
}

/// What a part keeps to itself.
pub(super) struct Back<'m, L> {
    /// The level that is being chosen.
    pub(super) next: Layer<'m, L>,
    pub(super) finished: Finished<'m, L>,
    selection: Selection<'m>,
    /// Boards of the next level with the blank in each cell.
    crowds: Vec<u32>,
    /// The nodes of the boards that were chosen.
    words: &'m mut [Word],
    pub(super) chosen: usize,
    /// Whether one of them has solved the line.
    pub(super) any_done: bool,
}

/// Both sides of a part. What one thread writes and another reads at the same time
/// must not lie in one line of the cache.
pub(super) struct Part<'m, L> {
    pub(super) front: CachePadded<RwLock<Front<'m, L>>>,
    pub(super) back: CachePadded<Mutex<Back<'m, L>>>,
}

/// What is to be done with each part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Boards that wait for the level become part of it.
    Join,
    /// The best successors of a part's boards become its next level.
    Advance,
    /// The successors of all boards are offered to the parts to which they belong.
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
    pub(super) pressure: i64,
    /// The first so many parts have boards.
    pub(super) active: usize,
    /// Boards of a part in a level, at most, and their nodes.
    pub(super) width: usize,
    pub(super) most_nodes: usize,
    pub(super) first_nodes: [Node; MOST_PARTS],
    /// How many boards may be alike, and how many may have the blank in one cell.
    pub(super) alike: u32,
    pub(super) crowd: u32,
}

/// What all who work on a beam share.
pub(super) struct Shared<'m, L> {
    pub(super) parts: Vec<Part<'m, L>>,
    /// There is none before the first stage.
    pub(super) job: RwLock<Option<Job>>,
    team: Team,
}

/// Nodes that a level of so many boards may have: some boards leave it because
/// they have solved the line.
pub(super) fn most_nodes(width: usize) -> usize {
    width + width / 4 + 64
}

/// Bytes of the nodes of a level, for each board.
pub(super) const WORDS_BYTES: usize = 2 * size_of::<Word>();

impl<'m, L: Label> Shared<'m, L> {
    /// A beam of so many boards in so many parts, and its history; none if the
    /// memory is too small.
    pub(super) fn new(
        field: &MutableBoard,
        width: usize,
        parts: usize,
        memory: &'m mut [u64],
    ) -> Option<(Self, History<'m>)> {
        let cells = field.size().cells();
        let mut room = Room::new(memory);
        let own = width.div_ceil(parts);
        let mut made = Vec::with_capacity(parts);
        for _ in 0..parts {
            let front = Front {
                layer: Layer::new(&mut room, own, cells)?,
                offers: Offers::new(&mut room, own, parts)?,
            };
            let back = Back {
                next: Layer::new(&mut room, own, cells)?,
                finished: Finished::new(&mut room, own, cells)?,
                selection: Selection::new(&mut room, own, parts)?,
                crowds: vec![0; cells],
                words: room.take(most_nodes(own))?,
                chosen: 0,
                any_done: false,
            };
            made.push(Part { front: RwLock::new(front).into(), back: Mutex::new(back).into() });
        }
        made[0].back.get_mut().finished.start(field.cells(), field.blank());
        let history = History::new(&mut room, width * nodes(field.size()) + 1024)?;
        Some((Self { parts: made, job: RwLock::new(None), team: Team::new(parts) }, history))
    }

    /// Does the job with all parts, `together` with whoever has come, or alone; false
    /// if somebody broke down.
    pub(super) fn all(&self, together: bool) -> bool {
        if together {
            return self.team.phase(&|part| self.handle(part));
        }
        (0..self.parts.len()).for_each(|part| self.handle(part));
        true
    }

    /// Helps until the beam has ended.
    pub(super) fn help(&self) {
        self.team.help(&|part| self.handle(part));
    }

    /// For who leads: the others leave when this is dropped.
    pub(super) fn ends(&self) -> impl Drop {
        self.team.ends()
    }

    fn handle(&self, part: usize) {
        let job = self.job.read();
        let Some(job) = &*job else { return };
        match job.phase {
            Phase::Join => self.parts[part].back.lock().join(job, job.level),
            Phase::Advance => {
                let (front, back) =
                    (&mut *self.parts[part].front.write(), &mut *self.parts[part].back.lock());
                front.expand(job, None);
                back.select(job, &[&front.layer], &[front.offers.all()], job.first_nodes[part]);
                back.join(job, job.level + 1);
            }
            Phase::Expand => self.parts[part].front.write().expand(job, Some(job.active)),
            Phase::Select => {
                let fronts: Vec<_> = self.parts.iter().map(|part| part.front.read()).collect();
                let layers: Vec<&Layer<'m, L>> = fronts.iter().map(|front| &front.layer).collect();
                let offers: Vec<&[Candidate]> =
                    fronts.iter().map(|front| front.offers.of_part(part)).collect();
                let back = &mut *self.parts[part].back.lock();
                back.select(job, &layers, &offers, job.first_nodes[part]);
                back.join(job, job.level + 1);
            }
        }
    }
}

impl<L: Label> Front<'_, L> {
    /// Offers the successors of all boards, to this part or to where they belong.
    fn expand(&mut self, job: &Job, parts: Option<usize>) {
        let Self { layer, offers } = self;
        let stage = &job.stage;
        offers.clear(parts);
        for (index, (board, entry)) in layer.iter().enumerate() {
            let blank = usize::from(entry.blank);
            for direction in 0..4 {
                let Some(from) = stage.beside(blank, direction) else { continue };
                if direction as u8 ^ 2 == entry.last {
                    continue;
                }
                let change = stage.change(board, &entry.facts, from, blank, direction % 2 == 0);
                let key = change.others + ((i64::from(change.own) * job.pressure) >> 8) as i32;
                offers.add(Candidate {
                    code: change.code,
                    key,
                    own: change.own,
                    others: change.others,
                    parent: (index as u32) << 2 | direction as u32,
                });
            }
        }
    }
}

impl<L: Label> Back<'_, L> {
    /// Forgets what was before a stage, and takes its boards in. The new number
    /// of each cell, and tile, is given; none for those that are solved.
    pub(super) fn enter(&mut self, cells: usize, numbers: &[Option<u16>]) {
        self.finished.enter(cells, numbers);
        self.next.clear(cells);
        self.selection.clear();
    }

    /// Takes boards that wait for a level into it.
    fn join(&mut self, job: &Job, level: u32) {
        let Self { next: layer, finished, .. } = self;
        let mut next = finished.next_of_level(level, 0);
        while let Some(index) = next {
            let (board, entry) = finished.waiting(index);
            let facts = job.stage.facts(board);
            if job.stage.is_done(&facts) {
                finished.keep(index);
                self.any_done = true;
            } else {
                layer.add(&job.stage, board, Entry { facts, ..entry });
            }
            next = finished.next_of_level(level, index + 1);
        }
    }

    /// Chooses the next level among the successors of boards of several layers.
    fn select(&mut self, job: &Job, layers: &[&Layer<'_, L>], offers: &[&[Candidate]], first: Node) {
        let Self { next: layer, finished, selection, crowds, words, .. } = self;
        let (stage, words) = (&job.stage, &mut words[..job.most_nodes]);
        let (mut chosen, mut any_done) = (0, false);
        crowds.fill(0);
        let near = |part: usize, candidate: &Candidate| {
            layers[part].prefetch((candidate.parent >> 2) as usize);
        };
        selection.select(offers, near, |part, candidate, seen| {
            let (parent, direction) = ((candidate.parent >> 2) as usize, (candidate.parent & 3) as usize);
            let (board, entry) = layers[part].get(parent);
            let to = usize::from(entry.blank);
            let Some(from) = stage.beside(to, direction) else { return true };
            if crowds[from] >= job.crowd {
                return true;
            }
            let facts = stage.apply(board, &entry.facts, &candidate.change(), from, to);
            let is_done = stage.is_done(&facts);
            if !is_done && !seen.allows(facts.own_code, job.alike) {
                return true;
            }
            seen.note(candidate.code);
            words[chosen] = word(entry.node, stage.direction(direction));
            let node = first + chosen as Node;
            chosen += 1;
            let next = Entry { facts, node, blank: from as u16, last: direction as u8, unused: 0 };
            if is_done {
                any_done = true;
                finished.add(job.level + 1, &board[..stage.cells], next, Some((from, to)));
                return chosen < words.len();
            }
            crowds[from] += 1;
            layer.add_next(stage, board, next, (from, to));
            layer.len() < job.width && chosen < words.len()
        });
        (self.chosen, self.any_done) = (chosen, any_done);
    }

    /// The words of the nodes that were chosen.
    pub(super) fn words(&self) -> &[Word] {
        &self.words[..self.chosen]
    }
}
