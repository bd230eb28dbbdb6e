//! A beam search from stage to stage and from level to level, as its owner sees
//! it.

use super::history::History;
use super::layer::Entry;
use super::pace::{self, Pace};
use super::select::MOST_PARTS;
use super::{BeamParams, CORE, FEW_CELLS, NARROWEST, THICK, WIDE, WORTH_A_PART, Work};
use crate::large::beam::disorder::Label;
use crate::large::beam::score::{Stage, Task};
use crate::large::beam::shard::{Back, Front, Job, Phase, Shared, most_nodes};
use crate::large::mutable_board::MutableBoard;
use crate::large::peel::{Side, Unsolved};
use crate::large::staged::Staged;
use crate::puzzle::tiles::{Direction, Size};
use crate::search::{Limits, Stop};

/// Levels for each cell of the line before the staged solver is asked at all.
const PATIENCE: u32 = 6;

/// Levels from one exchange of boards between the parts to the next.
const BETWEEN_EXCHANGES: u32 = 16;

/// A search of one board.
pub(super) struct Beam<'b, 'm, L> {
    pub(super) size: Size,
    pub(super) course: &'b BeamParams,
    pub(super) shared: &'b Shared<'m, L>,
    pub(super) history: History<'m>,
    pub(super) staged: Staged,
    /// A field for the staged solver.
    pub(super) field: MutableBoard,
    pub(super) work: &'b mut Work,
    /// Boards in a level of this stage, at most.
    width: usize,
    /// The parts that have boards.
    active: usize,
    pace: Pace,
    /// The level at which a limit was reached.
    pub(super) stopped_at: u32,
    /// Moves tried since the staged solver was last asked.
    pub(super) since: u64,
}

/// Somebody who helped broke down: what there is is not to be believed.
const BROKEN: Stop = Stop::Interrupted;

impl<'b, 'm, L: Label> Beam<'b, 'm, L> {
    pub(super) fn new(
        field: &MutableBoard,
        course: &'b BeamParams,
        shared: &'b Shared<'m, L>,
        history: History<'m>,
        work: &'b mut Work,
    ) -> Self {
        let size = field.size();
        Self {
            size,
            course,
            shared,
            history,
            staged: Staged::new(size),
            field: field.clone(),
            pace: Pace::new(work.expanded),
            work,
            width: course.width,
            active: 1,
            stopped_at: 0,
            since: 0,
        }
    }

    pub(super) fn run(mut self, best: usize, limits: &Limits<'_>) -> Result<Option<Vec<Direction>>, Stop> {
        let home = usize::from(self.field.cells()[self.field.blank()]);
        let mut rest = Unsolved::whole(self.size);
        let sides = sides(self.size, home, self.course.turns);
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
            numbering = (0..stage.cells).map(|number| stage.cell(number)).collect();
            self.enter(stage, &numbers);
            let ended = match task {
                Task::Gather => self.gather(best, limits),
                Task::Line(_) | Task::All => self.stage(best, limits),
            };
            match ended {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(stop) => return self.break_off(best).ok_or(stop).map(Some),
            }
            if let Some(side) = task.side() {
                rest = rest.without(side);
            }
        }
        let first = self.backs().filter_map(|back| back.finished.first()).min();
        Ok(first.map(|(_, node)| self.history.moves(node)))
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

