//! The configurations of a tray: grids of letters or numbers under lines such
//! as `7 0 1 1 1`, or `7.1 …` and `7.2 …` for a move that is not straight.
//!
//! The moves are found by comparing each configuration with the one before;
//! the numbers beside the configuration's own are not believed.

use super::outcome::{Blocks, short};
use super::states::MOST_CELLS;

/// The configurations as their lines come in.
#[derive(Default)]
pub(super) struct Configurations {
    pub(super) blocks: Blocks,
    /// Where each block's top-left cell was, in the order of their names.
    before: Vec<(i64, [i64; 2])>,
    /// The configuration that is being read, and how wide its rows are.
    cells: Vec<i64>,
    cols: usize,
    /// Whether its own line was read, and whether it goes on with the move
    /// before.
    begun: bool,
    goes_on: bool,
}

impl Configurations {
    /// Takes a line; the blank line below a grid ends it.
    pub(super) fn line(&mut self, text: &str) -> Result<(), String> {
        let number = self.blocks.count + u64::from(self.blocks.start.is_some());
        match text.trim() {
            "" if self.cells.is_empty() => Ok(()),
            "" => self.end(number),
            said if !self.begun => {
                self.begun = true;
                self.goes_on = self.begin(said.split(' ').next().unwrap_or(""), number)?;
                Ok(())
            }
            row => self.row(row, number),
        }
    }

    /// Reads a configuration's number; says whether it goes on with the move
    /// before.
    fn begin(&self, said: &str, number: u64) -> Result<bool, String> {
        let (whole, part) = said.split_once('.').unwrap_or((said, "1"));
        match (whole.parse::<u64>(), part.parse::<u64>()) {
            (Ok(whole), Ok(1)) if whole == number => Ok(false),
            (Ok(whole), Ok(2..)) if whole.checked_add(1) == Some(number) && !self.blocks.steps.is_empty() => {
                Ok(true)
            }
            _ => Err(format!("'{}' where configuration {number} should start", short(said))),
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

    /// Compares the configuration with the one before.
    fn end(&mut self, number: u64) -> Result<(), String> {
        let cells = std::mem::take(&mut self.cells);
        let place = |cell: usize| [cell / self.cols, cell % self.cols].map(|side| side as i64);
        let named = cells.iter().enumerate().filter(|&(_, &name)| name > 0);
        let mut after: Vec<(i64, [i64; 2])> = named.map(|(cell, &name)| (name, place(cell))).collect();
        // The first cell of each name: places are in the order of cells.
        after.sort_unstable();
        after.dedup_by_key(|&mut (name, _)| name);
        self.begun = false;
        if self.blocks.start.is_none() {
            self.blocks.start = Some(cells);
            self.before = after;
            return Ok(());
        }
        let wrong = || format!("configuration {number} is not one move after the one before");
        if self.before.len() != after.len() || self.before.iter().zip(&after).any(|(b, a)| b.0 != a.0) {
            return Err(wrong());
        }
        let mut moved = self.before.iter().zip(&after).filter(|(before, after)| before != after);
        let (Some((&(_, from), &(_, to))), None) = (moved.next(), moved.next()) else { return Err(wrong()) };
        if self.goes_on && self.blocks.steps.last().is_none_or(|last| last[2..] != from) {
            return Err(format!("configuration {number} goes on with another block"));
        }
        self.blocks.steps.push([from[0], from[1], to[0], to[1]]);
        self.blocks.count += u64::from(!self.goes_on);
        self.before = after;
        Ok(())
    }
}
