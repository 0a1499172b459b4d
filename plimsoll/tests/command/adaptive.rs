//! `plimsoll curve --adaptive`, as its users have it.

use crate::place::{TestFolder, typed};
use serde_json::Value;

/// The persona of the published curve at a sixteenth, with its load.
const ARRAY: &str = "curve lab:curve-8k?scale=16 --read 70 --block 8k --adaptive";

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&typed(ARRAY)[..], more].concat()
}

fn rules(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().expect("findings");
    findings.iter().filter_map(|f| f["rule"].as_str()).collect()
}

#[test]
fn a_capacity_is_found_with_its_interval_in_the_budget_and_every_output_has_it() {
    let place = TestFolder::new();
    let words = with(&typed("--slo mean=1ms --seed 5 --json --record a.plim"));
    let document = place.plimsoll(&words).ok().json();
    crate::measuring::assert_valid(&document);
    let verdict = &document["verdicts"][0];
    let capacity = &verdict["capacities"][0];
    let (mean, half_width) = (&capacity["iops"]["mean"], &capacity["iops"]["ci95"]);
    let (mean, half_width) = (mean.as_f64().unwrap(), half_width.as_f64().unwrap());
    assert!(half_width > 0.0 && half_width < 0.02 * mean, "{capacity}");
    assert_eq!(capacity["at_least"], false);
    let steps = document["steps"].as_array().expect("steps");
    let seconds = |s: &Value| s["warmup_s"].as_f64().unwrap() + s["counted_s"].as_f64().unwrap();
    let spent: f64 = steps.iter().map(seconds).sum();
    assert!(spent <= 181.0, "{spent}");
    assert!(rules(&document).contains(&"adaptive-budget"), "{verdict}");
    assert!(rules(&document).contains(&"no-hysteresis"), "{verdict}");
    let shown = place.plimsoll("show a.plim").ok();
    shown.says(&["mean ≤ 1.00ms", "No hysteresis"]);
}

#[test]
fn a_definition_says_it_by_its_method_or_the_flag_does() {
    let place = TestFolder::new();
    let text = |more: &str| {
        format!(
            "[target.array]\npath = \"lab:curve-8k?scale=16\"\n\n[workload.mix]\nread = 70\nblock = \"8k\"\n\n[[run]]\n{more}\n"
        )
    };
    std::fs::write(
        place.path("method.toml"),
        text("method = \"adaptive\"\nbudget = \"2m\"\nslo = \"mean=1ms\""),
    )
    .unwrap();
    std::fs::write(place.path("curve.toml"), text("load = \"curve\"")).unwrap();
    for words in [
        &["curve", "method.toml", "--dry-run"][..],
        &typed("curve curve.toml --adaptive --budget 2m --dry-run"),
    ] {
        let done = place.plimsoll(words).ok();
        done.says(&["rates where the curve bends"]);
    }
    let short = place
        .plimsoll(&with(&["--budget", "30s", "--dry-run"]))
        .exits(2);
    short.warns(&["too short to find anything"]);
}

/// A curve on the array that is asked this; its document and its exit code.
fn asked(place: &TestFolder, more: &[&str]) -> (Value, Option<i32>, String) {
    let fixed = ["--for", "2s", "--warmup", "200ms", "--depth", "64"];
    let rest = ["--seed", "3", "--json", "-q", "--record", "asked.plim"];
    let adaptive = more.contains(&"--adaptive");
    let words = [
        &typed(ARRAY)[..6],
        more,
        if adaptive { &[][..] } else { &fixed[..] },
        &rest,
    ]
    .concat();
    let _ = std::fs::remove_file(place.path("asked.plim"));
    let done = place.plimsoll(&words);
    let document = done.json();
    crate::measuring::assert_valid(&document);
    (document, done.code, done.err)
}

#[test]
fn a_curve_without_an_answer_to_what_it_was_asked_is_undecided() {
    let place = TestFolder::new();
    // Alone an I/O takes half a millisecond.
    for (more, why) in [
        (
            &["--percents", "10,50", "--slo", "mean=300us"][..],
            "no rate that was measured keeps mean=300us",
        ),
        (
            &["--percents", "10,30", "--slo", "mean=100ms"],
            "every rate that was measured keeps mean=100ms",
        ),
        (
            &["--percents", "120,150", "--slo", "mean=1ms"],
            "the target kept up with no point",
        ),
        (
            &["--adaptive", "--budget", "1m", "--slo", "p99.99=5ms"],
            "no point has I/Os enough for p99.99=5ms",
        ),
    ] {
        let (document, code, err) = asked(&place, more);
        let verdict = &document["verdicts"][0];
        assert_eq!(code, Some(3), "{more:?}: {err}");
        assert_eq!(verdict["decided"], false, "{more:?}");
        assert!(
            verdict["notes"].to_string().contains(why),
            "{more:?}: {verdict}"
        );
        assert!(err.contains("undecided: "), "{more:?}: {err}");
        let shown = place.plimsoll("show asked.plim").ok();
        assert!(shown.out.contains("(not decided)"), "{more:?}: {shown:#?}");
        assert!(shown.out.contains("Undecided: "), "{more:?}: {shown:#?}");
    }
    // A limit that is kept below the maximum, and one that is not even kept at rest: both are answers.
    for more in [
        &["--percents", "10,50,90,100", "--slo", "mean=1ms"][..],
        &["--adaptive", "--budget", "1m", "--slo", "mean=300us"],
        &["--percents", "10,50"],
    ] {
        let (document, code, err) = asked(&place, more);
        assert_eq!(code, Some(0), "{more:?}: {err}");
        assert_eq!(document["verdicts"][0]["decided"], true, "{more:?}");
    }
}
