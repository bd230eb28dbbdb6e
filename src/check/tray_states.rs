//! Configurations of a tray: grids of letters or numbers below lines such as `7 0 1 1 1`, or `7.1
//! …` and `7.2 …` for a move that is not straight.
//!
//! Moves are derived by comparing each configuration with its predecessor; numbers after the
//! configuration's own are ignored.

use super::outcome::{Blocks, short};
use super::states::MOST_CELLS;

/// Configurations, collected line by line.
#[derive(Default)]
pub(super) struct Configurations {
    pub(super) blocks: Blocks,
    /// Previous top-left cell of each block, sorted by name.
    previous: Vec<(i64, [i64; 2])>,
    /// Cells of the current configuration, and the width of its rows.
    cells: Vec<i64>,
    cols: usize,
    /// Whether its heading was read, and whether it continues the previous move.
    begun: bool,
    continues: bool,
}

impl Configurations {
    /// Adds a line. The blank line below a grid ends it.
    pub(super) fn line(&mut self, text: &str) -> Result<(), String> {
        let number = self.blocks.count + u64::from(self.blocks.start.is_some());
        match text.trim() {
            "" if self.cells.is_empty() => Ok(()),
            "" => self.end(number),
            claimed if !self.begun => {
                self.begun = true;
                self.continues = self.begin(claimed.split(' ').next().unwrap_or(""), number)?;
                Ok(())
            }
            row => self.row(row, number),
        }
    }

    /// Parses a configuration's number. Returns whether it continues the previous move.
    fn begin(&self, claimed: &str, number: u64) -> Result<bool, String> {
        let (whole, part) = claimed.split_once('.').unwrap_or((claimed, "1"));
        match (whole.parse::<u64>(), part.parse::<u64>()) {
            (Ok(whole), Ok(1)) if whole == number => Ok(false),
            (Ok(whole), Ok(2..)) if whole.checked_add(1) == Some(number) && !self.blocks.steps.is_empty() => {
                Ok(true)
            }
            _ => Err(format!("'{}' where configuration {number} should start", short(claimed))),
        }
    }

    fn row(&mut self, row: &str, number: u64) -> Result<(), String> {
        let start = self.cells.len();
        if row.contains(' ') || row.bytes().all(|byte| byte.is_ascii_digit()) {
            for word in row.split_whitespace().take(MOST_CELLS + 1) {
                self.cells.push(match word {
                    "." => 0,
                    "#" => -1,
                    word => {
                        word.parse().map_err(|_| format!("'{}' in configuration {number}", short(word)))?
                    }
                });
            }
        } else {
            self.cells.extend(row.chars().take(MOST_CELLS + 1).map(|letter| match letter {
                '.' => 0,
                '#' => -1,
                letter => i64::from(u32::from(letter)),
            }));
        }
        self.cols = self.cells.len() - start;
        if self.cells.len() > MOST_CELLS {
            return Err(format!("configuration {number} is larger than any tray"));
        }
        Ok(())
    }

    /// Compares the configuration with its predecessor.
    fn end(&mut self, number: u64) -> Result<(), String> {
        let cells = std::mem::take(&mut self.cells);
        let place = |cell: usize| [cell / self.cols, cell % self.cols].map(|side| side as i64);
        let named = cells.iter().enumerate().filter(|&(_, &name)| name > 0);
        let mut after: Vec<(i64, [i64; 2])> = named.map(|(cell, &name)| (name, place(cell))).collect();
        // Keep the first cell of each name: positions are in the order of cells.
        after.sort_unstable();
        after.dedup_by_key(|&mut (name, _)| name);
        self.begun = false;
        if self.blocks.start.is_none() {
            self.blocks.start = Some(cells);
            self.previous = after;
            return Ok(());
        }
        let wrong = || format!("configuration {number} is not one move after the one before");
        if self.previous.len() != after.len() || self.previous.iter().zip(&after).any(|(b, a)| b.0 != a.0) {
            return Err(wrong());
        }
        let mut moved = self.previous.iter().zip(&after).filter(|(previous, after)| previous != after);
        let (Some((&(_, from), &(_, to))), None) = (moved.next(), moved.next()) else { return Err(wrong()) };
        if self.continues && self.blocks.steps.last().is_none_or(|last| last[2..] != from) {
            return Err(format!("configuration {number} continues with another block"));
        }
        self.blocks.steps.push([from[0], from[1], to[0], to[1]]);
        self.blocks.count += u64::from(!self.continues);
        self.previous = after;
        Ok(())
    }
}
