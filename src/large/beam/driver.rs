//! The driver of a beam search: runs its stages and levels on the owner's thread.

use super::history::History;
use super::layer::Entry;
use super::pace::{self, Pace};
use super::select::MAX_SHARDS;
use super::{
    BeamParams, ENDGAME_SIDE, MIN_GATHER_SIDE, MIN_SHARD_WIDTH, MIN_WIDTH, SINGLE_STAGE_CELLS,
    SINGLE_STAGE_WIDTH, Work,
};
use crate::large::beam::disorder::Label;
use crate::large::beam::score::{Stage, Task};
use crate::large::beam::shard::{CurrentLevel, Job, NextLevel, Phase, Shared, max_nodes};
use crate::large::mutable_board::MutableBoard;
use crate::large::peel::{Side, Unsolved};
use crate::large::staged::Staged;
use crate::puzzle::tiles::{Direction, Size};
use crate::search::{Limits, Stop};

/// Levels per cell of the line before the staged solver helps for the first time.
const LEVELS_BEFORE_HELP: u32 = 6;

/// The number of levels between two exchanges of boards among the shards.
const LEVELS_BETWEEN_EXCHANGES: u32 = 16;

/// A beam search of one board.
pub(super) struct Beam<'b, 'm, L> {
    pub(super) size: Size,
    pub(super) params: &'b BeamParams,
    pub(super) shared: &'b Shared<'m, L>,
    pub(super) history: History<'m>,
    pub(super) staged: Staged,
    /// A scratch board for the staged solver.
    pub(super) field: MutableBoard,
    pub(super) work: &'b mut Work,
    /// The largest number of boards in a level of this stage.
    width: usize,
    /// The number of shards that have boards.
    active: usize,
    pace: Pace,
    /// The level at which a limit was reached.
    pub(super) stopped_at: u32,
    /// Moves generated since the staged solver last helped.
    pub(super) generated_since_help: u64,
}

/// The result if a helper panicked: the state of the beam is unreliable.
const HELPER_PANICKED: Stop = Stop::Interrupted;

impl<'b, 'm, L: Label> Beam<'b, 'm, L> {
    pub(super) fn new(
        field: &MutableBoard,
        params: &'b BeamParams,
        shared: &'b Shared<'m, L>,
        history: History<'m>,
        work: &'b mut Work,
    ) -> Self {
        let size = field.size();
        Self {
            size,
            params,
            shared,
            history,
            staged: Staged::new(size),
            field: field.clone(),
            pace: Pace::new(work.expanded),
            work,
            width: params.width,
            active: 1,
            stopped_at: 0,
            generated_since_help: 0,
        }
    }

    /// Runs all stages. Returns a solution shorter than `best` moves, or none.
    pub(super) fn run(mut self, best: usize, limits: &Limits<'_>) -> Result<Option<Vec<Direction>>, Stop> {
        let home = usize::from(self.field.cells()[self.field.blank()]);
        let mut unsolved = Unsolved::whole(self.size);
        let sides = sides(self.size, home, self.params.side_order);
        let cols = self.size.cols();
        // The board's cell of each number of the previous stage.
        let mut numbering: Vec<usize> = (0..self.size.cells()).collect();
        let mut later = sides.as_slice();
        for task in self.tasks(&sides) {
            later = &later[usize::from(task.side().is_some())..];
            let stage = Stage::new(unsolved, task, later, (cols, home), &self.params.weights);
            let numbers: Vec<Option<u16>> = (0..numbering.len())
                .map(|old| {
                    let cell = numbering[old];
                    cell_inside(unsolved, cell, cols).then(|| stage.view.number(cell, cols) as u16)
                })
                .collect();
            numbering = (0..stage.cells).map(|number| stage.cell(number)).collect();
            self.enter(stage, &numbers);
            let ended = match task {
                Task::Gather => self.run_gather(best, limits),
                Task::Line(_) | Task::All => self.run_stage(best, limits),
            };
            match ended {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(stop) => return self.finish_best(best).ok_or(stop).map(Some),
            }
            if let Some(side) = task.side() {
                unsolved = unsolved.without(side);
            }
        }
        let first = self.next_levels().filter_map(|next| next.finished.first_solved()).min();
        Ok(first.map(|(_, node)| self.history.moves(node)))
    }

