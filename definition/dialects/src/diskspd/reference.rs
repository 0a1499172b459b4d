//! The tables of the documentation, from the same data as the reader.

use super::codes;
use super::flag::{Effect, FLAGS};
use std::fmt::Write;

/// All flags and all codes, as Markdown.
pub fn reference() -> String {
    let mut out = String::from("## Flags\n\n| Flag | Meaning | Here |\n|---|---|---|\n");
    for flag in FLAGS {
        let here = match flag.effect {
            Effect::Works => "works".to_string(),
            Effect::Nothing(why) => format!("no effect: {why}"),
            Effect::Differs(how) => how.to_string(),
            Effect::Refused(why) => format!("refused: {why}"),
        };
        let _ = writeln!(out, "| `{}` | {} | {here} |", flag.form, flag.meaning);
    }
    out.push_str("\n## Codes\n\n| Code | Meaning |\n|---|---|\n");
    for (code, title) in codes::TABLE {
        let _ = writeln!(out, "| {code} | {title} |");
    }
    out
}
