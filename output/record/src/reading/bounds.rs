//! What reading a file may cost, whatever is in it.

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The longest text or blob that is written and read, bytes: a plan of ten thousand steps takes half of it.
pub(crate) const LONGEST_VALUE: i32 = 64 << 20;

/// Steps of SQLite's virtual machine after which it asks whether it may go on.
const STRIDE: u16 = 1000;

/// Steps that every query may take.
const STEPS: u64 = 20_000_000;

/// Steps for each byte of the file: a scan takes about one.
const STEPS_A_BYTE: u64 = 8;

/// Memory for histograms that are read at once, bytes; and for each byte of the file. A histogram takes up to 25 times
/// what it takes in the file.
const ROOM: u64 = 256 << 20;
const ROOM_A_BYTE: u64 = 32;

/// Work that a query may still cost: tables that lead back to themselves would be read for ever.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    left: Arc<AtomicU64>,
    file_bytes: u64,
}

impl Work {
    fn new(file_bytes: u64) -> Self {
        let work = Work {
            left: Arc::default(),
            file_bytes,
        };
        work.renew();
        work
    }

    /// Before each query.
    pub(crate) fn renew(&self) {
        let all = STEPS.saturating_add(STEPS_A_BYTE.saturating_mul(self.file_bytes));
        self.left.store(all, Ordering::Relaxed);
    }

    /// The memory that may be taken at once.
    pub(crate) fn room(&self) -> Room {
        let more = ROOM_A_BYTE.saturating_mul(self.file_bytes);
        Room(ROOM.saturating_add(more))
    }

    /// Counts a stride; true where none is left.
    fn is_spent(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        let stride = u64::from(STRIDE);
        self.left
            .store(left.saturating_sub(stride), Ordering::Relaxed);
        left < stride
    }
}

/// Memory that may still be taken.
#[derive(Debug)]
pub(crate) struct Room(u64);

impl Room {
    /// Takes so many bytes from what may be read.
    pub(crate) fn take(&mut self, bytes: u64) -> rusqlite::Result<()> {
        match self.0.checked_sub(bytes) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err(crate::error::damaged(
                "its histograms ask for more memory than a file of its size can need",
            )),
        }
    }
}

/// Makes a connection safe for a database of unknown origin
/// (<https://www.sqlite.org/security.html>, "Untrusted SQLite Database Files").
pub(super) fn set(db: &mut Connection, file_bytes: u64) -> rusqlite::Result<Work> {
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    ] {
        db.set_db_config(config, on)?;
    }
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
        (Limit::SQLITE_LIMIT_COLUMN, 200),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 50),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 5),
        (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        db.set_limit(limit, most)?;
    }
    db.pragma_update(None, "cell_size_check", true)?;
    db.pragma_update(None, "mmap_size", 0)?;
    let work = Work::new(file_bytes);
    let counted = work.clone();
    db.progress_handler(i32::from(STRIDE), Some(move || counted.is_spent()))?;
    Ok(work)
}
