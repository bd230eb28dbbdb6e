//! The arguments of `generate trays`.

use super::Destination;
use crate::{
    generate::trays::{TrayGoal, TrayRequest},
    puzzle::trays::Rect,
};
use anyhow::ensure;
use clap::Args;

/// Examples at the end of the help.
const EXAMPLES: &str = "\
Examples:
  batch-solve generate trays --size 5x4 --holes 2 --count 1000 --seed 7
  batch-solve generate trays --size 6x6 --holes 2 --shapes 1x1,1x2,2x1 --moves 1000
  batch-solve generate trays --size 4x4 --density 0.5 --anywhere | batch-solve -";

/// What `generate trays` can be told.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct GenerateTraysArgs {
    /// Rows and columns, from 1x1 to 256x256
    #[arg(short, long, value_name = "RxC", value_parser = parse_sides, default_value = "5x4", help_heading = "Trays")]
    pub size: (u16, u16),

    /// How many trays
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, help_heading = "Trays")]
    pub count: u64,

    /// The same seed gives the same trays on every machine
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Trays")]
    pub seed: u64,

    /// Cells that stay empty [default: 2]
    #[arg(long, value_name = "N", conflicts_with = "density", help_heading = "Trays")]
    pub holes: Option<usize>,

    /// The part of the cells that blocks cover, from 0 to 1, instead of --holes
    #[arg(long, value_name = "PART", help_heading = "Trays")]
    pub density: Option<f64>,

    /// Rows and columns of the blocks, each equally likely where it fits
    #[arg(long, value_name = "RxC,...", value_parser = parse_sides, value_delimiter = ',', default_value = "1x1,1x2,2x1,2x2", help_heading = "Trays")]
    pub shapes: Vec<(u16, u16)>,

    /// Blocks that have a goal
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Trays")]
    pub goals: usize,

    /// The goal: where blocks are after N random moves, so there is a solution
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = "Trays")]
    pub moves: u64,

    /// The goal: anywhere, so there may be no solution
    #[arg(long, conflicts_with = "moves", help_heading = "Trays")]
    pub anywhere: bool,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub destination: Destination,
}

impl GenerateTraysArgs {
    /// The trays asked for, or why these arguments make no sense.
    pub fn request(&self) -> anyhow::Result<TrayRequest> {
        let (rows, cols) = (self.size.0 as usize, self.size.1 as usize);
        let holes = match self.density {
            None => self.holes.unwrap_or(2),
            Some(part) => {
                ensure!((0.0..=1.0).contains(&part), "--density is a part from 0 to 1");
                rows * cols - ((rows * cols) as f64 * part).round() as usize
            }
        };
        let fits = |&(height, width): &(u16, u16)| height as usize <= rows && width as usize <= cols;
        let smallest =
            self.shapes.iter().filter(|shape| fits(shape)).map(|&(a, b)| a as usize * b as usize).min();
        ensure!(
            smallest.is_some_and(|area| holes + area <= rows * cols),
            "no block of these shapes fits beside {holes} holes in a {rows}x{cols} tray"
        );
        let goal = if self.anywhere { TrayGoal::Anywhere } else { TrayGoal::Moves(self.moves) };
        let (count, seed, goals) = (self.count, self.seed, self.goals);
        Ok(TrayRequest { rows, cols, count, seed, holes, shapes: self.shapes.clone(), goals, goal })
    }
}

/// Reads `RxC`.
fn parse_sides(text: &str) -> Result<(u16, u16), String> {
    let sides = text.split_once('x').and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)));
    let fits = |side: &u16| (1..=Rect::MAX_SIDE).contains(&usize::from(*side));
    sides
        .filter(|(rows, cols)| fits(rows) && fits(cols))
        .ok_or_else(|| format!("'{text}' is not ROWSxCOLUMNS, each from 1 to 256"))
}
