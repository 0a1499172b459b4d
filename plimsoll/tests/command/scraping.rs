//! `/metrics` of `plimsoll serve`, as Prometheus scrapes it, and the dashboard that is made for it.

use crate::place::{TestFolder, holds, soon};
use crate::serving::Lab;
use plimsoll_skipped::skipped;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

const DASHBOARD: &str = include_str!("../../../packaging/grafana-dashboard.json");

/// Reads what it is given with the parser of Prometheus's own client.
const PARSE: &str = "import sys\nfrom prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\n\
                     print(*sorted(s.name for f in parse(sys.stdin.read()) for s in f.samples))";

/// Answer to a scrape: its head, and its body.
fn scraped(lab: &Lab) -> (String, String) {
    let answer = lab.get("/metrics");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.to_owned(), body.to_owned())
}

/// The names of the samples.
fn names(text: &str) -> BTreeSet<String> {
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let name = |line: &str| line.split(['{', ' ']).next().unwrap_or_default().to_owned();
    samples.map(name).collect()
}

fn value(text: &str, name: &str) -> f64 {
    let line = text.lines().find(|l| l.starts_with(&format!("{name}{{")));
    let value = line.and_then(|l| l.rsplit(' ').next()?.parse().ok());
    value.unwrap_or_else(|| panic!("{name}: {text}"))
}

/// Names of families, whose samples may not be there: of one target, of no limit.
fn families(text: &str) -> BTreeSet<String> {
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let name = |line: &str| {
        let (name, kind) = line.split_once(' ').expect("a kind");
        let suffix = match kind {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        };
        format!("{name}{suffix}")
    };
    types.map(name).collect()
}

/// The words of Plimsoll's in all queries of the dashboard.
fn asked(of: &Value, found: &mut BTreeSet<String>) {
    match of {
        Value::Object(map) => {
            for (key, value) in map {
                if let (true, Some(query)) = (
                    ["expr", "query", "definition"].contains(&key.as_str()),
                    value.as_str(),
                ) {
                    let words = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                    found.extend(
                        words
                            .filter(|w| w.starts_with("plimsoll_"))
                            .map(str::to_owned),
                    );
                }
                asked(value, found);
            }
        }
        Value::Array(all) => all.iter().for_each(|value| asked(value, found)),
        _ => {}
    }
}

#[test]
fn a_run_that_goes_on_can_be_scraped_and_the_dashboard_asks_for_what_is_there() {
    let place = TestFolder::new();
    // Anything may be in a record's name.
    let name = "a \"quoted\" name.plim";
    let words = "run null:1GiB null:2GiB -q --rate 500 --for 10m --read 100 --record";
    let words: Vec<&str> = words.split(' ').chain([name]).collect();
    let mut run = place.begin(&words);
    let mut command = place.command(&["serve", "--listen", "127.0.0.1:0", "."]);
    command.env("XDG_CACHE_HOME", place.path("cache"));
    let lab = Lab::of(command);
    let (mut head, mut text) = scraped(&lab);
    soon(|| {
        assert!(run.try_wait().expect("known").is_none(), "{text}");
        (head, text) = scraped(&lab);
        text.contains("plimsoll_ios_per_second{")
    });
    assert!(text.contains("a \\\"quoted\\\" name.plim"), "{text}");
    holds!(head, "application/openmetrics-text; version=1.0.0");
    assert!(text.ends_with("# EOF\n"), "{text}");
    assert!(
        lab.get_as("/metrics", "evil.example")
            .starts_with("HTTP/1.1 421")
    );
    // It counts up from scrape to scrape.
    let first = value(&text, "plimsoll_ios_total");
    let mut later = String::new();
    soon(|| {
        assert!(run.try_wait().expect("known").is_none(), "{later}");
        later = scraped(&lab).1;
        value(&later, "plimsoll_ios_total") > first
    });
    let (moved, ios) = (
        value(&later, "plimsoll_io_bytes_total"),
        value(&later, "plimsoll_ios_total"),
    );
    assert!((moved - ios * 4096.0).abs() < 0.5, "{later}");
    assert_eq!(
        later.matches("plimsoll_target_ios_per_second{").count(),
        2,
        "{later}"
    );
    let mut wanted = BTreeSet::new();
    asked(&serde_json::from_str(DASHBOARD).expect("JSON"), &mut wanted);
    assert!(wanted.len() > 8, "{wanted:?}");
    let known = families(&later);
    let missing: Vec<_> = wanted.difference(&known).collect();
    assert!(missing.is_empty(), "{missing:?} are none of {known:?}");
    parsed_by_prometheus(&later);
    // What has ended is no running run.
    kill_process(Pid::from_child(&run), Signal::INT).expect("signalled");
    run.wait().expect("ended");
    assert_eq!(names(&scraped(&lab).1), BTreeSet::new());
}

/// Holds the text against the parser of Prometheus's client.
fn parsed_by_prometheus(text: &str) {
    let python = "/usr/bin/python3";
    let has = Command::new(python)
        .args(["-c", "import prometheus_client"])
        .output();
    if !has.is_ok_and(|output| output.status.success()) {
        skipped!("Prometheus's client is not installed");
        return;
    }
    let mut child = Command::new(python)
        .args(["-c", PARSE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(text.as_bytes()).expect("written");
    drop(input);
    let output = child.wait_with_output().expect("ended");
    assert!(output.status.success(), "{output:?}: {text}");
    let read: BTreeSet<String> = String::from_utf8_lossy(&output.stdout)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    assert_eq!(read, names(text));
}
