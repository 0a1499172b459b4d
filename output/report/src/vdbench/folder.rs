//! The report folder: its name, and whether it may be written.

use super::error::VdbenchError;
use jiff::Zoned;
use plimsoll_permit::output::{FolderPermit, Pages, Rules};
use std::path::{Path, PathBuf};

/// Marks by which a page is known again.
const PAGES: Pages = Pages {
    ending: ".html",
    head: "<title>Vdbench",
};

/// The folder that `-o` means: `dir` itself; `dir+` is the first of `dir001`, `dir002`… that isn't there yet; `dir.tod`
/// ends in the time, as `dir.260321.120000`.
pub fn choose_folder(word: &str, now: &Zoned) -> PathBuf {
    if let Some(base) = word.strip_suffix('+') {
        return (1u32..)
            .map(|n| PathBuf::from(format!("{base}{n:03}")))
            .find(|folder| !folder.exists())
            .unwrap_or_else(|| PathBuf::from(base));
    }
    match word.strip_suffix(".tod") {
        Some(base) => PathBuf::from(format!("{base}.{}", now.strftime("%y%m%d.%H%M%S"))),
        None => PathBuf::from(word),
    }
}

/// Judges a report's folder, before anything is measured; looks only. An earlier report's pages will go. A folder with
/// other files and without such pages is refused, and so is one with a page that Plimsoll did not write, or that was
/// changed since: Vdbench would remove them.
pub fn permit(folder: &Path, rules: &Rules) -> Result<FolderPermit, VdbenchError> {
    Ok(FolderPermit::ask(folder, PAGES, rules)?)
}
