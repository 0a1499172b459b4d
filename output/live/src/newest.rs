//! The newest record of a folder that is still being written.

use crate::writer::Writer;
use plimsoll_record::{Record, RunStatus};
use std::path::{Path, PathBuf};

/// The record in a folder that is being written and began last; `None` where none is.
///
/// # Errors
/// The folder cannot be read.
pub fn newest_running(folder: &Path) -> std::io::Result<Option<PathBuf>> {
    let mut newest: Option<(i64, PathBuf)> = None;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|e| e != "plim") || !Writer::of(&path).is_there() {
            continue;
        }
        let Ok(record) = Record::open(&path) else {
            continue;
        };
        let began = record.started_unix_ns();
        let is_newer = newest.as_ref().is_none_or(|(other, _)| *other < began);
        if *record.status() == RunStatus::Running && is_newer {
            newest = Some((began, path));
        }
    }
    Ok(newest.map(|(_, path)| path))
}
