//! The prefix under which `/proc`, `/sys`, `/dev` and `/etc` are read.

use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A running system (`/`), or a tree that was captured from one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    prefix: PathBuf,
}

impl Root {
    /// The running system.
    pub fn system() -> Self {
        Root {
            prefix: PathBuf::from("/"),
        }
    }

    /// A captured tree: `prefix/proc`, `prefix/sys`…
    pub fn at(prefix: impl Into<PathBuf>) -> Self {
        Root {
            prefix: prefix.into(),
        }
    }

    /// True where syscalls tell of the same host as the files do.
    pub fn is_system(&self) -> bool {
        self.prefix == Path::new("/")
    }

    /// Where the absolute path `path` lies under this root.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.prefix.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// A file's text, trimmed; bytes that are no UTF-8 are replaced. `None` where it cannot be read.
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let bytes = std::fs::read(self.path(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_string())
    }

    /// A file's text where there is any.
    pub fn word(&self, path: impl AsRef<Path>) -> Option<String> {
        self.text(path).filter(|text| !text.is_empty())
    }

    /// A file that holds one number.
    pub fn number<T: FromStr>(&self, path: impl AsRef<Path>) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// A file's bytes.
    pub fn bytes(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        std::fs::read(self.path(path)).ok()
    }

    /// The names in a folder, sorted; empty where there is none.
    pub fn names(&self, folder: impl AsRef<Path>) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path(folder)) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }

    /// True where the path exists.
    pub fn has(&self, path: impl AsRef<Path>) -> bool {
        self.path(path).exists()
    }

    /// A symbolic link's text.
    pub fn link(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        std::fs::read_link(self.path(path)).ok()
    }
}
/// Writes a file below a folder that is to be a root.
#[cfg(test)]
pub(crate) fn file(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
