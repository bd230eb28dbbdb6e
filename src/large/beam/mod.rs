//! Beam search, line by line.
//!
//! All boards that some number of moves can reach, but of these only the best:
//! level by level, each with one move more, at most a fixed number of boards is
//! kept. The first `Stage` of a large board brings all tiles near their homes
//! (`gather`); then each is about one line. Boards that have solved it wait for
//! the next stage, which begins at the level of the first of them. Solved lines
//! stay solved.
//!
//! Four things keep a beam out of dead ends. Only a part of it may have the blank
//! in one cell: without that, all boards are soon about one corner, where they
//! polish what is good already, and none carries the blank to where the work is.
//! Only a part may share one arrangement of the line's tiles. The longer a stage lasts, the more the line
//! counts ([`Weights`]). And now and then the staged solver finishes the line
//! from one of the best boards; what it makes takes its place in the level that
//! it reaches, so that a stage always ends.

mod gather;
mod history;
mod layer;
mod lines;
mod pace;
mod room;
mod select;
mod stage;
mod weights;

pub use weights::Weights;

use super::field::Field;
use super::peel::{Rest, Side};
use super::staged::Staged;
use crate::large::core;
use crate::puzzle::tiles::{Direction, Size};
use crate::search::{Limits, Stop};
use history::History;
use layer::{Entry, Finished, Layer};
use lines::Label;
use pace::Pace;
use room::Room;
use select::{Candidate, Selection};
use stage::{Stage, Task};
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

/// Levels for each cell of the line before the staged solver is asked at all.
const PATIENCE: u32 = 6;

/// No direction has this number.
const NO_MOVE: u8 = 8;

/// How a beam search goes about a board.
#[derive(Clone, Copy, Debug)]
pub struct Course {
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

impl Course {
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
        Layer::<u8>::bytes(cells) + Finished::<u8>::bytes(cells)
    } else {
        Layer::<u16>::bytes(cells) + Finished::<u16>::bytes(cells)
    };
    boards + Selection::BYTES + nodes(size) * History::BYTES
}

/// Searches a solution shorter than `best` moves; none if the beam was too
/// narrow to find one. Where a limit comes first, the staged solver takes over.
pub fn solve(
    field: &Field,
    course: &Course,
    best: usize,
    limits: &Limits<'_>,
    memory: &mut [u64],
    work: &mut Work,
) -> Result<Option<Vec<Direction>>, Stop> {
    if field.size().cells() <= 256 {
        Beam::<u8>::new(field, course, memory, work)?.run(best, limits)
    } else {
        Beam::<u16>::new(field, course, memory, work)?.run(best, limits)
    }
}

/// A search of one board.
struct Beam<'b, L> {
    size: Size,
    course: &'b Course,
    sides: Vec<Side>,
    layer: Layer<'b, L>,
    finished: Finished<'b, L>,
    selection: Selection<'b>,
    history: History<'b>,
    staged: Staged,
    /// A field for the staged solver.
    field: Field,
    work: &'b mut Work,
    /// Boards in a level of this stage, at most.
    width: usize,
    pace: Pace,
    /// Boards of the next level with the blank in each cell.
    crowds: Vec<u32>,
    /// The level at which a limit was reached.
    stopped_at: u32,
    /// Moves tried since the staged solver was last asked.
    since: u64,
}

impl<'b, L: Label> Beam<'b, L> {
    fn new(
        field: &Field,
        course: &'b Course,
        memory: &'b mut [u64],
        work: &'b mut Work,
    ) -> Result<Self, Stop> {
        let (size, width) = (field.size(), course.width);
        let mut room = Room::new(memory);
        let parts = (|| {
            Some((
                Layer::new(&mut room, width, size.cells())?,
                Finished::new(&mut room, width, size.cells())?,
                Selection::new(&mut room, width)?,
                History::new(&mut room, width * nodes(size) + 1024)?,
            ))
        })();
        let (layer, mut finished, selection, history) = parts.ok_or(Stop::Memory)?;
        let home = usize::from(field.cells()[field.blank()]);
        let sides = sides(size, home, course.turns);
        finished.start(field.cells(), field.blank());
        Ok(Self {
            size,
            course,
            sides,
            layer,
            finished,
            selection,
            history,
            staged: Staged::new(size),
            field: field.clone(),
            pace: Pace::new(work.expanded),
            work,
            width,
            crowds: vec![0; size.cells()],
            stopped_at: 0,
            since: 0,
        })
    }

