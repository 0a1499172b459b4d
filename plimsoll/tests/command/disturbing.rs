//! `plimsoll disturb`. What the simulated arrays do to the load is known beforehand, so the report is held against that.

use crate::place::{Done, TestFolder, typed};
use serde_json::Value;

/// The length of a bin of the report, s.
const BIN: f64 = 0.1;

/// One repeat of a report.
#[derive(Debug)]
pub struct Row {
    pub class: String,
    pub detection: Option<f64>,
    pub blackout: f64,
    pub brownout: f64,
    pub longest: f64,
    pub lost: f64,
    pub errors: f64,
    pub recovery: Option<f64>,
    pub failback: Option<f64>,
}

/// A report.
#[derive(Debug)]
pub struct Report {
    pub class: String,
    pub decided: bool,
    pub rows: Vec<Row>,
    pub findings: Vec<String>,
    pub verdict: Value,
}

impl Report {
    pub fn of(done: &Done) -> Self {
        let verdict = done.json()["verdicts"][0].clone();
        let table = &verdict["tables"][0];
        assert_eq!(table["title"], "Each repeat", "{verdict}");
        let rows = table["rows"].as_array().expect("rows").iter().map(row);
        let findings = verdict["findings"].as_array().into_iter().flatten();
        Report {
            class: verdict["class"].as_str().expect("a class").into(),
            decided: verdict["decided"].as_bool().expect("decided"),
            rows: rows.collect(),
            findings: findings
                .map(|f| f["rule"].as_str().expect("a rule").to_owned())
                .collect(),
            verdict,
        }
    }
}

fn row(row: &Value) -> Row {
    let value = |column: usize| row[column]["quantity"]["value"].as_f64();
    let number = |column| value(column).expect("a number");
    Row {
        class: row[1]["quantity"]["value"]
            .as_str()
            .expect("a class")
            .into(),
        detection: value(2),
        blackout: number(3),
        brownout: number(4),
        longest: number(5),
        lost: number(6),
        errors: number(7),
        recovery: value(8),
        failback: value(9),
    }
}

/// A disturbance of a simulated array of four paths, 400 even I/Os a second with 64 in flight, at 8 s.
fn lab(words: &[&str]) -> Report {
    let place = TestFolder::new();
    let usual = [["--rate", "400"], ["--arrival", "even"]];
    let usual = usual.into_iter().filter(|[flag, _]| !words.contains(flag));
    let common =
        typed("disturb lab:scale-out-flash-4?size=64m --depth 64 --at 8s --no-record --json -q");
    let words = [&common[..], &usual.flatten().collect::<Vec<_>>(), words].concat();
    Report::of(&place.plimsoll(&words))
}

#[track_caller]
fn near(seen: f64, truth: f64, by: f64) {
    assert!((seen - truth).abs() <= by, "{seen}, and in truth {truth}");
}

/// Every fourth I/O goes to the path that is silent. 64 of them take 63 x 4 / 400 s = 0.63 s; then nothing is issued until the
/// first of them is given up, 30 s after it was sent.
fn silent(times: &str, seed: &str) {
    let report = lab(&typed(&format!(
        "--do-fault 'path-down path=0 silent=true' --undo-at 48s --undo-fault 'path-up path=0' \
         --times {times} --seed {seed} --for 60s"
    )));
    assert_eq!(report.class, "disruptive", "{report:#?}");
    assert!(report.decided && report.findings.is_empty(), "{report:#?}");
    // What was held up comes at once, and would flatten the 400 a second; and no line leads through half a minute of nothing.
    let charts = &report.verdict["charts"];
    let cut = charts[0]["y"]["cut"].as_f64().expect("a cut");
    near(cut, 800.0, 10.0);
    let gap = charts[1]["x"]["gap"].as_f64().expect("a gap");
    assert!(gap < 2.0, "{gap}");
    for row in &report.rows {
        near(row.blackout, 30.0 - 0.63, BIN);
        near(row.longest, 30.0, 0.02);
        near(row.detection.expect("given up"), 30.0, 0.02);
        assert_eq!((row.errors, row.class.as_str()), (0.0, "disruptive"));
        // What was due while nothing was issued: 400/s less what went over the other paths at first.
        near(row.lost, 400.0 * (30.0 - 0.63) + 64.0, 60.0);
        assert!(row.recovery.is_some_and(|r| r > 30.0), "{row:#?}");
        // The host looks at a failed path each 5 s: it was given up at 38 s, and is up at 48 s.
        near(row.failback.expect("back"), 0.0, 5.0 + BIN);
    }
}

