//! The samples. Those of fio are true results of fio 3.33. Those of the others are made by hand in their layouts, with published
//! figures where there are some.

use plimsoll_evidence::Severity;
use plimsoll_foreign::judge::{Judgement, judge};
use plimsoll_foreign::read::{Input, read};
use plimsoll_foreign::{ForeignResult, ReadError};
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

/// Ids of what was found at this severity or worse.
pub fn ids(judgement: &Judgement, at_least: Severity) -> Vec<&'static str> {
    let found = judgement
        .findings
        .iter()
        .filter(|d| d.finding.severity >= at_least);
    let mut ids: Vec<_> = found.map(|d| d.about.id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The sentence of a rule, and the lines that it names.
pub fn said(judgement: &Judgement, id: &str) -> (String, Vec<u32>) {
    let found = judgement.findings.iter().find(|d| d.about.id == id);
    let found = found.unwrap_or_else(|| panic!("no {id} in {:#?}", judgement.findings));
    (
        found.finding.message.clone(),
        found.places.iter().map(|p| p.line).collect(),
    )
}
