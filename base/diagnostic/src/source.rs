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
    /// First bytes of its lines, and places in long ones, once somebody asked.
    #[serde(skip)]
    marks: OnceLock<Vec<Mark>>,
}

/// A byte whose line and column are known, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    byte: usize,
    line: u32,
    column: u32,
}

/// Bytes of a line between two marks: what is counted anew for each column.
const APART: usize = 1024;

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.name == other.name && self.text == other.text
    }
}

impl Source {
    /// The last mark at a byte or before it.
    fn mark(&self, byte: usize) -> Mark {
        let marks = self.marks.get_or_init(|| {
            let mut last = Mark {
                byte: 0,
                line: 1,
                column: 1,
            };
            let mut marks = vec![last];
            let mut column = 1;
            for (byte, c) in self.text.char_indices() {
                let (line, next) = (last.line, byte + c.len_utf8());
                column += 1;
                let mark = |line, column| Mark {
                    byte: next,
                    line,
                    column,
                };
                last = match c {
                    '\n' => mark(line + 1, 1),
                    _ if next - last.byte >= APART => mark(line, column),
                    _ => continue,
                };
                column = last.column;
                marks.push(last);
            }
            marks
        });
        marks[marks.partition_point(|mark| mark.byte <= byte) - 1]
    }
}

impl Sources {
    /// Adds a text, and returns its number.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than 2^32 source files"));
        self.files.push(Source {
            name: name.into(),
            text: text.into(),
            marks: OnceLock::new(),
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
        let mark = source.mark(at);
        let further = text[mark.byte..at].chars().count() as u32;
        (mark.line, mark.column + further)
    }
}

#[test]
fn columns_of_long_lines_count_characters() {
    let mut sources = Sources::default();
    let line = "äb".repeat(APART);
    let file = sources.add("a", format!("x\n{line}\n{line}"));
    let text = sources.get(file).text.clone();
    let (mut line, mut column) = (1, 1);
    for (byte, c) in text.char_indices() {
        assert_eq!(sources.line_column(file, byte as u32), (line, column));
        (line, column) = match c {
            '\n' => (line + 1, 1),
            _ => (line, column + 1),
        };
    }
    assert_eq!(
        sources.line_column(file, u32::MAX),
        (3, 2 * APART as u32 + 1)
    );
}
