//! `plimsoll fingerprint`, and what other commands take from it.

use crate::place::{TestFolder, holds, typed};
use serde_json::Value;

/// An array of six cores that own slices of 256 KiB each and do half of an I/O's work as owners; one of its two paths is
/// longer.
const ARRAY: &str = r#"
name = "six"
about = "An array with six owners"
scale = 40.0
[luns]
count = 1
gib = 80.0
[ports]
count = 2
paths = 2
mib_s = 4000.0
command_us = 0.2
[latency]
read_us = 200.0
write_us = 300.0
[reduction]
zeros = true
dedupe = false
compression = false
granule = 4096
[cores]
controllers = 3
per_controller = 2
slice_kib = 256
owner_share = 0.5
fingerprint_share = 0.2
read = { base_ns = 8000.0, chunk_ns = 12000.0 }
write = { base_ns = 10000.0, chunk_ns = 30000.0 }
switch_ns = 0.0
zero_factor = 0.3
duplicate_factor = 1.0
[cache]
mib = 1280.0
hit_us = 5.0
[flash]
dies = 1200
read_us = 100.0
program_us = 300.0
erase_us = 2000.0
[[faults]]
at = "0s"
fault = "path-slow"
path = 1
by = "150us"
"#;

fn figure<'d>(document: &'d Value, name: &str) -> &'d Value {
    let figures = document["verdicts"][0]["figures"]
        .as_array()
        .expect("figures");
    let found = figures.iter().find(|f| f["name"] == name);
    found.unwrap_or_else(|| panic!("no figure {name}: {figures:#?}"))
}

#[test]
fn a_fingerprint_says_what_an_array_is_and_others_go_by_it() {
    let place = TestFolder::new();
    place.text("six.toml", ARRAY);
    let words = typed("fingerprint lab:./six.toml --json --seed 5 --no-record");
    let words = [&words[..], &["--save", "six.like"]].concat();
    let document = place.plimsoll(&words).ok().json();
    crate::measuring::assert_valid(&document);
    assert_eq!(document["verdicts"][0]["class"], "dealt");
    assert_eq!(
        figure(&document, "slice_bytes")["quantity"]["value"],
        256 << 10
    );
    assert_eq!(figure(&document, "owners")["quantity"]["value"], 6);
    // What was measured again and again has an interval, and what was not says so.
    let charts = document["verdicts"][0]["charts"]
        .as_array()
        .expect("charts");
    assert!(charts.len() >= 3, "{charts:#?}");
    for (at, chart) in charts.iter().enumerate() {
        let printed = chart["y"]["intervals"].as_str().expect("what they are");
        assert_eq!(printed.starts_with("No intervals"), at == 0, "{printed}");
        let points = chart["series"][0]["points"].as_array().expect("points");
        for point in points {
            let y = point["y"].as_f64().expect("a value");
            match (at, point["interval"].as_array()) {
                (0, none) => assert!(none.is_none(), "{point}"),
                (_, Some(ends)) => {
                    let end = |i: usize| ends[i].as_f64().expect("an end");
                    assert!(end(0) <= y && y <= end(1), "{point}");
                }
                (_, None) => panic!("no interval: {point}"),
            }
        }
    }
    // The probes read from caches and heat owners on purpose: nobody is warned of that.
    let findings = document["findings"].as_array().into_iter().flatten();
    let warned: Vec<String> = findings.map(Value::to_string).collect();
    for rule in [
        "cache-answered",
        "wide-confidence",
        "hot-core",
        "PL202",
        "PL101",
    ] {
        assert!(!warned.iter().any(|f| f.contains(rule)), "{warned:#?}");
    }
    let share = figure(&document, "owner_share")["quantity"]["value"]
        .as_f64()
        .expect("a share");
    assert!((share - 0.5).abs() < 0.05, "{share}");
    let paths = figure(&document, "path_asymmetry");
    let slower = paths["quantity"]["value"].as_f64().expect("a ratio");
    assert!((1.2..1.8).contains(&slower), "{paths}");
    let why = paths["remark"].as_str().expect("which");
    assert!(why.ends_with("the better ones are 0"), "{why}");
    assert_eq!(figure(&document, "use_block")["quantity"]["value"], 4096);
    assert_eq!(figure(&document, "use_luns")["quantity"]["value"], 1);
    let zeros = figure(&document, "zeros");
    assert!(zeros["quantity"].is_null());
    let why = zeros["remark"].as_str().expect("a reason");
    holds!(why, "not identifiable", "--destroy");

    // As if it had found larger pieces there: what is no default shows that the file is gone by.
    let found = std::fs::read_to_string(place.path("six.like")).expect("the file");
    holds!(found, "block = 4096", "luns = 1");
    place.text("six.like", &found.replace("block = 4096", "block = 65536"));

    let depth = figure(&document, "use_depth")["quantity"]["value"]
        .as_u64()
        .expect("a depth");
    for command in ["run", "curve", "soak"] {
        let line = format!("'{command}' null:1g --like six.like --hits read=75 --dry-run --json");
        let words = typed(&line);
        let plan = place.plimsoll(&words).ok().json();
        assert_eq!(plan["steps"][0]["depth"], depth, "{command}");
        assert!(plan.to_string().contains("256KiB"), "{command}: {plan:#}");
        assert!(plan.to_string().contains("64KiB"), "{command}: {plan:#}");
        let words = [&words[..], &["--depth", "3"]].concat();
        let plan = place.plimsoll(&words).ok().json();
        assert_eq!(
            plan["steps"][0]["depth"], 3,
            "{command}: what is typed goes before it"
        );
    }
}

