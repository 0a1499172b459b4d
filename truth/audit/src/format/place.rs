//! Where a finding was written, as editors count.

use plimsoll_diagnostic::{Sources, Span};
use serde::Serialize;

/// Place in a file. Lines and columns from 1; columns count characters; the end is one past the last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilePlace {
    /// The file, as it was named.
    pub file: String,
    /// The first line.
    pub line: u32,
    /// The first column.
    pub column: u32,
    /// The last line.
    pub end_line: u32,
    /// One past the last column.
    pub end_column: u32,
}

impl FilePlace {
    /// A line of a file, from 1.
    pub fn line(file: impl Into<String>, line: u32) -> Self {
        FilePlace {
            file: file.into(),
            line,
            column: 1,
            end_line: line,
            end_column: 1,
        }
    }

    /// Place of a span; `None` where there is none, or its text is not there.
    pub fn of(span: Option<Span>, sources: &Sources) -> Option<Self> {
        let span = span?;
        let file = sources.find(span.file)?;
        let (line, column) = sources.line_column(span.file, span.start);
        let (end_line, end_column) = sources.line_column(span.file, span.end.max(span.start));
        Some(FilePlace {
            file: file.name.clone(),
            line,
            column,
            end_line,
            end_column,
        })
    }
}
