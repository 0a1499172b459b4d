//! How values are written in TOML, with the units that people use.

use plimsoll_plan::{Bytes, Nanos, Rate};
use std::fmt::Write;

/// A text in quotation marks.
pub(super) fn text(value: &str) -> String {
    let mut out = String::from("\"");
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A key: bare where that is allowed.
pub(super) fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_string(),
        false => text(name),
    }
}

/// A number: whole where it is.
pub(super) fn number(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() < 9e15 {
        true => format!("{}", value as i64),
        // Shortest digits that read back as the same number; never with an exponent.
        false => format!("{value}"),
    }
}

/// A whole number; past TOML's integers a text.
pub(super) fn whole(value: u64) -> String {
    match i64::try_from(value) {
        Ok(value) => value.to_string(),
        Err(_) => text(&value.to_string()),
    }
}

/// `8k`, `1g`, `1536`: the largest unit that divides it.
pub(super) fn size_word(size: Bytes) -> String {
    const UNITS: [(u32, &str); 5] = [(50, "p"), (40, "t"), (30, "g"), (20, "m"), (10, "k")];
    let unit = UNITS
        .iter()
        .find(|(shift, _)| size.0 >= 1 << shift && size.0.is_multiple_of(1 << shift));
    match unit {
        Some((shift, name)) => format!("{}{name}", size.0 >> shift),
        None => size.0.to_string(),
    }
}

/// A size.
pub(super) fn size(size: Bytes) -> String {
    text(&size_word(size))
}

/// `30s`, `1500us`.
pub(super) fn time(time: Nanos) -> String {
    text(&time.to_string())
}

/// I/Os per second.
pub(super) fn rate(rate: Rate) -> String {
    number(rate.0)
}

/// One thing alone, or a list of several.
pub(super) fn list(values: impl IntoIterator<Item = String>) -> String {
    let values: Vec<String> = values.into_iter().collect();
    match &values[..] {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// `{ read = 75, area = "1m" }`
pub(super) fn table<'k>(pairs: impl IntoIterator<Item = (&'k str, String)>) -> String {
    let pairs: Vec<String> = pairs
        .into_iter()
        .map(|(name, value)| format!("{} = {value}", key(name)))
        .collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// Characters of a comment. fio takes what is behind the first 8,191 bytes of a line for a line of its own.
const COMMENT: usize = 1000;

/// A line of a comment; a text from elsewhere does not end it.
pub(super) fn comment(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    format!(
        "# {}",
        text.chars().take(COMMENT).map(plain).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_back() {
        for value in ["a", "a\"b\\c\n\t\u{1}é", ""] {
            let line = format!("{} = {}", key(value), text(value));
            let read: toml::Table = toml::from_str(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(read.get(value).and_then(toml::Value::as_str), Some(value));
        }
        for bytes in [0, 1, 512, 1024, 1536, 1 << 20, 3 << 40, u64::MAX >> 12] {
            assert_eq!(size_word(Bytes(bytes)).parse(), Ok(Bytes(bytes)));
        }
        for value in [0.0, 1.0, 33.333_333_333_333_336, 1e-7, 2.5e16, 1e9] {
            assert_eq!(number(value).parse(), Ok(value));
        }
    }
}
