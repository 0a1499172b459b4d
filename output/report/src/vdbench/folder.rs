//! The report folder: its name, and room in it.

use super::writer::VdbenchError;
use jiff::Zoned;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder that `-o` means: `dir` itself; `dir+` is `dir`, or the first of `dir001`, `dir002`… that isn't there yet
/// where `dir` is; `dir.tod` ends in the time, as `dir.260321.120000`.
pub fn choose_folder(word: &str, now: &Zoned) -> PathBuf {
    if let Some(base) = word.strip_suffix('+') {
        let plain = PathBuf::from(base);
        if !plain.exists() {
            return plain;
        }
        return (1u32..)
            .map(|n| PathBuf::from(format!("{base}{n:03}")))
            .find(|folder| !folder.exists())
            .unwrap_or(plain);
    }
    match word.strip_suffix(".tod") {
        Some(base) => PathBuf::from(format!("{base}.{}", now.strftime("%y%m%d.%H%M%S"))),
        None => PathBuf::from(word),
    }
}

/// Creates the folder. Where it holds an earlier report, that report's pages are removed, as Vdbench does; pages in any
/// other folder stay.
pub(super) fn prepare(folder: &Path) -> Result<(), VdbenchError> {
    let failed = |path: &Path, source| VdbenchError::Write {
        path: path.into(),
        source,
    };
    fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
    let summary = fs::read(folder.join("summary.html")).unwrap_or_default();
    let head = &summary[..summary.len().min(512)];
    if !String::from_utf8_lossy(head).contains("<title>Vdbench") {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(|e| failed(folder, e))? {
        let path = entry.map_err(|e| failed(folder, e))?.path();
        if path.extension().is_some_and(|e| e == "html") && path.is_file() {
            fs::remove_file(&path).map_err(|e| failed(&path, e))?;
        }
    }
    Ok(())
}
