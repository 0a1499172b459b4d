//! What is published of a result by `--redact`: of real and simulated records everything that they hold is looked for in it.

use crate::place::{MIB, TestFolder};
use serde_json::Value;
use std::collections::BTreeSet;

/// Texts and numbers of a record that say something of it.
fn secrets(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|v| secrets(v, found)),
        Value::Object(all) => all.values().for_each(|v| secrets(v, found)),
        Value::String(text) if text.len() >= 4 => {
            found.insert(text.clone());
        }
        Value::Number(number) => {
            let digits = number.to_string();
            let significant = digits.trim_start_matches(['-', '0', '.']);
            if significant.len() >= 6 {
                // Its first six places, however it would be rounded behind them.
                found.insert(significant[..6].trim_end_matches('.').to_string());
            }
        }
        _ => {}
    }
}

/// The redacted page and document of a record.
fn redacted(place: &TestFolder, record: &str) -> String {
    let page = place
        .plimsoll(&format!("report {record} --redact -o -"))
        .ok();
    let document = place
        .plimsoll(&format!("export {record} --json --redact"))
        .ok();
    assert!(
        document.json()["about"]
            .as_str()
            .is_some_and(|a| a.contains("Redacted"))
    );
    page.out + &document.out
}

fn record(place: &TestFolder, name: &str, text: &str, curve: bool) -> String {
    let definition = format!("{name}.toml");
    place.text(&definition, text);
    let record = format!("{name}.plim");
    let command = if curve { "curve" } else { "run" };
    let done = place.plimsoll(&format!(
        "'{command}' '{definition}' --record {record} -q --seed 77"
    ));
    assert!(
        done.code == Some(0) || done.code == Some(3) || done.code == Some(1),
        "{done:#?}"
    );
    record
}

/// Without the names and numbers of rules, which stay.
fn without_rules(place: &TestFolder, page: String) -> String {
    let rules = place.plimsoll("explain --json").ok().json();
    let of = |rule: &Value| ["name", "code"].map(|k| rule[k].as_str().unwrap_or("PL").to_string());
    let mut words: Vec<String> = rules
        .as_array()
        .expect("rules")
        .iter()
        .flat_map(of)
        .collect();
    words.sort_by_key(|w| std::cmp::Reverse(w.len()));
    assert!(words[0].len() > 10, "{words:?}");
    words.iter().fold(page, |page, word| page.replace(word, ""))
}

/// Secrets that stand in the page of one record and not in that of another: what both have is the page's own.
fn leaks(place: &TestFolder, of: &str, beside: &str) -> Vec<String> {
    let exported = place.plimsoll(&format!("export '{of}' --json")).ok().json();
    let mut planted = BTreeSet::new();
    secrets(&exported, &mut planted);
    assert!(planted.len() > 100, "{}", planted.len());
    let (mine, others) = (redacted(place, of), redacted(place, beside));
    let mine = without_rules(place, mine);
    let lost = planted.into_iter();
    lost.filter(|s| mine.contains(s.as_str()) && !others.contains(s.as_str()))
        .collect()
}

const SIMULATED: &str = r#"
title = "quarterly-secret"
target.volume-zx81.path = "lab:scale-out-flash-8?scale=400&size=4g"
workload.oltp-zx81 = { read = 70, block = "12k", hits = "read=75,area=1m,placement=contiguous" }
run = [{ name = "night-zx81", load = "curve", percents = [20, 60, 90], slo = ["p99=37ms"], depth = 48, for = "3s", warmup = "1s" }]
"#;

#[test]
fn nothing_that_a_record_holds_is_in_what_is_published_of_it() {
    let place = TestFolder::new();
    let simulated = record(&place, "simulated", SIMULATED, true);
    place.foreign("payroll-host7.img", 4 * MIB);
    let real = r#"
target.ledger-q9.path = "payroll-host7.img"
workload.w-q9 = { read = 100, block = "4k" }
run = [{ name = "probe-q9", load = "max", depth = 3, for = "400ms", interval = "100ms", warmup = "0s" }]
"#;
    let real = record(&place, "real", real, false);
    for (of, beside) in [(&simulated, &real), (&real, &simulated)] {
        let found = leaks(&place, of, beside);
        // How a step ended, what showed a saturation, where data was found and what the audit calls its values are what stays.
        let stays = [
            "elapsed",
            "suspect",
            "invalid",
            "cache",
            "local flash",
            "curve",
            "read",
            "write",
        ];
        let causes = ["rate_short", "backlog_grows", "slots_short"];
        // Which rules find something is the host's doing too.
        let words = include_str!("../../../output/report/src/redact/words.rs");
        let stays = |s: &String| {
            let is_own = words.contains(&format!("\"{s}\","));
            stays.contains(&s.as_str()) || causes.contains(&s.as_str()) || is_own
        };
        let found: Vec<&String> = found.iter().filter(|s| !stays(s)).collect();
        assert!(found.is_empty(), "{of}: {found:?}");
    }
}

#[test]
fn what_stays_is_the_shape_and_what_the_audit_found() {
    let place = TestFolder::new();
    let record = record(&place, "simulated", SIMULATED, true);
    let document = place
        .plimsoll(&format!("export {record} --json --redact"))
        .ok()
        .json();
    assert_eq!(document["simulated"], true);
    let steps = document["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 4);
    assert_eq!(steps[0]["rate"], 100.0);
    assert!(steps[0]["offered"].is_null(), "a maximum is a closed loop");
    let rates: Vec<f64> = steps[1..]
        .iter()
        .filter_map(|s| s["rate"].as_f64())
        .collect();
    for (rate, percent) in rates.iter().zip([20.0, 60.0, 90.0]) {
        assert!((rate - percent).abs() < 10.0, "{rates:?}");
    }
    assert_eq!(steps[0]["course"].as_array().map(Vec::len), Some(40));
    let rules = document["findings"].as_array().expect("findings").iter();
    let rules: Vec<&str> = rules.filter_map(|f| f["rule"].as_str()).collect();
    assert!(rules.contains(&"PL016"), "{rules:?}");
    place
        .plimsoll(&format!("report {record} --redact -o page.html"))
        .ok();
    place.text("mine.html", "somebody's own");
    place
        .plimsoll(&format!("report {record} --redact -o mine.html"))
        .refused(&["mine.html"]);
    place
        .plimsoll(&format!("export {record} --csv --redact"))
        .refused(&["--redact"]);
}
