//! Workloads with a depth and a time of their own. The truth is Little's law: the rate times the time that an I/O is out is
//! how many are out, whoever counts them.

use crate::place::TestFolder;
use serde_json::Value;

/// Plays a definition on these words, and gives its only step.
fn step(place: &TestFolder, text: &str, words: &[&str]) -> Value {
    place.text("d.toml", text);
    let words = [&["run", "d.toml", "--no-record", "--json"], words].concat();
    place.plimsoll(&words).ok().json()["steps"][0].clone()
}

/// Mean I/Os out of a workload, while it works.
fn out(step: &Value, workload: &str) -> f64 {
    let of = stream(step, workload);
    let figure = |names: [&str; 2]| of[names[0]][names[1]].as_f64().expect("a time");
    of["iops"].as_f64().expect("a rate") * figure(["service", "mean_us"]) / 1e6
}

fn stream<'s>(step: &'s Value, workload: &str) -> &'s Value {
    let all = step["streams"].as_array().expect("streams");
    let own = all.iter().find(|s| s["workload"] == workload);
    own.unwrap_or_else(|| panic!("no {workload} in {all:?}"))
}

fn assert_near(found: f64, expected: f64, share: f64) {
    let off = (found / expected - 1.0).abs();
    assert!(off < share, "{found} is not {expected}");
}

const MIXED: &str = r#"
[target.t]
path = "lab:single-ssd?size=1g"
[workload.a]
depth = 8
[workload.b]
rate = 500
depth = 2
start = "10s"
stop = "20s"
[workload.c]
start = "25s"
[[run]]
for = "30s"
warmup = "5s"
depth = 4
"#;

#[test]
fn each_workload_has_its_own_depth_and_its_rate_in_its_own_time() {
    let place = TestFolder::new();
    let step = step(&place, MIXED, &[]);
    assert_near(out(&step, "a"), 8.0, 0.01);
    assert_near(out(&step, "c"), 4.0, 0.01);
    // 500/s for 10 of the 30 s.
    let b = stream(&step, "b");
    assert_near(b["iops"].as_f64().expect("a rate"), 500.0, 0.05);
    assert_near(b["ios"].as_f64().expect("a count"), 5_000.0, 0.05);
    assert_eq!(b["offered_iops"], 500.0);
    assert_eq!(b["saturation"]["saturated"], false);
    // Nobody takes silence by plan for something else.
    assert_eq!(step["notes"], serde_json::json!([]), "{step:#}");
}

#[test]
fn the_plan_shows_whose_slots_are_whose_and_when_who_works() {
    let place = TestFolder::new();
    place.text("d.toml", MIXED);
    let plan = place.plimsoll("plan d.toml").ok().out;
    let line = |name: &str| {
        let mut words = plan
            .lines()
            .map(|l| l.split_whitespace().collect::<Vec<_>>());
        words.find(|w| w.contains(&name)).expect("a line")
    };
    // 4 that are shared, 8 and 2.
    assert!(line("maximum").contains(&"14"), "{plan}");
    assert!(line("a").windows(2).any(|w| w == ["8", "own"]), "{plan}");
    assert!(
        line("c").contains(&"4") && !line("c").contains(&"own"),
        "{plan}"
    );
    let window = "workload `b` works from 10s to 20s of run `run1`, whose warm-up is the first 5s";
    assert!(plan.contains(window), "{plan}");
}

#[test]
fn a_workload_that_wants_more_slots_than_its_own_is_the_one_that_is_saturated() {
    let place = TestFolder::new();
    let text = r#"
[target.t]
path = "lab:single-ssd?size=1g"
[workload.greedy]
rate = "20k"
depth = 1
[workload.modest]
rate = 200
[[run]]
for = "20s"
warmup = "2s"
"#;
    let step = step(&place, text, &[]);
    let saturation = |name| &stream(&step, name)["saturation"];
    assert_eq!(saturation("greedy")["saturated"], true, "{step:#}");
    assert_eq!(saturation("modest")["saturated"], false, "{step:#}");
    assert_eq!(saturation("modest")["no_slot_share"], 0.0);
    // One slot is always busy.
    assert_near(out(&step, "greedy"), 1.0, 0.02);
}

#[test]
fn silence_before_between_and_after_windows_is_no_standstill() {
    let place = TestFolder::new();
    for rate in ["", "rate = 300"] {
        let text = format!(
            r#"
[target.t]
path = "lab:single-ssd?size=1g"
[workload.first]
{rate}
start = "5s"
stop = "17s"
[workload.second]
{rate}
depth = 3
start = "22s"
stop = "34s"
[[run]]
for = "40s"
warmup = "0s"
"#
        );
        let step = step(&place, &text, &[]);
        assert_eq!(step["notes"], serde_json::json!([]), "{step:#}");
        assert_eq!(step["counted_s"], 40.0);
        let ios = |name| stream(&step, name)["ios"].as_f64().expect("a count");
        let rate = |name| stream(&step, name)["iops"].as_f64().expect("a rate");
        for name in ["first", "second"] {
            assert_near(rate(name), ios(name) / 12.0, 0.001);
        }
        // What the step has of them is over its own time.
        let all = step["iops"].as_f64().expect("a rate");
        assert_near(all, (ios("first") + ios("second")) / 40.0, 0.001);
    }
}

#[test]
fn files_have_no_more_out_than_each_workloads_depth() {
    let place = TestFolder::new();
    place.foreign("f", 8 << 20);
    let text = r#"
[target.t]
path = "f"
[workload.a]
depth = 3
[workload.b]
depth = 2
start = "300ms"
stop = "800ms"
[[run]]
for = "1s"
warmup = "0s"
"#;
    for words in [
        &["--workers", "1"][..],
        &["--workers", "2"],
        &["--backend", "psync"],
    ] {
        let step = step(&place, text, words);
        for (name, depth) in [("a", 3.0), ("b", 2.0)] {
            let out = out(&step, name);
            // Each slot may be busy for one I/O past the end of the window of half a second.
            let longest = &stream(&step, name)["service"]["max_us"];
            let longest_s = longest.as_f64().expect("a time") / 1e6;
            let most = depth * (1.0 + longest_s / 0.5);
            assert!(out > 0.0 && out <= most, "{name}: {out} in {words:?}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let place = TestFolder::new();
    let with = |keys: &str, run: &str| {
        format!(
            "[target.t]\npath = \"null:1g\"\n[workload.w]\n{keys}\n[[run]]\nfor = \"20s\"\n{run}\n"
        )
    };
    for (keys, run, said) in [
        ("depth = 0", "", ["d.toml:4", "depth"]),
        (
            "depth = 2",
            "depth = 4",
            ["d.toml:7", "that no workload shares"],
        ),
        ("start = \"25s\"", "", ["d.toml:4", "has ended by then"]),
        (
            "start = \"9s\"\nstop = \"9s\"",
            "",
            ["d.toml:5", "stops at 9s, and starts at 9s"],
        ),
        (
            "stop = \"5s\"",
            "",
            ["d.toml:4", "nothing of it is counted"],
        ),
        ("stop = \"0s\"", "", ["d.toml:4", "a time of 0 is nothing"]),
        ("start = \"soon\"", "", ["d.toml:4", "start"]),
        (
            "depth = 2000000",
            "",
            ["target `t` has a depth of 2000000", "make it"],
        ),
    ] {
        place.text("d.toml", &with(keys, run));
        place.plimsoll("plan d.toml").refused(&said);
    }
}
