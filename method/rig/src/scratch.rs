//! Folder for the temporary files of other programs.

use std::io;
use std::path::Path;
use tempfile::TempDir;

/// A folder for temporary files, which goes with this. That of a process that was killed stays: whose a folder is that is found later,
/// nobody can tell by its name.
#[derive(Debug)]
pub(crate) struct Scratch(TempDir);

impl Scratch {
    /// Makes one in the folder for temporary files.
    pub fn new() -> io::Result<Self> {
        let made = tempfile::Builder::new()
            .prefix("plimsoll-scratch-")
            .tempdir()?;
        Ok(Scratch(made))
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
