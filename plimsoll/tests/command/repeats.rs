//! `--repeats`: repeats kept apart in one record, shown with their spread, and compared as runs.

use crate::place::{TestFolder, holds};
use serde_json::Value;

/// Five repeats on a simulated SSD: three reads at a time, which sometimes meet on a die.
fn five(place: &TestFolder, seed: u32, record: &str) {
    let words = "--depth 3 --read 100 --warmup 0s --for 1s -q --repeats 5";
    place
        .plimsoll(&format!(
            "run lab:single-ssd?size=64m {words} --seed {seed} --record {record}"
        ))
        .ok();
}

fn verdict(document: &Value) -> &Value {
    let verdicts = document["verdicts"].as_array().expect("a list");
    let of_repeats = |v: &&Value| v["method"] == "repeats";
    verdicts.iter().find(of_repeats).expect("a verdict")
}

fn figure<'v>(verdict: &'v Value, name: &str) -> &'v Value {
    let figures = verdict["figures"].as_array().expect("a list");
    let named = |f: &&Value| f["name"] == name;
    figures
        .iter()
        .find(named)
        .unwrap_or_else(|| panic!("{name}: {verdict}"))
}

#[test]
fn each_repeat_is_there_with_the_spread_between_them() {
    let place = TestFolder::new();
    five(&place, 1, "a.plim");
    let document = place.plimsoll("show a.plim --json").ok().json();
    let steps = document["steps"].as_array().expect("a list");
    let names: Vec<&str> = steps.iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["run#1", "run#2", "run#3", "run#4", "run#5"]);
    let rates: Vec<f64> = steps.iter().filter_map(|s| s["iops"].as_f64()).collect();
    assert!(rates.windows(2).any(|two| two[0] != two[1]), "{rates:?}");
    let mean = rates.iter().sum::<f64>() / 5.0;
    let squares: f64 = rates.iter().map(|r| (r - mean).powi(2)).sum();
    // Student's t of four degrees of freedom.
    let half = 2.776_445 * (squares / 4.0 / 5.0).sqrt();
    let rate = figure(verdict(&document), "run.rate");
    let number = |value: &Value| value.as_f64().expect("a number");
    let near = |a: f64, b: f64| (a - b).abs() < 1e-4 * b;
    assert!(near(number(&rate["quantity"]["value"]), mean), "{rate}");
    let (low, high) = (number(&rate["interval"][0]), number(&rate["interval"][1]));
    assert!(near(high - low, 2.0 * half), "{rate}: {half}");
    let shown = place.plimsoll("show a.plim").ok();
    shown.says(&[
        "run#5",
        "Repeats of run: complete",
        "5 repeats of run",
        "between repeats the ",
    ]);
    // What is said of the plan is said once, and of the run as it was asked for.
    let audited = place.plimsoll("audit a.plim").ok();
    assert_eq!(
        audited.out.matches("PL032 few-intervals").count(),
        1,
        "{audited:#?}"
    );
    audited.says(&["Run run has 1 counted interval."]);
    assert!(!audited.out.contains("PL118"), "{audited:#?}");
    place
        .plimsoll("export a.plim --csv --rows figures")
        .ok()
        .says(&["run.rate"]);
    place
        .plimsoll("records . --json")
        .ok()
        .says(&["\"method\": \"run\""]);
}

#[test]
fn a_record_of_repeats_is_as_many_runs_to_a_comparison() {
    let place = TestFolder::new();
    five(&place, 1, "a.plim");
    five(&place, 2, "b.plim");
    let compared = place
        .plimsoll(
            "compare --fail-if 'iops < -3%' --junit junit.xml --markdown gates.md a.plim b.plim",
        )
        .ok();
    compared.warns(&["iops < -3%: passes"]);
    compared.says(&[
        "A: a.plim (5 repeats) (5 runs)",
        "what changes from one sitting to the next",
        "A/A control: every other run of A",
        "is excluded (p < 0.0001), within these sittings alone",
    ]);
    assert!(!compared.out.contains("run#"), "{compared:#?}");
    let junit = std::fs::read_to_string(place.path("junit.xml")).expect("written");
    holds!(
        junit,
        "tests=\"1\" failures=\"0\" skipped=\"0\"",
        "<testcase classname=\"iops &lt; -3%\" name=\"run\">"
    );
    let markdown = std::fs::read_to_string(place.path("gates.md")).expect("written");
    holds!(
        markdown,
        "| `iops < -3%` | run | passes |",
        "- A: a.plim (5 repeats) (5 runs)\n- B: b.plim",
        "- run: A/A control: every other run of A"
    );
    assert!(!markdown.contains("Not the same measurement"), "{markdown}");
    let other = "run lab:single-ssd?size=64m --depth 9 --warmup 0s --for 1s -q --record other.plim";
    place.plimsoll(other).ok();
    place
        .plimsoll("compare --markdown unlike.md a.plim other.plim")
        .ok();
    let unlike = std::fs::read_to_string(place.path("unlike.md")).expect("written");
    holds!(unlike, "**Not the same measurement:**\n\n- depth");
    assert!(
        unlike.contains("- PL0") || unlike.contains(": PL"),
        "findings of the runs: {unlike}"
    );
    let document = place.plimsoll("compare --json a.plim b.plim").ok().json();
    let metric = &document["steps"][0]["metrics"][0];
    assert_eq!(
        (&metric["runs_a"], &metric["runs_b"], &metric["basis"]),
        (&5.into(), &5.into(), &"between_repeats".into())
    );
    // The same record is no other run.
    place
        .plimsoll("compare a.plim a.plim")
        .ok()
        .says(&["a.plim (repeat 1) is on both sides"]);
}

#[test]
fn capacities_of_curves_are_compared_and_curves_are_repeated() {
    let place = TestFolder::new();
    for (seed, record) in [(1, "a.plim"), (2, "b.plim")] {
        let words = "--read 100 --percents 30,60,90 --slo mean=100us --warmup 0s --for 1s -q --depth 16 --repeats 5";
        let done = place.plimsoll(&format!(
            "curve lab:single-ssd?size=64m {words} --seed {seed} --record {record}"
        ));
        done.ok();
    }
    let document = place.plimsoll("show a.plim --json").ok().json();
    let repeats = verdict(&document);
    assert_eq!(repeats["figures"][0]["quantity"]["value"], 5);
    figure(repeats, "curve.maximum");
    let compared = place
        .plimsoll("compare --fail-if 'capacity < -10%' a.plim b.plim")
        .ok();
    compared.warns(&["capacity < -10%: passes"]);
    compared.says(&["curve within 100us (mean)", "capacity"]);
    place
        .plimsoll("compare --fail-if 'blackout > 1s' a.plim b.plim")
        .refused(&["plimsoll disturb"]);
}

#[test]
fn a_plan_shows_its_repeats_and_what_makes_no_sense_is_refused() {
    let place = TestFolder::new();
    let begun = place
        .plimsoll("run lab:single-ssd?size=64m --repeats 3 --for 1s --dry-run")
        .ok();
    begun.says(&["run#1", "run#3"]);
    place
        .plimsoll("run lab:single-ssd --repeats 3 --beside fio")
        .refused(&["--repeats", "--beside"]);
    place
        .plimsoll("run lab:single-ssd --repeats 0")
        .refused(&["--repeats"]);
}
