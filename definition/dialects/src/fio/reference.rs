//! The table of `docs/coming-from-fio.md` of what is refused, from the options that the reader knows.

use super::options::{Effect, all};
use std::fmt::Write;

/// Refused options, those with one reason together, as Markdown.
pub fn reference() -> String {
    let mut rows: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for option in all() {
        let Effect::Refused(why, instead) = option.effect else {
            continue;
        };
        let name = format!("`{}`", option.name);
        match rows.iter_mut().find(|r| (r.0, r.1) == (why, instead)) {
            Some((_, _, names)) => names.push(name),
            None => rows.push((why, instead, vec![name])),
        }
    }
    let mut out = String::from("| Option | Why | Instead |\n|---|---|---|\n");
    for (why, instead, names) in rows {
        let _ = writeln!(out, "| {} | {why} | {instead} |", names.join(", "));
    }
    out
}
