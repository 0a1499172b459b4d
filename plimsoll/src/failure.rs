//! One good message for whatever went wrong.

use plimsoll_report::terminal::wrap;
use std::fmt;

/// What is printed on standard error before the program exits with 2.
#[derive(Debug)]
pub struct Failure {
    text: String,
    rendered: bool,
}

impl Failure {
    /// A plain sentence.
    pub fn usage(text: impl Into<String>) -> Self {
        Failure {
            text: text.into(),
            rendered: false,
        }
    }

    /// Text that is ready to print, its `error:` included.
    pub fn rendered(text: String) -> Self {
        Failure {
            text,
            rendered: true,
        }
    }
}

impl Failure {
    /// As it is printed on a terminal of so many columns: sentences are wrapped, and excerpts stay as they are.
    pub fn on(&self, columns: usize) -> String {
        let text = self.to_string();
        if self.rendered {
            return text;
        }
        let lines: Vec<String> = text.lines().map(|l| wrap(l, columns, 0)).collect();
        lines.join("\n")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rendered {
            f.write_str(&self.text)
        } else {
            write!(f, "error: {}", self.text)
        }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::usage(error.to_string())
    }
}
