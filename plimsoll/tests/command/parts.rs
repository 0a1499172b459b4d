//! Several workloads on several targets: each with results of its own, everywhere, that sum to the step's.

use crate::measuring::assert_valid;
use crate::place::{TestFolder, typed};
use plimsoll_evidence::{Interval, Phase};
use plimsoll_record::Record;
use rusqlite::Connection;
use serde_json::Value;

/// Three streams: small random I/O on both LUNs, and large reads at a rate of their own on the second.
const DEFINITION: &str = r#"
[target.fast]
path = "lab:scale-out-flash-8/lun0?size=64m"
[target.slow]
path = "lab:single-ssd?size=64m"

[workload.oltp]
read = 70
block = "8k"
[workload.scan]
targets = "slow"
rate = 200
read = 100
block = "256k"

[[run]]
name = "day"
workloads = ["oltp", "scan"]
load = 3000
for = "20s"
warmup = "2s"
"#;

fn measured() -> (TestFolder, Value) {
    let place = TestFolder::new();
    place.text("day.toml", DEFINITION);
    let words = typed("run day.toml --record a.plim --seed 5 --json");
    let document = place.plimsoll(&words).ok().json();
    assert_valid(&document);
    let steps = document["steps"].as_array().expect("steps");
    let step = steps.iter().find(|s| s["fill"] == false).expect("a step");
    (place, step.clone())
}

fn of<'d>(step: &'d Value, way: &str, key: &str, name: &str) -> &'d Value {
    let all = step[way].as_array().expect("parts");
    let found = all.iter().find(|part| part[key] == name);
    found.unwrap_or_else(|| panic!("no {name} in {all:?}"))
}

