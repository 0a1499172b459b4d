//! `plimsoll pts`: the tests of SNIA's specification, shortened.

use crate::place::{TestFolder, holds, typed};
use crate::resuming::{killed_after, names, steps};
use serde_json::Value;

const SSD: &str = "lab:single-ssd?scale=16&size=128m";

fn asked(place: &TestFolder, words: &[&str]) -> Value {
    let all = [&["pts", "--scale", "600", "--json", "--no-record"], words].concat();
    place.plimsoll(&all).ok().json()
}

fn titles(verdict: &Value) -> Vec<&str> {
    let charts = verdict["charts"].as_array().expect("charts");
    charts.iter().filter_map(|c| c["title"].as_str()).collect()
}

#[test]
fn rounds_go_on_until_five_are_steady_and_the_result_is_labelled() {
    let place = TestFolder::new();
    let document = asked(&place, &[SSD, "--tests", "iops"]);
    let verdict = &document["verdicts"][0];
    assert_eq!(verdict["class"], "steady", "{verdict}");
    let sentence = verdict["sentence"].as_str().expect("a sentence");
    assert!(
        sentence.starts_with("PTS-style, not compliant"),
        "{sentence}"
    );
    let why = verdict["findings"][0]["message"]
        .as_str()
        .expect("a reason");
    holds!(why, "not purged", "divided by 600");
    // What 4 KiB do comes first.
    assert_eq!(titles(verdict)[0], "steady-state window, 4KiB 0/100");
    let of = |title| titles(verdict).iter().position(|t| *t == title);
    let convergence = of("convergence").expect("it is drawn");
    // A round of a tenth of a second knows nothing of itself, and five of them know their mean.
    let [rounds, window] = [convergence, 0].map(|i| &verdict["charts"][i]);
    let legend = rounds["y"]["intervals"].as_str().expect("what they are");
    assert!(legend.contains("has none"), "{legend}");
    let mean = &window["series"][1];
    assert_eq!(mean["name"], "mean", "{window}");
    for point in mean["points"].as_array().expect("points") {
        let [low, y, high] =
            [&point["interval"][0], &point["y"], &point["interval"][1]].map(Value::as_f64);
        // Rounds that came to the same have a mean that is known.
        assert!(low.is_some() && low <= y && y <= high, "{point}");
    }
    assert_eq!(
        verdict["tables"][0]["rows"].as_array().map(Vec::len),
        Some(8)
    );
    assert_eq!(
        verdict["tables"][0]["columns"].as_array().map(Vec::len),
        Some(8)
    );
    // Whole rounds of 56, at least five, behind two passes.
    let steps = document["steps"].as_array().expect("steps");
    let rounds = (steps.len() - 2) / 56;
    assert_eq!((steps.len() - 2) % 56, 0);
    assert!((5..=25).contains(&rounds), "{rounds}");
    // What the specification calls steady, taken from the steps themselves.
    let tracked = "_(read=0,block=4KiB)";
    let values: Vec<f64> = steps
        .iter()
        .filter(|s| s["name"].as_str().is_some_and(|n| n.ends_with(tracked)))
        .filter_map(|s| s["iops"].as_f64())
        .collect();
    assert_eq!(values.len(), rounds);
    let last = &values[rounds - 5..];
    let mean = last.iter().sum::<f64>() / 5.0;
    let (low, high) = last
        .iter()
        .fold((f64::MAX, 0.0f64), |(a, b), v| (a.min(*v), b.max(*v)));
    assert!(high - low <= 0.2 * mean, "{last:?}");
}

