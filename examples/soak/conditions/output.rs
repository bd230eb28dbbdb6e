//! Where results go: a file, or a symlink to one.

use super::names::file_name;
use crate::results::Format;
use crate::round::Round;
use anyhow::{Result, ensure};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

/// A file of results.
pub(crate) struct Output {
    pub(crate) name: OsString,
    /// The file itself, if the name is a symlink.
    target: Option<PathBuf>,
}

impl Output {
    /// Chooses a name, and now and then makes a symlink of it.
    pub(crate) fn new(round: &mut Round<'_>, number: usize, format: Format) -> Result<Self> {
        let name = file_name(round, 100 + number, &format!("out.{}", format.ending()));
        let mut target = None;
        if !round.skips("symlink-output") && round.random.one_in(5) {
            let folder = round.workspace.path(format!("elsewhere{number}"));
            fs::create_dir(&folder)?;
            let path = folder.join("target");
            // Some links lead to a file that is not there yet.
            std::os::unix::fs::symlink(&path, round.workspace.path(&name))?;
            target = Some(path);
        }
        Ok(Self { name, target })
    }

    /// Returns the arguments that write there.
    pub(crate) fn arguments(&self, format: Format) -> Vec<OsString> {
        let mut name = self.name.clone();
        if name.as_encoded_bytes().starts_with(b"-") {
            name = OsString::from("./");
            name.push(&self.name);
        }
        vec!["-o".into(), name, "--format".into(), format.word().into()]
    }

    /// Whether there is a file.
    pub(crate) fn exists(&self, round: &Round<'_>) -> bool {
        round.workspace.path(&self.name).exists()
    }

    /// Checks that a symlink is still one.
    pub(crate) fn check_link(&self, round: &Round<'_>) -> Result<()> {
        if let Some(target) = &self.target {
            let link = fs::symlink_metadata(round.workspace.path(&self.name))?;
            ensure!(link.is_symlink() && target.is_file(), "the symlink was replaced by a file");
        }
        Ok(())
    }
}
