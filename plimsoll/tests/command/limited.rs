//! The adaptive curve against a limit that somebody else sets: an NBD server's. A control group's is found in the emulated machine, whose
//! kernel has one everywhere.

use crate::place::{Done, TestFolder, typed};
use serde_json::Value;

/// I/Os of 4 KiB that the server lets through in a second.
const LIMIT: f64 = 400.0;
/// Below the limit nothing waits, for the I/Os come evenly. Half of the response time that the limit is looked for at is the
/// machine's doing, and what was found there says nothing.
const STOOD_STILL_US: f64 = 25_000.0;
/// Number of tries that a machine gets which stands still.
const TRIES: usize = 3;

/// True where the capacity is the limit within its interval or 3 %. Another is wrong, but where the machine stood still, and where it is
/// left open.
fn found(done: &Done) -> bool {
    assert!(matches!(done.code, Some(0 | 3)), "{done:#?}");
    let document = done.json();
    let capacity = &document["verdicts"][0]["capacities"][0];
    let half = capacity["iops"]["ci95"].as_f64().unwrap_or(0.0);
    let mean = capacity["iops"]["mean"].as_f64();
    let right = capacity["at_least"] == false
        && mean.is_some_and(|mean| (mean - LIMIT).abs() <= half.max(0.03 * LIMIT));
    let steps = document["steps"].as_array().expect("steps");
    let number = |s: &Value| s.as_f64().unwrap_or(f64::NAN);
    let longest = |s: &Value| s["response"]["max_us"].as_f64().unwrap_or(0.0);
    let below = |s: &&Value| number(&s["offered_iops"]) < 0.98 * LIMIT;
    let stood_still = (steps.iter().filter(below)).any(|s| longest(s) >= STOOD_STILL_US);
    let open = capacity["at_least"] == true && mean.is_some_and(|m| m < LIMIT);
    let point = |s: &Value| {
        let (came, asked) = (number(&s["rate"]["mean"]), number(&s["offered_iops"]));
        format!("{came} of {asked}, {} ms at most", longest(s) / 1e3)
    };
    let points: Vec<String> = steps.iter().map(point).collect();
    assert!(right || stood_still || open, "{capacity:#} {points:#?}");
    right
}

/// A server that lets so many bits a second through. It may save up no more than a fiftieth of a second's of what was not asked
/// for: the curve's points are short.
#[test]
fn an_nbd_servers_limit_is_the_capacity_that_an_adaptive_curve_finds() {
    let place = TestFolder::new();
    let bits = format!("rate={}", LIMIT * 4096.0 * 8.0);
    let server = ["memory", "64M", "--filter=rate", &bits, "burstiness=0.02"];
    let Some(_server) = crate::exports::serve(&place, "s", &server) else {
        return;
    };
    let words = typed(
        "curve nbd+unix:///?socket=s --read 100 --arrival even --depth 16 --adaptive --slo mean=50ms --budget 60s \
         --allow-unwritten --no-record --no-settle --seed 1 --json",
    );
    if !(0..TRIES).any(|_| found(&place.plimsoll(&words))) {
        plimsoll_skipped::skipped!("this machine stood still in each try to find a limit");
    }
}
