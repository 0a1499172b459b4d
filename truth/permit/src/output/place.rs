//! A name in a folder that is held open.

use super::error::OutputError;
use super::found::{FileId, Found, identity, open_folder, parent};
use rustix::fs::{FileType, readlinkat};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// As many links one after the other as the kernel follows.
const LINKS: u32 = 40;

/// Where something may be written, and what is there.
#[derive(Debug)]
pub(crate) struct OutputPlace {
    /// As it was given.
    pub path: PathBuf,
    /// All that is done goes through this folder, whatever its name leads to later.
    pub folder: OwnedFd,
    /// The folder's path without links.
    pub real_folder: PathBuf,
    pub name: OsString,
    pub there: Option<Found>,
    /// What was given is a link, which leads here.
    pub is_linked: bool,
}

impl OutputPlace {
    /// Follows the links that a path ends in.
    pub(crate) fn find(path: &Path) -> Result<Self, OutputError> {
        let failed = |source: std::io::Error| OutputError::system(path, source);
        let mut at = path.to_path_buf();
        for links in 0..LINKS {
            let Some(name) = file_name(&at) else {
                return Err(is_a_folder(path));
            };
            let folder = open_folder(parent(&at)).map_err(|e| failed(e.into()))?;
            let there = Found::within(&folder, name).map_err(failed)?;
            if there
                .as_ref()
                .is_some_and(|found| found.file_type() == FileType::Symlink)
            {
                let target = readlinkat(&folder, name, Vec::new()).map_err(|e| failed(e.into()))?;
                at = parent(&at).join(OsString::from_vec(target.into_bytes()));
                continue;
            }
            return Ok(OutputPlace {
                path: path.to_path_buf(),
                real_folder: real(parent(&at), &folder).map_err(failed)?,
                name: name.to_owned(),
                folder,
                there,
                is_linked: links > 0,
            });
        }
        Err(failed(rustix::io::Errno::LOOP.into()))
    }

    /// A name in a folder that is held already.
    pub(crate) fn within(
        folder: &OwnedFd,
        real_folder: &Path,
        path: &Path,
        name: &OsStr,
    ) -> Result<Self, OutputError> {
        let failed = |source: std::io::Error| OutputError::system(path, source);
        Ok(OutputPlace {
            path: path.to_path_buf(),
            folder: folder.try_clone().map_err(failed)?,
            real_folder: real_folder.to_path_buf(),
            name: name.to_owned(),
            there: Found::within(folder, name).map_err(failed)?,
            is_linked: false,
        })
    }

    /// Path without links.
    pub(crate) fn real_path(&self) -> PathBuf {
        self.real_folder.join(&self.name)
    }

    /// The folder's identity.
    pub(crate) fn folder_identity(&self) -> Result<FileId, OutputError> {
        let stat = rustix::fs::fstat(&self.folder);
        stat.map(|stat| identity(&stat))
            .map_err(|e| OutputError::system(&self.path, e))
    }
}

pub(crate) fn is_a_folder(path: &Path) -> OutputError {
    OutputError::refused(
        path,
        "it is a folder",
        "name a file, which may be in the folder",
    )
}

/// The last name of a path; `None` where the path means a folder.
fn file_name(path: &Path) -> Option<&OsStr> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.ends_with(b"/") || bytes.ends_with(b"/.") {
        return None;
    }
    path.file_name()
}

/// The path of an opened folder, without links.
fn real(path: &Path, folder: &OwnedFd) -> std::io::Result<PathBuf> {
    let real = path.canonicalize()?;
    let (held, named) = (rustix::fs::fstat(folder)?, real.metadata()?);
    if identity(&held) == (named.dev(), named.ino()) {
        Ok(real)
    } else {
        // Its name leads elsewhere than a moment ago.
        Err(rustix::io::Errno::STALE.into())
    }
}
