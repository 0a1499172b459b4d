//! The page has the table that the source has, and its example is a mapping.

use plimsoll_metrics::Mapping;
use plimsoll_metrics::mapping::{MetricKind, MetricPlace, PLACES};
use std::path::Path;

const BEGIN: &str = "<!-- places -->\n";
const END: &str = "<!-- /places -->";

fn table() -> String {
    let mut text = String::from("| Table | Is | Needs | What |\n|---|---|---|---|\n");
    for place in &PLACES {
        let kind = match place.kind {
            MetricKind::Counter => "a counter",
            MetricKind::State => "a state",
            MetricKind::Text => "a label",
        };
        let many = if place.many { ", many" } else { "" };
        let words: Vec<String> = (place.needs.iter())
            .filter(|n| **n != place.place)
            .map(|n: &MetricPlace| format!("`{}`", n.about().word))
            .collect();
        let about = place.about;
        text += &format!(
            "| `{}` | {kind}{many} | {} | {about} |\n",
            place.word,
            words.join(", ")
        );
    }
    text
}

fn page() -> (std::path::PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/array-metrics.md");
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

#[test]
fn the_page_has_every_place() {
    let (path, text) = page();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (there, after) = rest.split_once(END).unwrap();
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        std::fs::write(path, format!("{before}{BEGIN}{}{END}{after}", table())).unwrap();
        return;
    }
    assert_eq!(
        there,
        table(),
        "run PLIMSOLL_UPDATE=1 cargo test -p plimsoll-metrics"
    );
}

#[test]
fn the_pages_example_is_a_mapping() {
    let (_, text) = page();
    let start = text.find("[name]\n").unwrap();
    let example = text[start..].split("```").next().unwrap();
    Mapping::read(Path::new("the page"), example).unwrap();
}
