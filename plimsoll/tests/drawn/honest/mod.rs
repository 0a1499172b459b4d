//! Results of the real fio that nobody touched, with drawn jobs, and what `plimsoll audit` says of them: nothing that makes them invalid,
//! and no doubt that they don't deserve. The other way round, a figure that was changed is found.

mod deserved;
mod edited;
mod runs;

use crate::draw::{self, numbers};
use crate::grammar::Grammar;
use serde_json::Value;

const GRAMMAR: &str = include_str!("grammar.txt");

/// Jobs of the null engine in each test run.
const DRAWS: u64 = 40;

/// A job file of the null engine, which nothing else on this host can disturb.
fn quiet(seed: u64) -> String {
    Grammar::new(GRAMMAR).draw("quiet", &mut numbers(seed), 0)
}

/// Findings of an audit, as `PL000 name: sentence`, but for notes and for what is deserved.
fn accusations(job: &str, audit: &Value) -> Vec<String> {
    let results = audit["results"].as_array().into_iter().flatten();
    let findings = results.flat_map(|result| result["findings"].as_array().into_iter().flatten());
    let false_ones =
        findings.filter(|finding| finding["severity"] != "note" && !deserved::is(job, finding));
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or("").to_string();
    false_ones
        .map(|f| {
            format!(
                "{} {} {}: {}",
                text(f, "severity"),
                text(f, "rule"),
                text(f, "name"),
                text(f, "message")
            )
        })
        .collect()
}

fn assert_honest(seeds: impl Iterator<Item = (u64, String)>) {
    let mut failures = Vec::new();
    let mut audited = 0;
    for (seed, job) in seeds {
        // Some jobs fio refuses, or they fail: then there is no result.
        let Some(result) = runs::fio(&job) else {
            continue;
        };
        audited += 1;
        let found = accusations(&job, &runs::audit(&result, Some(&job)));
        let alone = accusations(&job, &runs::audit(&result, None));
        let all: Vec<String> = found.into_iter().chain(alone).collect();
        if !all.is_empty() {
            failures.push(format!("seed {seed}:\n  {}\n{job}", all.join("\n  ")));
        }
    }
    assert!(audited > 0, "no job ran");
    assert!(
        failures.is_empty(),
        "{} of {audited} are accused falsely:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn jobs_without_a_device_are_accused_of_nothing_else() {
    if !runs::has_fio() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let first = draw::seeds(DRAWS).start;
    assert_honest((first..first + DRAWS).map(|seed| (seed, quiet(seed))));
}

#[test]
#[ignore = "wants a host without other load; make differential has it"]
fn drawn_results_of_real_storage_are_accused_of_nothing_that_they_do_not_deserve() {
    let places = runs::Places::new();
    let jobs = draw::seeds(DRAWS).map(|seed| {
        let job = Grammar::new(GRAMMAR).draw("file", &mut numbers(seed), 0);
        (seed, places.put_in(&job))
    });
    assert_honest(jobs);
}
