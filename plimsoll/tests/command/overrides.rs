//! What the command line changes in a definition, and loops by flags.

use crate::place::{TestFolder, typed};
use serde_json::Value;

const JOB: &str = "\
[target.a]
path = \"null:1GiB\"
[workload.oltp]
read = 70
hits = { read = 75, area = \"1m\" }
[workload.log]
block = \"64k\"
[[run]]
name = \"prepare\"
purpose = \"fill\"
for = \"7s\"
workloads = [\"log\"]
[[run]]
name = \"one\"
for = \"9s\"
[[run]]
load = \"curve\"
percents = [50, 100]
";

fn job() -> TestFolder {
    let place = TestFolder::new();
    place.text("job.toml", JOB);
    place
}

/// The plan's text.
fn plan(place: &TestFolder, words: &[&str]) -> String {
    place
        .plimsoll(&[&["plan", "job.toml"], words].concat())
        .ok()
        .out
}

/// The line of a step.
#[track_caller]
fn line<'t>(text: &'t str, step: &str) -> Vec<&'t str> {
    let words = text
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>());
    let mut found = words.filter(|w| w.get(1) == Some(&step));
    found.next().unwrap_or_else(|| panic!("no {step}: {text}"))
}

#[test]
fn a_flag_replaces_the_key_of_every_run_that_measures() {
    let place = job();
    let text = plan(
        &place,
        &["--for", "2s", "--depth", "8", "--percents", "20,40"],
    );
    assert!(line(&text, "one").contains(&"2s"), "{text}");
    assert!(line(&text, "run3_(20%)").contains(&"2s"), "{text}");
    assert!(!text.contains("run3_(50%)"), "{text}");
    // What prepares is not cut short.
    assert!(line(&text, "prepare").contains(&"32"), "{text}");
    assert!(line(&text, "one").contains(&"8"), "{text}");
}

#[test]
fn set_changes_one_key_by_its_path() {
    let place = job();
    let text = plan(
        &place,
        &typed(
            "--set workload.oltp.block=16k --set run.one.for=4s --set workload.oltp.hits.area=2m \
             --set target.\"a\".path=null:2GiB --set title=5",
        ),
    );
    for part in ["16KiB", "64KiB", "75% of reads in 2MiB", "null:2GiB"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(line(&text, "one").contains(&"4s"), "{text}");
    assert!(line(&text, "run3").contains(&"30s"), "{text}");
    assert!(text.starts_with("5\n"), "{text}");
}

#[test]
fn a_path_that_leads_nowhere_is_shown_with_the_nearest_spelling() {
    let place = job();
    for (set, parts) in [
        (
            "workload.oltp.blok=8k",
            ["has no key `blok`", "`block` is near"],
        ),
        (
            "workload.oltq.block=8k",
            ["no workload `oltq`", "`oltp` is near"],
        ),
        ("run.onee.for=1s", ["no run `onee`", "`one` is near"]),
        ("workload.oltp.hits.arae=1m", ["`arae`", "`area` is near"]),
        ("titel=x", ["no key `titel`", "`title` is near"]),
        ("block=8k", ["no key `block`", "run.block=VALUE"]),
        (
            "workload.oltp.block=8x",
            ["unknown unit", "workload.oltp.block=8x"],
        ),
        ("workload.oltp", ["PATH=VALUE", "workload.NAME.block=8k"]),
        ("workload.oltp=8k", ["which key", "workload.oltp.KEY"]),
        ("workload..block=8k", ["PATH=VALUE", "workload..block"]),
        ("max_errors.x=8", ["no table", "max_errors=VALUE"]),
    ] {
        if set == "max_errors.x=8" {
            place.text("job.toml", &format!("max_errors = 5\n{JOB}"));
        }
        place
            .plimsoll(&format!("run job.toml --set '{set}'"))
            .refused(&parts);
        place
            .plimsoll(&format!("run job.toml --set '{set}'"))
            .refused(&["command line:1:"]);
    }
}

#[test]
fn what_was_changed_is_what_is_measured() {
    let place = TestFolder::new();
    place.text(
        "job.toml",
        "[target.a]\npath = \"null:1GiB\"\n[workload.w]\n[[run]]\nfor = \"9s\"\nwarmup = \"9s\"\n",
    );
    let done = place
        .quick("run job.toml --no-record --json --set workload.w.block=16k --depth 1,2")
        .ok();
    let steps = done.json()["steps"].as_array().cloned().expect("steps");
    let names: Vec<&str> = steps.iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["run1_(depth=1)", "run1_(depth=2)"]);
    for step in &steps {
        let number = |name: &str| step[name].as_f64().expect("a number");
        assert_eq!(number("bytes"), number("ios") * 16384.0);
        assert!(number("counted_s") < 5.0, "{step}");
    }
}

