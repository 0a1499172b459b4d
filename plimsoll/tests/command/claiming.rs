//! `plimsoll check`: claims without a log, by the built program.

use crate::place::TestFolder;
use serde_json::Value;

const MIX: &str = "264000 at 1.15ms, 4k, jobs=8 depth=10, 4 hosts, 8 x 8Gb FC";

#[test]
fn the_exit_code_says_whether_a_claim_can_be_true() {
    let place = TestFolder::new();
    let code = |words: &[&str]| place.plimsoll(&[&["check"], words].concat()).code;
    assert_eq!(code(&[MIX]), Some(0), "a note");
    assert_eq!(code(&["104,968 IOPS at 0.577 ms with 32 threads"]), Some(1));
    let suspect = "130848 IOPS at 3.913 ms, threads=256";
    assert_eq!(code(&[suspect]), Some(0));
    assert_eq!(code(&[suspect, "--strict"]), Some(1));
    assert_eq!(code(&["hello"]), Some(2));
    assert_eq!(code(&[]), Some(2));
}

#[test]
fn a_claim_is_answered_with_what_it_comes_to_and_what_it_leaves_out() {
    let done = TestFolder::new().plimsoll(&["check", MIX]);
    let all = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in [
        "8 jobs x depth 10 x 4 hosts = 320 slots, 8 x 8 Gbit/s Fibre Channel",
        "304 I/Os in flight, 320 possible, 1.01 GiB/s, 8.0% to 16% of one direction of the 8 ports",
        "Not said: the mix of reads and writes, random or sequential, percentiles",
        "PL114 depth-not-reached",
        "(plimsoll explain PL114)",
    ] {
        assert!(all.contains(says), "{says}: {done:#?}");
    }
}

#[test]
fn flags_say_the_same_as_words() {
    let place = TestFolder::new();
    let words = place.plimsoll(&["check", "--json", MIX]);
    let flags = place.plimsoll(
        "check --json --iops 264000 --latency 1.15ms --block 4k --jobs 8 --depth 10 --hosts 4 --ports '8 x 8Gb FC'",
    );
    assert_eq!(words.out, flags.out);
    let document: Value = serde_json::from_str(&words.out).expect("JSON");
    assert_eq!(document["worst"], "note");
    let result = &document["results"][0];
    assert_eq!(result["tool"], "a claim");
    let finding = &result["findings"][0];
    assert_eq!(finding["rule"], "PL114");
    let values = finding["values"].as_array().expect("values");
    let in_flight = values.iter().find(|v| v["name"] == "in_flight");
    assert_eq!(in_flight.expect("a value")["quantity"]["value"], 304.0);
}
