//! Files that a command needs as they are: nothing flags say lets it write over them.

use super::error::OutputError;
use super::found::{FileId, identity, parent};
use super::place::OutputPlace;
use crate::Refusal;
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file that is never written over, by whatever name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Precious {
    what: String,
    path: PathBuf,
    /// True where everything below it is precious, too.
    is_tree: bool,
    /// Texts before and behind a number: only names with one between them are precious, where there are some.
    numbered: Option<[String; 2]>,
}

/// What a path leads to: a file, or a name that a folder has free.
#[derive(PartialEq, Eq)]
enum Meant {
    There(FileId),
    Missing(FileId, OsString),
}

impl Precious {
    /// `what` it is for this command, as in "it is WHAT": `the record that is read`.
    pub fn new(what: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Precious {
            what: what.into(),
            path: path.into(),
            is_tree: false,
            numbered: None,
        }
    }

    /// Names in a directory that are numbers between two texts: `what` each of them is.
    pub fn numbered(what: impl Into<String>, folder: impl Into<PathBuf>, texts: [&str; 2]) -> Self {
        Precious {
            numbered: Some(texts.map(str::to_string)),
            ..Precious::new(what, folder)
        }
    }

    /// A directory, in which nothing is written: `what` a file there would be.
    pub fn tree(what: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Precious {
            is_tree: true,
            ..Precious::new(what, root)
        }
    }

    /// Refuses where the place is this file, now or when both are made.
    pub(crate) fn check(&self, place: &OutputPlace) -> Result<(), OutputError> {
        let is_below = |root: PathBuf| place.real_path().starts_with(root);
        if self.is_tree && self.path.canonicalize().is_ok_and(is_below) {
            return Err(self.refusal(&place.path).into());
        }
        if let Some([before, after]) = &self.numbered {
            let name = place
                .name
                .to_str()
                .and_then(|name| name.strip_prefix(before.as_str()));
            let number = name.and_then(|rest| rest.strip_suffix(after.as_str()));
            let is_name = number.is_some_and(|n| n.bytes().all(|digit| digit.is_ascii_digit()));
            let is_here = meant(&self.path) == Some(Meant::There(place.folder_identity()?));
            return match is_name && is_here {
                true => Err(self.refusal(&place.path).into()),
                false => Ok(()),
            };
        }
        let written = match &place.there {
            Some(found) => Meant::There(identity(found.stat())),
            None => Meant::Missing(place.folder_identity()?, place.name.clone()),
        };
        match meant(&self.path) {
            Some(kept) if kept == written => Err(self.refusal(&place.path).into()),
            _ => Ok(()),
        }
    }

    /// Refuses a folder that lies in a directory of this kind, or would: one that is yet to be made lies where its parent does.
    pub(crate) fn check_folder(&self, path: &Path) -> Result<(), OutputError> {
        let is_below = |root: PathBuf| {
            let real = path.canonicalize().or_else(|_| parent(path).canonicalize());
            real.is_ok_and(|real| real.starts_with(root))
        };
        match self.is_tree && self.path.canonicalize().is_ok_and(is_below) {
            true => Err(self.refusal(path).into()),
            false => Ok(()),
        }
    }

    fn refusal(&self, path: &Path) -> Refusal {
        Refusal {
            path: path.into(),
            why: format!("it is {}", self.what),
            remedy: match self.is_tree {
                true => "name a file elsewhere",
                false => "name another file",
            }
            .into(),
        }
    }
}

/// `None` where it leads nowhere, not even to a folder.
fn meant(path: &Path) -> Option<Meant> {
    if let Ok(metadata) = path.metadata() {
        return Some(Meant::There((metadata.dev(), metadata.ino())));
    }
    let place = OutputPlace::find(path).ok()?;
    let folder = place.folder_identity().ok()?;
    Some(match &place.there {
        Some(found) => Meant::There(identity(found.stat())),
        None => Meant::Missing(folder, place.name),
    })
}

/// Refuses a descriptor that the shell opened, such as standard output, where it leads to one of these files. `name` is
/// how the message calls it.
pub fn refuse_descriptor(fd: impl AsFd, name: &str, precious: &[Precious]) -> Result<(), Refusal> {
    let Ok(stat) = rustix::fs::fstat(fd) else {
        return Ok(());
    };
    let written = Meant::There(identity(&stat));
    let hit = precious
        .iter()
        .find(|kept| meant(&kept.path).is_some_and(|kept| kept == written));
    hit.map_or(Ok(()), |kept| Err(kept.refusal(Path::new(name))))
}
