//! The reference part of `docs/vdbench.md`, written from the tables that the reader itself uses.

use super::codes;
use super::keyword::{Effect, Keyword};
use super::section::Section;
use std::fmt::Write;

/// Every keyword with what becomes of it, and every code, in Markdown.
pub fn reference() -> String {
    let mut out = String::from("## Keywords\n");
    for section in Section::ALL {
        let title = section.title();
        let _ = write!(
            out,
            "\n### {}{}\n\n",
            title[..1].to_uppercase(),
            &title[1..]
        );
        let keywords = section.keywords();
        let works: Vec<String> = keywords
            .iter()
            .filter(|k| k.effect == Effect::Works)
            .map(|k| format!("`{}`", k.name))
            .collect();
        if !works.is_empty() {
            let _ = writeln!(out, "Work as in Vdbench: {}.\n", works.join(", "));
        }
        grouped(
            &mut out,
            keywords,
            "Have no effect",
            |effect| match effect {
                Effect::Nothing(why) => Some(why),
                _ => None,
            },
        );
        grouped(
            &mut out,
            keywords,
            "Are parsed and simulated, and refused when run",
            |effect| match effect {
                Effect::Refused(why) => Some(why),
                _ => None,
            },
        );
        grouped(
            &mut out,
            keywords,
            "Are refused, as in Vdbench 5.04.07",
            |effect| match effect {
                Effect::Gone => Some("not supported here"),
                _ => None,
            },
        );
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out.push_str("\n## Codes\n\n| Code | Meaning |\n|---|---|\n");
    for (code, title) in codes::TABLE {
        let _ = writeln!(out, "| {code} | {title} |");
    }
    out
}

/// A list of the keywords that `reason` knows a reason for, those of one reason together.
fn grouped(
    out: &mut String,
    keywords: &[Keyword],
    heading: &str,
    reason: impl Fn(Effect) -> Option<&'static str>,
) {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for keyword in keywords {
        let Some(why) = reason(keyword.effect) else {
            continue;
        };
        match groups.iter_mut().find(|(w, _)| *w == why) {
            Some((_, names)) => names.push(keyword.name),
            None => groups.push((why, vec![keyword.name])),
        }
    }
    if groups.is_empty() {
        return;
    }
    let _ = writeln!(out, "{heading}:\n");
    for (why, names) in groups {
        let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
        let _ = writeln!(out, "- {}: {why}", names.join(", "));
    }
    out.push('\n');
}
