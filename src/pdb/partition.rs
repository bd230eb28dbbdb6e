//! Partition of the tiles of a board into patterns.

use super::divisions::{self, DIVISIONS, MAX_DIVISIONS};
use crate::pdb::geometry::canonical::{CellSet, Frame, Symmetry};
use crate::pdb::geometry::pattern::Pattern;
use crate::pdb::geometry::permutation::MAX_TILES;
use crate::puzzle::tiles::Size;
use parking_lot::Mutex;
use std::fmt;
use std::str::FromStr;

/// Sizes of the patterns, written as `7-8`. On boards of more than 16 cells also the number of
/// divisions over which the maximum is taken, as in `6-6-6-6x5`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Partition {
    sizes: Vec<usize>,
    /// Number of divisions, each used with its mirror image; chosen by the program if `None`.
    divisions: Option<usize>,
}

/// Maximum number of patterns of a board.
pub const MAX_PATTERNS: usize = 4;

/// Maximum number of cells of boards with a single division.
const NARROW: usize = 16;

/// Maximum number of patterns of boards of up to [`NARROW`] cells.
const MAX_NARROW_PATTERNS: usize = 3;

/// Error: a text is not a partition.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{0}` is not a partition: write up to {MAX_PATTERNS} sizes from 1 to {MAX_TILES}, as in 7-8, \
     and for boards of over 16 cells in how many ways, as in 6-6-6-6x5"
)]
pub struct NotAPartition(String);

impl FromStr for Partition {
    type Err = NotAPartition;

    fn from_str(text: &str) -> Result<Self, NotAPartition> {
        let error = || NotAPartition(text.into());
        let (sizes, divisions) = match text.split_once('x') {
            Some((sizes, divisions)) => (sizes, Some(divisions.parse().map_err(|_| error())?)),
            None => (text, None),
        };
        let sizes: Option<Vec<usize>> = sizes.split('-').map(|size| size.parse().ok()).collect();
        sizes
            .filter(|sizes| {
                sizes.len() <= MAX_PATTERNS
                    && sizes.iter().all(|size| (1..=MAX_TILES).contains(size))
                    && divisions.is_none_or(|divisions| (1..=MAX_DIVISIONS).contains(&divisions))
            })
            .map(|sizes| Self { sizes, divisions })
            .ok_or_else(error)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, size) in self.sizes.iter().enumerate() {
            write!(f, "{}{size}", if at > 0 { "-" } else { "" })?;
        }
        match self.divisions {
            Some(divisions) => write!(f, "x{divisions}"),
            None => Ok(()),
        }
    }
}

/// View: an orientation of the board on the frame, and the patterns of one division there.
#[derive(Clone, Debug)]
pub(in crate::pdb) struct View {
    pub(in crate::pdb) orientation: Symmetry,
    pub(in crate::pdb) patterns: Vec<Pattern>,
}

