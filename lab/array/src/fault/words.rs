//! A fault in one line of words, as on a command line.

use super::Fault;
use serde::Deserialize;
use std::str::FromStr;

/// A line that is no fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{line}` is no fault: {why}")]
pub struct FaultWordsError {
    line: String,
    why: String,
}

impl FromStr for Fault {
    type Err = FaultWordsError;

    /// Reads `path-down path=0 silent=true for=10s`: the fault's name, then its parts as `key=value`, with the keys and
    /// values that a script has for them.
    fn from_str(line: &str) -> Result<Self, FaultWordsError> {
        let wrong = |why: String| FaultWordsError {
            line: line.to_owned(),
            why,
        };
        let mut words = line.split_whitespace();
        let name = words
            .next()
            .ok_or_else(|| wrong("there is nothing in it".into()))?;
        let mut table = toml::Table::new();
        table.insert("fault".into(), toml::Value::String(name.to_owned()));
        for word in words {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| wrong(format!("`{word}` is no key=value")))?;
            if table.insert(key.to_owned(), value_of(value)).is_some() {
                return Err(wrong(format!("`{key}` is there twice")));
            }
        }
        Fault::deserialize(toml::Value::Table(table))
            .map_err(|e| wrong(e.message().trim().to_owned()))
    }
}

/// A number or a truth where it looks like one, else text.
fn value_of(text: &str) -> toml::Value {
    if let Ok(n) = text.parse::<i64>() {
        return toml::Value::Integer(n);
    }
    if let Ok(n) = text.parse::<f64>() {
        return toml::Value::Float(n);
    }
    match text {
        "true" => toml::Value::Boolean(true),
        "false" => toml::Value::Boolean(false),
        _ => toml::Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    #[test]
    fn faults_are_read_from_words() {
        assert_eq!(
            "path-down path=1 silent=true for=10s".parse(),
            Ok(Fault::PathDown {
                path: 1,
                silent: true,
                lasts: Some(Span(10_000_000_000)),
            })
        );
        assert_eq!("cache-loss".parse(), Ok(Fault::CacheLoss {}));
        assert_eq!(
            "journal-full drain=0.5".parse(),
            Ok(Fault::JournalFull {
                drain: 0.5,
                lasts: None,
            })
        );
    }

    #[test]
    fn what_is_no_fault_is_refused_with_the_reason() {
        for (line, part) in [
            ("", "nothing in it"),
            ("path-dawn path=1", "path-dawn"),
            ("path-down", "path"),
            ("path-down path", "no key=value"),
            ("path-down path=1 path=2", "twice"),
            ("path-down path=1 loud=true", "loud"),
            ("path-down path=1 for=long", "not a time"),
        ] {
            let error = line.parse::<Fault>().expect_err(line).to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
