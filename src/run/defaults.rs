//! What follows from the options before the first record is read.

use crate::input::{Defaults, packed_window, parse_goal};
use crate::options::Options;
use crate::run::RunError;

impl Options {
    /// The memory that the names of the files take, in bytes. That of the first thousand is part of
    /// what the program takes anyway.
    pub(crate) fn names_footprint(&self) -> u64 {
        // The arguments, what the parser makes of them, and the copy here (measured).
        const COPIES: usize = 4;
        const EACH: usize = 280;
        self.files.iter().skip(1000).map(|name| (EACH + COPIES * name.len()) as u64).sum()
    }

    /// What the records of all files start with.
    pub(crate) fn defaults(&self) -> Result<Defaults, RunError> {
        let goal = parse_goal(&self.goal, None)?;
        let form = self.input_format.as_deref().map(str::parse).transpose()?;
        let Self { tile_metric, tray_metric, .. } = *self;
        let zstd_window = Some(packed_window(self.memory));
        Ok(Defaults { goal, form, tile_metric, tray_metric, zstd_window, size: None })
    }
}