    /// All parts, one after the other.
    pub(super) fn backs(&self) -> impl Iterator<Item = impl std::ops::DerefMut<Target = Back<'m, L>>> {
        self.shared.parts.iter().map(|part| part.back.lock())
    }

    pub(super) fn fronts(&self) -> impl Iterator<Item = impl std::ops::DerefMut<Target = Front<'m, L>>> {
        self.shared.parts.iter().map(|part| part.front.write())
    }

    /// Whether the level has no boards.
    pub(super) fn is_empty(&self) -> bool {
        self.fronts().all(|front| front.layer.is_empty())
    }

    /// Begins a stage with the boards that the last one has made.
    fn enter(&mut self, stage: Stage, numbers: &[Option<u16>]) {
        self.backs().for_each(|mut back| back.enter(stage.cells, numbers));
        self.fronts().for_each(|mut front| front.layer.clear(stage.cells));
        let job = Job {
            phase: Phase::Join,
            stage,
            level: 0,
            pressure: 0,
            active: 1,
            width: 0,
            most_nodes: 0,
            first_nodes: [0; MOST_PARTS],
            alike: 0,
            crowd: 0,
        };
        *self.shared.job.write() = Some(job);
    }

    /// Chooses the width anew, every so often, so that what is left will take
    /// the time that is left.
    pub(super) fn keep_pace(&mut self, is_first: bool) {
        let Some(ends) = self.course.ends else { return };
        if !is_first && !self.pace.is_due(self.work.expanded) {
            return;
        }
        let job = self.shared.job.read();
        let Some(stage) = job.as_ref().map(|job| &job.stage) else { return };
        let distance = self.fronts().find(|front| !front.layer.is_empty()).map(|front| {
            let (board, _) = front.layer.get(0);
            stage.distance(&board[..stage.cells])
        });
        let Some(distance) = distance else { return };
        let levels = pace::levels(stage.task, distance, stage.cells);
        let width = self.pace.width(self.work.expanded, ends, levels) as usize;
        self.width = width.clamp(NARROWEST.min(self.course.width), self.course.width);
    }

    /// Goes through the levels of a stage until enough boards have solved its
    /// line; `false` if that takes `best` moves or more.
    fn stage(&mut self, best: usize, limits: &Limits<'_>) -> Result<bool, Stop> {
        let start = self.backs().filter_map(|back| back.finished.first_level()).min();
        let Some(start) = start else { return Ok(false) };
        let (task, line) = {
            let job = self.shared.job.read();
            let Some(job) = &*job else { return Ok(false) };
            (job.stage.task, job.stage.view.width)
        };
        let is_line = task.side().is_some();
        let carry = if is_line { self.course.weights.carry(self.width) } else { 0 };
        let wait = if is_line { (self.course.weights.wait * line as f64) as u32 } else { 0 };
        let mut level = start;
        // The first levels at which the beam by itself, and with help, is done.
        let mut first_own = self.join(level)?.then_some(level);
        let mut helped = None;
        loop {
            let own = first_own.map(|first: u32| first + carry);
            let ends = own.into_iter().chain(helped.map(|first: u32| first + wait)).min();
            if ends.is_some_and(|end| level >= end) {
                self.backs().for_each(|mut back| back.finished.drop_above(level));
                return Ok(true);
            }
            if level as usize >= best {
                return Ok(false);
            }
            if let Some(stop) = limits.reached(self.work.generated) {
                self.stopped_at = level;
                return Err(stop);
            }
            self.keep_pace(level == start);
            self.make_room()?;
            if first_own.is_none() && level - start >= PATIENCE * line as u32 {
                let reached = self.finish_one(level);
                helped = helped.into_iter().chain(reached).min();
            }
            if self.advance(level, level - start)? {
                first_own = first_own.or(Some(level + 1));
            }
            level += 1;
            let is_dry = self.is_empty() && !self.backs().any(|back| back.finished.has_waiting(level));
            if is_dry && self.backs().all(|back| back.finished.earliest().is_none()) {
                // Nothing new was left: back, and on with help.
                self.turn();
                self.since = u64::MAX;
                helped = self.finish_one(level - 1);
                let cells = self.cells();
                self.fronts().for_each(|mut front| front.layer.clear(cells));
                if helped.is_none() {
                    return Ok(false);
                }
            }
        }
    }

    /// The levels that were chosen take the place of those before, which are
    /// kept behind them.
    pub(super) fn turn(&self) {
        for (mut front, mut back) in self.fronts().zip(self.backs()) {
            std::mem::swap(&mut front.layer, &mut back.next);
        }
    }

    /// Makes a level of the boards that wait for it; whether one of them is done
    /// already.
    pub(super) fn join(&mut self, level: u32) -> Result<bool, Stop> {
        if let Some(job) = &mut *self.shared.job.write() {
            (job.phase, job.level) = (Phase::Join, level);
        }
        self.backs().for_each(|mut back| back.any_done = false);
        if !self.shared.all(self.active > 1) {
            return Err(BROKEN);
        }
        self.turn();
        Ok(self.backs().any(|back| back.any_done))
    }

    /// As many parts as the width is worth, but no fewer than have room for it.
    fn worth(&self) -> usize {
        let parts = self.shared.parts.len();
        let least = self.width.div_ceil(self.course.width.div_ceil(parts)).clamp(1, parts);
        (self.width / WORTH_A_PART).clamp(least, parts)
    }

    /// Makes the next level; whether a board has solved the line.
    pub(super) fn advance(&mut self, level: u32, late: u32) -> Result<bool, Stop> {
        let parts = self.shared.parts.len();
        let active = self.worth();
        let width = self.width.div_ceil(active);
        let strays = self.fronts().skip(active).any(|front| !front.layer.is_empty());
        let changed = std::mem::replace(&mut self.active, active) != active;
        let exchange = parts > 1 && (strays || changed || level.is_multiple_of(BETWEEN_EXCHANGES));
        let mut first_nodes = [0; MOST_PARTS];
        for node in &mut first_nodes[..active] {
            *node = self.history.set_aside(most_nodes(width));
        }
        if let Some(job) = &mut *self.shared.job.write() {
            let weights = &self.course.weights;
            let (alike, crowd) = weights.limits(job.stage.task, width, job.stage.cells);
            job.phase = if exchange { Phase::Expand } else { Phase::Advance };
            job.level = level;
            job.pressure = i64::from(weights.pressure(late, job.stage.view.width));
            (job.width, job.most_nodes, job.first_nodes) = (width, most_nodes(width), first_nodes);
            (job.alike, job.crowd, job.active) = (alike, crowd, active);
            self.backs().for_each(|mut back| back.next.clear(job.stage.cells));
        }
        if !self.shared.all(active > 1) {
            return Err(BROKEN);
        }
        if exchange {
            if let Some(job) = &mut *self.shared.job.write() {
                job.phase = Phase::Select;
            }
            if !self.shared.all(active > 1) {
                return Err(BROKEN);
            }
        }
        let (mut any_done, mut offered) = (false, 0);
        for (part, &first) in self.shared.parts.iter().zip(&first_nodes) {
            let (mut front, mut back) = (part.front.write(), part.back.lock());
            self.history.write(first, back.words());
            any_done |= back.any_done;
            self.work.expanded += front.layer.len() as u64;
            offered += front.offers.len() as u64;
            std::mem::swap(&mut front.layer, &mut back.next);
        }
        self.work.generated += offered;
        self.since += offered;
        let last = active - 1;
        self.history.give_back(first_nodes[last], self.shared.parts[last].back.lock().chosen);
        Ok(any_done)
    }

    /// The cells of the stage.
    pub(super) fn cells(&self) -> usize {
        self.shared.job.read().as_ref().map_or(0, |job| job.stage.cells)
    }

    /// Sees to it that the history has room for another level; if need be, by
    /// giving up the worse half of the boards.
    pub(super) fn make_room(&mut self) -> Result<(), Stop> {
        let active = self.worth();
        let level = active * most_nodes(self.width.div_ceil(active)) + 256;
        while self.history.left() < level {
            let mut fronts: Vec<_> = self.shared.parts.iter().map(|part| part.front.write()).collect();
            let mut backs: Vec<_> = self.shared.parts.iter().map(|part| part.back.lock()).collect();
            self.history.compact(|visit| {
                fronts.iter_mut().for_each(|front| front.layer.nodes().for_each(&mut *visit));
                backs.iter_mut().for_each(|back| back.finished.nodes().for_each(&mut *visit));
            });
            if self.history.left() < self.history.capacity() / 4 {
                if fronts.iter().map(|front| front.layer.len()).sum::<usize>() < 2 {
                    return Err(Stop::Memory);
                }
                fronts.iter_mut().for_each(|front| front.layer.halve());
            }
        }
        Ok(())
    }

    /// The best board of the level, or the one whose own line is nearest to its
    /// end: where it is.
    pub(super) fn best(&self, nearest: bool) -> Option<(usize, usize)> {
        let entries = self.shared.parts.iter().enumerate().filter_map(|(part, own)| {
            let layer = &own.front.read().layer;
            let index = if nearest { layer.nearest() } else { 0 };
            let key =
                |entry: &Entry| if nearest { entry.facts.own } else { entry.facts.own + entry.facts.others };
            (!layer.is_empty()).then(|| (key(layer.get(index).1), (part, index)))
        });
        entries.min_by_key(|&(key, _)| key).map(|(_, place)| place)
    }
}

pub(super) fn cell_inside(rest: Unsolved, cell: usize, cols: usize) -> bool {
    rest.contains(cell / cols, cell % cols)
}

/// The sides to be peeled, in their order.
fn sides(size: Size, blank: usize, turns: u32) -> Vec<Side> {
    let home = (blank / size.cols(), blank % size.cols());
    let mut rest = Unsolved::whole(size);
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
