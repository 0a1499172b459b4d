//! I/Os that fail while a run goes on.

use crate::place::{Done, MIB, TestFolder, typed};
use crate::underway::Underway;
use serde_json::Value;

/// Runs the program for up to a minute in intervals of 50 ms, and does `harm` once the second line was shown.
pub fn broken_off(place: &TestFolder, words: &[&str], harm: impl FnOnce()) -> Done {
    let words = [
        words,
        &["--for", "60s", "--interval", "50ms", "--warmup", "0s", "-v"],
    ]
    .concat();
    let mut run = Underway::start(place, &words);
    run.shows_intervals(2);
    harm();
    run.end()
}

/// The record says that the step ended at its fifth error, and where on the target they were.
#[track_caller]
pub fn assert_located(document: &Value, size: u64) {
    assert_eq!(document["status"], "failed", "{document:#}");
    assert!(
        document["reason"]
            .as_str()
            .is_some_and(|r| r.contains("failed")),
        "{document:#}"
    );
    let step = &document["steps"][0];
    assert_eq!(step["end"], "errors", "{step:#}");
    assert_eq!(step["errors"], 5, "{step:#}");
    assert!(step["ios"].as_u64() > Some(0), "{step:#}");
    let samples = step["error_samples"].as_array().expect("samples");
    assert!(!samples.is_empty());
    for sample in samples {
        let offset = sample["offset"].as_u64().expect("a place");
        assert!(offset.is_multiple_of(4096) && offset < size, "{sample:#}");
        assert!(
            sample["what"].as_str().is_some_and(|w| !w.is_empty()),
            "{sample:#}"
        );
    }
}

#[test]
fn a_file_that_is_cut_short_ends_the_run_with_located_errors_and_a_whole_record() {
    let place = TestFolder::new();
    let path = place.foreign("f", 4 * MIB);
    let words = typed("run f --rate 500 --max-errors 5 --record r.plim");
    let done = broken_off(&place, &words, || {
        let file = std::fs::File::options()
            .write(true)
            .open(&path)
            .expect("opens");
        file.set_len(0).expect("shorter");
    });
    assert_eq!(done.code, Some(1), "{done:#?}");
    done.says(&["short read"]);
    done.warns(&["error: ", "error 5 ends the run"]);
    assert_located(&place.plimsoll("show --json r.plim").ok().json(), 4 * MIB);
}