    fn run(mut self, best: usize, limits: &Limits<'_>) -> Result<Option<Vec<Direction>>, Stop> {
        let home = usize::from(self.field.cells()[self.field.blank()]);
        let mut rest = Rest::whole(self.size);
        let sides = std::mem::take(&mut self.sides);
        let cols = self.size.cols();
        // The board's cell of each number of the stage before.
        let mut numbering: Vec<usize> = (0..self.size.cells()).collect();
        let mut later = sides.as_slice();
        for task in self.tasks(&sides) {
            later = &later[usize::from(task.side().is_some())..];
            let stage = Stage::new(rest, task, later, (cols, home), &self.course.weights);
            let numbers: Vec<Option<u16>> = (0..numbering.len())
                .map(|old| {
                    let cell = numbering[old];
                    cell_inside(rest, cell, cols).then(|| stage.view.number(cell, cols) as u16)
                })
                .collect();
            self.finished.enter(stage.cells, &numbers);
            numbering = (0..stage.cells).map(|number| stage.cell(number)).collect();
            let ended = match task {
                Task::Gather => self.gather(&stage, best, limits),
                Task::Line(_) | Task::All => self.stage(&stage, best, limits),
            };
            match ended {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(stop) => return self.break_off(&stage, best).ok_or(stop).map(Some),
            }
            if let Some(side) = task.side() {
                rest = rest.without(side);
            }
        }
        Ok(self.finished.first().map(|node| self.history.moves(node)))
    }

    /// What is to be done, one after the other.
    fn tasks(&self, sides: &[Side]) -> Vec<Task> {
        let (size, mut tasks) = (self.size, Vec::new());
        let in_one = size.cells() <= FEW_CELLS && self.course.width >= WIDE;
        if size.cells() > FEW_CELLS && size.rows().min(size.cols()) >= THICK {
            tasks.push(Task::Gather);
        }
        tasks.extend(sides.iter().filter(|_| !in_one).map(|&side| Task::Line(side)));
        tasks.push(Task::All);
        tasks
    }

    /// Chooses the width anew, every so often, so that what is left will take
    /// the time that is left.
    fn keep_pace(&mut self, stage: &Stage, is_first: bool) {
        let Some(ends) = self.course.ends else { return };
        if self.layer.is_empty() || !is_first && !self.pace.is_due(self.work.expanded) {
            return;
        }
        let distance = stage.distance(self.layer.get(0).0);
        let levels = pace::levels(stage.task, distance, stage.cells);
        let width = self.pace.width(self.work.expanded, ends, levels) as usize;
        self.width = width.clamp(NARROWEST.min(self.course.width), self.course.width);
    }

