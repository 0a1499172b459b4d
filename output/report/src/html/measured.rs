//! What was measured, from the definitions that the record keeps: what a reader wants to know before any number.

use crate::human;
use plimsoll_measure::Op;
use plimsoll_record::DefinitionText;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;

/// More than so many different values of a fact are counted, not listed.
const LISTED: usize = 4;

/// The plan in the page is cut after so many bytes, as it was written and as it was carried out.
const PLAN_MAX: usize = 8 * 1024;

/// So many files of the plan are in the page.
const TEXTS_MAX: usize = 64;

/// Measurement as the page describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Measured {
    /// Title of the run.
    pub title: Option<String>,
    /// Names and values: block, mix, addresses, content, depth.
    pub facts: Vec<(&'static str, String)>,
    /// The plan as it was written.
    pub written: Vec<Written>,
    /// The plan as the record keeps it, JSON.
    pub plan: Option<String>,
}

/// A text that the plan was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Written {
    /// A path, or what else it is known by.
    pub name: String,
    /// The text.
    pub text: String,
    /// Not all of it is here.
    pub cut: bool,
}

impl Measured {
    /// From the texts that the plan was read from, and the plan and the definitions of the steps that measured, both
    /// JSON. What cannot be read is left out.
    pub fn of(texts: &[DefinitionText], plan: &str, steps: &[String]) -> Self {
        let plan: Value = serde_json::from_str(plan).unwrap_or_default();
        let steps: Vec<Value> = steps
            .iter()
            .filter_map(|s| serde_json::from_str(s).ok())
            .filter(|s: &Value| s["purpose"] != "fill")
            .collect();
        let several = names(&steps) > 1;
        let mut facts = Vec::new();
        for (name, of) in FACTS {
            let mut values: Vec<String> = Vec::new();
            for stream in steps.iter().flat_map(|s| list(&s["streams"])) {
                let Some(value) = of(stream) else { continue };
                let value = match (several, stream["workload"].as_str()) {
                    (true, Some(workload)) => format!("{workload}: {value}"),
                    _ => value,
                };
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            push(&mut facts, name, values);
        }
        let mut depths: Vec<String> = Vec::new();
        for depth in steps.iter().flat_map(|s| list(&s["depths"])) {
            let slots = depth["slots"].as_u64().map(human::count);
            if let Some(slots) = slots.filter(|s| !depths.contains(s)) {
                depths.push(slots);
            }
        }
        push(&mut facts, "Depth", depths);
        let title = plan["title"].as_str().map(str::to_owned);
        Measured {
            title: title.filter(|t| !t.trim().is_empty()),
            facts,
            written: written(texts),
            plan: resolved(&plan),
        }
    }
}

/// The texts, until they are as long together as a page may have them.
fn written(texts: &[DefinitionText]) -> Vec<Written> {
    let mut room = PLAN_MAX;
    let shown = texts.iter().map(|text| {
        let kept = beginning(&text.text, room);
        room -= kept.len();
        Written {
            name: text.name.clone(),
            text: kept.to_owned(),
            cut: text.is_cut() || kept.len() < text.text.len(),
        }
    });
    shown.take(TEXTS_MAX).collect()
}

/// Longest beginning of a text that takes at most so many bytes.
fn beginning(text: &str, most: usize) -> &str {
    let most = most.min(text.len());
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

type Fact = fn(&Value) -> Option<String>;

const FACTS: [(&str, Fact); 4] = [
    ("Block", block),
    ("Mix", mix),
    ("Addresses", addresses),
    ("Content", content),
];

fn push(facts: &mut Vec<(&'static str, String)>, name: &'static str, mut values: Vec<String>) {
    let more = values.len().saturating_sub(LISTED);
    values.truncate(LISTED);
    if more > 0 {
        values.push(format!("{more} more"));
    }
    if !values.is_empty() {
        facts.push((name, values.join("; ")));
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Number of different workloads.
fn names(steps: &[Value]) -> usize {
    let streams = steps.iter().flat_map(|s| list(&s["streams"]));
    let mut names: Vec<&str> = streams.filter_map(|s| s["workload"].as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.len()
}

fn bytes(value: &Value) -> Option<String> {
    value.as_u64().map(human::bytes)
}

fn percent(value: &Value) -> Option<String> {
    let percent = value.as_f64()?;
    Some(format!("{}%", (percent * 100.0).round() / 100.0))
}

fn block(stream: &Value) -> Option<String> {
    let size = &stream["size"];
    if let Some(fixed) = bytes(&size["fixed"]) {
        return Some(fixed);
    }
    if let (Some(min), Some(max)) = (bytes(&size["range"]["min"]), bytes(&size["range"]["max"])) {
        return Some(format!("{min} to {max}"));
    }
    let parts: Vec<String> = list(&size["weighted"])
        .iter()
        .filter_map(|part| Some(format!("{} {}", percent(&part[1])?, bytes(&part[0])?)))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn mix(stream: &Value) -> Option<String> {
    let mix = &stream["mix"];
    let on_blocks = Op::ALL.into_iter().map(|op| (op, &mix[op.name()]));
    let on_names = Op::ON_NAMES
        .into_iter()
        .map(|op| (op, &mix["names"][op.name()]));
    let parts: Vec<String> = on_blocks
        .chain(on_names)
        .filter(|(_, part)| part.as_f64().is_some_and(|p| p > 0.0))
        .filter_map(|(op, part)| Some(format!("{} {}", percent(part)?, op.name())))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// True where the operations are of a tree, which has no addresses.
fn is_on_names(stream: &Value) -> bool {
    stream["mix"].get("names").is_some()
}

fn addresses(stream: &Value) -> Option<String> {
    if is_on_names(stream) {
        return None;
    }
    let address = &stream["address"];
    let mut text = named(&address["pattern"])?;
    if let Some(random) = address["pattern"].get("random") {
        text = match named(&random["distribution"]).as_deref() {
            _ if random["coverage"] == true => "random, each block once".to_owned(),
            None | Some("uniform") => "random".to_owned(),
            Some(distribution) => format!("random, {distribution}"),
        };
    }
    let hits = &address["hits"];
    for (op, key) in [("reads", "read_percent"), ("writes", "write_percent")] {
        if let (Some(part), Some(area), true) = (
            percent(&hits[key]),
            bytes(&hits["area"]),
            hits[key].as_f64() > Some(0.0),
        ) {
            // Writing to a String cannot fail.
            let _ = write!(text, ", {part} of {op} in {area}");
        }
    }
    let range = &address["range"];
    if let (Some(from), Some(to)) = (percent(&range["percent"][0]), percent(&range["percent"][1])) {
        let _ = write!(text, ", from {from} to {to} of the target");
    }
    if let (Some(from), Some(to)) = (bytes(&range["bytes"][0]), bytes(&range["bytes"][1])) {
        let _ = write!(text, ", from {from} to {to}");
    }
    Some(text)
}

fn content(stream: &Value) -> Option<String> {
    if !stream["mix"]["write"].as_f64().is_some_and(|p| p > 0.0) {
        return None;
    }
    let content = &stream["content"];
    let Some(reducible) = content.get("reducible") else {
        return match content.as_object() {
            Some(object) => object.keys().next().cloned(),
            None => content.as_str().map(str::to_owned),
        };
    };
    let mut text = format!("compresses {}:1", reducible["compress"].as_f64()?);
    if let Some(ratio) = reducible["dedupe"]["ratio"].as_f64() {
        let _ = write!(text, ", deduplicates {ratio}:1");
    }
    Some(text)
}

/// A word, or a word with one number: `zipf 1.1`.
fn named(value: &Value) -> Option<String> {
    if let Some(word) = value.as_str() {
        return Some(word.replace('_', " "));
    }
    let (name, inner) = value.as_object()?.iter().next()?;
    let name = name.replace('_', " ");
    Some(match inner.as_f64() {
        Some(number) => format!("{name} {number}"),
        None => name,
    })
}

/// The plan to read, without the places of its keys in a file that the page does not have.
fn resolved(plan: &Value) -> Option<String> {
    let mut plan = plan.clone();
    bare(&mut plan);
    let mut text = serde_json::to_string_pretty(&plan).ok()?;
    if text.len() > PLAN_MAX {
        text.truncate(beginning(&text, PLAN_MAX).len());
        text.push_str("\n…");
    }
    plan.as_object()
        .is_some_and(|p| !p.is_empty())
        .then_some(text)
}

fn bare(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, inner| key != "origins" && !inner.is_null());
            object.values_mut().for_each(bare);
        }
        Value::Array(list) => list.iter_mut().for_each(bare),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(workload: &str, block: u64, depth: u64) -> String {
        json!({
            "purpose": "measure",
            "streams": [{
                "workload": workload,
                "mix": {"read": 70.0, "write": 30.0, "trim": 0.0},
                "size": {"fixed": block},
                "address": {
                    "range": "whole",
                    "pattern": {"random": {"distribution": {"zipf": 1.1}, "coverage": false}},
                    "hits": {"read_percent": 75.0, "write_percent": 0.0, "area": 1 << 20, "placement": "scattered"},
                },
                "content": {"reducible": {"compress": 2.0, "dedupe": null}},
            }],
            "depths": [{"target": 0, "slots": depth}],
        })
        .to_string()
    }

    #[test]
    fn the_facts_are_those_of_all_steps_and_each_value_is_said_once() {
        let steps = [step("w", 4096, 1), step("w", 8192, 2), step("w", 8192, 1)];
        let measured = Measured::of(&[], r#"{"title": "Night batch", "seed": null}"#, &steps);
        assert_eq!(measured.title.as_deref(), Some("Night batch"));
        let text = |name: &str| {
            let fact = measured.facts.iter().find(|(n, _)| *n == name);
            fact.map(|(_, value)| value.as_str())
        };
        assert_eq!(text("Mix"), Some("70% read, 30% write"));
        assert_eq!(
            text("Addresses"),
            Some("random, zipf 1.1, 75% of reads in 1.00 MiB")
        );
        assert_eq!(text("Content"), Some("compresses 2:1"));
        assert_eq!(text("Depth"), Some("1; 2"));
        assert_eq!(text("Block").map(|t| t.split("; ").count()), Some(2));
        assert!(measured.plan.is_some_and(|p| !p.contains("seed")));
    }

    #[test]
    fn several_workloads_are_told_apart_and_many_values_are_counted() {
        let measured = Measured::of(&[], "{}", &[step("a", 4096, 1), step("b", 8192, 1)]);
        assert!(measured.facts[0].1.starts_with("a: "), "{measured:?}");
        let many: Vec<String> = (1..=9).map(|n| step("a", 4096 * n, 1)).collect();
        let measured = Measured::of(&[], "{}", &many);
        assert!(measured.facts[0].1.ends_with("; 5 more"), "{measured:?}");
    }

    #[test]
    fn the_texts_are_shown_as_they_were_written_and_cut_where_they_are_long() {
        let text = |name: &str, text: &str| DefinitionText::new(name, text);
        let long = "é".repeat(PLAN_MAX);
        let texts = [
            text("a.toml", "block = \"4k\"\n"),
            text("b", &long),
            text("c", "xy"),
        ];
        let shown = Measured::of(&texts, "{}", &[]).written;
        let all: Vec<(&str, bool)> = shown.iter().map(|w| (w.name.as_str(), w.cut)).collect();
        assert_eq!(all, [("a.toml", false), ("b", true), ("c", true)]);
        assert_eq!(shown[0].text, "block = \"4k\"\n");
        assert!(shown.iter().map(|w| w.text.len()).sum::<usize>() <= PLAN_MAX);
        assert!(long.starts_with(&shown[1].text) && shown[1].text.len() > PLAN_MAX / 2);
        let many = vec![text("t", ""); TEXTS_MAX + 1];
        assert_eq!(Measured::of(&many, "{}", &[]).written.len(), TEXTS_MAX);
    }

    #[test]
    fn definitions_of_anything_are_no_trouble() {
        for text in [
            "",
            "null",
            "[]",
            "7",
            r#"{"streams": 3, "depths": {}}"#,
            r#"{"streams": [1, null, {"size": []}]}"#,
        ] {
            let measured = Measured::of(&[], text, &[text.to_owned()]);
            assert_eq!(measured.facts, [], "{text}");
        }
        let long = json!({"title": "é".repeat(PLAN_MAX)}).to_string();
        assert!(
            Measured::of(&[], &long, &[])
                .plan
                .is_some_and(|p| p.len() < PLAN_MAX + 10)
        );
    }
}
