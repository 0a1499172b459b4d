//! One file of the report folder: text under a title, in HTML.

use super::writer::VdbenchError;
use plimsoll_permit::output::{LiveFile, OutputFolder};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// An open file. What is written is handed to the system by [`Page::flush`]; nothing forces it to the disk, which may
/// be the tested one.
///
/// The text is not escaped: scripts read these files line by line, and Vdbench doesn't escape it either.
#[derive(Debug)]
pub(super) struct Page {
    file: BufWriter<LiveFile>,
    path: PathBuf,
}

impl Page {
    /// Creates `name`.html in `folder`; see [`file_name`].
    pub(super) fn create(
        folder: &OutputFolder,
        name: &str,
        title: &str,
    ) -> Result<Self, VdbenchError> {
        let name = format!("{name}.html");
        let file = folder.page(&name)?;
        let path = folder.path().join(name);
        let mut page = Page {
            file: BufWriter::new(file),
            path,
        };
        page.line(&format!("<title>Vdbench {title}</title><pre>"))?;
        Ok(page)
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: &str) -> Result<(), VdbenchError> {
        writeln!(self.file, "{text}").map_err(|source| self.failed(source))
    }

    /// Adds lines.
    pub(super) fn lines(&mut self, lines: &[String]) -> Result<(), VdbenchError> {
        lines.iter().try_for_each(|line| self.line(line))
    }

    /// Makes all lines visible to readers of the file.
    pub(super) fn flush(&mut self) -> Result<(), VdbenchError> {
        self.file.flush().map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> VdbenchError {
        VdbenchError::Write {
            path: self.path.clone(),
            source,
        }
    }
}

/// A name that stays in its folder: names of targets come from definitions.
pub(super) fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '(' | ')' | '%');
    let safe: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect();
    if safe.starts_with('.') {
        format!("_{safe}")
    } else {
        safe
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn a_name_cannot_leave_the_folder() {
        assert_eq!(file_name("sd1"), "sd1");
        assert_eq!(file_name("../etc/passwd"), "_.._etc_passwd");
        assert_eq!(file_name("a b"), "a_b");
    }
}
