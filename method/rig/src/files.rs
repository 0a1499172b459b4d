//! Files that a plan wants and that are missing or too short.

use crate::{RigError, mark};
use plimsoll_plan::Target;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// A file to be made, or to be made longer.
#[derive(Debug)]
pub(crate) struct Make {
    pub path: PathBuf,
    pub size: u64,
    /// How long it is now; `None`: there is no such file.
    now: Option<u64>,
}

impl Make {
    /// True where it's there already, with something in it.
    pub fn extends(&self) -> bool {
        self.now.is_some_and(|bytes| bytes > 0)
    }
}

/// What must be made for `path` to hold the target; `None` where it's there and long enough. Looks only.
pub(crate) fn missing(path: &Path, target: &Target) -> Result<Option<Make>, RigError> {
    let failed = |source| RigError::Prepare {
        path: path.display().to_string(),
        source,
    };
    let wanted = target.size.map(|s| s.0 + target.offset.0);
    match std::fs::metadata(path) {
        Ok(meta) if meta.file_type().is_block_device() => Ok(None),
        Ok(meta) if meta.is_file() => {
            let Some(size) = wanted.filter(|w| *w > meta.len()) else {
                return Ok(None);
            };
            check_room(path, size - meta.len())?;
            Ok(Some(Make {
                path: path.to_path_buf(),
                size,
                now: Some(meta.len()),
            }))
        }
        // Refused before it is opened: opening a pipe would wait for somebody to write into it.
        Ok(_) => Err(RigError::Refused(format!(
            "{} is neither a file nor a block device; name one of these, lab:PERSONA for a simulated array, or null:SIZE for the engine alone",
            path.display()
        ))),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            if path.starts_with("/dev/") {
                return Err(failed(e));
            }
            let Some(size) = wanted else {
                return Err(RigError::NoSize {
                    path: path.display().to_string(),
                });
            };
            check_room(path, size)?;
            Ok(Some(Make {
                path: path.to_path_buf(),
                size,
                now: None,
            }))
        }
        Err(e) => Err(failed(e)),
    }
}

/// Files that were made or made longer. Until they are kept, dropping this leaves everything as it was.
#[derive(Default)]
pub(crate) struct Made(Vec<(Make, File)>);

impl Made {
    /// Makes the file at its size, without content.
    pub fn create(&mut self, make: Make) -> Result<(), RigError> {
        let failed = |source| RigError::Prepare {
            path: make.path.display().to_string(),
            source,
        };
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&make.path)
            .map_err(failed)?;
        let sized = file.set_len(make.size).map_err(failed);
        self.0.push((make, file));
        sized
    }

    /// Marks the files as ours and lets them stay.
    pub fn keep(mut self) -> Result<Vec<Make>, RigError> {
        for (make, file) in self.0.iter().filter(|(make, _)| !make.extends()) {
            // Without the mark the next run asks for --destroy; that's no reason not to run now.
            let _ = mark::set(file).map_err(|source| RigError::Prepare {
                path: make.path.display().to_string(),
                source,
            })?;
        }
        Ok(std::mem::take(&mut self.0)
            .into_iter()
            .map(|(make, _)| make)
            .collect())
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for (make, file) in &self.0 {
            // The refusal that is on its way says what matters; an empty file left behind does not.
            let _ = match make.now {
                None => std::fs::remove_file(&make.path),
                Some(bytes) => file.set_len(bytes),
            };
        }
    }
}

fn check_room(path: &Path, needed: u64) -> Result<(), RigError> {
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let stat = rustix::fs::statvfs(folder).map_err(|e| RigError::Prepare {
        path: path.display().to_string(),
        source: e.into(),
    })?;
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    if free < needed {
        return Err(RigError::NoSpace {
            path: path.display().to_string(),
            needed,
            free,
        });
    }
    Ok(())
}
