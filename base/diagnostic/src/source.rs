//! Source texts and places in them.

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// A source text's number in its [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A range of bytes in one source text: `start` inclusive, `end` exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The text.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A place in `file`; positions past 4 GiB are cut to that.
    pub fn new(file: FileId, bytes: std::ops::Range<usize>) -> Self {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span {
            file,
            start: small(bytes.start),
            end: small(bytes.end),
        }
    }
}

/// All texts of one definition: files, includes, and the command line itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    files: Vec<Source>,
}

/// One text and the name that people know it by.
#[derive(Debug, Clone, Eq, Serialize, Deserialize)]
pub struct Source {
    /// A path, or `<command line>`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Where its lines begin, once somebody asked.
    #[serde(skip)]
    lines: OnceLock<Vec<usize>>,
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.name == other.name && self.text == other.text
    }
}

impl Source {
    /// First bytes of the lines, in order.
    fn lines(&self) -> &[usize] {
        self.lines.get_or_init(|| {
            let ends = self.text.match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(ends).collect()
        })
    }
}

impl Sources {
    /// Adds a text, and returns its number.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than 2^32 source files"));
        self.files.push(Source {
            name: name.into(),
            text: text.into(),
            lines: OnceLock::new(),
        });
        id
    }

    /// The text of `id`.
    pub fn get(&self, id: FileId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// The text of `id`, if it is one of these.
    pub fn find(&self, id: FileId) -> Option<&Source> {
        self.files.get(id.0 as usize)
    }

    /// All texts, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.files.iter()
    }

    /// Line and column of a byte, both from 1; the column counts characters.
    pub fn line_column(&self, file: FileId, byte: u32) -> (u32, u32) {
        let source = self.get(file);
        let text = &source.text;
        let mut at = (byte as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let line = source.lines().partition_point(|start| *start <= at);
        let line_start = source.lines().get(line - 1).copied().unwrap_or(0);
        let column = text[line_start..at].chars().count() + 1;
        (line as u32, column as u32)
    }
}
