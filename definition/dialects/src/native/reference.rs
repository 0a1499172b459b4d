//! The language as the tables of its documentation. Made from the tables of keys.

use super::forms::Form;
use super::keys::{HOST, Key, List, RUN, SHAPE, TARGET, TOP, WORKLOAD};
use super::method::METHOD;

/// The tables of `docs/definition-reference.md`, in Markdown.
pub fn reference() -> String {
    let tables: [(&str, &str, &[Key]); 7] = [
        ("At the top", "Before the first table.", &TOP),
        (
            "`[host.NAME]`",
            "Who carries it out, where that is several hosts: see [Many hosts](fleet.md).",
            &HOST,
        ),
        ("`[target.NAME]`", "What is read and written.", &TARGET),
        ("`[workload.NAME]`", "What runs where.", &WORKLOAD),
        (
            "What the I/O looks like",
            "In a workload, or in a run, where the key replaces that of all its workloads. In a run a list is a loop.",
            &SHAPE,
        ),
        ("`[[run]]`", "What is measured.", &RUN),
        (
            "A `[[run]]` with a `method`",
            "Each key is of the methods that it names.",
            &METHOD,
        ),
    ];
    let mut text = String::new();
    for (title, about, keys) in tables {
        text.push_str(&format!("## {title}\n\n{about}\n\n"));
        text.push_str("| Key | Takes | Default | |\n|---|---|---|---|\n");
        for key in keys {
            text.push_str(&row(key));
        }
        text.push('\n');
        for (i, key) in keys.iter().enumerate() {
            let same = |k: &&Key| std::ptr::eq(k.form, key.form);
            if !key.form.fields.is_empty() && !keys[..i].iter().any(|k| same(&k)) {
                let names: Vec<String> = keys
                    .iter()
                    .filter(same)
                    .map(|k| format!("`{}`", k.name))
                    .collect();
                text.push_str(&fields(key.form, &names.join(" and ")));
            }
        }
    }
    text
}

fn row(key: &Key) -> String {
    let list = match key.list {
        List::No => "",
        List::Many => "; or a list",
        List::Loop => "; loops",
    };
    let default = key.default.map_or(String::new(), |d| format!("`{d}`"));
    format!(
        "| `{}` | {}{list} | {default} | {} |\n",
        key.name,
        escaped(key.form.what),
        escaped(key.about)
    )
}

fn fields(form: &Form, names: &str) -> String {
    let words: Vec<String> = form.words.iter().map(|w| format!("`\"{w}\"`")).collect();
    let text_form = if form.verbatim {
        ""
    } else {
        " or `\"name=value\"`"
    };
    let mut text = match words.is_empty() {
        true => format!("{names} as a table, `{{ name = value }}`{text_form}:\n\n"),
        false => format!(
            "{names}: {}, or a table, `{{ name = value }}`{text_form}:\n\n",
            words.join(", ")
        ),
    };
    for field in form.fields {
        text.push_str(&format!("- `{}`: {}\n", field.name, field.about));
    }
    text.push('\n');
    text
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}
