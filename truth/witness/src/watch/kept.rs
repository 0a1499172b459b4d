//! A file of the kernel's that is read again and again.

use crate::Root;
use std::fs::File;
use std::io::{ErrorKind, Result};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Room for what most of them have to say, bytes.
const USUAL: usize = 4096;
/// No file that is looked at is longer, bytes: what is, is none of the kernel's.
const MOST: usize = 1 << 24;

/// Stays open, because opening costs more than reading, and is read from its start each time.
#[derive(Debug)]
pub(super) struct Kept {
    path: PathBuf,
    file: Option<File>,
    stays_open: bool,
    buffer: Vec<u8>,
}

impl Kept {
    /// The file at `path` under `root`. One that cannot be opened is tried again with each read.
    pub fn new(root: &Root, path: impl AsRef<Path>) -> Self {
        Kept {
            path: root.path(path),
            file: None,
            stays_open: true,
            buffer: Vec::new(),
        }
    }

    /// File of so many that they must not all be open: the engine needs the process's file descriptors.
    pub fn opened_each_time(root: &Root, path: impl AsRef<Path>) -> Self {
        Kept {
            stays_open: false,
            ..Kept::new(root, path)
        }
    }

    /// What it says now; `None` where it cannot be read, or holds no text.
    pub fn text(&mut self) -> Option<&str> {
        let file = match self.file.take() {
            Some(file) => file,
            None => File::open(&self.path).ok()?,
        };
        let length = fill(&file, &mut self.buffer).ok()?;
        if self.stays_open {
            self.file = Some(file);
        }
        std::str::from_utf8(self.buffer.get(..length)?).ok()
    }
}

fn fill(file: &File, buffer: &mut Vec<u8>) -> Result<usize> {
    let mut length = 0;
    while length < MOST {
        if length == buffer.len() {
            buffer.resize(USUAL.max(2 * length), 0);
        }
        match file.read_at(&mut buffer[length..], length as u64) {
            Ok(0) => return Ok(length),
            Ok(more) => length += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::FileTooLarge.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_anew_each_time_whether_it_grows_shrinks_or_comes_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let root = Root::at(folder.path());
        for mut kept in [
            Kept::new(&root, "/file"),
            Kept::opened_each_time(&root, "/file"),
        ] {
            let _ = std::fs::remove_file(&path);
            assert_eq!(kept.text(), None);
            let long = "0123456789".repeat(5_000);
            for text in ["one", &long, "", "two"] {
                std::fs::write(&path, text).unwrap();
                assert_eq!(kept.text(), Some(text));
            }
            std::fs::write(&path, [0xff, 0xfe]).unwrap();
            assert_eq!(kept.text(), None);
        }
    }

    #[test]
    fn what_never_ends_is_none_of_the_kernels_files() {
        assert_eq!(Kept::new(&Root::system(), "/dev/zero").text(), None);
    }
}
