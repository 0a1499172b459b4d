//! Whether the files under a record's names are still those that are being written.
//!
//! SQLite keeps writing to files that somebody else has removed, renamed or replaced, and does not notice that one was
//! cut short. So their names are looked at each time before something is written: a few calls of stat(2).
//!
//! The files are not opened for that, but for the record itself by SQLite where its time has changed: to close a descriptor would drop the locks that SQLite holds on the same file (the
//! rule of POSIX for fcntl(2) locks).

use super::harm::{Harm, HarmKind};
use crate::reading;
use rustix::fs::OFlags;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The files of a record as they were left by the last write.
#[derive(Debug)]
pub(super) struct Custody {
    main: Kept,
    /// Time when the file itself was last written; only a checkpoint does.
    modified: Option<SystemTime>,
    log: Kept,
    /// Time when the log was last written, which each transaction does.
    logged: Option<SystemTime>,
    index: Kept,
    /// Start of the run as the record says it: no other one says the same.
    started_unix_ns: String,
}

/// One file as it was left.
#[derive(Debug)]
struct Kept {
    path: PathBuf,
    id: (u64, u64),
    size: u64,
}

impl Custody {
    /// Custody of an open record.
    pub(super) fn new(path: &Path, started_unix_ns: &str) -> std::io::Result<Self> {
        let main = Kept::new(path.to_path_buf())?;
        Ok(Custody {
            modified: std::fs::metadata(path)?.modified().ok(),
            log: Kept::new(reading::beside(path, "-wal"))?,
            logged: modified(&reading::beside(path, "-wal")),
            index: Kept::new(reading::beside(path, "-shm"))?,
            main,
            started_unix_ns: started_unix_ns.to_owned(),
        })
    }

    /// Harm to the files since the last write; the worst first.
    pub(super) fn harm(&mut self) -> Option<Harm> {
        let found = [&self.main, &self.index, &self.log]
            .into_iter()
            .find_map(Kept::harm);
        found
            .or_else(|| self.overwritten())
            .or_else(|| self.log_overwritten())
    }

    /// Harm to the file alone, after its end: the log and the index are gone by then.
    pub(super) fn harm_of_the_file(&self) -> Option<Harm> {
        self.main.harm()
    }

    /// After a transaction, also one that failed.
    pub(super) fn logged(&mut self) {
        self.logged = modified(&self.log.path);
    }

    /// After a transaction, which makes the log longer, or after a checkpoint, which writes the file and may cut the log.
    pub(super) fn written(&mut self, checkpoint: bool) {
        self.log.grow();
        self.logged();
        self.index.grow();
        if checkpoint {
            self.log.size = self.log.now().unwrap_or(self.log.size);
            self.main.grow();
            self.modified = modified(&self.main.path);
        }
    }

    /// Bytes of the log.
    pub(super) fn log_bytes(&self) -> u64 {
        self.log.size
    }

    /// Gives an index that was cut its length back: SQLite has it mapped, and to touch what is not there ends a process.
    /// It is then empty, and SQLite makes it again from the log. The open file is given back, because to close it would
    /// drop SQLite's locks on it.
    pub(super) fn mend_index(&self) -> io::Result<Option<File>> {
        let is_short = |harm: Harm| matches!(harm.what, HarmKind::Truncated(..));
        if !self.index.harm().is_some_and(is_short) {
            return Ok(None);
        }
        let file = OpenOptions::new()
            .write(true)
            .custom_flags(OFlags::NOFOLLOW.bits() as i32)
            .open(&self.index.path)?;
        if id(&file.metadata()?) != self.index.id {
            return Ok(None);
        }
        file.set_len(self.index.size)?;
        Ok(Some(file))
    }

    /// Removes the log and the index, where they are still this record's own.
    pub(super) fn remove_own_neighbours(&self) {
        for kept in [&self.log, &self.index] {
            let there = std::fs::symlink_metadata(&kept.path);
            if there.is_ok_and(|there| id(&there) == kept.id) {
                // One that stays harms nobody.
                let _ = std::fs::remove_file(&kept.path);
            }
        }
    }

    /// A log whose time has changed without a transaction was written by somebody. What is wrong in it would go into the
    /// file with the next checkpoint. A transaction of another program is in it too, and is somebody else's.
    fn log_overwritten(&mut self) -> Option<Harm> {
        let now = modified(&self.log.path);
        (now != self.logged).then(|| Harm {
            file: self.log.path.clone(),
            what: HarmKind::Overwritten,
        })
    }

    /// A file whose time has changed without a checkpoint was written by somebody. Where it is still this record, nothing
    /// is lost: `touch`, or a file system that keeps times in its own way.
    fn overwritten(&mut self) -> Option<Harm> {
        let now = modified(&self.main.path);
        if now == self.modified {
            return None;
        }
        if reading::is_whole_record_of(&self.main.path, &self.started_unix_ns) {
            self.modified = now;
            return None;
        }
        Some(Harm {
            file: self.main.path.clone(),
            what: HarmKind::Overwritten,
        })
    }
}

impl Kept {
    fn new(path: PathBuf) -> std::io::Result<Self> {
        let there = std::fs::metadata(&path)?;
        Ok(Kept {
            id: id(&there),
            size: there.len(),
            path,
        })
    }

    /// Size of the file now; `None` where it is another file or none.
    fn now(&self) -> Option<u64> {
        let there = std::fs::metadata(&self.path).ok()?;
        (id(&there) == self.id).then_some(there.len())
    }

    /// Takes a new size; a smaller one is not what SQLite left.
    fn grow(&mut self) {
        self.size = self.now().unwrap_or(0).max(self.size);
    }

    fn harm(&self) -> Option<Harm> {
        use std::io::ErrorKind as K;
        let what = match std::fs::metadata(&self.path) {
            Ok(there) if id(&there) != self.id => HarmKind::Replaced,
            Ok(there) if there.len() < self.size => HarmKind::Truncated(self.size, there.len()),
            Ok(_) => return None,
            Err(e) if matches!(e.kind(), K::NotFound | K::NotADirectory) => HarmKind::Removed,
            Err(e) => HarmKind::Unreachable(e.to_string()),
        };
        Some(Harm {
            file: self.path.clone(),
            what,
        })
    }
}

fn id(there: &Metadata) -> (u64, u64) {
    (there.dev(), there.ino())
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).ok()?.modified().ok()
}
