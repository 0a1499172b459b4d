//! One record of each format, made by the program that first wrote it and kept for ever: *Later formats* in docs/record.md.

use crate::place::TestFolder;
use plimsoll_record::schema::SCHEMA_VERSION;
use serde_json::{Value, json};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

/// Two hosts of the lab, two workloads with a rate, and a curve with a limit.
const DEFINITION: &str = r#"
[target.array]
path = "lab:scale-out-flash-4?size=64m"

[workload.oltp]
read = 70
block = "8k"
depth = 8

[workload.log]
read = 0
access = "sequential"
block = "64k"
depth = 4

[[run]]
name = "curve"
workloads = ["oltp"]
load = "curve"
percents = [50]
slo = ["p99=2ms"]
for = "1s"
warmup = "500ms"
interval = "1s"

[[run]]
name = "both"
workloads = ["oltp", "log"]
load = 600
for = "1s"
warmup = "500ms"
interval = "1s"
"#;

fn kept(format: i64) -> PathBuf {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../output/record/tests/compat");
    all.join(format!("{format}.plim"))
}

/// Runs [`DEFINITION`] with today's program.
fn record(place: &TestFolder, name: &str) {
    place.text("job.toml", DEFINITION);
    let words = ["run", "job.toml", "--hosts", "sim:2", "--record", name];
    // Where the program lay is in the record.
    let mut command = place.command(&words);
    command.arg0("plimsoll").output().expect("the program");
}

/// For whoever changes the number of the format, or before the first release its tables.
#[test]
#[ignore = "it writes a file that is committed"]
fn make_the_record_of_todays_format() {
    let place = TestFolder::new();
    record(&place, "now.plim");
    std::fs::copy(place.path("now.plim"), kept(SCHEMA_VERSION)).expect("copied");
}

/// A place with the record that is kept of a format.
fn with(format: i64) -> TestFolder {
    let place = TestFolder::new();
    let there = std::fs::copy(kept(format), place.path("kept.plim"));
    there.unwrap_or_else(|e| panic!("{}: {e}", kept(format).display()));
    place
}

#[test]
fn a_record_of_each_format_is_shown_as_it_was_measured() {
    for format in 1..=SCHEMA_VERSION {
        let shown = with(format).plimsoll(&["show", "--json", "kept.plim"]).ok();
        let all = shown.json();
        assert_eq!(all["status"], "completed", "{format}");
        let steps = all["steps"].as_array().expect("steps");
        let seen = steps.iter().map(|s| {
            json!([
                s["name"],
                s["ios"],
                s["response"]["percentiles_us"]["99"],
                s["hosts"][1]["ios"],
                s["workloads"][0]["ios"],
                s["saturation"]["saturated"]
            ])
        });
        let known = [
            json!(["curve", 3777, 6258.687, 1885, 3777, null]),
            json!(["curve_(50%)", 1800, 2244.607, 887, 1800, false]),
            json!(["both", 536, null, 274, 283, true]),
        ];
        assert_eq!(seen.collect::<Vec<_>>(), known, "{format}");
        let curve = &all["verdicts"][0];
        assert_eq!(
            curve["maximum_iops"]["mean"].as_f64().map(f64::round),
            Some(3777.0)
        );
        assert_eq!(curve["capacities"][0]["limit_us"], 2000.0, "{format}");
        let rules = all["findings"].as_array().expect("findings").iter();
        let made = rules.map(|f| f["rule"].as_str().expect("a rule"));
        let made: Vec<&str> = made.filter(|r| !r.starts_with("PL")).collect();
        let known = [
            "curve-undecided",
            "closed-loop-maximum",
            "no-knee-too-few",
            "interval-missing",
            "curve-depth-given",
        ];
        assert_eq!(made, known, "{format}");
    }
}

#[test]
fn a_record_of_each_format_is_exported_reported_and_judged() {
    for format in 1..=SCHEMA_VERSION {
        let place = with(format);
        let rows = |of: &str| {
            let csv = place.plimsoll(&["export", "--csv", "--rows", of, "kept.plim"]);
            csv.ok().out.lines().count() - 1
        };
        assert_eq!((rows("steps"), rows("intervals"), rows("hosts")), (3, 9, 6));
        let hdr = place.plimsoll(&["export", "--hdr", "kept.plim"]).ok();
        hdr.says(&["HISTFAAAA"]);
        let document = place.plimsoll(&["export", "--json", "kept.plim"]).ok();
        let plan = &document.json()["plan"];
        assert!(plan.to_string().contains("scale-out-flash-4"), "{plan}");
        let judged = place.plimsoll(&["audit", "kept.plim"]).ok();
        judged.says(&["PL015 small-working-set"]);
        let before = std::fs::read(kept(format)).expect("the record");
        assert_eq!(std::fs::read(place.path("kept.plim")).expect("it"), before);
    }
}

#[test]
fn a_record_of_each_format_is_compared_with_one_of_today() {
    for format in 1..=SCHEMA_VERSION {
        let place = with(format);
        record(&place, "now.plim");
        let words = ["compare", "kept.plim", "--json", "--", "now.plim"];
        let compared = place.plimsoll(&words).ok().json();
        let steps = compared["steps"].as_array().expect("steps");
        let rate = |s: &Value| {
            json!([
                s["name"],
                s["metrics"][0]["mean_a"].as_f64().map(f64::round)
            ])
        };
        let known = json!([
            ["curve", 3777.0],
            ["curve_(50%)", 1800.0],
            ["both", 536.0],
            // Its capacity is a lower bound, and has no value to compare.
            ["curve within 2ms (p99)", null]
        ]);
        assert_eq!(json!(steps.iter().map(rate).collect::<Vec<_>>()), known);
    }
}
