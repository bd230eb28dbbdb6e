//! How the tiles of a board are divided into patterns.

use super::frame::{Frame, Set, Symmetry};
use super::order::MOST_TILES;
use super::pattern::Pattern;
use crate::puzzle::tiles::Size;
use parking_lot::Mutex;
use std::fmt;
use std::str::FromStr;

/// The sizes of a board's patterns, as `7-8`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Partition(Vec<usize>);

/// The most patterns that a board is divided into.
pub const MOST_PATTERNS: usize = 3;

/// Why a text is no partition.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a partition: write up to {MOST_PATTERNS} sizes from 1 to {MOST_TILES}, as in 7-8")]
pub struct NotAPartition(String);

impl FromStr for Partition {
    type Err = NotAPartition;

    fn from_str(text: &str) -> Result<Self, NotAPartition> {
        let sizes: Option<Vec<usize>> = text.split('-').map(|size| size.parse().ok()).collect();
        sizes
            .filter(|sizes| {
                sizes.len() <= MOST_PATTERNS && sizes.iter().all(|size| (1..=MOST_TILES).contains(size))
            })
            .map(Self)
            .ok_or_else(|| NotAPartition(text.into()))
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, size) in self.0.iter().enumerate() {
            write!(f, "{}{size}", if at > 0 { "-" } else { "" })?;
        }
        Ok(())
    }
}

/// A board laid on a frame, and its patterns there.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) laying: Symmetry,
    pub(super) patterns: Vec<Pattern>,
}

impl Partition {
    /// The name in options and results, as `pdb:7-8`. There are not many.
    pub fn name(&self) -> &'static str {
        static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
        let name = format!("pdb:{self}");
        let mut names = NAMES.lock();
        names.iter().find(|&&known| known == name).copied().unwrap_or_else(|| {
            names.push(String::leak(name));
            names[names.len() - 1]
        })
    }

    /// The tiles of the largest pattern.
    pub fn largest(&self) -> Option<usize> {
        self.0.iter().copied().max()
    }

    /// How many patterns there are.
    pub fn patterns(&self) -> usize {
        self.0.len()
    }

    /// The tiles of all patterns together.
    pub fn tiles(&self) -> usize {
        self.0.iter().sum()
    }

    /// The partitions of boards of so many cells that are worth a thought, those
    /// with the smallest databases first.
    pub fn candidates(cells: usize) -> Vec<Self> {
        let sizes: &[&[usize]] = match cells - 1 {
            15 => &[&[5, 5, 5], &[6, 6, 3], &[7, 7, 1], &[7, 8]],
            14 => &[&[5, 5, 4], &[6, 6, 2], &[7, 7], &[6, 8]],
            13 => &[&[5, 4, 4], &[6, 7], &[5, 8]],
            11 => &[&[4, 4, 3], &[5, 6], &[3, 8]],
            9 => &[&[4, 5], &[1, 8]],
            tiles @ 3..=8 => return vec![Self(vec![tiles / 2, tiles - tiles / 2])],
            _ => &[],
        };
        sizes.iter().map(|sizes| Self(sizes.to_vec())).collect()
    }

    /// The ways in which a board with its goal's blank in a cell is looked at:
    /// one, or two where a mirror image has its blank in the same cell but its
    /// patterns elsewhere. None if the sizes do not fit the board.
    pub(super) fn views(&self, size: Size, blank: usize) -> Option<Vec<View>> {
        let frame = Frame::new(size)?;
        if self.tiles() + 1 != frame.cells() {
            return None;
        }
        // The blank goes as far to the end as possible, so that corners are one.
        let layings = frame.layings(size);
        let laying = *layings.iter().max_by_key(|laying| laying.0[blank])?;
        let blank = usize::from(laying.0[blank]);
        let sets = self.divide(frame, blank);
        let patterns = |sets: &[Set]| -> Option<Vec<Pattern>> {
            sets.iter().map(|&set| Pattern::new(frame, set, blank)).collect()
        };
        let mut views = vec![View { laying, patterns: patterns(&sets)? }];
        let images = frame.symmetries().into_iter().filter(|image| usize::from(image.0[blank]) == blank);
        let mirror =
            images.max_by_key(|image| sets.iter().filter(|&&set| !sets.contains(&image.set(set))).count())?;
        if sets.iter().any(|&set| !sets.contains(&mirror.set(set))) {
            let sets: Vec<Set> = sets.iter().map(|&set| mirror.set(set)).collect();
            views.push(View { laying, patterns: patterns(&sets)? });
        }
        Some(views)
    }

    /// The cells where the tiles of each pattern belong.
    fn divide(&self, frame: Frame, blank: usize) -> Vec<Set> {
        if let Some(sets) = self.well_known(frame, blank) {
            return sets;
        }
        // Along the rows, to and fro.
        let mut path = (0..frame.cells()).map(|at| {
            let (row, col) = (at / frame.cols, at % frame.cols);
            row * frame.cols + if row % 2 == 0 { col } else { frame.cols - 1 - col }
        });
        let mut path = path.by_ref().filter(|&cell| cell != blank);
        self.0.iter().map(|&size| path.by_ref().take(size).fold(0, |set, cell| set | 1 << cell)).collect()
    }

    /// Divisions of the 15-puzzle with its blank in the corner that were found
    /// to be better than most.
    fn well_known(&self, frame: Frame, blank: usize) -> Option<Vec<Set>> {
        if (frame.rows, frame.cols, blank) != (4, 4, 15) {
            return None;
        }
        let board: &[u8; 16] = match self.0[..] {
            [7, 8] => b"bbbbbbbbaaaaaaa.",
            _ => return None,
        };
        let set = |name: u8| {
            board.iter().zip(0..).fold(0, |set: Set, (&cell, at)| set | Set::from(cell == name) << at)
        };
        Some((0..self.0.len()).map(|pattern| set(b'a' + pattern as u8)).collect())
    }
}
