//! Elements of XML, each on a line of its own.

use std::fmt::{Display, Write};

/// Writes elements, those within another further in.
#[derive(Debug, Clone, Default)]
pub struct Elements {
    out: String,
    indent: usize,
}

impl Elements {
    /// The first ones so many blanks in.
    pub fn indented(indent: usize) -> Self {
        Elements {
            out: String::new(),
            indent,
        }
    }

    /// A line as it is.
    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.indent);
    }

    /// Elements that were written before, with their own blanks.
    pub fn paste(&mut self, elements: &str) {
        self.out.push_str(elements);
    }

    /// Begins an element: its name, and attributes behind it.
    pub fn open(&mut self, tag: &str) {
        self.line(&format!("<{tag}>"));
        self.indent += 2;
    }

    /// Ends it.
    pub fn close(&mut self, name: &str) {
        self.indent = self.indent.saturating_sub(2);
        self.line(&format!("</{name}>"));
    }

    /// An element with a text.
    pub fn value(&mut self, name: &str, value: impl Display) {
        let text = escaped(&value.to_string());
        self.line(&format!("<{name}>{text}</{name}>"));
    }

    /// All that was written.
    pub fn finish(self) -> String {
        self.out
    }
}

/// A text in an element or an attribute. What XML has no way to write is a question mark.
///
/// ```
/// use plimsoll_printable::xml::escaped;
/// assert_eq!(escaped("a<b & \"c\"\u{1}"), "a&lt;b &amp; &quot;c&quot;?");
/// ```
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('?'),
            c if c.is_control() && !matches!(c, '\t' | '\n') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
