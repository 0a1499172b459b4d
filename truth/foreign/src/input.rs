//! Input with a name, and reasons why one cannot be judged.

use crate::text;
use std::borrow::Cow;

/// A file's name and its bytes.
#[derive(Debug, Clone)]
pub struct Input {
    /// As the user knows it.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl Input {
    /// Its text.
    pub fn text(&self) -> Cow<'_, str> {
        text::decode(&self.bytes)
    }

    /// The last part of its name.
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// Why an input cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Nothing is in it.
    #[error("{name} is empty: the tool's run may not have come to its end")]
    Empty {
        /// The input.
        name: String,
    },
    /// A record of Plimsoll's own, or another SQLite file.
    #[error("{name} is a SQLite file, as Plimsoll's own records are: it is no other tool's result")]
    Record {
        /// The input.
        name: String,
    },
    /// Nothing that is known.
    #[error(
        "{name} is no result that is known: neither fio's JSON, text or terse output, nor Vdbench's output, nor DiskSPD's text or XML, nor elbencho's \
         table or CSV was found in it{seen}"
    )]
    Unknown {
        /// The input.
        name: String,
        /// What it looks like.
        seen: &'static str,
    },
    /// It is of a tool that is known, in a form that isn't read.
    #[error("{name} is {what}, which is not read: {remedy}")]
    Unsupported {
        /// The input.
        name: String,
        /// What it is.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// It is one of too many files, or too large.
    #[error("{name} was not read: {why}")]
    LeftOut {
        /// The input.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// The tool itself says that its run failed, and there are no figures.
    #[error(
        "{name}:{line}: the run of {tool} failed, and there are no figures to judge: `{said}`; mend what it says and run it again"
    )]
    Failed {
        /// The input.
        name: String,
        /// The tool.
        tool: &'static str,
        /// Where it says so.
        line: u32,
        /// What it says.
        said: String,
    },
    /// It is what it looks like, but there are no figures in it.
    #[error("{name} looks like {what}, but {missing}: {remedy}")]
    Nothing {
        /// The input.
        name: String,
        /// What it looks like.
        what: &'static str,
        /// What is not there.
        missing: &'static str,
        /// What to do.
        remedy: &'static str,
    },
}
