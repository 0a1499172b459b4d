//! Output of a tool inside of the strings of JSON: answers of Ansible and of CI servers, container logs with an object a line.

use serde_json::{Deserializer, Value};

/// Texts under one key that are looked at.
const MOST_KEYS: usize = 32;

/// The text that the strings under each key make, with its key; none where the input is no JSON.
pub fn texts(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if !text.trim_start().starts_with(['{', '[']) {
        return found;
    }
    for value in Deserializer::from_str(text).into_iter::<Value>() {
        let Ok(value) = value else {
            return Vec::new();
        };
        collect("", value, &mut found);
    }
    found
}

fn collect(key: &str, value: Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(line) => {
            let at = match found.iter().position(|(known, _)| known == key) {
                Some(at) => at,
                None if found.len() == MOST_KEYS => return,
                None => {
                    found.push((key.to_string(), String::new()));
                    found.len() - 1
                }
            };
            let text = &mut found[at].1;
            text.push_str(&line);
            if !line.ends_with('\n') {
                text.push('\n');
            }
        }
        Value::Array(items) => items.into_iter().for_each(|item| collect(key, item, found)),
        Value::Object(fields) => fields
            .into_iter()
            .for_each(|(key, value)| collect(&key, value, found)),
        _ => {}
    }
}
