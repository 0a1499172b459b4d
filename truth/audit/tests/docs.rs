//! The pages of the rules are what the rules say.

use plimsoll_audit::{RULES, page};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules")
}

/// Written by tests of whole runs.
const OTHERS: [&str; 1] = ["known-answers.md"];

#[test]
fn the_pages_are_what_the_rules_say_and_there_are_no_others() {
    let mut expected: BTreeMap<String, String> = RULES
        .iter()
        .map(|rule| (format!("{}.md", rule.code()), page::markdown(rule)))
        .collect();
    expected.insert("README.md".into(), page::index());
    let update = std::env::var_os("PLIMSOLL_UPDATE").is_some();
    if update {
        std::fs::create_dir_all(folder()).expect("the folder can be made");
        for (name, text) in &expected {
            std::fs::write(folder().join(name), text).expect("a page can be written");
        }
    }
    for entry in std::fs::read_dir(folder()).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if OTHERS.contains(&name.as_str()) {
            continue;
        }
        if update && !expected.contains_key(&name) {
            std::fs::remove_file(&path).expect("an old page can be removed");
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a page can be read");
        assert!(
            expected.remove(&name).is_some_and(|e| e == text),
            "docs/rules/{name} is not what the source says; run PLIMSOLL_UPDATE=1 cargo test -p plimsoll-audit"
        );
    }
    assert!(
        expected.is_empty(),
        "pages are missing: {:?}",
        expected.keys()
    );
}
