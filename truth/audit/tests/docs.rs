//! The index of the rules is what the rules say.

use plimsoll_audit::page;
use std::path::Path;

#[test]
fn the_index_is_what_the_rules_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules/README.md");
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        std::fs::write(&path, page::index()).expect("the index can be written");
    }
    let text = std::fs::read_to_string(&path).expect("the index can be read");
    assert!(
        text == page::index(),
        "docs/rules/README.md is not what the source says; run PLIMSOLL_UPDATE=1 cargo test -p plimsoll-audit"
    );
}