/// A path that refuses costs one more try.
fn noisy(times: &str, seed: &str) {
    let report = lab(&typed(&format!(
        "--do-fault 'path-down path=1' --undo-at 20s --undo-fault 'path-up path=1' --times {times} \
         --seed {seed} --for 25s"
    )));
    assert_eq!(report.class, "transparent", "{report:#?}");
    for row in &report.rows {
        assert_eq!((row.blackout, row.brownout, row.errors), (0.0, 0.0, 0.0));
        // Every fourth I/O is on it: the first of them finds out.
        near(row.detection.expect("given up"), 0.0, 4.0 / 400.0 + 0.001);
        near(row.failback.expect("back"), 0.0, 5.0 + BIN);
        assert_eq!(row.recovery, Some(0.0));
    }
}

/// Half of the addresses are the failed controller's and wait for 5 s. 64 of them are about 128 I/Os, 0.32 s, give or take
/// their chance: a standard deviation of 11 I/Os.
fn failover(times: &str, seed: &str) {
    let report = lab(&typed(&format!(
        "--do-fault 'controller-failover controller=0 pause=5s for=20s' --times {times} \
         --seed {seed} --for 35s"
    )));
    assert_eq!(report.class, "tolerable", "{report:#?}");
    for row in &report.rows {
        near(row.blackout, 5.0 - 0.32, BIN + 4.0 * 11.3 / 400.0);
        near(row.longest, 5.0, 0.02);
        assert_eq!(row.errors, 0.0);
    }
}

/// Nothing happens: a path that is up comes up. 400 I/Os a second at random.
fn calm(times: &str, seed: &str) {
    let report = lab(&typed(&format!(
        "--do-fault 'path-up path=0' --times {times} --seed {seed} --for 15s --arrival exponential"
    )));
    assert_eq!(report.findings, ["disturb-nothing-seen"], "{report:#?}");
    for row in &report.rows {
        assert_eq!(row.class, "transparent");
        assert_eq!((row.blackout, row.brownout, row.lost), (0.0, 0.0, 0.0));
        assert_eq!((row.recovery, row.detection), (Some(0.0), None));
    }
}

#[test]
fn a_silent_path_is_seen_as_long_as_the_host_waits_for_it() {
    silent("4", "11");
}

#[test]
fn a_path_that_refuses_is_seen_and_costs_nothing() {
    noisy("4", "12");
}

#[test]
fn a_controllers_failover_is_as_long_as_its_pause() {
    failover("4", "13");
}

#[test]
fn where_nothing_happens_nothing_is_seen() {
    calm("10", "14");
}

#[test]
#[ignore = "takes minutes; its result is in docs/disturb.md"]
fn the_report_is_right_in_two_hundred_repeats_of_each() {
    for seed in ["1", "2", "3", "4"] {
        silent("50", seed);
        noisy("50", seed);
        failover("50", seed);
        calm("50", seed);
    }
}

/// A journal into which a tenth of the drain is left carries as much; what does not fit waits, and the rate is lower for as long
/// as that lasts. Losing a cache, and snapshots, hold nothing up.
#[test]
fn a_full_journal_is_a_brownout_and_a_lost_cache_is_none() {
    let place = TestFolder::new();
    let run = |words: &[&str]| {
        let common = typed(
            "disturb lab:hybrid-hci?size=256m --rate 400 --arrival even --depth 64 --at 8s \
             --times 2 --seed 5 --no-record --json -q",
        );
        Report::of(&place.plimsoll(&[&common[..], words].concat()))
    };
    let journal = run(&typed(
        "--read 0 --do-fault 'journal-full drain=0.1 for=20s'",
    ));
    assert_eq!(journal.class, "tolerable", "{journal:#?}");
    for row in &journal.rows {
        assert_eq!((row.blackout, row.errors), (0.0, 0.0));
        near(row.brownout, 20.0, 0.5);
        near(row.recovery.expect("it was freed"), 20.0, 2.0);
    }
    let cache = run(&["--do-fault", "cache-loss"]);
    assert_eq!(cache.class, "transparent", "{cache:#?}");
    let snapshots = run(&["--read", "50", "--do-fault", "snapshot-storm of_each=10"]);
    assert_eq!(snapshots.class, "transparent", "{snapshots:#?}");
    assert!(
        snapshots.rows.iter().all(|r| r.blackout == 0.0),
        "{snapshots:#?}"
    );
}

