//! Input with a name, and reasons why one cannot be judged.

use crate::text;
use std::borrow::Cow;

/// A file's name and its bytes.
#[derive(Debug, Clone)]
pub struct Input {
    /// Name by which the user knows the file.
    pub name: String,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

impl Input {
    /// Text of the file.
    pub fn text(&self) -> Cow<'_, str> {
        text::decode(&self.bytes)
    }

    /// The last part of its name.
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// Reason why an input cannot be judged.
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
        /// Kind of text that it looks like.
        seen: &'static str,
    },
    /// Text of a tool that is known, in a form that isn't read.
    #[error("{name} is {what}, which is not read: {remedy}")]
    Unsupported {
        /// The input.
        name: String,
        /// Kind of text that it is.
        what: &'static str,
        /// Remedy: what to do.
        remedy: &'static str,
    },
    /// Input that is one of too many files, or too large.
    #[error("{name} was not read: {why}")]
    LeftOut {
        /// The input.
        name: String,
        /// Reason.
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
        /// Line that says so.
        line: u32,
        /// Words of that line.
        said: String,
    },
    /// Input that is what it looks like, but has no figures in it.
    #[error("{name} looks like {what}, but {missing}: {remedy}")]
    Nothing {
        /// The input.
        name: String,
        /// Kind of text that it looks like.
        what: &'static str,
        /// Part that is not there.
        missing: &'static str,
        /// Remedy: what to do.
        remedy: &'static str,
    },
}
