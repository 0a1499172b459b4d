//! A run that was killed is gone on with from its record.

use crate::place::{TestFolder, typed};
use crate::underway::{Underway, interval_number};
use serde_json::Value;

/// Steps of every kind that a plan has: plain ones, one that depends on the last, a loop, and a curve that looks for its
/// depth.
const DEFINITION: &str = r#"
[target.t]
path = "null:1GiB"

[workload.w]
targets = ["t"]

[[run]]
name = "a"
for = "200ms"
warmup = "0s"
interval = "50ms"
load = [1000, 2000]
[[run]]
name = "b"
for = "200ms"
warmup = "0s"
interval = "50ms"
load = "50%"
[[run]]
name = "c"
for = "200ms"
warmup = "0s"
interval = "50ms"
load = "curve"
percents = [10, 20]
"#;

/// The steps of a record: all that was kept of each.
pub fn steps(place: &TestFolder, record: &str) -> Vec<Value> {
    let document = place.plimsoll(&format!("show --json {record}")).json();
    document["steps"].as_array().cloned().unwrap_or_default()
}

pub fn names(steps: &[Value]) -> Vec<String> {
    let name = |s: &Value| s["name"].as_str().unwrap_or_default().to_string();
    steps.iter().map(name).collect()
}

/// Starts the program and kills it when it has shown so many intervals; false where it ended before.
pub fn killed_after(place: &TestFolder, words: &[&str], intervals: usize, pause_us: u64) -> bool {
    // Intervals are shown of all steps.
    let words = [words, &["-v"]].concat();
    let mut run = Underway::start(place, &words);
    if !run.shows_intervals(intervals) {
        // 3 is an answer too: what was asked could not be decided.
        return !matches!(run.end().code, Some(0 | 3));
    }
    // A different part of what comes next each time.
    std::thread::sleep(std::time::Duration::from_micros(pause_us));
    run.kill();
    true
}

#[test]
fn a_run_that_is_killed_again_and_again_comes_to_its_end_and_keeps_what_was_done() {
    let place = TestFolder::new();
    place.text("d.toml", DEFINITION);
    let run = ["run", "d.toml", "--no-settle", "--record", "r.plim"];
    assert!(
        killed_after(&place, &run, 3, 0),
        "it was killed in its first step"
    );
    let resume = ["resume", "r.plim", "--no-settle"];
    let mut kept: Vec<Value> = Vec::new();
    for round in 0..200_u64 {
        let now = steps(&place, "r.plim");
        assert!(now.len() >= kept.len());
        assert_eq!(now[..kept.len()], kept[..], "what was done stays as it was");
        kept = now;
        let after = [1, 9, 2, 13, 5][round as usize % 5];
        if !killed_after(&place, &resume, after, round * 700) {
            break;
        }
    }
    let document = place.plimsoll("show --json r.plim").ok().json();
    crate::measuring::assert_valid(&document);
    assert_eq!(document["status"], "completed");
    assert_eq!(document["verdicts"].as_array().map(Vec::len), Some(1));
    // What was found is there once, however often it was gone on with.
    let found = document["findings"].as_array().expect("findings");
    let db = rusqlite::Connection::open(place.path("r.plim")).expect("a record");
    let rows: i64 = db
        .query_row("SELECT count(*) FROM findings", [], |row| row.get(0))
        .expect("a count");
    assert_eq!(rows as usize, found.len());
    let of_curve = found.iter().filter(|f| f["rule"] == "closed-loop-maximum");
    assert_eq!(of_curve.count(), 1, "{found:?}");
    // Uninterrupted, the same steps run in the same order; how many a search takes depends on what it finds.
    let names = names(&steps(&place, "r.plim"));
    let without_search: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|n| !n.starts_with("c_(depth="))
        .collect();
    assert_eq!(
        without_search,
        [
            "a_(load=1000)",
            "a_(load=2000)",
            "b",
            "c",
            "c_(10%)",
            "c_(20%)"
        ]
    );
    let again = place.plimsoll("resume r.plim").refused(&["is complete"]);
    assert!(again.out.is_empty());
}

