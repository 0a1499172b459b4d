//! A job file of fio that somebody copied above its text. More may belong to it than was copied: what it does not say is not fio's default.

use super::fio_command::{Command, Options};
use plimsoll_dialects::fio::options;

/// Options that say whether the page cache is in the way.
const CACHING: [&str; 2] = ["direct", "buffered"];

/// A job file, as far as its lines came.
#[derive(Debug, Default)]
pub struct JobFile {
    jobs: Vec<(String, Options)>,
    global: Options,
    /// True where the next line may be one of it; and true where that line is of all jobs.
    is_open: bool,
    is_global: bool,
}

impl JobFile {
    /// True where a line is the first of a job file. `[...]` and `[1]` are words between the lines: a name has a letter.
    pub fn begins(&self, content: &str) -> bool {
        let is_name = |name: &str| name.contains(char::is_alphabetic);
        !self.is_open && section(content).is_some_and(is_name)
    }

    /// True where a line may be the next one behind a section's: words in brackets between the lines have none of these.
    pub fn goes_on(content: &str) -> bool {
        let key = content.split_once('=').map_or(content, |(key, _)| key);
        section(content).is_some()
            || content.starts_with(['#', ';'])
            || options::find(key.trim()).is_some()
    }

    /// Takes a line that is one of a job file.
    pub fn line(&mut self, content: &str) -> bool {
        if self.begins(content) {
            *self = JobFile::default();
            self.is_open = true;
        }
        if let Some(name) = section(content).filter(|_| self.is_open) {
            self.is_global = name == "global";
            if !self.is_global {
                self.jobs.push((name.to_string(), self.global.clone()));
            }
            return true;
        }
        let is_comment = content.starts_with(['#', ';']);
        let (key, value) = content.split_once('=').unwrap_or((content, ""));
        let (key, value) = (key.trim(), value.trim());
        self.is_open &= is_comment || options::find(key).is_some();
        if self.is_open && !is_comment {
            let options = match self.jobs.last_mut().filter(|_| !self.is_global) {
                Some((_, own)) => own,
                None => &mut self.global,
            };
            options.push((key.to_string(), value.to_string()));
        }
        self.is_open
    }

    /// The jobs that say whether the page cache is in the way.
    pub fn telling(self) -> Command {
        let tells = |(_, options): &(String, Options)| {
            options
                .iter()
                .any(|(key, _)| CACHING.contains(&key.as_str()))
        };
        Command(self.jobs.into_iter().filter(tells).collect())
    }
}

/// The name of a section.
fn section(content: &str) -> Option<&str> {
    let name = content.strip_prefix('[')?.strip_suffix(']')?;
    (!name.is_empty() && !name.contains(['[', ']'])).then_some(name)
}
