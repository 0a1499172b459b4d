//! Findings as SARIF 2.1.0 (OASIS, 2020): what code hosts show beside a file.

use super::FilePlace;
use crate::{Audit, Rule};
use plimsoll_diagnostic::Sources;
use plimsoll_evidence::Severity;
use serde_json::{Value, json};

/// The log of one run of the rules.
pub fn sarif(audit: &Audit, sources: &Sources) -> Value {
    // Each rule once, in the order in which results refer to them.
    let mut rules: Vec<&'static Rule> = audit.findings.iter().filter_map(|f| f.rule).collect();
    rules.sort_by_key(|rule| rule.number);
    rules.dedup_by_key(|rule| rule.number);
    let index = |number: u16| rules.iter().position(|r| r.number == number);
    // A result without a place is of the definition as a whole: its first text.
    let whole = sources.iter().next().map(|source| source.name.clone());
    let results: Vec<Value> = audit
        .findings
        .iter()
        .map(|found| {
            let finding = &found.finding;
            let mut result = json!({
                "ruleId": found.rule.map_or_else(|| finding.rule.clone(), Rule::code),
                "level": level(finding.severity),
                "message": {"text": finding.with_remedy()},
            });
            if let Some(at) = found.rule.and_then(|r| index(r.number)) {
                result["ruleIndex"] = json!(at);
            }
            let mut locations: Vec<Value> =
                super::places(found, sources).iter().map(located).collect();
            if let (true, Some(file)) = (locations.is_empty(), &whole) {
                locations
                    .push(json!({"physicalLocation": {"artifactLocation": {"uri": uri(file)}}}));
            }
            if !locations.is_empty() {
                result["locations"] = json!(locations);
            }
            result
        })
        .collect();
    let rules: Vec<Value> = rules.iter().map(|r| descriptor(r, audit)).collect();
    log(&rules, results)
}

/// The log of several, each as a run of the rules.
pub fn sarif_of_all(all: &[(&Audit, Sources)]) -> Value {
    let logs = all.iter().map(|(audit, sources)| sarif(audit, sources));
    let runs = logs.map(|mut log| log["runs"][0].take());
    let mut log = log(&[], Vec::new());
    log["runs"] = runs.collect();
    log
}

/// A log of one run.
pub(super) fn log(rules: &[Value], results: Vec<Value>) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "plimsoll",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn descriptor(rule: &Rule, audit: &Audit) -> Value {
    let severity = rule.severity.for_claim(audit.claim);
    let mut found = audit.findings.iter();
    let found = found.find(|f| f.rule.is_some_and(|r| r.number == rule.number));
    json!({
        "id": rule.code(),
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.page.why},
        "help": {"text": found.map_or(rule.page.remedy, |f| f.finding.remedy.as_str())},
        "defaultConfiguration": {"level": severity.map_or("none", level)},
    })
}

pub(super) fn located(place: &FilePlace) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(&place.file)},
        "region": {
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        },
    }})
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Invalid => "error",
        Severity::Suspect => "warning",
        Severity::Note => "note",
    }
}

/// A path as a URI reference (RFC 3986): what may not stand in one is escaped, byte by byte. A colon in the first part of a
/// relative one would be taken for a scheme.
fn uri(path: &str) -> String {
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_a_uri_reference() {
        assert_eq!(uri("a b/ü:100%.toml"), "a%20b/%C3%BC%3A100%25.toml");
        assert_eq!(uri("/etc/x.toml"), "file:///etc/x.toml");
    }
}
