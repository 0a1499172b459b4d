//! Sizes by operation, and what holds a closed loop back, as their users write them.

use plimsoll_dialects::native::{self, DirectFlags, direct};
use plimsoll_plan::*;

fn read(text: &str) -> Plan {
    let native = native::parse("test.toml", text);
    native.unwrap_or_else(|failure| panic!("{failure}")).plan
}

fn refused(text: &str) -> String {
    match native::parse("test.toml", text) {
        Ok(native) => panic!("it was accepted: {:?}", native.plan),
        Err(failure) => failure.to_string(),
    }
}

/// A definition of a workload with these keys on two targets, and a run with those.
fn both(workload: &str, run: &str) -> String {
    format!(
        "[target.a]\npath = \"null:1g\"\n[target.b]\npath = \"null:1g\"\n[workload.w]\n{workload}\n[[run]]\n{run}\n"
    )
}

fn streams(workload: &str, run: &str) -> Vec<Stream> {
    let plan = read(&both(workload, run));
    plan.steps().flat_map(|s| s.streams.clone()).collect()
}

fn fixed(kib: u64) -> SizeSpec {
    SizeSpec::Fixed(Bytes(kib << 10))
}

#[test]
fn each_operation_may_have_sizes_of_its_own() {
    let size = |workload, run| streams(workload, run)[0].size.clone();
    assert_eq!(size("block = \"8k\"", ""), fixed(8));
    assert_eq!(size("block = \"8k\"\nwrite_block = \"8k\"", ""), fixed(8));
    assert_eq!(
        size("read_block = \"8k\"\nwrite_block = \"64k\"", ""),
        SizeSpec::of_operations([fixed(8), fixed(64), fixed(4)])
    );
    // Each has the forms that `block` has.
    let weighted = SizeSpec::Weighted(vec![(Bytes(4096), 90.0), (Bytes(65_536), 10.0)]);
    let range = SizeSpec::range(Bytes(4096), Bytes(16_384), Bytes(4096));
    assert_eq!(
        size(
            "read_block = { 4k = 90, 64k = 10 }\ntrim_block = \"4k-16k\"\nblock = \"1m\"",
            ""
        ),
        SizeSpec::of_operations([weighted, fixed(1024), range])
    );
    // A run's word replaces the workload's of the same key, and a list loops.
    assert_eq!(
        size("read_block = \"8k\"\nblock = \"4k\"", "block = \"16k\""),
        SizeSpec::of_operations([fixed(8), fixed(16), fixed(16)])
    );
    let plan = read(&both("", "write_block = [\"4k\", \"32k\"]"));
    let names: Vec<&str> = plan.steps().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["run1_(write_block=4k)", "run1_(write_block=32k)"]);
}

#[test]
fn a_size_that_does_not_divide_is_shown_where_it_was_written() {
    let text = both(
        "read = 50\nread_block = \"8k\"\nwrite_block = \"12k\"\naccess = \"coverage\"",
        "",
    );
    let shown = refused(&text);
    assert!(
        shown.contains("12KiB") && shown.contains("read_block = \"8k\""),
        "{shown}"
    );
}

#[test]
fn what_holds_a_loop_back_is_divided_among_targets_where_it_is_a_sum() {
    let held = |workload| {
        streams(workload, "")
            .iter()
            .map(|s| s.throttle)
            .collect::<Vec<_>>()
    };
    let think = Throttle::think(Think::new(Nanos(5_000_000), 4, Arrival::Exponential));
    let words = "think = \"5ms\"\nthink_every = 4\nthink_distribution = \"exponential\"";
    assert_eq!(held(words), [think; 2]);
    let rate = Throttle::rate(Rate(2500.0));
    assert_eq!(held("max_rate = \"5k\""), [rate; 2]);
    let bytes = Throttle::bandwidth(Bytes(50 << 20));
    assert_eq!(held("max_bandwidth = \"100m\""), [bytes; 2]);
    assert_eq!(held(""), [Throttle::default(); 2]);
    // A run takes it away again, and loops over it.
    assert!(
        streams("think = \"5ms\"", "think = \"none\"")[0]
            .throttle
            .is_none()
    );
    assert_eq!(
        streams("", "max_rate = [\"1k\", \"2k\", \"none\"]").len(),
        6
    );
}

#[test]
fn how_to_think_without_a_thought_is_refused_where_it_was_written() {
    for key in ["think_every = 2", "think_distribution = \"exponential\""] {
        let name = key.split(' ').next().expect("a key");
        for text in [both(key, ""), both("", key)] {
            let shown = refused(&text);
            assert!(
                shown.contains("does not think") && shown.contains(name),
                "{shown}"
            );
        }
        // The one may be said of a workload, and the other of the run.
        read(&both(key, "think = \"1ms\""));
    }
    for (every, wrong) in [
        ("0", "is not a whole number of at least 1"),
        ("4294967296", "is too large a number"),
        ("99999999999999999999999", "is too large a number"),
    ] {
        let shown = refused(&both(
            &format!("think = \"1ms\"\nthink_every = {every}"),
            "",
        ));
        assert!(shown.contains(wrong), "{every}: {shown}");
    }
    let both_caps = refused(&both("max_rate = 5\nmax_bandwidth = \"1m\"", ""));
    assert!(both_caps.contains("keep the one"), "{both_caps}");
    let open = refused(&both("max_rate = 5", "load = 100"));
    assert!(open.contains("(a closed loop)"), "{open}");
}

#[test]
fn flags_say_the_same_and_the_plan_shows_it() {
    let mut flags = DirectFlags {
        targets: vec!["null:1g".to_string()],
        ..DirectFlags::default()
    };
    for (flag, value) in [
        ("--read", "70"),
        ("--block", "8k"),
        ("--write-block", "64k"),
        ("--think", "5ms"),
        ("--think-every", "4"),
        ("--max-rate", "5000"),
    ] {
        flags.set(flag, value.to_string());
    }
    let plan = direct(&flags).unwrap_or_else(|e| panic!("{e}"));
    let text = describe(&plan).text();
    for words in [
        "maximum, think 5ms after every 4, at most 5,000/s",
        "reads 8KiB; writes 64KiB",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    flags.typed.retain(|(flag, _)| *flag != "--think");
    let error = direct(&flags).expect_err("nobody thinks").to_string();
    assert!(error.contains("--think-every"), "{error}");
}

#[test]
fn what_is_not_asked_for_leaves_no_trace_in_a_plan() {
    let plan = read(&both("block = \"8k\"", ""));
    let json = serde_json::to_string(&plan).expect("JSON");
    assert!(json.contains("\"size\":{\"fixed\":8192}"), "{json}");
    assert!(
        !json.contains("throttle") && !json.contains("by_operation"),
        "{json}"
    );
    let own = read(&both(
        "write_block = \"8k\"\nmax_rate = 10\nthink = \"1s\"",
        "",
    ));
    let json = serde_json::to_string(&own).expect("JSON");
    assert_eq!(serde_json::from_str::<Plan>(&json).expect("a plan"), own);
}
