//! `plimsoll soak`: on models whose truth is known, on a file of this machine, killed and gone on with.

use crate::place::{TestFolder, typed};
use crate::resuming::{killed_after, names, steps};
use crate::underway::Underway;
use serde_json::Value;

fn verdict(document: &Value) -> &Value {
    &document["verdicts"][0]
}

fn figure(document: &Value, name: &str) -> f64 {
    let figures = verdict(document)["figures"].as_array().expect("figures");
    let found = figures.iter().find(|f| f["name"] == name);
    let value = found.and_then(|f| f["quantity"]["value"].as_f64());
    value.unwrap_or_else(|| panic!("{name}: {document}"))
}

fn soak(place: &TestFolder, target: &str, words: &[&str]) -> Value {
    let line = format!("soak {target} --read 0 --warmup 0s --json --no-record");
    let all = [&typed(&line)[..], words];
    place.plimsoll(&all.concat()).ok().json()
}

#[test]
fn the_cliff_of_an_empty_ssd_is_found_where_its_spare_is_used_up() {
    let place = TestFolder::new();
    for seed in ["1", "2"] {
        let words = ["--overwrites", "4", "--seed", seed];
        let document = soak(&place, "lab:single-ssd?scale=16&size=256m", &words);
        assert_eq!(verdict(&document)["class"], "cliff", "{document}");
        // The spare is 28 %.
        let at = figure(&document, "cliff_overwrites");
        assert!((1.2..1.4).contains(&at), "{at}");
        let all = figure(&document, "overwrites");
        assert!((all - 4.0).abs() < 0.01, "{all}");
        let titles: Vec<&str> = verdict(&document)["charts"]
            .as_array()
            .expect("charts")
            .iter()
            .filter_map(|c| c["title"].as_str())
            .collect();
        assert_eq!(titles, ["rate over time", "response time over time"]);
        assert!(verdict(&document)["charts"][0]["marks"][0]["label"].is_string());
        let points = &verdict(&document)["charts"][0]["series"][0]["points"];
        let points = points.as_array().expect("points");
        assert!(points.len() >= 12 && points.iter().all(|p| p["interval"].is_array()));
    }
}