fn number(of: &Value, key: &str) -> f64 {
    of[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no {key} in {of}"))
}

#[test]
fn workloads_and_targets_in_json_have_what_was_asked_of_them_and_sum_to_the_step() {
    let (_place, step) = measured();
    for (way, many) in [("workloads", 2), ("targets", 2), ("streams", 3)] {
        let all = step[way].as_array().expect("parts");
        assert_eq!(all.len(), many, "{way}");
        for key in ["ios", "bytes"] {
            let sum: u64 = all.iter().map(|p| p[key].as_u64().expect("a count")).sum();
            assert_eq!(Some(sum), step[key].as_u64(), "{way} {key}");
        }
        let rates: f64 = all.iter().map(|p| number(p, "iops")).sum();
        assert!(
            (rates / number(&step, "iops") - 1.0).abs() < 1e-6,
            "{way}: {rates}"
        );
        let longest = all.iter().map(|p| number(&p["response"], "max_us"));
        assert_eq!(
            longest.fold(0.0, f64::max),
            number(&step["response"], "max_us")
        );
    }
    // What the definition says.
    let (oltp, scan) = (
        of(&step, "workloads", "workload", "oltp"),
        of(&step, "workloads", "workload", "scan"),
    );
    assert_eq!(number(oltp, "bytes"), number(oltp, "ios") * 8192.0);
    assert_eq!(number(scan, "bytes"), number(scan, "ios") * 262_144.0);
    assert!((number(scan, "iops") / 200.0 - 1.0).abs() < 0.1, "{scan}");
    assert!((number(oltp, "iops") / 3000.0 - 1.0).abs() < 0.1, "{oltp}");
    let ops = |part: &Value| -> Vec<Value> {
        let all = part["ops"].as_array().expect("operations");
        all.iter().map(|op| op["op"].clone()).collect()
    };
    assert_eq!(ops(oltp), ["read", "write"]);
    assert_eq!(ops(scan), ["read"]);
    assert_eq!(oltp["targets"], serde_json::json!(["fast", "slow"]));
    let slow = of(&step, "targets", "target", "slow");
    assert_eq!(slow["workloads"], serde_json::json!(["oltp", "scan"]));
}

#[test]
fn a_workloads_percentiles_are_those_of_its_intervals_and_the_same_in_sql_csv_and_json() {
    let (place, step) = measured();
    let record = Record::open(&place.path("a.plim")).expect("a record");
    let number_of_step = step["number"].as_u64().expect("a number") as u32;
    let db = Connection::open(place.path("a.plim")).expect("SQLite");
    let csv = place
        .plimsoll("export --csv --rows workloads a.plim")
        .ok()
        .out;
    let streams = step["streams"].as_array().expect("streams");
    for workload in ["oltp", "scan"] {
        let mine: Vec<usize> = (0..streams.len())
            .filter(|at| streams[*at]["workload"] == workload)
            .collect();
        // Merged of what the record keeps of each interval that is not of the warm-up.
        let mut all = Vec::new();
        let keep = |interval: Interval| {
            if interval.phase != Phase::WarmUp {
                all.extend(mine.iter().map(|at| interval.stats.streams[*at].clone()));
            }
        };
        record
            .each_interval(number_of_step, keep)
            .expect("intervals");
        let responses = all
            .iter()
            .flat_map(|s| &s.ops)
            .map(|op| op.response.clone());
        let merged = responses.reduce(|mut sum, part| {
            sum.merge(&part);
            sum
        });
        let all = merged.expect("intervals");
        let p99 = all.supported_quantile_ns(0.99).expect("enough I/Os") as f64 / 1e3;
        let json = &of(&step, "workloads", "workload", workload)["response"];
        assert_eq!(number(&json["percentiles_us"], "99"), p99, "{workload}");
        let sql = "SELECT response_p99_us, response_mean_us, response_max_us FROM step_workloads
                   WHERE step=? AND workload=?";
        let (found, mean, max): (f64, f64, f64) = db
            .query_row(sql, (number_of_step, workload), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .expect("a row");
        assert_eq!(found, p99);
        assert_eq!(max, all.max_ns().expect("a value") as f64 / 1e3);
        assert!((mean * 1e3 / all.mean_ns().expect("a mean") - 1.0).abs() < 1e-9);
        let row = csv.lines().find(|l| l.contains(&format!(",{workload},")));
        assert!(row.expect("a row").contains(&format!(",{p99},")), "{csv}");
    }
}

#[test]
fn sql_has_the_same_sums_by_stream_workload_target_and_interval() {
    let (place, _) = measured();
    let db = Connection::open(place.path("a.plim")).expect("SQLite");
    let sum = |sql: &str| -> (i64, i64) {
        db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap_or_else(|e| panic!("{sql}: {e}"))
    };
    let measured = "FROM steps WHERE fill = 0";
    let whole = sum(&format!("SELECT ios, bytes {measured}"));
    for table in [
        "step_streams",
        "step_workloads",
        "step_targets",
        "step_stream_ops",
    ] {
        let found = sum(&format!(
            "SELECT sum(ios), sum(bytes) FROM {table} WHERE step IN (SELECT step {measured})"
        ));
        assert_eq!(found, whole, "{table}");
    }
    let differing: i64 = db
        .query_row(
            "SELECT count(*) FROM step_streams p WHERE ios <> (SELECT sum(o.ios) FROM interval_ops o
             JOIN intervals i USING (step, interval) WHERE o.step = p.step AND o.stream = p.stream AND i.warmup = 0 AND i.drain = 0)",
            [],
            |row| row.get(0),
        )
        .expect("a count");
    assert_eq!(differing, 0);
}

#[test]
fn the_terminal_lists_them_after_a_run_and_from_its_record() {
    let place = TestFolder::new();
    place.text("day.toml", DEFINITION);
    let run = place.plimsoll("run day.toml --record a.plim").ok();
    let shown = place.plimsoll("show a.plim").ok();
    for text in [&run.out, &shown.out] {
        let table = |heading: &str| -> Vec<Vec<String>> {
            let lines = text.lines().skip_while(|l| *l != heading).skip(2);
            let cells = |l: &str| l.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            lines
                .take_while(|l| l.starts_with("day "))
                .map(cells)
                .collect()
        };
        let column = |rows: Vec<Vec<String>>, at: usize| -> Vec<String> {
            rows.into_iter().map(|row| row[at].clone()).collect()
        };
        assert_eq!(column(table("reads and writes:"), 1), ["read", "write"]);
        assert_eq!(column(table("workloads:"), 1), ["oltp", "scan"], "{text}");
        assert_eq!(column(table("targets:"), 1), ["fast", "slow"], "{text}");
    }
}

#[test]
fn one_workload_on_one_target_needs_no_tables() {
    let place = TestFolder::new();
    let words = typed("run lab:curve-8k?size=1m --read 100 --no-record");
    let done = place.quick(&words).ok();
    for heading in ["reads and writes:", "workloads:", "targets:"] {
        assert!(!done.out.contains(heading), "{done:#?}");
    }
}
