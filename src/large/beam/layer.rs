//! The boards of one level of a shard, and the boards that have solved the line.

use super::bump::BumpAllocator;
use super::history::Node;
use crate::large::beam::disorder::Label;
use crate::large::beam::score::{Score, Stage};
use crate::memory::prefetch;
use bytemuck::{Pod, Zeroable};

/// A board of the beam without its tiles.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Entry {
    pub(super) score: Score,
    pub(super) node: Node,
    pub(super) blank: u16,
    /// The last move, as a direction of the view.
    pub(super) last: u8,
    pub(super) unused: u8,
}

/// Boards and their entries as parallel arrays.
struct Boards<'m, L> {
    /// The tiles of all boards, with a fixed number of labels per board.
    labels: &'m mut [L],
    entries: &'m mut [Entry],
    len: usize,
}

impl<'m, L: Label> Boards<'m, L> {
    fn new(allocator: &mut BumpAllocator<'m>, boards: usize, labels: usize) -> Option<Self> {
        Some(Self { labels: allocator.alloc(boards * labels)?, entries: allocator.alloc(boards)?, len: 0 })
    }
}

/// One level of a shard. Each board is stored twice, by row and by column ([`Stage::labels`]).
pub(super) struct Layer<'m, L> {
    cells: usize,
    labels: usize,
    boards: Boards<'m, L>,
}

impl<'m, L: Label> Layer<'m, L> {
    /// Allocates a level of `width` boards, and as many that join it.
    pub(super) fn new(allocator: &mut BumpAllocator<'m>, width: usize, cells: usize) -> Option<Self> {
        let labels = Stage::labels(cells);
        Some(Self { cells, labels, boards: Boards::new(allocator, 2 * width, labels)? })
    }

    /// The number of bytes per board of the width.
    pub(super) const fn bytes(cells: usize) -> usize {
        2 * (Stage::labels(cells) * size_of::<L>() + size_of::<Entry>())
    }

    /// Removes all boards and sets the number of cells of the boards to come.
    pub(super) fn clear(&mut self, cells: usize) {
        (self.cells, self.labels) = (cells, Stage::labels(cells));
        self.boards.len = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.boards.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.boards.len == 0
    }

    /// Returns the boards in the layout of the stage.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[L], &Entry)> {
        self.boards.labels.chunks_exact(self.labels).zip(&self.boards.entries[..self.boards.len])
    }

    /// Returns one board in the layout of the stage.
    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> (&[L], &Entry) {
        (&self.boards.labels[index * self.labels..][..self.labels], &self.boards.entries[index])
    }

    /// Returns the index of the board with the lowest line score.
    pub(super) fn closest_line(&self) -> usize {
        let entries = self.boards.entries[..self.boards.len].iter().enumerate();
        entries.min_by_key(|(_, entry)| entry.score.line).map_or(0, |(index, _)| index)
    }

    /// Adds a board, given row by row, if there is space.
    pub(super) fn add(&mut self, stage: &Stage, board: &[L], entry: Entry) {
        let at = self.boards.len;
        if at < self.boards.entries.len() {
            let place = &mut self.boards.labels[at * self.labels..][..self.labels];
            place[..self.cells].copy_from_slice(board);
            stage.write_across(place);
            self.boards.entries[at] = entry;
            self.boards.len += 1;
        }
    }

    /// Prefetches a board.
    #[inline(always)]
    pub(super) fn prefetch(&self, index: usize) {
        prefetch(&raw const self.boards.entries[index]);
        prefetch(&raw const self.boards.labels[index * self.labels]);
        prefetch(&raw const self.boards.labels[index * self.labels + self.cells]);
    }

    /// Adds the successor of a board of the previous level.
    #[inline(always)]
    pub(super) fn push_successor(
        &mut self,
        stage: &Stage,
        parent: &[L],
        entry: Entry,
        (from, to): (usize, usize),
    ) {
        let at = self.boards.len;
        let board = &mut self.boards.labels[at * self.labels..][..self.labels];
        board.copy_from_slice(parent);
        board.swap(from, to);
        board.swap(self.cells + stage.across(from), self.cells + stage.across(to));
        self.boards.entries[at] = entry;
        self.boards.len += 1;
    }

    /// Drops the worse half of the boards.
    pub(super) fn halve(&mut self) {
        self.boards.len /= 2;
    }

    /// Returns the history node of each board.
    pub(super) fn nodes(&mut self) -> impl Iterator<Item = &mut Node> {
        self.boards.entries[..self.boards.len].iter_mut().map(|entry| &mut entry.node)
    }
}

/// Boards that have solved a line: those of the previous stage, which wait for their level, and
/// those of this stage.
pub(super) struct Finished<'m, L> {
    waiting: LeveledBoards<'m, L>,
    solved: LeveledBoards<'m, L>,
}

struct LeveledBoards<'m, L> {
    cells: usize,
    boards: Boards<'m, L>,
    levels: &'m mut [u32],
}

impl<'m, L: Label> LeveledBoards<'m, L> {
    fn new(allocator: &mut BumpAllocator<'m>, width: usize, cells: usize) -> Option<Self> {
        Some(Self {
            cells,
            boards: Boards::new(allocator, width + SPARE, cells)?,
            levels: allocator.alloc(width + SPARE)?,
        })
    }

    fn levels(&self) -> &[u32] {
        &self.levels[..self.boards.len]
    }

