//! Figures of a result that somebody changed: each is found.

use super::{quiet, runs};
use serde_json::Value;

/// A figure by its keys in a direction that has I/Os, what becomes of it, and rules that may name it.
type Edit = (
    &'static [&'static str],
    fn(f64) -> f64,
    &'static [&'static str],
);

const EDITS: &[Edit] = &[
    (&["iops"], |n| n * 1.5, &["PL501", "PL525", "PL523"]),
    (
        &["total_ios"],
        |n| n * 2.0,
        &["PL501", "PL521", "PL523", "PL525"],
    ),
    (&["bw_bytes"], |n| n * 1.3, &["PL525", "PL523"]),
    (
        &["lat_ns", "max"],
        |_| 10.0,
        &["PL511", "PL512", "PL513", "PL523"],
    ),
    (
        &["clat_ns", "mean"],
        |n| n * 500.0 + 1e6,
        &["PL512", "PL515", "PL516", "PL523", "PL105"],
    ),
    (
        &["lat_ns", "stddev"],
        |n| n * 1e6 + 1e9,
        &["PL513", "PL523"],
    ),
    (&["io_bytes"], |n| n * 3.0, &["PL523", "PL525", "PL501"]),
    (&["runtime"], |n| n * 4.0, &["PL501", "PL523"]),
];

fn rules(audit: &Value) -> Vec<String> {
    let results = audit["results"].as_array().into_iter().flatten();
    let findings = results.flat_map(|r| r["findings"].as_array().into_iter().flatten());
    findings
        .filter(|f| f["severity"] != "note")
        .filter_map(|f| f["rule"].as_str().map(str::to_string))
        .collect()
}

/// The figure under some keys of the first job's reads or writes.
fn figure<'v>(document: &'v mut Value, keys: &[&str]) -> Option<&'v mut Value> {
    let job = document["jobs"].as_array_mut()?.first_mut()?;
    let side = ["read", "write"]
        .into_iter()
        .find(|side| job[*side]["total_ios"].as_f64() > Some(100.0))?;
    keys.iter()
        .try_fold(&mut job[side], |at, key| at.get_mut(*key))
}

#[test]
fn a_changed_figure_of_a_drawn_result_is_found() {
    if !runs::has_fio() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let (mut asked, mut missed) = (0, Vec::new());
    for seed in 1..=12 {
        let job = quiet(seed);
        let Some(result) = runs::fio(&job) else {
            continue;
        };
        // Where statistics are merged or switched off, less can be known.
        if [
            "group_reporting",
            "gtod_reduce",
            "unified",
            "disable",
            "bssplit",
            "bsrange",
            "4k,64k",
            "clat_percentiles=0",
        ]
        .iter()
        .any(|w| job.contains(w))
        {
            continue;
        }
        let Ok(document) = serde_json::from_str::<Value>(&result) else {
            continue;
        };
        for (keys, change, expected) in EDITS {
            let mut edited = document.clone();
            let Some(figure) = figure(&mut edited, keys) else {
                continue;
            };
            let Some(was) = figure.as_f64().filter(|n| *n > 0.0) else {
                continue;
            };
            *figure = Value::from(change(was));
            asked += 1;
            let found = rules(&runs::audit(&edited.to_string(), Some(&job)));
            if !found.iter().any(|rule| expected.contains(&rule.as_str())) {
                missed.push(format!(
                    "seed {seed}: {} {was} -> {}: {found:?}\n{job}",
                    keys.join("."),
                    change(was)
                ));
            }
        }
    }
    assert!(asked > 10, "only {asked} figures were changed");
    assert!(
        missed.is_empty(),
        "{} of {asked} are not found:\n{}",
        missed.len(),
        missed.join("\n")
    );
}