#[test]
fn a_fingerprint_shows_its_plan_and_no_other_file_is_taken_for_one() {
    let place = TestFolder::new();
    let plan = place.plimsoll("fingerprint null:64g --dry-run").ok();
    plan.says(&["short probes, reads", "5m"]);
    place.text("no.like", "depth = 3\n");
    let refused = place
        .plimsoll("run null:1g --like no.like --dry-run")
        .exits(2);
    refused.warns(&["[like]", "--save"]);
    place.plimsoll("run null:1g --like none --dry-run").exits(2);
}

#[test]
fn the_paths_of_a_target_are_part_of_the_plan_and_only_read() {
    let place = TestFolder::new();
    place.text("six.toml", ARRAY);
    let plan = place.plimsoll("fingerprint lab:./six.toml --dry-run").ok();
    for path in ["path=0", "path=1"] {
        let line = plan.out.lines().find(|l| l.contains(path));
        assert!(line.is_some_and(|l| l.ends_with("read only")), "{plan:#?}");
    }
    let other = ["run", "lab:./six.toml?path=2", "--no-record", "--for", "1s"];
    let other = place.plimsoll(&other).exits(2);
    other.warns(&["no path 2"]);
}

#[test]
fn a_path_that_is_down_is_said_and_the_others_are_compared() {
    let place = TestFolder::new();
    let array = ARRAY.replace("count = 2\npaths = 2", "count = 3\npaths = 3");
    let down = "[[faults]]\nat = \"0s\"\nfault = \"path-down\"\npath = 0\n";
    place.text("three.toml", &format!("{array}{down}"));
    let words = ["fingerprint", "lab:./three.toml", "--json", "--no-record"];
    let ran = place
        .plimsoll(&[&words[..], &["--seed", "5"]].concat())
        .ok();
    ran.warns(&["path 0: down"]);
    let document = ran.json();
    crate::measuring::assert_valid(&document);
    let paths = figure(&document, "path_asymmetry");
    let slower = paths["quantity"]["value"].as_f64().expect("a ratio");
    assert!((1.2..1.8).contains(&slower), "{paths}");
    let why = paths["remark"].as_str().expect("which");
    holds!(why, "the better ones are 2; path 0: down (");
}

#[test]
fn what_goes_against_a_fingerprint_is_said() {
    let place = TestFolder::new();
    place.text("two.like", "[like]\nluns = 2\navoid_stride = 1048576\n");
    let words = typed("run null:1g --like two.like --access stride=1020k --dry-run");
    let printed = place.plimsoll(&words).ok();
    for wanted in ["2 LUNs", "one owner"] {
        assert!(printed.err.contains(wanted), "{wanted}: {printed:#?}");
    }
}

#[test]
#[ignore = "takes two minutes of real time"]
fn a_target_without_slices_has_none() {
    let place = TestFolder::new();
    for target in [&["null:64g"][..], &["./plain.dat", "--size", "1g"]] {
        let words = [&["fingerprint"][..], target, &["--json", "--no-record"]].concat();
        let document = place.plimsoll(&words).ok().json();
        for name in ["slice_bytes", "owners", "owner_share"] {
            let figure = figure(&document, name);
            assert!(figure["quantity"].is_null(), "{target:?}: {figure}");
        }
    }
}
