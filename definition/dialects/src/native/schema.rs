//! The language as a JSON schema, for editors (Taplo, VS Code's Even Better TOML). Made from the tables of keys.

use super::forms::Form;
use super::keys::{HOST, Key, List, RUN, SHAPE, TARGET, TOP, WORKLOAD};
use super::method::METHOD;
use serde_json::{Map, Value, json};

/// The schema of a definition (JSON Schema 2020-12).
pub fn schema() -> Value {
    let run = object(&[&RUN, &SHAPE, &METHOD], &[]);
    let mut top = properties(&[&TOP]);
    top.insert(
        "host".into(),
        tables_by_name(&object(&[&HOST], &[]), "host"),
    );
    top.insert(
        "target".into(),
        tables_by_name(&object(&[&TARGET], &[]), "target"),
    );
    top.insert(
        "workload".into(),
        tables_by_name(&object(&[&WORKLOAD, &SHAPE], &[]), "workload"),
    );
    top.insert(
        "run".into(),
        json!({"description": about("run"), "anyOf": [{"type": "array", "items": run, "minItems": 1}, run]}),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Plimsoll definition",
        "description": "What to measure: targets, workloads and runs.",
        "type": "object",
        "properties": top,
        "required": ["target", "workload", "run"],
        "additionalProperties": false
    })
}

fn about(name: &str) -> &'static str {
    super::keys::find(&[&TOP], name).map_or("", |k| k.about)
}

fn tables_by_name(table: &Value, name: &str) -> Value {
    json!({"description": about(name), "type": "object", "additionalProperties": table, "minProperties": 1})
}

fn object(tables: &[&[Key]], required: &[&str]) -> Value {
    let mut object = json!({
        "type": "object",
        "properties": properties(tables),
        "additionalProperties": false
    });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn properties(tables: &[&[Key]]) -> Map<String, Value> {
    let in_run = tables
        .iter()
        .any(|t| t.iter().any(|k| k.name == "workloads"));
    tables
        .iter()
        .flat_map(|t| t.iter())
        .map(|key| (key.name.to_string(), property(key, in_run)))
        .collect()
}

fn property(key: &Key, in_run: bool) -> Value {
    let one = value(key.form);
    let list = match key.list {
        List::No => false,
        List::Many => true,
        List::Loop => in_run,
    };
    let mut choices = one;
    if list {
        choices =
            json!({"anyOf": [choices.clone(), {"type": "array", "items": choices, "minItems": 1}]});
    }
    choices["description"] = json!(key.about);
    if let Some(default) = key.default {
        choices["default"] = literal(key, default);
    }
    choices
}

/// A default as TOML would have it: numbers bare, lists as lists.
fn literal(key: &Key, default: &str) -> Value {
    let bare = |text: &str| match text.parse::<u64>() {
        Ok(number) => json!(number),
        Err(_) if text == "false" => json!(false),
        Err(_) => json!(text),
    };
    match key.list {
        List::Many => default.split(',').map(bare).collect(),
        _ => bare(default),
    }
}

fn value(form: &Form) -> Value {
    let mut choices: Vec<Value> = Vec::new();
    if form.text || (!form.words.is_empty() && !form.fields.is_empty()) {
        // With fields, `"zipf=1.1"` is a text too; the words are named so that editors offer them.
        if !form.words.is_empty() {
            choices.push(json!({"enum": form.words}));
        }
        let pattern = if form.text {
            json!({"type": "string"})
        } else {
            json!({"type": "string", "pattern": "="})
        };
        choices.push(pattern);
    } else if form.words.contains(&"true") {
        choices.push(json!({"type": "boolean"}));
        choices.push(json!({"enum": form.words[2..]}));
    } else if !form.words.is_empty() {
        choices.push(json!({"enum": form.words}));
    }
    if form.number {
        choices.push(json!({"type": "number"}));
    }
    if !form.fields.is_empty() || form.open.is_some() {
        choices.push(table(form));
    }
    match choices.len() {
        1 => choices.remove(0),
        _ => json!({"anyOf": choices}),
    }
}

fn table(form: &Form) -> Value {
    let scalar = json!(["string", "number", "boolean"]);
    let fields: Map<String, Value> = form
        .fields
        .iter()
        .map(|f| {
            (
                f.name.to_string(),
                json!({"description": f.about, "type": scalar}),
            )
        })
        .collect();
    let others = if form.open.is_some() {
        json!({"type": scalar})
    } else {
        json!(false)
    };
    json!({"type": "object", "properties": fields, "additionalProperties": others, "minProperties": 1})
}
