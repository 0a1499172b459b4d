//! What is wrong with a file, where, and what to do.

use serde::de::DeserializeOwned;
use std::fmt;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// A complaint about a place in a TOML file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The file, where it is known.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}:{}:{}: ", self.line, self.column)?,
            None => write!(f, "line {}, column {}: ", self.line, self.column)?,
        }
        write!(f, "{}; {}", self.message, self.remedy)
    }
}

impl Complaint {
    /// A complaint about a byte range of `text`.
    pub(crate) fn at(text: &str, span: Range<usize>, message: String, remedy: String) -> Self {
        let before = text.get(..span.start).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        Complaint {
            file: None,
            line: before.matches('\n').count() + 1,
            column: before[line..].chars().count() + 1,
            message,
            remedy,
        }
    }

    /// A complaint about a key, by its dotted path; where the key is not there, about the table that should have it.
    pub(crate) fn about(text: &str, key: &str, message: String, remedy: String) -> Self {
        let span = locate(text, key).unwrap_or(0..0);
        Self::at(text, span, message, remedy)
    }
}

/// Reads a TOML text.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Complaint> {
    toml::from_str(text).map_err(|e| {
        let (message, remedy) = explain(e.message());
        Complaint::at(text, e.span().unwrap_or(0..0), message, remedy)
    })
}

/// The parser's message in fewer words, and a remedy.
fn explain(message: &str) -> (String, String) {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    match quoted.as_slice() {
        [wrong, known @ ..] if unknown => {
            let remedy = suggest(wrong, known);
            (format!("unknown name `{wrong}`"), remedy)
        }
        [missing, ..] if message.starts_with("missing field") => (
            format!("`{missing}` is missing"),
            format!(
                "add `{missing} = …`; the built-in personas show every parameter with its unit"
            ),
        ),
        _ => {
            let first = message.lines().next().unwrap_or_default();
            (
                first.to_owned(),
                "correct the value; see the comments in a built-in persona".to_owned(),
            )
        }
    }
}

/// What to write instead of a name that isn't known.
pub(crate) fn suggest(wrong: &str, known: &[&str]) -> String {
    let nearest = known
        .iter()
        .max_by(|a, b| likeness(wrong, a).total_cmp(&likeness(wrong, b)));
    match nearest {
        Some(near) if likeness(wrong, near) > 0.6 => format!("did you mean `{near}`?"),
        Some(_) => format!("known here: {}", known.join(", ")),
        None => "remove it".to_owned(),
    }
}

fn likeness(a: &str, b: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(a, b)
}

/// Where a key, or what there is of its path, stands.
fn locate(text: &str, key: &str) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let mut table = root.get_ref();
    let mut span = None;
    for part in key.split('.') {
        let Some((name, value)) = table.iter().find(|(k, _)| k.get_ref().as_ref() == part) else {
            break;
        };
        span = Some(name.span());
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    span
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only what is refused matters")]
    struct Sample {
        capacity: f64,
        latency: u32,
    }

    fn complaint(text: &str) -> String {
        read::<Sample>(text).unwrap_err().to_string()
    }

    #[test]
    fn names_the_place_and_the_nearest_spelling() {
        assert_eq!(
            complaint("capacity = 1.0\n  capcity = 2.0\n"),
            "line 2, column 3: unknown name `capcity`; did you mean `capacity`?"
        );
        assert_eq!(
            complaint("colour = 1"),
            "line 1, column 1: unknown name `colour`; known here: capacity, latency"
        );
        assert!(complaint("capacity = 1.0").contains("`latency` is missing; add"));
        assert!(
            complaint("capacity = \"x\"\nlatency = 1")
                .starts_with("line 1, column 12: invalid type")
        );
        assert!(complaint("é = [1,\n").starts_with("line "));
    }

    #[test]
    fn finds_a_key_by_its_path() {
        let text = "a = 1\n[b]\nc = 2\n[b.d]\ne = 3\n";
        let place = |key| {
            let c = Complaint::about(text, key, String::new(), String::new());
            (c.line, c.column)
        };
        assert_eq!(place("b.c"), (3, 1));
        assert_eq!(place("b.d.e"), (5, 1));
        assert_eq!(place("b.x"), (2, 2));
        assert_eq!(place("y"), (1, 1));
    }
}