#[test]
fn an_interrupted_step_is_measured_again() {
    let place = TestFolder::new();
    place.text("d.toml", DEFINITION);
    let run = ["run", "d.toml", "--record", "r.plim", "--max-errors", "7"];
    assert!(killed_after(&place, &run, 6, 0));
    let resumed = place.plimsoll("resume r.plim --no-settle");
    // A curve of milliseconds on nothing may have no answer.
    assert!(matches!(resumed.code, Some(0 | 3)), "{resumed:#?}");
    resumed.warns(&["resuming r.plim behind step 1, a_(load=1000)"]);
    let all = steps(&place, "r.plim");
    assert_eq!(all[1]["end"], "elapsed");
    let numbers: Vec<u64> = all.iter().filter_map(|s| s["number"].as_u64()).collect();
    assert_eq!(numbers, (1..=all.len() as u64).collect::<Vec<_>>());
    // The record says that it was, and nothing is left beside it.
    let environment = place.plimsoll("show r.plim").ok();
    environment.says(&["resumed behind step 1"]);
    assert_eq!(place.names(), ["d.toml", "r.plim"]);
}

#[test]
fn what_cannot_be_resumed_is_refused_and_stays_as_it_is() {
    let place = TestFolder::new();
    let line = "run null:1GiB --rate 100 --for 60s --interval 10ms --record r.plim";
    let mut run = Underway::start(&place, line);
    run.until(|line| interval_number(line).is_some());
    place.plimsoll("resume r.plim").refused(&["in use"]);
    run.kill();
    // A target that is another one now.
    place.foreign("t.img", 1 << 20);
    let words = typed("run ./t.img --for 60s --interval 10ms --depth 1 --record f.plim");
    assert!(killed_after(&place, &words, 2, 0));
    place.foreign("t.img", 2 << 20);
    let before = std::fs::read(place.path("f.plim")).expect("the record");
    place
        .plimsoll("resume f.plim")
        .refused(&["is not the target"]);
    assert_eq!(
        std::fs::read(place.path("f.plim")).expect("the record"),
        before
    );
}

#[test]
fn a_record_that_is_named_by_a_link_is_gone_on_with_where_it_lies() {
    let place = TestFolder::new();
    place.text("d.toml", DEFINITION);
    std::fs::create_dir(place.path("elsewhere")).expect("a folder");
    let run = typed("run d.toml --record elsewhere/r.plim --no-settle");
    assert!(killed_after(&place, &run, 6, 0));
    std::os::unix::fs::symlink("elsewhere/r.plim", place.path("link.plim")).expect("a link");
    let before = steps(&place, "elsewhere/r.plim");
    assert_eq!(before.len(), 1);
    let resumed = place.plimsoll("resume link.plim --no-settle");
    // A curve of milliseconds on nothing may have no answer.
    assert!(matches!(resumed.code, Some(0 | 3)), "{resumed:#?}");
    let after = steps(&place, "elsewhere/r.plim");
    assert!(after.len() > 6 && after[..1] == before[..]);
    // To replace it is as safe.
    let again = typed("run null:1GiB --rate 1000 --record link.plim --overwrite -q");
    place.quick(&again).ok();
    assert_eq!(names(&steps(&place, "elsewhere/r.plim")), ["run"]);
    assert!(place.path("link.plim").is_symlink());
}

#[test]
fn a_vdbench_run_that_ended_with_errors_is_measured_again_and_not_passed_over() {
    let place = TestFolder::new();
    place.text(
        "failing.toml",
        "name = \"failing\"\nabout = \"Fails for ever\"\nscale = 1.0\n[luns]\ncount = 1\ngib = 0.25\n\
         [ports]\ncount = 1\npaths = 1\nmib_s = 1e9\ncommand_us = 0.0\n\
         [latency]\nread_us = 250.0\nwrite_us = 250.0\n\
         [[faults]]\nat = \"1.5s\"\nfault = \"io-errors\"\nfor = \"100ms\"\n",
    );
    place.text(
        "job.parm",
        "sd=sd1,lun=lab:./failing.toml\nwd=wd1,sd=sd1,rdpct=100,xfersize=4k\n\
         rd=rd1,wd=wd1,iorate=100,elapsed=3,interval=1\nrd=rd2,wd=wd1,iorate=100,elapsed=3,interval=1\n",
    );
    place.plimsoll("run job.parm --record v.plim -q").exits(1);
    assert_eq!(names(&steps(&place, "v.plim")), ["rd1"]);
    // The array is as it was made, and fails again: nothing of that run is taken for done.
    let resumed = place.plimsoll("resume v.plim -q").exits(1);
    resumed.warns(&["no step of it was done"]);
    let document = place.plimsoll("show --json v.plim").json();
    assert_eq!(document["status"], "failed");
}
