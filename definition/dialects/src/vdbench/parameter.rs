//! Parameters as written: a keyword and its values, with their places.

use plimsoll_diagnostic::Span;

/// `keyword=value`.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    /// Lower case.
    pub keyword: String,
    /// Where the keyword is.
    pub keyword_span: Span,
    /// What follows the `=`.
    pub value: Value,
    /// True where the parameter begins its line, so that it may begin a definition that the whole line belongs to.
    pub first_on_line: bool,
}

/// The right side of a parameter.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// Its members; one where there are no parentheses.
    pub items: Vec<Item>,
    /// It had parentheses.
    pub list: bool,
    /// Where it is.
    pub span: Span,
}

/// One member of a value, its quotes removed.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// The text.
    pub text: String,
    /// The place of the first `-` that no quotes protect.
    pub dash: Option<usize>,
    /// Where it is.
    pub span: Span,
}

impl Parameter {
    /// The place of the whole parameter.
    pub fn span(&self) -> Span {
        let (k, v) = (self.keyword_span, self.value.span);
        match k.file == v.file && v.end >= k.start {
            true => Span {
                file: k.file,
                start: k.start,
                end: v.end,
            },
            false => k,
        }
    }
}

impl Value {
    /// The first member's text; empty where there is none.
    pub fn text(&self) -> &str {
        self.items.first().map_or("", |i| i.text.as_str())
    }

    /// All members as they were written, for messages.
    pub fn joined(&self) -> String {
        let texts: Vec<&str> = self.items.iter().map(|i| i.text.as_str()).collect();
        match self.list {
            true => format!("({})", texts.join(",")),
            false => texts.join(","),
        }
    }
}
