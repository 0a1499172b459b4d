//! Closed loops that are held back, and operations with sizes of their own, from the flags to the report.

use crate::exports::serve as nbdkit;
use crate::measuring::assert_valid;
use crate::place::{TestFolder, holds, typed};
use serde_json::Value;
use std::time::Instant;

fn step(document: &Value) -> &Value {
    assert_valid(document);
    let steps = document["steps"].as_array().expect("steps");
    steps.iter().find(|s| s["fill"] == false).expect("a step")
}

fn number(of: &Value, key: &str) -> f64 {
    of[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no {key} in {of}"))
}

fn notes(step: &Value) -> String {
    step["notes"].to_string()
}

/// The server's own log counts the I/Os, whatever the machine's speed.
#[test]
fn no_server_sees_more_than_the_cap() {
    for (flag, value, per_second) in [
        ("--max-rate", "400", 400.0),
        ("--max-bandwidth", "3200k", 400.0),
    ] {
        let place = TestFolder::new();
        let arguments = ["--filter=log", "memory", "16m", "logfile=log"];
        let Some(_server) = nbdkit(&place, "s", &arguments) else {
            return;
        };
        let words = format!(
            "run nbd+unix:///?socket=s --allow-unwritten --block 8k --depth 8 --workers 2 --warmup 0s --for 2s --no-record --json \
              '{flag}' '{value}'"
        );
        let began = Instant::now();
        let document = place.plimsoll(&words).ok().json();
        let seconds = began.elapsed().as_secs_f64();
        let log = std::fs::read_to_string(place.path("log")).expect("a log");
        let of_the_run = |line: &&str| line.contains(" Read ") && line.contains("count=0x2000 ");
        let seen = log.lines().filter(of_the_run).count() as f64;
        assert!(
            seen > 0.0 && seen <= per_second * seconds + 8.0,
            "{seen} in {seconds} s"
        );
        let step = step(&document);
        // What was in flight at the end came back after it, and is in no rate.
        let counted = step["ios"].as_f64().expect("a count");
        assert!(
            counted <= seen && seen <= counted + 8.0,
            "{counted} of {seen}"
        );
        // A closed loop: it offers nothing, and cannot be saturated.
        assert_eq!(
            (&step["offered_iops"], &step["saturation"]),
            (&Value::Null, &Value::Null)
        );
        let load = step["load"].as_str().expect("a load");
        assert!(load.starts_with("max, at most "), "{load}");
        assert!(notes(step).contains("its most of"), "{}", notes(step));
    }
}

/// N = X (R + Z), by the report's own rate and response, in virtual time.
#[test]
fn users_who_think_obey_the_interactive_response_time_law() {
    let place = TestFolder::new();
    for (spread, workers) in [("even", "1"), ("exponential", "2")] {
        let words = format!(
            "run lab:single-ssd?size=64m --depth 24 --think 2ms --think-distribution '{spread}' --workers '{workers}' --for 10s \
              --seed 3 --no-record --json"
        );
        let document = place.plimsoll(&words).ok().json();
        let step = step(&document);
        let users = number(step, "iops") * (number(&step["response"], "mean_us") / 1e6 + 0.002);
        assert!((users / 24.0 - 1.0).abs() < 0.02, "{spread}: {users} users");
        assert!(
            step["load"]
                .as_str()
                .expect("a load")
                .starts_with("max, think 2ms")
        );
    }
}

#[test]
fn a_lab_says_whether_the_cap_was_reached() {
    let place = TestFolder::new();
    let note = |rate: &str| {
        let words = format!(
            "run lab:single-ssd?size=64m --depth 1 --for 5s --seed 3 --no-record --json --max-rate '{rate}'"
        );
        notes(step(&place.plimsoll(&words).ok().json()))
    };
    assert!(
        note("500").contains("reached its most of 500/s"),
        "{}",
        note("500")
    );
    assert!(
        note("10M").contains("of its most of 10,000,000/s"),
        "{}",
        note("10M")
    );
}

#[test]
fn each_operation_moves_its_own_bytes_to_its_own_places() {
    let place = TestFolder::new();
    let words = typed(
        "run data --size 8m --read 50 --read-block 4k --write-block 32k --max-rate 2k --depth 4 --record r.plim --json",
    );
    let document = place.quick(&words).ok().json();
    let step = step(&document);
    for (op, bytes) in [("read", 4096.0), ("write", 32_768.0)] {
        let ops = step["ops"].as_array().expect("operations");
        let own = ops.iter().find(|o| o["op"] == op).expect("it occurs");
        assert!(number(own, "ios") > 0.0);
        assert_eq!(number(own, "bytes"), number(own, "ios") * bytes, "{op}");
    }
    // The record says it as the run did, and so does a plan of the same flags.
    let shown = place.plimsoll(&["show", "r.plim"]).ok().out;
    assert!(shown.contains("its most of 2,000/s"), "{shown}");
    let row = shown.lines().find(|line| line.starts_with("run "));
    assert!(
        row.is_some_and(|row| row.contains(" at most 2,000/s ")),
        "{shown}"
    );
    let plan = place
        .plimsoll(&[&["plan"], &words[1..14]].concat())
        .ok()
        .out;
    holds!(plan, "reads 4KiB; writes 32KiB", "maximum, at most 2,000/s");
}

#[test]
fn what_cannot_be_held_back_is_refused_with_the_remedy() {
    let place = TestFolder::new();
    let refused = |words: &[&str], parts: &[&str]| {
        place
            .plimsoll(&[words, &["--no-record"]].concat())
            .refused(parts);
    };
    refused(
        &["run", "null:1g", "--rate", "100", "--think", "5ms"],
        &["asks for a rate", "think 5ms", "(a closed loop)"],
    );
    refused(
        &["curve", "null:1g", "--max-rate", "100"],
        &["looks for the most", "leave out what holds it back"],
    );
    refused(
        &["run", "null:1g", "--think-every", "3"],
        &["--think-every", "--think TIME"],
    );
    refused(&["run", "null:1g", "--max-rate", "0"], &["--max-rate"]);
    refused(
        &["run", "null:1g", "--max-rate", "5", "--max-bandwidth", "1m"],
        &["keep the one"],
    );
}

/// Cap of a definition in virtual time: a stream with a window and a cap has its cap from the window's beginning, and no more.
#[test]
fn a_cap_is_kept_from_a_workloads_start_on() {
    let place = TestFolder::new();
    let definition = r#"
[target.a]
path = "lab:single-ssd?size=64m"
[workload.all]
think = "1ms"
[workload.some]
max_rate = 400
start = "1500ms"
stop = "3s"
depth = 4
[[run]]
depth = 4
warmup = "1s"
for = "4s"
interval = "500ms"
"#;
    place.text("d.toml", definition);
    let words = ["run", "d.toml", "--seed", "1", "--no-record", "--json"];
    let document = place.plimsoll(&words).ok().json();
    let workloads = &step(&document)["workloads"];
    let some = workloads.as_array().expect("workloads").iter();
    let some = some.filter(|w| w["workload"] == "some").collect::<Vec<_>>();
    let [some] = some[..] else {
        panic!("{workloads}")
    };
    // 400/s for 1.5 s, and one at the beginning.
    assert!((599.0..=601.0).contains(&number(some, "ios")), "{some}");
    assert!((number(some, "iops") - 400.0).abs() <= 1.0, "{some}");
    assert!(notes(step(&document)).contains("its most of"), "{document}");
}

/// Overload of one workload for a part of a second beside another: no stall, and no load that is carried.
#[test]
fn a_short_overload_of_one_workload_is_called_by_its_name() {
    let place = TestFolder::new();
    for (time, window) in [
        ("3s", "start = \"300ms\"\nstop = \"700ms\""),
        ("3s", "start = \"350ms\"\nstop = \"550ms\""),
        ("1s", ""),
        ("500ms", ""),
    ] {
        let definition = format!(
            r#"
[target.a]
path = "lab:curve-8k?size=64m&scale=100"
[workload.calm]
block = "8k"
rate = 100
depth = 4
[workload.much]
block = "8k"
rate = 50000
depth = 4
{window}
[[run]]
for = "{time}"
warmup = "0s"
"#
        );
        place.text("d.toml", &definition);
        let words = ["run", "d.toml", "--seed", "1", "--no-record", "--json"];
        let document = place.plimsoll(&words).ok().json();
        let step = step(&document);
        let of = |name: &str| {
            let all = step["workloads"].as_array().expect("workloads").iter();
            let found = all.filter(|w| w["workload"] == name).collect::<Vec<_>>();
            found[0]["saturation"].clone()
        };
        let (calm, much) = (of("calm"), of("much"));
        let what = format!("{time} {window}: {calm} {much} {}", notes(step));
        assert_eq!(
            (&calm["saturated"], &much["saturated"]),
            (&false.into(), &true.into()),
            "{what}"
        );
        assert_eq!(step["saturation"]["saturated"], true, "{what}");
        assert!(number(&much, "shortfall") > 0.9, "{what}");
        assert!(number(&much, "no_slot_share") > 0.9, "{what}");
        assert!(number(&much, "short_samples") > 0.9, "{what}");
        assert!(!notes(step).contains("stalled"), "{what}");
    }
}

#[test]
fn a_backend_that_has_nothing_to_do_is_said() {
    let place = TestFolder::new();
    let words = typed("run null:1GiB --for 100ms --warmup 0s --no-record");
    let with = |more: &[&str]| place.plimsoll(&[&words, more].concat()).ok().out;
    let message = "psync was asked for and has nothing to do there";
    assert!(with(&["--backend", "psync"]).contains(message));
    assert!(!with(&[]).contains("asked for"));
}