#[test]
fn there_is_none_once_it_is_preconditioned_and_none_on_an_array_without_one() {
    let place = TestFolder::new();
    let words = typed("--seed 1 --overwrites 3 --precondition both --part 10s");
    let ssd = soak(&place, "lab:single-ssd?scale=16&size=256m", &words);
    assert_eq!(verdict(&ssd)["class"], "no-cliff", "{ssd}");
    let names: Vec<&str> = ssd["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|s| s["name"].as_str())
        .collect();
    assert_eq!(names[..3], ["soak_wipc1", "soak_wipc2", "soak_wdpc1"]);
    let parts: Vec<_> = names.iter().filter(|n| n.contains("part")).collect();
    assert!(parts.len() >= 2, "{names:?}");
    let words = ["--seed", "1", "--overwrites", "5", "--for", "60s"];
    let array = soak(&place, "lab:scale-out-flash-8?size=32m", &words);
    assert_eq!(verdict(&array)["class"], "no-cliff", "{array}");
}

#[test]
fn a_file_of_this_machine_is_soaked_in_parts_and_each_overwrite_is_counted() {
    let place = TestFolder::new();
    let words = typed(
        "soak ./t.dat --size 8m --read 0 --block 64k --overwrites 2 --precondition wipc \
         --warmup 0s --for 30s --interval 100ms --no-settle --record r.plim --json",
    );
    let document = place.plimsoll(&words).json();
    let steps = document["steps"].as_array().expect("steps");
    let written: u64 = steps
        .iter()
        .filter(|s| s["fill"] != true)
        .filter_map(|s| s["bytes"].as_u64())
        .sum();
    assert_eq!(written, 2 * (8 << 20), "{document}");
    let is_pass = |s: &&Value| s["name"].as_str().is_some_and(|n| n.contains("wipc"));
    let filled: Vec<&Value> = steps.iter().filter(is_pass).collect();
    assert_eq!(filled.len(), 2, "two passes: {document}");
    assert_eq!(verdict(&document)["method"], "soak");
}

/// A soak of eight parts of 200 ms.
const PARTS: &str = "soak ./t.dat --size 4m --fill --read 50 --block 4k --warmup 0s --for 1600ms --interval 50ms \
     --part 200ms";

fn parts(place: &TestFolder) -> Vec<String> {
    let all = names(&steps(place, "r.plim"));
    all.into_iter().filter(|n| n.contains("part")).collect()
}

fn whole(place: &TestFolder) {
    let expected: Vec<String> = (1..=8).map(|n| format!("soak_part{n}")).collect();
    assert_eq!(parts(place), expected);
    let document = place.plimsoll("show --json r.plim").json();
    assert_eq!(document["status"], "completed");
    assert_eq!(document["verdicts"].as_array().map(Vec::len), Some(1));
    let time = figure(&document, "time");
    assert!(
        (time - 1.6).abs() < 0.01,
        "{time}: all of it counts, and nothing twice"
    );
}

#[test]
fn a_soak_that_is_killed_again_and_again_goes_on_with_the_part_that_was_cut_off() {
    let place = TestFolder::new();
    let words = [&typed(PARTS)[..], &["--record", "r.plim"]].concat();
    assert!(killed_after(&place, &words, 6, 0));
    let before = parts(&place);
    assert!(!before.is_empty() && before.len() < 8, "{before:?}");
    let mut rounds = 0;
    while killed_after(&place, &["resume", "r.plim"], 5, rounds * 900) {
        assert!(parts(&place).len() >= before.len());
        rounds += 1;
        assert!(rounds < 100);
    }
    whole(&place);
}

#[test]
fn a_soak_that_is_interrupted_says_so_and_goes_on() {
    let place = TestFolder::new();
    let words = [&typed(PARTS)[..], &["--record", "r.plim", "-v"]].concat();
    let mut run = Underway::start(&place, &words);
    assert!(run.shows_intervals(7), "ended early");
    run.interrupt();
    run.end().exits(2).says(&["did not come to its end"]);
    let document = place.plimsoll("show --json r.plim").json();
    assert_eq!(verdict(&document)["decided"], false, "{document}");
    place.plimsoll("resume r.plim -q");
    whole(&place);
}

#[test]
fn what_a_soak_cannot_do_is_refused_and_its_plan_says_what_it_will() {
    let place = TestFolder::new();
    place
        .plimsoll("soak lab:single-ssd?size=64m --overwrites 3")
        .refused(&["writes nothing", "read = 0"]);
    place
        .plimsoll("soak lab:single-ssd?size=64m --overwrites 0")
        .refused(&["above 0"]);
    place
        .plimsoll("soak lab:single-ssd?size=64m --precondition some")
        .refused(&["some", "wipc"]);
    let plan = place
        .plimsoll("soak lab:single-ssd?size=64m --read 0 --dry-run")
        .ok();
    plan.says(&["(36 times)", "at most 18h"]);
    let words = typed("soak lab:single-ssd?size=64m --read 0 --overwrites 3 --dry-run");
    let plan = place.plimsoll(&words).ok();
    plan.says(&["at most 192 MiB"]);
}

#[test]
fn a_definition_asks_for_a_soak_too() {
    let place = TestFolder::new();
    place.text(
        "soak.toml",
        "[target.t]\npath = \"lab:scale-out-flash-8?size=32m\"\n[workload.w]\ntargets = [\"t\"]\nread = 0\n\
         [[run]]\nname = \"night\"\nmethod = \"soak\"\nload = 500\nfor = \"60s\"\nwarmup = \"0s\"\n",
    );
    let document = place
        .plimsoll("soak soak.toml --json --no-record")
        .ok()
        .json();
    assert_eq!(verdict(&document)["class"], "no-cliff", "{document}");
    assert_eq!(verdict(&document)["run"], "night");
}

/// Personas at test scale, and what is to be said of a soak on each.
const TRUTHS: [(&str, &str, &str); 4] = [
    (
        "cliff",
        "lab:single-ssd?scale=16&size=128m",
        "--overwrites 4 --read 0",
    ),
    (
        "no-cliff",
        "lab:single-ssd?scale=16&size=128m",
        "--overwrites 3 --precondition both --part 10s --for 60s --read 0",
    ),
    (
        "no-cliff",
        "lab:scale-out-flash-8?size=32m",
        "--for 60s --read 30",
    ),
    (
        "no-cliff",
        "lab:curve-8k?size=64m",
        "--for 60s --read 100 --rate 1500",
    ),
];

#[test]
#[ignore = "the table in docs/soak.md: minutes"]
fn table_of_personas() {
    let place = TestFolder::new();
    for (truth, target, words) in TRUTHS {
        let (mut right, mut cliffs) = (0, 0);
        for seed in 0..200 {
            let line =
                format!("soak {target} --warmup 0s --json --no-record --seed {seed} {words}");
            let class = verdict(&place.plimsoll(&line).json())["class"].clone();
            right += usize::from(class == truth);
            cliffs += usize::from(class == "cliff");
        }
        println!("| {target} {words:?} | {truth} | {right} of 200 | {cliffs} |");
    }
}