impl Partition {
    /// Returns the name in options and results, as `pdb:7-8`. Leaks one string per distinct
    /// name, of which there are few.
    pub fn name(&self) -> &'static str {
        static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
        let name = format!("pdb:{self}");
        let mut names = NAMES.lock();
        names.iter().find(|&&known| known == name).copied().unwrap_or_else(|| {
            names.push(String::leak(name));
            names[names.len() - 1]
        })
    }

    /// Returns the size of the largest pattern.
    pub fn largest(&self) -> Option<usize> {
        self.sizes.iter().copied().max()
    }

    /// Returns the number of divisions.
    pub fn divisions(&self) -> usize {
        self.divisions.unwrap_or(1)
    }

    /// Returns this partition with the number of divisions that suits short searches.
    pub fn with_few_divisions(&self) -> Self {
        Self {
            divisions: self.divisions.map(|divisions| divisions.min(divisions::FEW_DIVISIONS)),
            ..self.clone()
        }
    }

    /// Returns the number of patterns.
    pub fn patterns(&self) -> usize {
        self.sizes.len()
    }

    /// Returns the number of tiles of all patterns.
    pub fn tiles(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// Returns the partitions to consider for boards of `cells` cells, smallest databases first.
    pub fn candidates(cells: usize) -> Vec<Self> {
        let sizes: &[&[usize]] = match cells - 1 {
            24 => &[&[6, 6, 6, 6]],
            23 => &[&[6, 6, 6, 5]],
            21 => &[&[6, 5, 5, 5], &[7, 7, 7]],
            20 => &[&[5, 5, 5, 5], &[7, 7, 6]],
            19 => &[&[5, 5, 5, 4], &[7, 6, 6]],
            17 => &[&[6, 6, 5], &[7, 7, 3]],
            15 => &[&[5, 5, 5], &[6, 6, 3], &[7, 7, 1], &[7, 8]],
            14 => &[&[5, 5, 4], &[6, 6, 2], &[7, 7], &[6, 8]],
            13 => &[&[5, 4, 4], &[6, 7], &[5, 8]],
            11 => &[&[4, 4, 3], &[5, 6], &[3, 8]],
            9 => &[&[4, 5], &[1, 8]],
            tiles @ 3..=8 => {
                return vec![Self { sizes: vec![tiles / 2, tiles - tiles / 2], divisions: None }];
            }
            _ => &[],
        };
        let plain = sizes.iter().map(|sizes| Self { sizes: sizes.to_vec(), divisions: None });
        plain.flat_map(|partition| partition.variants()).collect()
    }

    /// Returns this partition with each number of divisions to consider, fewest first; only
    /// itself if the number is fixed.
    pub fn variants(&self) -> Vec<Self> {
        if self.divisions.is_some() || self.tiles() < NARROW {
            return vec![self.clone()];
        }
        DIVISIONS.map(|divisions| Self { divisions: Some(divisions), ..self.clone() }).to_vec()
    }

    /// Returns why this partition cannot be used for boards of `size`, or `None` if it can.
    /// Does not consider memory.
    pub fn misfit(&self, size: Size) -> Option<String> {
        let tiles = size.cells() - 1;
        if self.tiles() != tiles {
            Some(format!("pdb:{self} divides {} tiles, and {size} boards have {tiles}", self.tiles()))
        } else if size.cells() <= NARROW && self.patterns() > MAX_NARROW_PATTERNS {
            Some(format!(
                "pdb:{self} has {} patterns, but boards of up to {NARROW} cells can have at most {MAX_NARROW_PATTERNS}",
                self.patterns()
            ))
        } else if size.cells() <= NARROW && self.divisions() > 1 {
            Some(format!("pdb:{self} uses several divisions, which needs boards of more than {NARROW} cells"))
        } else {
            None
        }
    }

    /// Returns the views of a board whose goal has its blank in cell `blank`: one per division,
    /// and one more if a mirror image keeps the blank's cell but changes the patterns. `None`
    /// if the partition does not fit the board.
    pub(in crate::pdb) fn views(&self, size: Size, blank: usize) -> Option<Vec<View>> {
        let frame = Frame::new(size)?;
        if self.misfit(size).is_some() {
            return None;
        }
        // Map the blank to the last possible cell, so that all corners share their databases.
        let orientations = frame.orientations(size);
        let orientation = *orientations.iter().max_by_key(|orientation| orientation.0[blank])?;
        let blank = usize::from(orientation.0[blank]);
        let mirrors: Vec<Symmetry> =
            frame.symmetries().into_iter().filter(|image| usize::from(image.0[blank]) == blank).collect();
        let divisions = match self.divisions {
            None | Some(1) => vec![self.divide(frame, blank)],
            Some(divisions) => divisions::divide(frame, blank, &self.sizes, divisions, &mirrors),
        };
        let mut views = Vec::new();
        for sets in divisions {
            let patterns = |sets: &[CellSet]| -> Option<Vec<Pattern>> {
                sets.iter().map(|&set| Pattern::new(frame, set, blank)).collect()
            };
            views.push(View { orientation, patterns: patterns(&sets)? });
            let mirror = mirrors
                .iter()
                .max_by_key(|image| sets.iter().filter(|&&set| !sets.contains(&image.image(set))).count())?;
            if sets.iter().any(|&set| !sets.contains(&mirror.image(set))) {
                let sets: Vec<CellSet> = sets.iter().map(|&set| mirror.image(set)).collect();
                views.push(View { orientation, patterns: patterns(&sets)? });
            }
        }
        Some(views)
    }

    /// Returns the goal cells of each pattern for a single division.
    fn divide(&self, frame: Frame, blank: usize) -> Vec<CellSet> {
        if let Some(sets) = self.well_known(frame, blank) {
            return sets;
        }
        if frame.cells() > NARROW {
            return divisions::divide(frame, blank, &self.sizes, 1, &[]).remove(0);
        }
        // Along the rows in alternating direction, so that patterns are contiguous.
        let mut path = (0..frame.cells()).map(|at| {
            let (row, col) = (at / frame.cols, at % frame.cols);
            row * frame.cols + if row % 2 == 0 { col } else { frame.cols - 1 - col }
        });
        let mut path = path.by_ref().filter(|&cell| cell != blank);
        self.sizes.iter().map(|&size| path.by_ref().take(size).fold(0, |set, cell| set | 1 << cell)).collect()
    }

    /// Returns a division of the 15-puzzle with the blank in the corner that is known to be
    /// good.
    fn well_known(&self, frame: Frame, blank: usize) -> Option<Vec<CellSet>> {
        if (frame.rows, frame.cols, blank) != (4, 4, 15) {
            return None;
        }
        let board: &[u8; 16] = match self.sizes[..] {
            [7, 8] => b"bbbbbbbbaaaaaaa.",
            _ => return None,
        };
        Some(divisions::sets_of(board))
    }
}