    /// Adds a board. If there is no space, it replaces a board of the highest level, provided that
    /// level is higher.
    fn add(&mut self, level: u32, board: &[L], entry: Entry) -> Option<&mut [L]> {
        if self.boards.len == self.levels.len() {
            let (worst, &highest) = self.levels.iter().enumerate().max_by_key(|&(_, level)| level)?;
            if highest <= level {
                return None;
            }
            self.remove(worst);
        }
        let at = self.boards.len;
        self.boards.len += 1;
        self.levels[at] = level;
        self.boards.entries[at] = entry;
        let place = &mut self.boards.labels[at * self.cells..][..self.cells];
        place.copy_from_slice(board);
        Some(place)
    }

    /// Removes a board; the last one takes its index.
    fn remove(&mut self, at: usize) {
        self.boards.len -= 1;
        let last = self.boards.len;
        self.levels[at] = self.levels[last];
        self.boards.entries[at] = self.boards.entries[last];
        self.boards.labels.copy_within(last * self.cells..(last + 1) * self.cells, at * self.cells);
    }
}

/// Boards beyond the width.
const SPARE: usize = 8;

impl<'m, L: Label> Finished<'m, L> {
    pub(super) fn new(allocator: &mut BumpAllocator<'m>, width: usize, cells: usize) -> Option<Self> {
        let mut boards = || LeveledBoards::new(allocator, width, cells);
        Some(Self { waiting: boards()?, solved: boards()? })
    }

    /// The number of bytes per board of the width.
    pub(super) const fn bytes(cells: usize) -> usize {
        2 * (cells * size_of::<L>() + size_of::<Entry>() + 4)
    }

    /// Adds the start board, with the numbering of the whole board.
    pub(super) fn start(&mut self, cells: &[u16], blank: usize) {
        for (label, &home) in self.solved.boards.labels.iter_mut().zip(cells) {
            *label = L::new(home.into());
        }
        self.solved.boards.entries[0] =
            Entry { last: super::NO_MOVE, blank: blank as u16, ..Entry::default() };
        self.solved.levels[0] = 0;
        self.solved.boards.len = 1;
        self.solved.cells = cells.len();
    }

    /// Moves the solved boards to a new stage of `cells` cells, where they wait for their level.
    /// `numbers` has the new number of each cell or tile; none for those that are solved.
    pub(super) fn enter(&mut self, cells: usize, numbers: &[Option<u16>]) {
        let (old, new) = (&mut self.solved, &mut self.waiting);
        let number = |index: usize| numbers[index].map_or(0, usize::from);
        for at in 0..old.boards.len {
            let board = &old.boards.labels[at * old.cells..][..old.cells];
            let next = &mut new.boards.labels[at * cells..][..cells];
            for (&label, place) in board.iter().zip(numbers) {
                if let Some(place) = place {
                    next[usize::from(*place)] = L::new(number(label.index()));
                }
            }
            let entry = old.boards.entries[at];
            let blank = number(entry.blank.into()) as u16;
            new.boards.entries[at] = Entry { blank, last: super::NO_MOVE, ..entry };
            new.levels[at] = old.levels[at];
        }
        new.boards.len = old.boards.len;
        new.cells = cells;
        old.boards.len = 0;
        old.cells = cells;
    }

    /// Returns the lowest level of a waiting board.
    pub(super) fn first_waiting_level(&self) -> Option<u32> {
        self.waiting.levels().iter().copied().min()
    }

    /// Returns whether a board waits for `level` or a later one.
    pub(super) fn has_waiting(&self, level: u32) -> bool {
        self.waiting.levels().iter().any(|&own| own >= level)
    }

    /// Returns the index of the next waiting board of `level`, starting at `from`.
    pub(super) fn next_of_level(&self, level: u32, from: usize) -> Option<usize> {
        self.waiting.levels().iter().skip(from).position(|&own| own == level).map(|at| from + at)
    }

    /// Returns a waiting board.
    pub(super) fn waiting(&self, index: usize) -> (&[L], Entry) {
        let LeveledBoards { cells, boards, .. } = &self.waiting;
        (&boards.labels[index * cells..][..*cells], boards.entries[index])
    }

    /// Copies a waiting board to the solved ones: it has solved the line of this stage, too.
    pub(super) fn keep_waiting(&mut self, index: usize) {
        let (cells, level) = (self.waiting.cells, self.waiting.levels[index]);
        let board = &self.waiting.boards.labels[index * cells..][..cells];
        self.solved.add(level, board, self.waiting.boards.entries[index]);
    }

    /// Adds a board that has solved the line. With `step`, two cells are swapped first.
    pub(super) fn add(&mut self, level: u32, board: &[L], entry: Entry, step: Option<(usize, usize)>) {
        if let Some(board) = self.solved.add(level, board, entry)
            && let Some((from, to)) = step
        {
            board.swap(from, to);
        }
    }

    /// Returns the lowest level of a board that has solved the line.
    pub(super) fn first_solved_level(&self) -> Option<u32> {
        self.solved.levels().iter().copied().min()
    }

    /// Returns the lowest level of a solved board and the node of such a board.
    pub(super) fn first_solved(&self) -> Option<(u32, Node)> {
        let least = self.solved.levels().iter().enumerate().min_by_key(|&(_, level)| level);
        least.map(|(index, &level)| (level, self.solved.boards.entries[index].node))
    }

    /// Drops solved boards above `level`.
    pub(super) fn drop_above(&mut self, level: u32) {
        let solved = &mut self.solved;
        let mut at = 0;
        while at < solved.boards.len {
            if solved.levels[at] > level {
                solved.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Returns the history node of each board.
    pub(super) fn nodes(&mut self) -> impl Iterator<Item = &mut Node> {
        let both = [&mut self.waiting.boards, &mut self.solved.boards];
        both.into_iter()
            .flat_map(|boards| boards.entries[..boards.len].iter_mut().map(|entry| &mut entry.node))
    }
}