    /// Goes through the levels of a stage until enough boards have solved its
    /// line; `false` if that takes `best` moves or more.
    fn stage(&mut self, stage: &Stage, best: usize, limits: &Limits<'_>) -> Result<bool, Stop> {
        let Some(start) = self.finished.first_level() else { return Ok(false) };
        self.layer.clear(stage.cells);
        self.selection.clear();
        let carry = if stage.task.side().is_some() { self.course.weights.carry(self.width) } else { 0 };
        let wait = match stage.task.side() {
            Some(_) => (self.course.weights.wait * stage.view.width as f64) as u32,
            None => 0,
        };
        // The first levels at which the beam by itself, and with help, is done.
        let (mut first_own, mut helped) = (None, None);
        let mut level = start;
        loop {
            let mut next = self.finished.next_of_level(level, 0);
            while let Some(index) = next {
                let (board, entry) = self.finished.waiting(index);
                let facts = stage.facts(board);
                if stage.is_done(&facts) {
                    self.finished.keep(index);
                    first_own = first_own.or(Some(level));
                } else {
                    self.layer.add(stage, board, Entry { facts, ..entry });
                }
                next = self.finished.next_of_level(level, index + 1);
            }
            let own = first_own.map(|first: u32| first + carry);
            let ends = own.into_iter().chain(helped.map(|first: u32| first + wait)).min();
            if ends.is_some_and(|end| level >= end) {
                self.finished.drop_above(level);
                return Ok(true);
            }
            if level as usize >= best {
                return Ok(false);
            }
            if let Some(stop) = limits.reached(self.work.generated) {
                self.stopped_at = level;
                return Err(stop);
            }
            self.keep_pace(stage, level == start);
            self.make_room()?;
            if first_own.is_none() && level - start >= PATIENCE * stage.view.width as u32 {
                let reached = self.finish_one(stage, level);
                helped = helped.into_iter().chain(reached).min();
            }
            if self.advance(stage, level, level - start) {
                first_own = first_own.or(Some(level + 1));
            }
            level += 1;
            let is_dry = self.layer.is_empty() && !self.finished.has_waiting(level);
            if is_dry && self.finished.earliest().is_none() {
                // Nothing new was left: back, and on with help.
                self.layer.turn_back();
                self.since = u64::MAX;
                helped = self.finish_one(stage, level - 1);
                self.layer.clear(stage.cells);
                if helped.is_none() {
                    return Ok(false);
                }
            }
        }
    }

    /// Makes the next level of the layer; whether a board has solved the line.
    fn advance(&mut self, stage: &Stage, level: u32, late: u32) -> bool {
        let pressure = i64::from(self.course.weights.pressure(late, stage.view.width));
        self.selection.begin();
        for (index, (board, entry)) in self.layer.iter().enumerate() {
            let blank = usize::from(entry.blank);
            for direction in 0..4 {
                let Some(from) = stage.beside(blank, direction) else { continue };
                if direction as u8 ^ 2 == entry.last {
                    continue;
                }
                let change = stage.change(board, &entry.facts, from, blank, direction % 2 == 0);
                let key = change.others + ((i64::from(change.own) * pressure) >> 8) as i32;
                self.selection.offer(Candidate {
                    code: change.code,
                    key,
                    own: change.own,
                    others: change.others,
                    parent: (index as u32) << 2 | direction as u32,
                });
            }
        }
        self.work.expanded += self.layer.len() as u64;
        self.work.generated += self.selection.offered() as u64;
        self.since += self.selection.offered() as u64;
        let (most_alike, crowd) = self.course.weights.limits(stage.task, self.width, stage.cells);
        let Self { layer, finished, selection, history, width, crowds, .. } = self;
        crowds.fill(0);
        layer.turn();
        let mut any_done = false;
        let near =
            |layer: &Layer<'_, L>, candidate: &Candidate| layer.prefetch((candidate.parent >> 2) as usize);
        selection.select(layer, near, |layer, candidate, seen| {
            let (parent, direction) = ((candidate.parent >> 2) as usize, (candidate.parent & 3) as usize);
            let (board, entry) = layer.before(parent);
            let to = usize::from(entry.blank);
            let Some(from) = stage.beside(to, direction) else { return true };
            if crowds[from] >= crowd {
                return true;
            }
            let facts = stage.apply(board, &entry.facts, &candidate.change(), from, to);
            let is_done = stage.is_done(&facts);
            if !is_done && !seen.allows(facts.own_code, most_alike) {
                return true;
            }
            seen.note(candidate.code);
            let node = history.push(entry.node, stage.direction(direction));
            let next = Entry { facts, node, blank: from as u16, last: direction as u8, unused: 0 };
            if is_done {
                any_done = true;
                finished.add(level + 1, board, next, Some((from, to)));
                return history.left() > 0;
            }
            crowds[from] += 1;
            layer.add_next(stage, parent, next, (from, to));
            layer.len() < *width && history.left() > 0
        });
        any_done
    }

