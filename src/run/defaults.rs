//! Values derived from the options before the first record is read.

use crate::input::{Defaults, max_zstd_window, parse_goal};
use crate::options::Options;
use crate::run::RunError;

impl Options {
    /// Returns the memory that the file names occupy, in bytes. The first thousand count as part of
    /// the program.
    pub(crate) fn names_footprint(&self) -> u64 {
        // Measured: the arguments, the parser's values, and the copy in the options.
        const COPIES: usize = 4;
        const EACH: usize = 280;
        self.files.iter().skip(1000).map(|name| (EACH + COPIES * name.len()) as u64).sum()
    }

    /// Returns the settings that apply to the records of all files, until a directive changes them.
    pub(crate) fn defaults(&self) -> Result<Defaults, RunError> {
        let goal = parse_goal(&self.goal, None)?;
        let form = self.input_format.as_deref().map(str::parse).transpose()?;
        let Self { tile_metric, tray_metric, .. } = *self;
        let zstd_window = Some(max_zstd_window(self.memory));
        Ok(Defaults { goal, form, tile_metric, tray_metric, zstd_window, size: None })
    }
}
