//! Arguments of `pdb`, and the folder of databases.

use crate::input::parse_goal;
use crate::pdb::{Partition, Store};
use crate::puzzle::tiles::Size;
use crate::quantity::parse_size;
use anyhow::Context;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Examples at the end of the help.
const EXAMPLES: &str = "\
Examples:
  batch-solve pdb build                      the large one of the 15-puzzle
  batch-solve pdb build 6-6-3 --size 4x4     a small one
  batch-solve pdb verify                     read every file and check it

Runs build the databases they need and keep them here, so building by hand is
optional. Files can be deleted at any time.";

/// Arguments of `pdb`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct PdbArgs {
    #[command(subcommand)]
    #[allow(missing_docs)]
    pub command: PdbCommand,
}

/// Commands on databases.
#[derive(Clone, Debug, Subcommand)]
pub enum PdbCommand {
    /// Build the databases of a partition, unless they exist
    Build(BuildArgs),
    /// List the databases on disk, with their sizes and mean distances
    List(PdbDir),
    /// Read every database on disk and check it; exit status 1 if one is damaged
    Verify(PdbDir),
    /// Print the folder
    Path(PdbDir),
}

/// Folder of databases.
#[derive(Clone, Debug, Args)]
pub struct PdbDir {
    /// Folder of the pattern databases [default: batch-solve in the user's
    /// cache folder]
    #[arg(long, value_name = "DIR")]
    pub pdb_dir: Option<PathBuf>,
}

impl PdbDir {
    /// Returns the store in the folder, or `None` if the user has no home folder.
    pub fn store(&self) -> Option<Store> {
        self.pdb_dir.as_ref().map(Store::new).or_else(Store::of_user)
    }
}

/// Arguments of `pdb build`.
#[derive(Clone, Debug, Args)]
pub struct BuildArgs {
    /// Partition of the tiles, such as 7-8 [default: the largest for the size]
    #[arg(value_name = "PARTITION")]
    pub partition: Option<Partition>,

    /// Rows and columns
    #[arg(short, long, value_name = "RxC", default_value = "4x4")]
    pub size: Size,

    /// Goal; only the cell of the blank matters, and all corners are equivalent
    #[arg(long, value_name = "GOAL", default_value = "blank-last")]
    pub goal: String,

    /// Worker threads [default: available cores]
    #[arg(short, long, visible_short_alias = 'j', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,

    /// Hard cap on the memory of the whole process, such as 1G
    #[arg(short, long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub folder: PdbDir,
}

impl BuildArgs {
    /// Returns the partition, and the cell of the goal's blank.
    pub fn request(&self) -> anyhow::Result<(Partition, usize)> {
        let goal = parse_goal(&self.goal, Some(self.size)).context("--goal")?;
        let goal = goal.board(self.size).context("the goal does not fit the size")?;
        let largest = || Partition::candidates(self.size.cells()).pop();
        let requested = self.partition.as_ref().and_then(|partition| partition.variants().pop());
        let partition = requested.or_else(largest);
        let partition =
            partition.with_context(|| format!("{} boards have no pattern databases", self.size))?;
        Ok((partition, goal.blank()))
    }
}