    /// Returns the tasks of the stages, in order.
    fn tasks(&self, sides: &[Side]) -> Vec<Task> {
        let (size, mut tasks) = (self.size, Vec::new());
        let single_stage = size.cells() <= SINGLE_STAGE_CELLS && self.params.width >= SINGLE_STAGE_WIDTH;
        if size.cells() > SINGLE_STAGE_CELLS && size.rows().min(size.cols()) >= MIN_GATHER_SIDE {
            tasks.push(Task::Gather);
        }
        tasks.extend(sides.iter().filter(|_| !single_stage).map(|&side| Task::Line(side)));
        tasks.push(Task::All);
        tasks
    }

    /// Locks the next level of each shard, one after the other.
    pub(super) fn next_levels(
        &self,
    ) -> impl Iterator<Item = impl std::ops::DerefMut<Target = NextLevel<'m, L>>> {
        self.shared.shards.iter().map(|shard| shard.next.lock())
    }

    /// Locks the current level of each shard, one after the other.
    pub(super) fn current_levels(
        &self,
    ) -> impl Iterator<Item = impl std::ops::DerefMut<Target = CurrentLevel<'m, L>>> {
        self.shared.shards.iter().map(|shard| shard.current.write())
    }

    /// Returns whether the current level has no boards.
    pub(super) fn is_empty(&self) -> bool {
        self.current_levels().all(|current| current.layer.is_empty())
    }

    /// Starts a stage with the boards that finished the previous one. `numbers` maps each old
    /// number of a cell or tile to the new one.
    fn enter(&mut self, stage: Stage, numbers: &[Option<u16>]) {
        self.next_levels().for_each(|mut next| next.enter(stage.cells, numbers));
        self.current_levels().for_each(|mut current| current.layer.clear(stage.cells));
        let job = Job {
            phase: Phase::Join,
            stage,
            level: 0,
            line_weight: 0,
            active: 1,
            width: 0,
            max_nodes: 0,
            first_nodes: [0; MAX_SHARDS],
            max_per_line_state: 0,
            max_per_blank: 0,
        };
        *self.shared.job.write() = Some(job);
    }

    /// Adjusts the width, every few thousand boards, so that the remaining work takes the remaining
    /// time.
    pub(super) fn adjust_width(&mut self, is_first: bool) {
        let Some(deadline) = self.params.deadline else { return };
        if !is_first && !self.pace.is_due(self.work.expanded) {
            return;
        }
        let job = self.shared.job.read();
        let Some(stage) = job.as_ref().map(|job| &job.stage) else { return };
        let distance = self.current_levels().find(|current| !current.layer.is_empty()).map(|current| {
            let (board, _) = current.layer.get(0);
            stage.distance(&board[..stage.cells])
        });
        let Some(distance) = distance else { return };
        let levels = pace::remaining_levels(stage.task, distance, stage.cells);
        let width = self.pace.width(self.work.expanded, deadline, levels) as usize;
        self.width = width.clamp(MIN_WIDTH.min(self.params.width), self.params.width);
    }

    /// Runs the levels of a stage until enough boards have solved its line. Returns `false` if that
    /// takes `best` moves or more.
    fn run_stage(&mut self, best: usize, limits: &Limits<'_>) -> Result<bool, Stop> {
        let start = self.next_levels().filter_map(|next| next.finished.first_waiting_level()).min();
        let Some(start) = start else { return Ok(false) };
        let (task, line) = {
            let job = self.shared.job.read();
            let Some(job) = &*job else { return Ok(false) };
            (job.stage.task, job.stage.view.width)
        };
        let is_line = task.side().is_some();
        let collect = if is_line { self.params.weights.collect_levels(self.width) } else { 0 };
        let after_help =
            if is_line { (self.params.weights.levels_after_help * line as f64) as u32 } else { 0 };
        let mut level = start;
        // The first levels at which the line is solved by the beam alone, and with help.
        let mut first_unaided = self.join(level)?.then_some(level);
        let mut helped = None;
        loop {
            let unaided_end = first_unaided.map(|first: u32| first + collect);
            let end_level = unaided_end.into_iter().chain(helped.map(|first: u32| first + after_help)).min();
            if end_level.is_some_and(|end| level >= end) {
                self.next_levels().for_each(|mut next| next.finished.drop_above(level));
                return Ok(true);
            }
            if level as usize >= best {
                return Ok(false);
            }
            if let Some(stop) = limits.reached(self.work.generated) {
                self.stopped_at = level;
                return Err(stop);
            }
            self.adjust_width(level == start);
            self.reserve_history()?;
            if first_unaided.is_none() && level - start >= LEVELS_BEFORE_HELP * line as u32 {
                let reached = self.finish_one(level);
                helped = helped.into_iter().chain(reached).min();
            }
            if self.advance(level, level - start)? {
                first_unaided = first_unaided.or(Some(level + 1));
            }
            level += 1;
            let is_exhausted =
                self.is_empty() && !self.next_levels().any(|next| next.finished.has_waiting(level));
            if is_exhausted && self.next_levels().all(|next| next.finished.first_solved_level().is_none()) {
                // No new board was left: return to the previous level and let the staged solver
                // help.
                self.swap_levels();
                self.generated_since_help = u64::MAX;
                helped = self.finish_one(level - 1);
                let cells = self.cells();
                self.current_levels().for_each(|mut current| current.layer.clear(cells));
                if helped.is_none() {
                    return Ok(false);
                }
            }
        }
    }

    /// Swaps the current and the next level of every shard.
    pub(super) fn swap_levels(&self) {
        for (mut current, mut next) in self.current_levels().zip(self.next_levels()) {
            std::mem::swap(&mut current.layer, &mut next.layer);
        }
    }

    /// Creates a level from the boards that wait for it. Returns whether one of them has solved the
    /// line already.
    pub(super) fn join(&mut self, level: u32) -> Result<bool, Stop> {
        if let Some(job) = &mut *self.shared.job.write() {
            (job.phase, job.level) = (Phase::Join, level);
        }
        self.next_levels().for_each(|mut next| next.any_solved = false);
        if !self.shared.run_phase(self.active > 1) {
            return Err(HELPER_PANICKED);
        }
        self.swap_levels();
        Ok(self.next_levels().any(|next| next.any_solved))
    }

    /// Returns the number of shards that the width justifies, at least as many as can hold it.
    fn useful_shards(&self) -> usize {
        let shards = self.shared.shards.len();
        let least = self.width.div_ceil(self.params.width.div_ceil(shards)).clamp(1, shards);
        (self.width / MIN_SHARD_WIDTH).clamp(least, shards)
    }

    /// Computes the next level. Returns whether a board has solved the line.
    pub(super) fn advance(&mut self, level: u32, stage_level: u32) -> Result<bool, Stop> {
        let shards = self.shared.shards.len();
        let active = self.useful_shards();
        let width = self.width.div_ceil(active);
        let inactive_boards = self.current_levels().skip(active).any(|current| !current.layer.is_empty());
        let changed = std::mem::replace(&mut self.active, active) != active;
        let exchange =
            shards > 1 && (inactive_boards || changed || level.is_multiple_of(LEVELS_BETWEEN_EXCHANGES));
        let mut first_nodes = [0; MAX_SHARDS];
        for node in &mut first_nodes[..active] {
            *node = self.history.reserve(max_nodes(width));
        }
        if let Some(job) = &mut *self.shared.job.write() {
            let weights = &self.params.weights;
            let (max_per_line_state, max_per_blank) =
                weights.diversity_limits(job.stage.task, width, job.stage.cells);
            job.phase = if exchange { Phase::Expand } else { Phase::Advance };
            job.level = level;
            job.line_weight = i64::from(weights.line_weight(stage_level, job.stage.view.width));
            (job.width, job.max_nodes, job.first_nodes) = (width, max_nodes(width), first_nodes);
            (job.max_per_line_state, job.max_per_blank, job.active) =
                (max_per_line_state, max_per_blank, active);
            self.next_levels().for_each(|mut next| next.layer.clear(job.stage.cells));
        }
        if !self.shared.run_phase(active > 1) {
            return Err(HELPER_PANICKED);
        }
        if exchange {
            if let Some(job) = &mut *self.shared.job.write() {
                job.phase = Phase::Select;
            }
            if !self.shared.run_phase(active > 1) {
                return Err(HELPER_PANICKED);
            }
        }
        let (mut any_solved, mut offered) = (false, 0);
        for (shard, &first) in self.shared.shards.iter().zip(&first_nodes) {
            let (mut current, mut next) = (shard.current.write(), shard.next.lock());
            self.history.write(first, next.new_nodes());
            any_solved |= next.any_solved;
            self.work.expanded += current.layer.len() as u64;
            offered += current.offers.len() as u64;
            std::mem::swap(&mut current.layer, &mut next.layer);
        }
        self.work.generated += offered;
        self.generated_since_help += offered;
        let last = active - 1;
        self.history.release_reserved(first_nodes[last], self.shared.shards[last].next.lock().selected);
        Ok(any_solved)
    }

    /// Returns the number of cells of the stage.
    pub(super) fn cells(&self) -> usize {
        self.shared.job.read().as_ref().map_or(0, |job| job.stage.cells)
    }

    /// Ensures that the history has space for another level: compacts it and, if that is not
    /// enough, drops the worse half of the boards.
    pub(super) fn reserve_history(&mut self) -> Result<(), Stop> {
        let active = self.useful_shards();
        let level = active * max_nodes(self.width.div_ceil(active)) + 256;
        while self.history.left() < level {
            let mut current_levels: Vec<_> =
                self.shared.shards.iter().map(|shard| shard.current.write()).collect();
            let mut next_levels: Vec<_> = self.shared.shards.iter().map(|shard| shard.next.lock()).collect();
            self.history.compact(|visit| {
                current_levels.iter_mut().for_each(|current| current.layer.nodes().for_each(&mut *visit));
                next_levels.iter_mut().for_each(|next| next.finished.nodes().for_each(&mut *visit));
            });
            if self.history.left() < self.history.capacity() / 4 {
                if current_levels.iter().map(|current| current.layer.len()).sum::<usize>() < 2 {
                    return Err(Stop::Memory);
                }
                current_levels.iter_mut().for_each(|current| current.layer.halve());
            }
        }
        Ok(())
    }

    /// Returns shard and index of the best board of the level, or, with `nearest`, of the board
    /// with the lowest line score.
    pub(super) fn best_board(&self, nearest: bool) -> Option<(usize, usize)> {
        let entries = self.shared.shards.iter().enumerate().filter_map(|(shard_index, shard)| {
            let layer = &shard.current.read().layer;
            let index = if nearest { layer.closest_line() } else { 0 };
            let key = |entry: &Entry| {
                if nearest { entry.score.line } else { entry.score.line + entry.score.others }
            };
            (!layer.is_empty()).then(|| (key(layer.get(index).1), (shard_index, index)))
        });
        entries.min_by_key(|&(key, _)| key).map(|(_, place)| place)
    }
}

/// Returns whether `cell` of a board with `cols` columns is in the rectangle.
pub(super) fn cell_inside(unsolved: Unsolved, cell: usize, cols: usize) -> bool {
    unsolved.contains(cell / cols, cell % cols)
}

/// Returns the sides in the order in which their lines are solved.
fn sides(size: Size, blank: usize, side_order: u32) -> Vec<Side> {
    let home = (blank / size.cols(), blank % size.cols());
    let mut unsolved = Unsolved::whole(size);
    let mut sides = Vec::new();
    loop {
        let open: Vec<Side> = unsolved.open_sides(home, ENDGAME_SIDE).collect();
        let Some(last) = open.len().checked_sub(1) else { return sides };
        let choice = side_order.rotate_right(sides.len() as u32) as usize & 3;
        let side = open[choice.min(last)];
        sides.push(side);
        unsolved = unsolved.without(side);
    }
}
