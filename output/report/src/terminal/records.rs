//! A list of records.

use super::style::{Paint, Style};
use crate::catalogue::Entry;
use plimsoll_printable::printable;

/// Two lines for each record: what it is, and what came of it.
pub fn records(entries: &[Entry], style: &Style) -> String {
    if entries.is_empty() {
        return "no records (*.plim) here\n".to_owned();
    }
    let mut out = String::new();
    for entry in entries {
        let started = entry.started.replacen('T', " ", 1);
        let started = started.split('.').next().unwrap_or_default();
        let mut parts = vec![
            started.trim_end_matches('Z').to_owned(),
            entry.method.clone(),
            entry.targets.join(", "),
        ];
        parts.extend(entry.title.clone());
        parts.extend(entry.tag.as_ref().map(|tag| format!("[{tag}]")));
        parts.extend((entry.status != "completed").then(|| entry.status.to_owned()));
        parts.push(entry.record.display().to_string());
        out.push_str(&style.paint(Paint::Heading, &printable(&parts.join("  "))));
        let more = entry.note.iter().chain([&entry.answer, &entry.trust]);
        for line in more {
            out.push_str("\n  ");
            out.push_str(&style.sentence(2, &printable(line)));
        }
        out.push('\n');
    }
    style.characters(out)
}
