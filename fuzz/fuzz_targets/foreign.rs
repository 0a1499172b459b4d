//! Other tools' results: any bytes are read and judged, or refused with a reason; alone, and as a page of an output folder.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_foreign::{DefinitionPlan, Input, judge};
use plimsoll_foreign::read::{read, read_folder};
use plimsoll_foreign::terminal::about;

fuzz_target!(|bytes: &[u8]| {
    let input = |name: &str| Input {
        name: name.into(),
        bytes: bytes.to_vec(),
    };
    if let Ok(result) = read(&input("fuzz")) {
        assert!(result.runs.iter().any(|r| !r.rows.is_empty()));
        for line in about(&judge(&result, None, DefinitionPlan::NotGiven)) {
            assert!(!line.contains(['\n', '\x1b']));
        }
    }
    let pages = ["summary.html", "flatfile.html", "parmfile.html"].map(input);
    for result in read_folder(&pages).0 {
        judge(&result, None, DefinitionPlan::NotGiven);
    }
});
