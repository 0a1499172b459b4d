//! What a step was asked to do, from its definition in the record, as facts that should be the same on both sides.
//!
//! The definition is read as JSON and not as a plan's types: records of other versions are compared too, and a key that
//! this version does not know is a fact like any other.

use super::facts::Fact;
use super::metric::{Metric, show_size};
use serde_json::{Map, Value};

/// Keys of a step that say nothing of what is measured. The offered rate is compared apart (`offered.rs`), streams and
/// depths are taken apart below.
const NOT_COMPARED: [&str; 9] = [
    "name", "run", "loops", "origins", "purpose", "interval", "load", "streams", "depths",
];

/// Keys of a stream that say nothing of what is measured.
const OF_STREAMS_NOT_COMPARED: [&str; 3] = ["workload", "origins", "fixed_rate"];

/// Longest value that is shown, characters.
const SHOWN: usize = 160;

/// The facts of a step's definition; none where it cannot be read.
pub(super) fn of_step(definition: &str) -> Vec<Fact> {
    let Ok(Value::Object(step)) = serde_json::from_str(definition) else {
        return vec![];
    };
    let mut facts = Vec::new();
    let streams = objects(step.get("streams"));
    if !streams.is_empty() {
        facts.push(Fact::plain("streams", streams.len().to_string()));
    }
    for key in keys(&streams) {
        if !OF_STREAMS_NOT_COMPARED.contains(&key) {
            let values = streams.iter().map(|s| s.get(key).unwrap_or(&Value::Null));
            facts.extend(fact(key, values));
        }
    }
    let depths = objects(step.get("depths"));
    let slots = depths
        .iter()
        .map(|d| d.get("slots").unwrap_or(&Value::Null));
    facts.extend(fact("depth", slots));
    if let Some(load) = step.get("load") {
        facts.extend(fact("load", std::iter::once(&without_rate(load))));
    }
    for (key, value) in &step {
        if !NOT_COMPARED.contains(&key.as_str()) {
            facts.extend(fact(key, std::iter::once(value)));
        }
    }
    facts
}

/// Facts of how each target of a plan is opened and synced: asked for, and no property of the target.
pub(super) fn of_plan(plan: &str) -> Vec<Fact> {
    let Ok(Value::Object(plan)) = serde_json::from_str(plan) else {
        return vec![];
    };
    let targets = objects(plan.get("targets"));
    ["caching", "durability"]
        .into_iter()
        .filter_map(|key| {
            let values = targets.iter().map(|t| t.get(key).unwrap_or(&Value::Null));
            fact(key, values)
        })
        .collect()
}

/// The rates that streams of a definition carry themselves, I/Os per second.
pub(super) fn fixed_rates(definition: &str) -> Vec<f64> {
    let Ok(Value::Object(step)) = serde_json::from_str(definition) else {
        return vec![];
    };
    objects(step.get("streams"))
        .iter()
        .filter_map(|stream| stream.get("fixed_rate")?.as_f64())
        .collect()
}

fn objects(value: Option<&Value>) -> Vec<&Map<String, Value>> {
    let list = value.and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect()
}

fn keys<'a>(maps: &[&'a Map<String, Value>]) -> Vec<&'a str> {
    let mut keys: Vec<&str> = Vec::new();
    for key in maps.iter().flat_map(|map| map.keys()) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    keys
}

/// A fact of a key that each stream has, said once where it is the same in all; `None` where there is nothing in it.
fn fact<'a>(key: &str, values: impl Iterator<Item = &'a Value>) -> Option<Fact> {
    let mut values: Vec<Value> = values.map(bare).collect();
    if values.windows(2).all(|pair| pair[0] == pair[1]) {
        values.truncate(1);
    }
    if values.iter().all(Value::is_null) {
        return None;
    }
    let shown: Vec<String> = values.iter().map(|value| words(key, value)).collect();
    let name = match key {
        "size" => "block size",
        "address" => "addresses",
        "elapsed" => "counted time",
        "warmup" => "warm-up",
        other => other,
    };
    Some(Fact {
        name: name.replace('_', " "),
        exact: Value::Array(values).to_string(),
        shown: cut(shown.join("; ")),
    })
}

/// A value without what is null or empty in it: a later version may have written what an earlier one left out.
fn bare(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let parts = map.iter().map(|(key, value)| (key.clone(), bare(value)));
            let parts: Map<String, Value> = parts.filter(|(_, v)| !v.is_null()).collect();
            match parts.is_empty() {
                true => Value::Null,
                false => Value::Object(parts),
            }
        }
        Value::Array(list) if list.is_empty() => Value::Null,
        Value::Array(list) => Value::Array(list.iter().map(bare).collect()),
        other => other.clone(),
    }
}

