//! The samples. Those of fio are true results of fio 3.33. Those of the others are made by hand in their layouts, with published
//! figures where there are some.

use plimsoll_audit::Rule;
use plimsoll_evidence::Severity;
use plimsoll_foreign::read::read;
use plimsoll_foreign::{DefinitionPlan, Input};
use plimsoll_foreign::{ForeignResult, Judgement, ReadError};
use std::path::{Path, PathBuf};

pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(name)
}

pub fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// All samples, by name.
pub fn all() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in ["fio", "vdbench", "diskspd", "elbencho"] {
        for entry in std::fs::read_dir(path(folder)).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            let name = format!("{folder}/{}", name.to_string_lossy());
            found.push((name.clone(), text(&name)));
        }
    }
    found.sort();
    found
}

pub fn try_bytes(bytes: &[u8]) -> Result<ForeignResult, ReadError> {
    read(&Input {
        name: "input".into(),
        bytes: bytes.to_vec(),
    })
}

pub fn result(text: &str) -> ForeignResult {
    try_bytes(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

pub fn judged(text: &str) -> Judgement {
    judge(&result(text))
}

/// For the claim that is taken where none is made, without a definition.
pub fn judge(result: &ForeignResult) -> Judgement {
    plimsoll_foreign::judge(result, None, DefinitionPlan::NotGiven)
}

/// Names of the rules that found something of this severity or worse.
pub fn ids(judgement: &Judgement, at_least: Severity) -> Vec<&'static str> {
    let found = judgement.audit.findings.iter();
    let found = found.filter(|f| f.finding.severity >= at_least);
    let mut ids: Vec<_> = found.filter_map(|f| Some(f.rule?.name)).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// True where a rule is in a list.
pub fn has(rules: &[&'static Rule], name: &str) -> bool {
    rules.iter().any(|rule| rule.name == name)
}

/// The sentence of a rule, and the lines that it names.
pub fn said(judgement: &Judgement, id: &str) -> (String, Vec<u32>) {
    let mut found = judgement.audit.findings.iter();
    let found = found.find(|f| f.rule.is_some_and(|r| r.name == id));
    let found = found.unwrap_or_else(|| panic!("no {id} in {:#?}", judgement.audit.findings));
    (
        found.finding.message.clone(),
        found.places.iter().map(|p| p.line).collect(),
    )
}
