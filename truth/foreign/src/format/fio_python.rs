//! fio's JSON as Python prints it, once it was read: `{'fio version': 'fio-3.28', …}`, as logs of test frameworks have it.

use std::borrow::Cow;

/// Beginning of the document.
const BEGIN: &str = "{'fio version':";

/// True where a text has such a document.
pub fn is_in(text: &str) -> bool {
    text.contains(BEGIN)
}

/// A text whose documents of that spelling are JSON; all else, and all ends of lines, stay as they are.
pub fn as_json(text: &str) -> Cow<'_, str> {
    if !is_in(text) {
        return Cow::Borrowed(text);
    }
    let mut json = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find(BEGIN) {
        json.push_str(&rest[..begin]);
        rest = document(&rest[begin..], &mut json);
    }
    json.push_str(rest);
    Cow::Owned(json)
}

/// Writes a document until its braces are closed, and gives what is behind it.
fn document<'t>(text: &'t str, json: &mut String) -> &'t str {
    let (mut depth, mut quote) = (0_usize, None);
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => {
                quote = Some(c);
                json.push('"');
            }
            (Some(open), c) if c == open => {
                quote = None;
                json.push('"');
            }
            (Some(_), '"') => json.push_str("\\\""),
            // A quote of Python's is none of JSON's.
            (Some(_), '\\') => match chars.next() {
                Some((_, '\'')) => json.push('\''),
                Some((_, other)) => json.extend(['\\', other]),
                None => break,
            },
            (None, '{') => {
                depth += 1;
                json.push(c);
            }
            (None, '}') => {
                depth = depth.saturating_sub(1);
                json.push(c);
                if depth == 0 {
                    return &text[at + 1..];
                }
            }
            _ => json.push(c),
        }
    }
    ""
}
