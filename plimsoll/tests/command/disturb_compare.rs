//! `plimsoll compare` of disturbances: how long the application waited is a figure that a gate can hold.

use crate::place::{Done, TestFolder};
use serde_json::Value;

/// A path that refuses costs nothing, a silent one the time until it is given up.
const REFUSES: &str = "path-down path=0";
const SILENT: &str = "path-down path=0 silent=true";

/// Five records of one path of four that is away for 30 s.
fn five(place: &TestFolder, side: &str, fault: &str) -> Vec<String> {
    let run = |n: u32| {
        let (record, seed) = (format!("{side}{n}.plim"), n.to_string());
        let done = place.plimsoll(&format!("disturb lab:scale-out-flash-4?size=1g --rate 400 --depth 64 --at 8s --do-fault '{fault}' --undo-at 38s \
              --undo-fault 'path-up path=0' --for 50s --times 1 -q --record '{record}' --seed '{seed}'"));
        assert!(done.code.is_some_and(|code| code < 2), "{done:#?}");
        record
    };
    (1..=5).map(run).collect()
}

fn compare(place: &TestFolder, flags: &[&str], a: &[String], b: &[String]) -> Done {
    let a = a.iter().map(String::as_str);
    let b = b.iter().map(String::as_str);
    let words = ["compare"].into_iter().chain(flags.iter().copied());
    let words: Vec<&str> = words.chain(a).chain(["--"]).chain(b).collect();
    place.plimsoll(&words)
}

#[test]
fn a_failover_that_became_slow_fails_a_gate_and_one_that_stayed_fast_passes() {
    let place = TestFolder::new();
    let fast = five(&place, "fast", REFUSES);
    let slow = five(&place, "slow", SILENT);
    let gates = ["--fail-if", "blackout > +1s", "--fail-if", "failed > 1"];
    // What is done differs, so that nobody compares the two by mistake.
    compare(&place, &gates, &fast, &slow).exits(3);
    let gates = [&gates[..], &["--different"]].concat();
    let fails = compare(&place, &gates, &fast, &slow).exits(1);
    fails.says(&["a rise of more than 1.00s is shown"]);
    fails.warns(&["blackout > +1.00s: fails", "failed > 1.00: passes"]);
    compare(&place, &gates, &fast, &fast).exits(3);
    compare(&place, &gates, &slow, &fast).ok();
    let done = compare(&place, &["--json", "--different"], &fast, &slow).ok();
    let document: Value = serde_json::from_str(&done.out).expect("JSON");
    let steps = document["steps"].as_array().expect("steps");
    let report = steps.last().expect("the report");
    let of = |metric: &str| {
        let rows = report["metrics"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["metric"] == metric);
        let row = row.unwrap_or_else(|| panic!("{metric}: {report:#}"));
        [&row["mean_a"], &row["mean_b"]].map(|ns| ns.as_f64().expect("a number") / 1e9)
    };
    // 63 of 64 places are lost after 63 x 4 / 400 s, and the path is given up after 30 s.
    let [refused, silent] = of("blackout");
    assert!(
        refused < 0.2 && (silent - 29.37).abs() < 0.2,
        "{refused} {silent}"
    );
    let [_, longest] = of("longest_response");
    assert!((longest - 30.0).abs() < 0.2, "{longest}");
    // What was out on the path when it went came back when it was given up; the rate did not before that.
    let [_, back] = of("rate_back");
    assert!(back >= silent, "{back}");
}

#[test]
fn a_figure_of_a_disturbance_is_asked_of_disturbances_alone() {
    let place = TestFolder::new();
    place.plimsoll("run null:1GiB --for 300ms --warmup 0s -q --record a.plim");
    let done = place
        .plimsoll("compare --fail-if 'blackout > +1s' a.plim -- a.plim")
        .exits(2);
    done.warns(&["a figure of `plimsoll disturb`"]);
}
