//! The arguments of `pdb`, and where databases are kept.

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

A run makes what pays for itself and keeps it here, so nothing has to be made by
hand. Files can be deleted at any time.";

/// What `pdb` can be told.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct PdbArgs {
    #[command(subcommand)]
    #[allow(missing_docs)]
    pub command: PdbCommand,
}

/// What to do with databases.
#[derive(Clone, Debug, Subcommand)]
pub enum PdbCommand {
    /// Make the databases of a partition, unless they are there
    Build(BuildArgs),
    /// List the databases on disk, with their sizes and mean distances
    List(PdbDir),
    /// Read every database on disk and check it; exit status 1 if one is damaged
    Verify(PdbDir),
    /// Print the folder
    Path(PdbDir),
}

/// Where databases are kept.
#[derive(Clone, Debug, Args)]
pub struct PdbDir {
    /// The folder of the pattern databases [default: batch-solve in the user's
    /// cache folder]
    #[arg(long, value_name = "DIR")]
    pub pdb_dir: Option<PathBuf>,
}

impl PdbDir {
    /// The store in it; none for a user without a home.
    pub fn store(&self) -> Option<Store> {
        self.pdb_dir.as_ref().map(Store::new).or_else(Store::of_user)
    }
}

/// What `pdb build` can be told.
#[derive(Clone, Debug, Args)]
pub struct BuildArgs {
    /// How the tiles are divided, such as 7-8 [default: the largest for the size]
    #[arg(value_name = "PARTITION")]
    pub partition: Option<Partition>,

    /// Rows and columns
    #[arg(short, long, value_name = "RxC", default_value = "4x4")]
    pub size: Size,

    /// Where the tiles should end; only the blank's place matters here, and
    /// corners are all the same
    #[arg(long, value_name = "GOAL", default_value = "blank-last")]
    pub goal: String,

    /// Workers [default: available cores]
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
    /// The partition, and the cell of the goal's blank.
    pub fn request(&self) -> anyhow::Result<(Partition, usize)> {
        let goal = parse_goal(&self.goal, Some(self.size)).context("--goal")?;
        let goal = goal.board(self.size).context("the goal does not fit the size")?;
        let largest = || Partition::candidates(self.size.cells()).pop();
        let asked = self.partition.as_ref().and_then(|asked| asked.variants().pop());
        let partition = asked.or_else(largest);
        let partition =
            partition.with_context(|| format!("{} boards have no pattern databases", self.size))?;
        Ok((partition, goal.blank()))
    }
}
