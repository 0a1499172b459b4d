//! What limited a run over a real link between two network name spaces: the link, or the server behind it.

use crate::limit_named::{RUN, limit, named, turn};
use crate::name_space::Link;
use crate::place::{Done, TestFolder, typed};
use serde_json::Value;

/// A run with two depths on the server.
fn run(place: &TestFolder, link: &Link, block: &str, depths: &str) -> Done {
    let target = format!("nbd://{}", link.address);
    let words = [
        &["run", &target, "--block", block, "--depth", depths][..],
        &typed(RUN)[..],
    ]
    .concat();
    place.plimsoll(&words)
}

/// The rules of networks that found something.
fn found(done: &Done) -> Vec<String> {
    let document = done.json();
    let findings = document["findings"].as_array().expect("findings").iter();
    let rules = findings.filter_map(|f| f["rule"].as_str());
    rules
        .filter(|r| ["PL144", "PL146", "PL149"].contains(r))
        .map(str::to_owned)
        .collect()
}

/// Observations of the way to the server in the last step.
fn way(done: &Done, link: &Link) -> Value {
    let steps = done.json()["steps"].clone();
    let last = steps.as_array().expect("steps").last().expect("a step");
    let ways = &last["witnessed"]["round_trips"];
    assert_eq!(ways.as_array().map(Vec::len), Some(1), "{ways}");
    assert_eq!(ways[0]["address"], link.address.to_string());
    ways[0].clone()
}

#[test]
fn a_link_that_is_slow_is_named_by_the_packets_that_wait_for_it() {
    let _turn = turn();
    let slow = "tbf rate 80mbit burst 32k latency 50ms";
    let Some(link) = Link::new(Some(slow), "memory 64M") else {
        return;
    };
    let place = TestFolder::new();
    named("network", || {
        let done = run(&place, &link, "16k", "8,16");
        let way = way(&done, &link);
        // The truth is the discipline: 10 MB/s, and 128 KiB and more of answers that are out at any time.
        let rate = done.json()["steps"][1]["bytes_per_s"].as_f64();
        assert!(rate.is_none_or(|rate| rate < 10.5e6), "{rate:?}");
        if way["answered"].as_u64() > Some(0) {
            assert!(found(&done).contains(&"PL149".to_string()), "{way}");
        }
        done
    });
}

#[test]
fn a_slow_server_behind_a_sound_link_is_the_target_and_the_link_is_blamed_for_nothing() {
    let _turn = turn();
    // It works on 16 requests at once, for 20 ms each.
    let Some(link) = Link::new(None, "--filter=delay memory 64M rdelay=20ms") else {
        return;
    };
    let place = TestFolder::new();
    named("target", || {
        let done = run(&place, &link, "4k", "32,64");
        // TCP asks after a while whether a server is there that says nothing; that is no loss.
        assert_eq!(found(&done), [""; 0]);
        assert!(way(&done, &link)["answered"].as_u64() > Some(0));
        done
    });
}

#[test]
fn a_sound_link_with_a_quick_server_is_not_the_network() {
    let _turn = turn();
    let Some(link) = Link::new(None, "memory 64M") else {
        return;
    };
    let place = TestFolder::new();
    let done = run(&place, &link, "16k", "8,16");
    // The pair's speed is a number that it does not keep to.
    let limit = limit(&done);
    assert_ne!(limit["cause"], "network", "{limit:#}");
    assert_eq!(found(&done), [""; 0], "{limit:#}");
}