#[test]
fn a_list_in_a_flag_is_a_loop() {
    let place = TestFolder::new();
    let names = |words: &[&str]| -> Vec<String> {
        let done = place.plimsoll(&[&["plan", "null:1g"], words].concat()).ok();
        let steps = done.out.lines().skip_while(|l| !l.starts_with("step "));
        let steps = steps.skip(1).take_while(|l| !l.is_empty());
        steps
            .filter_map(|l| l.split_whitespace().nth(1).map(str::to_string))
            .collect()
    };
    assert_eq!(
        names(&["--block", "4k,8k", "--depth", "1,2"]),
        [
            "run_(block=4k,depth=1)",
            "run_(block=4k,depth=2)",
            "run_(block=8k,depth=1)",
            "run_(block=8k,depth=2)"
        ]
    );
    // A mix of sizes is one value.
    assert_eq!(names(&["--block", "4k=50,64k=50"]), ["run"]);
    assert_eq!(names(&["--hits", "read=75,area=1m"]), ["run"]);
    assert_eq!(
        names(&["--rate", "max,50%"]),
        ["run_(load=max)", "run_(load=50%)"]
    );
    let thousand: Vec<String> = (1..=200).map(|n| n.to_string()).collect();
    let thousand = thousand.join(",");
    place
        .plimsoll(&format!("run null:1g --depth {thousand} --read {thousand}"))
        .refused(&["--read"]);
    let hundred = vec!["50"; 101].join(",");
    place
        .plimsoll(&format!("run null:1g --read {hundred} --trim {hundred}"))
        .refused(&["10201 steps", "10000 or fewer"]);
}

#[test]
fn set_needs_a_definition() {
    TestFolder::new()
        .plimsoll("run null:1g --set run.for=1s")
        .refused(&["--set", "--block 8k"]);
}

#[test]
fn a_percentage_of_nothing_and_a_limit_without_a_unit_are_refused() {
    let place = TestFolder::new();
    place.plimsoll("run null:1g --rate 50%").refused(&[
        "--rate",
        "none before the first",
        "--rate max,50%",
    ]);
    place
        .plimsoll("curve null:1g --slo p99=2")
        .refused(&["--slo", "no unit", "p99=2ms"]);
    place.text(
        "job.toml",
        &JOB.replace("percents", "slo = \"p99=2\"\npercents"),
    );
    place
        .plimsoll("plan job.toml")
        .refused(&["no unit", "p99=2ms", "job.toml:"]);
}

#[test]
fn plan_shows_a_curve_of_a_target_as_curve_does() {
    for flags in ["--slo p99=2ms --percents 10,50", "--slo p99=2ms"] {
        shown_alike(&format!("null:1g --block 8k {flags}"));
    }
    // Asked for a limit alone, it chooses its points itself.
    let chosen = |flags: &str| {
        let words = format!("plan null:1g --block 8k --slo p99=2ms {flags}");
        TestFolder::new().plimsoll(words.as_str()).ok().out
    };
    let says = "rates where the curve bends";
    assert!(chosen("").contains(says) && !chosen("--percents 50").contains(says));
}

fn shown_alike(words: &str) {
    let place = TestFolder::new();
    let words = typed(words);
    let curve = place
        .plimsoll(&[&["curve", "--dry-run"], &words[..]].concat())
        .ok();
    let plan = place
        .plimsoll(&[&["plan", "--curve"], &words[..]].concat())
        .ok();
    assert_eq!(plan.out, curve.out);
    // Points and limits are only a curve's.
    assert_eq!(
        place.plimsoll(&[&["plan"], &words[..]].concat()).ok().out,
        curve.out
    );
    let json = |first: &[&str]| -> Value {
        place
            .plimsoll(&[first, &words[..], &["--json"]].concat())
            .ok()
            .json()
    };
    assert_eq!(json(&["plan", "--curve"]), json(&["curve", "--dry-run"]));
}

#[test]
fn the_page_says_what_was_measured_and_not_what_the_file_says() {
    let place = TestFolder::new();
    place.text(
        "job.toml",
        "title = \"Night batch\"\n[target.a]\npath = \"null:1GiB\"\n[workload.w]\nread = 70\nblock = \"8k\"\n[[run]]\n",
    );
    let words = typed("run job.toml --set workload.w.block=16k --record r.plim");
    place.quick(&words).ok();
    let Some((_, data)) = place.page("r.plim") else {
        return;
    };
    let measured = &data["measured"];
    assert_eq!(measured["title"], "Night batch");
    let facts = measured["facts"].as_array().expect("facts");
    for fact in [
        ["Block", "16.0 KiB"],
        ["Mix", "70% read, 30% write"],
        ["Addresses", "random"],
        ["Content", "unique"],
        ["Depth", "32"],
    ] {
        assert!(
            facts.contains(&serde_json::json!(fact)),
            "{fact:?}: {measured}"
        );
    }
    assert!(
        measured["plan"]
            .as_str()
            .is_some_and(|p| p.contains("16384")),
        "{measured}"
    );
}
