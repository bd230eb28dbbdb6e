//! Arguments of `generate trays`.

use super::Destination;
use crate::{
    generate::trays::{BlockShape, TrayGoal, TrayRequest},
    memory::{
        budget::{OutOfBudget, PROGRAM},
        limits,
    },
    puzzle::trays::Rect,
    quantity::parse_size,
};
use anyhow::ensure;
use clap::Args;

/// Examples at the end of the help.
const EXAMPLES: &str = "\
Examples:
  batch-solve generate trays --size 5x4 --holes 2 --count 1000 --seed 7
  batch-solve generate trays --size 6x6 --holes 2 --shapes 1x1,1x2,2x1 --moves 1000
  batch-solve generate trays --size 4x4 --density 0.5 --anywhere | batch-solve -
  batch-solve generate trays --size 6x6 --shapes 2x2:1,1x2:6,2x1:6,1x1:6 --corner
  batch-solve generate trays --size 5x4 --farthest 100000 --count 20";

/// Arguments of `generate trays`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct GenerateTraysArgs {
    /// Rows and columns, from 1x1 to 256x256
    #[arg(short, long, value_name = "RxC", value_parser = parse_sides, default_value = "5x4", help_heading = "Trays")]
    pub size: (u16, u16),

    /// Number of trays
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, help_heading = "Trays")]
    pub count: u64,

    /// Seed; equal seeds give equal trays on every machine
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Trays")]
    pub seed: u64,

    /// Empty cells [default: 2]
    #[arg(long, value_name = "N", conflicts_with = "density", help_heading = "Trays")]
    pub holes: Option<usize>,

    /// Fraction of cells covered by blocks, from 0 to 1, instead of --holes
    #[arg(long, value_name = "PART", help_heading = "Trays")]
    pub density: Option<f64>,

    /// Block shapes as rows x columns, chosen with equal probability among those that
    /// fit; RxC:N places exactly N blocks of a shape
    #[arg(long, value_name = "RxC[:N],...", value_parser = parse_shape, value_delimiter = ',', default_value = "1x1,1x2,2x1,2x2", help_heading = "Trays")]
    pub shapes: Vec<BlockShape>,

    /// Number of blocks with a goal
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Trays")]
    pub goals: usize,

    /// Goal: the positions after N random moves, so a solution exists
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = "Trays")]
    pub moves: u64,

    /// Goal: any position; there may be no solution
    #[arg(long, conflicts_with = "moves", help_heading = "Trays")]
    pub anywhere: bool,

    /// Goal: the largest block in the farthest corner; there may be no solution
    #[arg(long, conflicts_with_all = ["moves", "anywhere"], help_heading = "Trays")]
    pub corner: bool,

    /// Goal: the position that takes the most moves for one block (breadth-first search,
    /// up to N states of at most 40 bytes; trays of up to 64 cells)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000), conflicts_with_all = ["moves", "anywhere", "corner"], help_heading = "Trays")]
    pub farthest: Option<u64>,

    /// Hard cap on the memory of the process, such as 512MiB or 2G; a --farthest
    /// search that needs more is refused, so trays never depend on this option
    /// [default: 3/4 of what this process may use]
    #[arg(short, long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    pub memory: Option<u64>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub destination: Destination,
}

/// Memory reserved beside the search: program, tray and a chunk of text.
const RESERVED: u64 = PROGRAM + (2 << 20);

impl GenerateTraysArgs {
    /// Returns the cap on the memory of the process.
    pub fn memory(&self) -> u64 {
        limits::cap(self.memory, 0)
    }

    /// Returns an error for a search that does not fit, with a sufficient cap.
    pub fn short(&self, search: &OutOfBudget) -> OutOfBudget {
        OutOfBudget { cap: self.memory(), needed: search.needed.saturating_add(RESERVED) }
    }

    /// Returns the requested trays, or an error if arguments contradict each other.
    pub fn request(&self) -> anyhow::Result<TrayRequest> {
        let (rows, cols) = (self.size.0 as usize, self.size.1 as usize);
        let counted = self.shapes.iter().any(|shape| shape.count.is_some());
        let holes = if counted { self.holes_beside_counted(rows * cols)? } else { self.holes(rows, cols)? };
        let fits = |shape: &&BlockShape| shape.height as usize <= rows && shape.width as usize <= cols;
        let smallest = self.shapes.iter().filter(fits).map(BlockShape::area).min();
        ensure!(
            smallest.is_some_and(|area| holes + area <= rows * cols),
            "no block of these shapes fits beside {holes} holes in a {rows}x{cols} tray"
        );
        let goal = match self.farthest {
            Some(max_states) => {
                TrayGoal::Farthest { max_states, memory: self.memory().saturating_sub(RESERVED) }
            }
            None if self.corner => TrayGoal::Corner,
            None if self.anywhere => TrayGoal::Anywhere,
            None => TrayGoal::Moves(self.moves),
        };
        ensure!(self.farthest.is_none() || rows * cols <= 64, "--farthest is for trays of up to 64 cells");
        let (count, seed, goals) = (self.count, self.seed, self.goals);
        Ok(TrayRequest { rows, cols, count, seed, holes, shapes: self.shapes.clone(), goals, goal })
    }

    fn holes(&self, rows: usize, cols: usize) -> anyhow::Result<usize> {
        let Some(part) = self.density else { return Ok(self.holes.unwrap_or(2)) };
        ensure!((0.0..=1.0).contains(&part), "--density is a part from 0 to 1");
        Ok(rows * cols - ((rows * cols) as f64 * part).round() as usize)
    }

    /// Returns the number of cells that counted blocks leave empty.
    fn holes_beside_counted(&self, cells: usize) -> anyhow::Result<usize> {
        ensure!(
            self.shapes.iter().all(|shape| shape.count.is_some()),
            "--shapes: either all shapes have a number of blocks or none has"
        );
        let covered: usize =
            self.shapes.iter().map(|shape| shape.area() * usize::from(shape.count.unwrap_or(0))).sum();
        ensure!(covered <= cells, "--shapes: the blocks cover {covered} cells, but there are only {cells}");
        let holes = cells - covered;
        ensure!(
            self.density.is_none() && self.holes.is_none_or(|given| given == holes),
            "--shapes: the blocks leave {holes} holes; --holes and --density are for shapes without numbers"
        );
        Ok(holes)
    }
}

/// Parses `RxC` or `RxC:N`.
fn parse_shape(text: &str) -> Result<BlockShape, String> {
    let Some((sides, count)) = text.split_once(':') else { return Ok(parse_sides(text)?.into()) };
    let count = count.parse().ok().filter(|&count| count > 0);
    let count = count.ok_or_else(|| format!("'{text}' is not ROWSxCOLUMNS:NUMBER of blocks"))?;
    Ok(BlockShape { count: Some(count), ..parse_sides(sides)?.into() })
}

/// Parses `RxC`.
fn parse_sides(text: &str) -> Result<(u16, u16), String> {
    let sides = text.split_once('x').and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)));
    let fits = |side: &u16| (1..=Rect::MAX_SIDE).contains(&usize::from(*side));
    sides
        .filter(|(rows, cols)| fits(rows) && fits(cols))
        .ok_or_else(|| format!("'{text}' is not ROWSxCOLUMNS, each from 1 to 256"))
}