#[test]
fn the_page_of_each_method_stays_below_a_megabyte_and_a_half_however_many_its_steps() {
    let place = TestFolder::new();
    for (line, least) in [
        ("run lab:curve-8k --for 5m", 1),
        ("curve lab:curve-8k --for 2s", 10),
        ("sweep lab:curve-8k --block 4k,64k --read 0,100 --for 2s", 4),
        ("soak lab:single-ssd?scale=16&size=128m --for 1m", 1),
        (
            "disturb lab:scale-out-flash-4?size=1g --rate 400 --depth 64 --at 8s --do-fault 'path-down path=0'",
            3,
        ),
        ("fingerprint lab:curve-8k", 200),
        (
            "pts lab:single-ssd?scale=16&size=128m --scale 60 --tests iops",
            282,
        ),
        (
            "saturate lab:scale-out-flash-8?scale=20&size=1g --for 5s",
            300,
        ),
    ] {
        place
            .plimsoll(&format!("{line} -q --seed 1 --record r.plim"))
            .ran();
        let Some((bytes, data)) = place.page("r.plim") else {
            return;
        };
        let steps = data["steps"].as_array().map_or(0, Vec::len);
        assert!(
            steps >= least && bytes < 1_500_000,
            "{line}: {steps} steps, {bytes} bytes"
        );
        std::fs::remove_file(place.path("r.plim")).expect("removed");
    }
}

#[test]
fn each_test_has_its_own_result() {
    let place = TestFolder::new();
    let document = asked(&place, &[SSD, "--tests", "throughput,latency,wsat"]);
    let verdicts = document["verdicts"].as_array().expect("verdicts");
    let begins = |i: usize, what: &str| {
        let sentence = verdicts[i]["sentence"].as_str().unwrap_or_default();
        assert!(sentence.contains(what), "{sentence}");
    };
    begins(0, "throughput");
    begins(1, "latency");
    begins(2, "write saturation");
    assert_eq!(verdicts.len(), 3);
    let written = |v: &Value| {
        let figures = v["figures"].as_array().expect("figures").iter();
        let found = figures.clone().find(|f| f["name"] == "overwrites");
        found.and_then(|f| f["quantity"]["value"].as_f64())
    };
    assert!(
        written(&verdicts[2]).is_some_and(|n| n >= 2.0),
        "{}",
        verdicts[2]
    );
    let steps = document["steps"].as_array().expect("steps");
    let histogram = steps.iter().filter(|s| {
        s["name"]
            .as_str()
            .is_some_and(|n| n.ends_with("_histogram"))
    });
    assert_eq!(histogram.count(), 1);
    let one_at_a_time = steps.iter().filter(|s| {
        s["name"]
            .as_str()
            .is_some_and(|n| n.contains("_latency_round"))
    });
    assert!(one_at_a_time.clone().count() >= 45);
    for step in one_at_a_time {
        assert_eq!(step["slots"].as_u64(), Some(1), "{step}");
    }
}

#[test]
fn on_a_file_of_this_machine_killed_and_gone_on_with() {
    let place = TestFolder::new();
    let words = typed(
        "pts ./t.dat --size 4m --tests throughput --scale 600 --interval 50ms --record r.plim",
    );
    assert!(killed_after(&place, &words, 9, 0));
    let before = names(&steps(&place, "r.plim"));
    assert!(before.len() > 2, "{before:?}");
    // How steady this machine's disk is, nobody knows, nor what the rules say of that: 25 rounds at most.
    let done = place.plimsoll("resume r.plim -q");
    assert!(matches!(done.code, Some(0 | 1 | 3)), "{done:#?}");
    let after = names(&steps(&place, "r.plim"));
    assert_eq!(after[..before.len()], before[..]);
    let rounds = after.iter().filter(|n| n.contains("_round")).count();
    assert!(rounds >= 20 && rounds % 4 == 0, "{after:?}");
    let document = place.plimsoll("show --json r.plim").json();
    assert_eq!(document["verdicts"][0]["method"], "pts");
    assert_eq!(document["verdicts"][0]["decided"], true, "{document}");
}

#[test]
fn a_load_or_an_idle_scale_is_refused_and_a_purge_alone_does_not_make_it_compliant() {
    let place = TestFolder::new();
    place
        .plimsoll(&format!("pts '{SSD}' --rate 100"))
        .refused(&["its method decides that"]);
    place
        .plimsoll(&format!("pts '{SSD}' --scale 0.5"))
        .refused(&["below 1"]);
    let words = [SSD, "--tests", "throughput", "--purged"];
    let document = asked(&place, &words);
    let why = &document["verdicts"][0]["findings"][0]["message"];
    let why = why.as_str().expect("a reason");
    assert!(
        !why.contains("purged") && why.contains("divided by 600"),
        "{why}"
    );
}