/// A load without its rate: `rate (arrival exponential)`, `max`.
fn without_rate(load: &Value) -> Value {
    let mut load = load.clone();
    if let Some(open) = load.get_mut("rate").and_then(Value::as_object_mut) {
        open.remove("rate");
    }
    load
}

/// A value for people: `random (distribution uniform, coverage false)`.
fn words(key: &str, value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match (key, number.as_f64()) {
            ("size" | "fixed" | "min" | "max" | "bytes" | "max_bandwidth", Some(n)) if n >= 0.0 => {
                show_size(n)
            }
            ("elapsed" | "warmup" | "pause" | "time", Some(n)) => Metric::ResponseMean.show(n),
            ("read" | "write" | "trim", _) => format!("{number} %"),
            _ => number.to_string(),
        },
        Value::Bool(value) => value.to_string(),
        Value::Array(list) => {
            let parts: Vec<String> = list.iter().map(|part| words("", part)).collect();
            format!("[{}]", parts.join(", "))
        }
        Value::Object(map) if map.len() == 1 && map.contains_key("fixed") => {
            words("fixed", &map["fixed"])
        }
        Value::Object(map) => {
            let parts: Vec<String> = map.iter().map(|(key, value)| part(key, value)).collect();
            parts.join(", ")
        }
    }
}

fn part(key: &str, value: &Value) -> String {
    let words = words(key, value);
    match value {
        Value::Object(map) if map.len() > 1 => format!("{key} ({words})"),
        _ => format!("{key} {words}"),
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: &str = r#"{"name": "rd1", "run": "rd1", "loops": [], "streams": [
        {"workload": "w", "target": 0, "fixed_rate": null, "mix": {"read": 70.0, "write": 30.0},
         "size": {"fixed": 4096}, "address": {"range": "whole", "pattern": {"random": {"distribution": "uniform",
         "coverage": false}}, "hits": null}}],
        "depths": [{"target": 0, "slots": 32}], "load": {"rate": {"rate": 2000.0, "arrival": "exponential"}},
        "warmup": 1000000000, "elapsed": 5000000000, "interval": 1000000000, "limits": {"bytes": null},
        "origins": []}"#;

    fn shown(definition: &str) -> Vec<(String, String)> {
        let facts = of_step(definition);
        facts.into_iter().map(|f| (f.name, f.shown)).collect()
    }

    #[test]
    fn a_definition_reads_as_facts() {
        let wanted = [
            ("streams", "1"),
            (
                "addresses",
                "pattern random (coverage false, distribution uniform), range whole",
            ),
            ("mix", "read 70.0 %, write 30.0 %"),
            ("block size", "4.00 KiB"),
            ("target", "0"),
            ("depth", "32"),
            ("load", "rate arrival exponential"),
            ("counted time", "5.00s"),
            ("warm-up", "1.00s"),
        ];
        let mut shown = shown(STEP);
        let mut wanted = wanted.map(|(n, v)| (n.to_string(), v.to_string())).to_vec();
        shown.sort();
        wanted.sort();
        assert_eq!(shown, wanted);
    }

    #[test]
    fn what_is_empty_is_as_good_as_absent_and_an_unknown_key_is_a_fact() {
        let with = STEP.replace(r#""origins""#, r#""think": null, "caps": [], "origins""#);
        assert_eq!(shown(STEP), shown(&with));
        let with = STEP.replace(r#""origins""#, r#""think_time": 5, "origins""#);
        let more = shown(&with);
        assert!(
            more.contains(&("think time".into(), "5".into())),
            "{more:?}"
        );
    }

    #[test]
    fn what_holds_a_stream_back_and_sizes_by_operation_are_facts() {
        let own = r#"{"by_operation": {"read": {"fixed": 4096}, "write": {"fixed": 65536}}}"#;
        let held = r#""throttle": {"think": {"time": 5000000, "every": 1}, "max_bandwidth": 1048576}, "mix""#;
        let with = STEP.replace(r#"{"fixed": 4096}"#, own);
        let shown = shown(&with.replace(r#""mix""#, held));
        for (name, words) in [
            (
                "throttle",
                "max_bandwidth 1.00 MiB, think (every 1, time 5.00ms)",
            ),
            ("block size", "by_operation (read 4.00 KiB, write 64.0 KiB)"),
        ] {
            assert!(shown.contains(&(name.into(), words.into())), "{shown:?}");
        }
    }

    #[test]
    fn a_damaged_definition_has_no_facts() {
        for text in ["", "null", "[]", "{}", "{\"streams\": 7}"] {
            assert_eq!(of_step(text), vec![], "{text}");
        }
    }
}
