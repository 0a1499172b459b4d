//! A temporary folder, and what tests do in it.

use plimsoll_permit::output::{OutputError, OutputPermit, Rules};
use std::fs;
use std::path::{Path, PathBuf};

/// Everything that a flag can allow.
pub const OVERWRITE: Rules = Rules {
    overwrite: true,
    precious: &[],
};

/// A temporary folder.
pub struct Workshop {
    folder: tempfile::TempDir,
}

impl Workshop {
    pub fn new() -> Self {
        Workshop {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Somebody's file.
    pub fn foreign(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, format!("what {name} holds")).expect("written");
        path
    }

    /// A file that was written under a permit.
    pub fn ours(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        ask(&path).expect("free").write(b"first").expect("written");
        path
    }

    /// All names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("the folder");
        let mut names: Vec<String> = entries
            .map(|e| {
                e.expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    /// True where files here keep their marks; else says that the test is skipped.
    pub fn keeps_marks(&self) -> bool {
        let probe = self.ours("probe");
        let keeps = ask(&probe).is_ok();
        fs::remove_file(probe).expect("removed");
        if !keeps {
            plimsoll_skipped::skipped!(
                "the temporary folder's file system keeps no user attributes"
            );
        }
        keeps
    }
}

pub fn ask(path: &Path) -> Result<OutputPermit, OutputError> {
    OutputPermit::ask(path, &Rules::default())
}

/// Refused, with all of these words in the message.
#[track_caller]
pub fn assert_refused<T: std::fmt::Debug>(result: Result<T, OutputError>, words: &[&str]) {
    let error = result.expect_err("refused");
    assert!(matches!(error, OutputError::Refused(_)), "{error:?}");
    let message = error.to_string();
    for word in words {
        assert!(message.contains(word), "`{word}` is missing: {message}");
    }
}

pub fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("readable")
}
