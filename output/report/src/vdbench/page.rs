//! One file of the report folder: text under a title, in HTML.

use super::error::VdbenchError;
use super::escape;
use plimsoll_permit::output::{LiveFile, OutputFolder};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// An open file. What is written is handed to the system by [`Page::flush`]; nothing forces it to the disk, which may
/// be the tested one.
///
/// What is written is text: names, paths and comments come from elsewhere, so `&`, `<` and `>` are escaped, which Vdbench
/// doesn't do. Scripts read these files line by line; lines that hold none of the three are as Vdbench has them.
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
        page.markup(&format!(
            "<title>Vdbench {}</title><pre>",
            escape::text(title)
        ))?;
        Ok(page)
    }

    /// Adds a line of text.
    pub(super) fn line(&mut self, text: &str) -> Result<(), VdbenchError> {
        self.markup(&escape::text(text))
    }

    /// Adds a line that links to `file` of the same folder, with what it holds, where that is told.
    pub(super) fn link(
        &mut self,
        file: &str,
        name: &str,
        what: Option<&str>,
    ) -> Result<(), VdbenchError> {
        let what = what.map(|what| format!(": {what}")).unwrap_or_default();
        self.markup(&format!(
            "<A HREF=\"{}\">{}</A>{}",
            escape::link(file),
            escape::text(name),
            escape::text(&what)
        ))
    }

    /// Adds lines of our own, in which nothing is quoted, as they are.
    pub(super) fn own_lines(&mut self, lines: &[String]) -> Result<(), VdbenchError> {
        lines.iter().try_for_each(|line| self.markup(line))
    }

    fn markup(&mut self, line: &str) -> Result<(), VdbenchError> {
        writeln!(self.file, "{line}").map_err(|source| self.failed(source))
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
