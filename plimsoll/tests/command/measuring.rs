//! `plimsoll run` and `plimsoll curve` on what can be measured anywhere.

use crate::place::{MIB, TestFolder, typed};
use serde_json::Value;

pub fn schema() -> jsonschema::Validator {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/run.schema.json");
    let text = std::fs::read_to_string(path).expect("the schema");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
}

#[track_caller]
pub fn assert_valid(document: &Value) {
    let complaints: Vec<String> = schema()
        .iter_errors(document)
        .map(|e| format!("{}: {e}", e.instance_path))
        .collect();
    assert_eq!(complaints, Vec::<String>::new());
}

#[test]
fn standard_output_holds_one_json_document_of_the_documented_form_and_nothing_else() {
    let place = TestFolder::new();
    let done = place.quick("run null:1GiB --json --seed 7").ok();
    let document = done.json();
    assert_valid(&document);
    assert_eq!(document["status"], "completed");
    assert_eq!(document["environment"]["seed"], 7);
    assert_eq!(document["environment"]["backend"], "null");
    let step = &document["steps"][0];
    let ios = step["ios"].as_u64().expect("a count");
    assert!(ios > 0);
    assert_eq!(step["bytes"].as_u64(), Some(ios * 4096));
    assert_eq!(step["errors"], 0);
    for key in ["iops", "response", "service"] {
        assert!(!step[key].is_null(), "{key}");
    }
}

#[test]
fn a_missing_file_is_made_at_its_size_filled_and_read_and_may_be_written_again_unasked() {
    let place = TestFolder::new();
    let document = place
        .quick("run data --size 8m --json --no-record")
        .ok()
        .json();
    assert_valid(&document);
    let path = place.path("data");
    assert_eq!(std::fs::metadata(&path).expect("made").len(), 8 * MIB);
    let steps = document["steps"].as_array().expect("steps");
    let fills: Vec<bool> = steps
        .iter()
        .map(|s| s["fill"].as_bool().expect("a flag"))
        .collect();
    assert_eq!(fills, [true, false]);
    assert_eq!(steps[0]["bytes"].as_u64(), Some(8 * MIB));
    let blocks = std::fs::read(&path).expect("readable");
    assert!(
        blocks
            .chunks(4096)
            .all(|block| block.iter().any(|b| *b != 0)),
        "a block was not filled"
    );
    if plimsoll_permit::target::is_marked(&std::fs::File::open(&path).expect("opens")) {
        place.quick("run data --read 0 --no-record").ok();
    } else {
        plimsoll_skipped::skipped!("the temporary folder's file system keeps no user attributes");
    }
    assert_eq!(place.names(), ["data"]);
}

#[test]
fn quiet_leaves_the_summary_and_takes_the_interval_lines() {
    let place = TestFolder::new();
    let loud = place.quick("run null:1GiB --no-record").ok();
    let quiet = place.quick("run null:1GiB --no-record -q").ok();
    loud.says(&["intvl", "achieved"]);
    assert!(
        !quiet.out.contains("intvl") && quiet.out.contains("achieved"),
        "{quiet:#?}"
    );
}

#[test]
fn a_dry_run_and_a_plan_touch_and_make_nothing() {
    let place = TestFolder::new();
    for words in [
        &["run", "data", "--size", "8m", "--dry-run"][..],
        &["curve", "data", "--size", "8m", "--dry-run", "--json"],
        &["plan", "data", "--size", "8m", "--read", "0"],
        &["plan", "data", "--size", "8m", "--json"],
    ] {
        let done = place.plimsoll(words).ok();
        done.says(&["data"]);
        assert_eq!(place.names(), Vec::<String>::new(), "{words:?}");
    }
}

#[test]
fn a_plan_says_what_would_be_written_and_what_to_type_for_it() {
    let place = TestFolder::new();
    let done = place.plimsoll("plan data --size 8m --read 0").ok();
    done.says(&["makes data"]);
    place.foreign("data", 8 * MIB);
    let done = place.plimsoll("plan data --read 0").ok();
    done.says(&["--destroy data"]);
    std::fs::remove_file(place.path("data")).expect("removed");
    let plan = place.plimsoll("plan data --size 8m --json").ok().json();
    assert_eq!(plan["totals"]["steps"], 1);
    assert_eq!(plan["totals"]["fill"].as_u64(), Some(8 * MIB));
}

#[test]
fn a_curve_measures_the_maximum_first_then_named_points_and_gives_a_verdict() {
    let place = TestFolder::new();
    let words = typed("curve null:1GiB --depth 4 --workers 1 --percents 1,2 --slo p99=2s --json");
    let done = place.quick(&words);
    // All that was measured keeps the limit, and it was next to nothing: what the capacity is stays open.
    assert_eq!(done.code, Some(3), "{done:#?}");
    let document = done.json();
    assert_valid(&document);
    let names: Vec<&str> = document["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|s| s["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["curve", "curve_(1%)", "curve_(2%)"]);
    let verdict = &document["verdicts"][0];
    assert_eq!(verdict["kind"], "curve");
    assert_eq!(
        verdict["capacities"].as_array().map(Vec::len),
        Some(1),
        "{verdict:#}"
    );
    // Vdbench rounds targets: three digits of the maximum at these rates, never 0.
    assert!(document["steps"][1]["offered_iops"].as_f64() > Some(0.0));
}

#[test]
fn the_record_gets_a_name_of_its_own_every_time() {
    let place = TestFolder::new();
    for _ in 0..3 {
        place.quick("run null:1GiB -q").ok();
    }
    let names = place.names();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(
        names
            .iter()
            .all(|n| n.starts_with("plimsoll-") && n.ends_with(".plim")),
        "{names:?}"
    );
}

#[test]
fn a_record_is_replaced_only_when_asked() {
    let place = TestFolder::new();
    place.quick("run null:1GiB -q --record a.plim").ok();
    let before = std::fs::read(place.path("a.plim")).expect("a record");
    place
        .quick("run new --size 1m -q --record a.plim")
        .refused(&["a.plim", "--overwrite"]);
    assert_eq!(
        std::fs::read(place.path("a.plim")).expect("a record"),
        before
    );
    assert_eq!(
        place.names(),
        ["a.plim"],
        "the target must not have been made"
    );
    place
        .quick("run null:1GiB -q --record a.plim --overwrite")
        .ok();
}

#[test]
fn a_path_with_spaces_is_a_path() {
    let place = TestFolder::new();
    std::fs::create_dir(place.path("a folder")).expect("made");
    place
        .quick("run 'a folder/the file' --size 4m -q --record 'a folder/the record.plim'")
        .ok();
    place.plimsoll("show 'a folder/the record.plim'").ok();
}

#[test]
fn a_file_whose_size_is_no_power_of_anything_is_filled_and_read() {
    let place = TestFolder::new();
    let done = place
        .quick("run odd --size 1000001 --json --no-record")
        .ok();
    assert_eq!(done.json()["steps"][1]["errors"], 0);
    assert_eq!(
        std::fs::metadata(place.path("odd")).expect("made").len(),
        1_000_001
    );
}

#[test]
fn ls_lists_as_text_and_as_json() {
    let place = TestFolder::new();
    place.plimsoll("ls").ok();
    assert!(place.plimsoll("ls --json").ok().json().is_array());
}