    /// A solution from the best board of the last level, the rest of it by the
    /// staged solver, if it is shorter than `best`.
    fn break_off(&mut self, stage: &Stage, best: usize) -> Option<Vec<Direction>> {
        if self.layer.is_empty() || self.stopped_at as usize >= best {
            return None;
        }
        let entry = self.lay_out(stage, 0);
        self.staged.solve(&mut self.field, &Limits::default()).ok()?;
        let mut moves = self.history.moves(entry.node);
        moves.extend_from_slice(self.field.moves());
        (moves.len() < best).then_some(moves)
    }

    /// Lays out a board of the level on the field.
    fn lay_out(&mut self, stage: &Stage, index: usize) -> Entry {
        let (board, entry) = self.layer.get(index);
        let cols = self.size.cols();
        self.field.arrange(|cell| match cell_inside(stage.rest, cell, cols) {
            true => stage.cell(board[stage.view.number(cell, cols)].index()),
            false => cell,
        });
        entry
    }

    /// Lets the staged solver finish the line from one of the best boards, now
    /// and then; the level that is reached.
    fn finish_one(&mut self, stage: &Stage, level: u32) -> Option<u32> {
        const BETWEEN: u64 = 5000;
        if self.since < BETWEEN || self.layer.is_empty() {
            return None;
        }
        self.since = 0;
        let index = if level.is_multiple_of(2) { 0 } else { self.layer.nearest() };
        let entry = self.lay_out(stage, index);
        let cols = self.size.cols();
        match stage.task.side() {
            Some(side) => self.staged.line(&mut self.field, stage.rest, side),
            None if stage.cells <= CORE * CORE => core::solve(&mut self.field, stage.rest),
            // Without a limit nothing can stop it.
            None => drop(self.staged.solve(&mut self.field, &Limits::default())),
        }
        let moves = self.field.moves();
        let reached = level + moves.len() as u32;
        if self.finished.earliest().is_some_and(|first| reached > first) || self.history.left() < moves.len()
        {
            return None;
        }
        let mut node = entry.node;
        for &step in moves {
            node = self.history.push(node, step);
        }
        let made: Vec<L> = (0..stage.cells)
            .map(|number| self.field.cells()[stage.cell(number)])
            .map(|home| L::new(stage.view.number(home.into(), cols)))
            .collect();
        let blank = stage.view.number(self.field.blank(), cols) as u16;
        let next = Entry { node, blank, last: NO_MOVE, ..entry };
        self.finished.add(reached, &made, next, None);
        Some(reached)
    }

    /// Sees to it that the history has room for another level; if need be, by
    /// giving up the worse half of the boards.
    fn make_room(&mut self) -> Result<(), Stop> {
        let level = 2 * self.width + 256;
        while self.history.left() < level {
            let (layer, finished) = (&mut self.layer, &mut self.finished);
            self.history.compact(|visit| {
                layer.nodes().for_each(&mut *visit);
                finished.nodes().for_each(visit);
            });
            if self.history.left() < self.history.capacity() / 4 {
                if layer.len() < 2 {
                    return Err(Stop::Memory);
                }
                layer.halve();
            }
        }
        Ok(())
    }
}

fn cell_inside(rest: Rest, cell: usize, cols: usize) -> bool {
    rest.contains(cell / cols, cell % cols)
}

/// The sides to be peeled, in their order.
fn sides(size: Size, blank: usize, turns: u32) -> Vec<Side> {
    let home = (blank / size.cols(), blank % size.cols());
    let mut rest = Rest::whole(size);
    let mut sides = Vec::new();
    loop {
        let open: Vec<Side> = rest.open_sides(home, CORE).collect();
        let Some(last) = open.len().checked_sub(1) else { return sides };
        let turn = turns.rotate_right(sides.len() as u32) as usize & 3;
        let side = open[turn.min(last)];
        sides.push(side);
        rest = rest.without(side);
    }
}