#[test]
fn io_errors_are_said_to_have_reached_the_application() {
    let report = lab(&typed(
        "--do-fault 'io-errors rate=0.1 op=read for=1s' --times 1 --for 12s --max-errors 1000 \
         --seed 6",
    ));
    assert_eq!(report.class, "disruptive", "{report:#?}");
    assert!(
        report.findings.contains(&"disturb-errors".into()),
        "{report:#?}"
    );
    near(report.rows[0].errors, 40.0, 25.0);
    let writes = lab(&typed(
        "--read 0 --do-fault 'io-errors rate=0.1 op=write for=1s' --times 1 --for 12s \
         --max-errors 1000 --seed 6",
    ));
    assert_eq!(writes.class, "data-affecting", "{writes:#?}");
}

#[test]
fn a_load_that_is_too_low_or_not_carried_decides_nothing() {
    let low = lab(&typed(
        "--rate 10 --do-fault 'path-down path=0' --times 1 --for 15s",
    ));
    assert!(!low.decided && low.class == "undecided", "{low:#?}");
    assert_eq!(low.findings, ["disturb-load-too-low"], "{low:#?}");
    let high = lab(&typed(
        "--rate 90000 --do-fault 'path-down path=0' --times 1 --for 9s --warmup 4s",
    ));
    assert!(
        high.findings.contains(&"disturb-not-carried".into()),
        "{high:#?}"
    );
    assert!(!high.decided);
}

#[test]
fn the_report_has_charts_with_marks_and_each_paths_share() {
    let report = lab(&typed(
        "--do-fault 'path-down path=2' --undo-at 20s --undo-fault 'path-up path=2' --times 2 \
         --seed 8 --for 30s",
    ));
    let charts = report.verdict["charts"].as_array().expect("charts");
    let titles: Vec<&str> = charts.iter().filter_map(|c| c["title"].as_str()).collect();
    assert_eq!(titles[..2], ["Rate", "Response time"]);
    assert!(
        titles[2].starts_with("Share of each path to lab:"),
        "{titles:?}"
    );
    let marks: Vec<&str> = charts[0]["marks"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|m| m["label"].as_str())
        .collect();
    assert_eq!(marks, ["disturbed", "path 2 down", "put back", "path 2 up"]);
    // The mean over the repeats has an interval at each point, a repeat none.
    let names = |chart: &Value| -> Vec<String> {
        let all = chart["series"].as_array().into_iter().flatten();
        all.filter_map(|s| Some(s["name"].as_str()?.to_owned()))
            .collect()
    };
    assert_eq!(
        names(&charts[0]),
        ["mean of 2 repeats", "repeat 1", "repeat 2"]
    );
    let known = |series: &Value| {
        let points = series["points"].as_array().expect("points");
        (
            points.iter().filter(|p| p["interval"].is_array()).count(),
            points.len(),
        )
    };
    let (with, all) = known(&charts[0]["series"][0]);
    assert!(with == all && all >= 200, "{with} of {all}");
    assert_eq!(known(&charts[0]["series"][1]).0, 0);
    let (with, all) = known(&charts[2]["series"][2]);
    assert!(with == all && all >= 200, "{with} of {all}");
    let legend = charts[0]["y"]["intervals"].as_str().expect("what they are");
    assert!(legend.contains("over the repeats"), "{legend}");
    // The path has a fourth before and after, and nothing in between.
    let shares = &report.verdict["tables"][3];
    assert_eq!(shares["title"], "Share of each path", "{shares}");
    let of_path = &shares["rows"][2];
    let share = |column: usize| {
        of_path[column]["quantity"]["value"]
            .as_f64()
            .expect("a share")
    };
    near(share(3), 0.25, 0.01);
    near(share(4), 0.0, 0.01);
    near(share(5), 0.25, 0.12);
}
