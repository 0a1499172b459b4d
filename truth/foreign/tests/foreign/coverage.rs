//! How often each rule spoke over the results of other tools that lie here.

use crate::corpus::{all, judge, try_bytes};
use plimsoll_audit::coverage::Coverage;
use std::path::Path;

#[test]
fn the_table_of_the_results_is_what_the_rules_say_of_them() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases = std::fs::read_dir(here.join("tests/cases")).expect("a folder");
    let cases = cases.map(|entry| std::fs::read(entry.expect("an entry").path()).expect("read"));
    let texts = all().into_iter().map(|(_, text)| text.into_bytes());
    let mut coverage = Coverage::default();
    let mut judged = 0;
    for bytes in texts.chain(cases) {
        // Some lie here to be refused.
        if let Ok(result) = try_bytes(&bytes) {
            coverage.add(&judge(&result).audit);
            judged += 1;
        }
    }
    assert!(judged > 30, "{judged}");
    let path = here.join("../../docs/rules/coverage-results.tsv");
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        std::fs::write(&path, coverage.text()).expect("the table can be written");
    }
    let written = std::fs::read_to_string(&path).expect("the table can be read");
    assert!(
        written == coverage.text(),
        "docs/rules/coverage-results.tsv is not what the rules say; run PLIMSOLL_UPDATE=1 cargo test -p plimsoll-foreign"
    );
}
