//! Results in which one figure was changed by hand. Whoever changes one has to change all that say the same.

use crate::corpus::{judge, text, try_bytes};
use plimsoll_evidence::Severity;
use std::collections::BTreeSet;

/// What is said of a text, in words: findings with their numbers, and remarks.
fn said(text: &str) -> BTreeSet<String> {
    let result = match try_bytes(text.as_bytes()) {
        Ok(result) => result,
        Err(refused) => return BTreeSet::from([refused.to_string()]),
    };
    let judgement = judge(&result);
    let found = judgement.audit.findings.iter();
    let serious = found.filter(|f| f.finding.severity >= Severity::Suspect);
    let rules = serious.filter_map(|f| Some(f.rule?.name.to_owned()));
    rules
        .chain(result.remarks.into_iter().map(|r| r.text))
        .collect()
}

/// Each figure of a text with what names it: its path of keys in JSON, its element in XML.
fn figures(text: &str) -> Vec<(String, std::ops::Range<usize>)> {
    let (mut found, mut path, mut last) = (Vec::new(), Vec::<String>::new(), String::new());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => path.push(std::mem::take(&mut last)),
            b'}' => drop(path.pop()),
            b'"' => {
                let end = at + 1 + text[at + 1..].find('"').expect("a quote");
                last = text[at + 1..end].to_owned();
                at = end;
            }
            b'0'..=b'9' => {
                let is_in = |b: &u8| b.is_ascii_digit() || *b == b'.';
                let end = at + bytes[at..].iter().take_while(|b| is_in(b)).count();
                let full = path.iter().chain([&last]).filter(|key| !key.is_empty());
                let full: Vec<&str> = full.map(String::as_str).collect();
                found.push((full.join("."), at..end));
                at = end - 1;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Figures of fio's JSON, or what they lie in, that nothing else in a result goes by, or not closely enough.
const CANNOT: &[(&str, &str)] = &[
    (
        "disk_util",
        "others use the disk as well, and it counts merged requests and the ends of a run its own way",
    ),
    ("ctx", "nothing else tells of switches"),
    ("minf", "nothing else tells of page faults"),
    ("majf", "nothing else tells of page faults"),
    ("elapsed", "what comes before and after the run is in it"),
    ("timestamp", "the clock of the host"),
    ("timestamp_ms", "the clock of the host"),
    (
        "usr_cpu",
        "a thread may use any part of its CPU: only more than all of it is no truth",
    ),
    ("sys_cpu", "as usr_cpu"),
    (
        "iodepth_level",
        "syncs have a depth and are no I/Os, so that the sum may be above 100",
    ),
    ("iodepth_submit", "a batch may have any size"),
    ("iodepth_complete", "a batch may have any size"),
    (
        "latency_ns",
        "a share of a few percent is within the others' rounding",
    ),
    ("latency_us", "as latency_ns"),
    ("latency_ms", "as latency_ns"),
    ("latency_depth", "an option's, which is off"),
    ("latency_percentile", "an option's, which is off"),
    ("bw_agg", "the share of a group that is not in the result"),
    (
        "bw_dev",
        "samples may scatter in any way between the least and the most",
    ),
    ("iops_stddev", "as bw_dev"),
    (
        "bw_min",
        "one sample of many may be anything below the mean",
    ),
    ("iops_min", "as bw_min"),
    (
        "bw_max",
        "one sample of many may be anything above the mean",
    ),
    ("iops_max", "as bw_max"),
    (
        "bw_samples",
        "how many are taken depends on the host's timers",
    ),
    ("iops_samples", "as bw_samples"),
    (
        "slat_ns",
        "a part of the times, of which only the sum is told",
    ),
    ("min", "one I/O may be anything below the percentiles"),
    ("max", "one I/O may be anything above the percentiles"),
    (
        "stddev",
        "a few long times make any spread above the least that percentiles allow",
    ),
    (
        "percentile",
        "between its neighbours, or above the last one, it may be anything",
    ),
];

#[test]
fn a_figure_that_was_doubled_in_fios_json_is_found_but_for_those_that_nothing_goes_by() {
    for name in ["fio/honest.json", "fio/psync.json", "fio/buffered.json"] {
        let text = text(name);
        let text = &text[text.find('{').expect("JSON")..];
        let clean = said(text);
        let mut found = 0;
        for (key, range) in figures(text) {
            let Ok(value) = text[range.clone()].parse::<f64>() else {
                continue;
            };
            let is_listed = key
                .split('.')
                .any(|part| CANNOT.iter().any(|(k, _)| *k == part));
            if value == 0.0 || is_listed || key.is_empty() {
                continue;
            }
            let changed = format!(
                "{}{}{}",
                &text[..range.start],
                2.0 * value,
                &text[range.end..]
            );
            assert!(
                said(&changed).difference(&clean).next().is_some(),
                "{name}: {key}"
            );
            found += 1;
        }
        assert!(found >= 10, "{name}: {found}");
    }
}

/// A text in which the first figure behind some words is doubled.
fn doubled(text: &str, words: &str) -> String {
    let at = text.find(words).unwrap_or_else(|| panic!("{words}")) + words.len();
    let from = at
        + text[at..]
            .find(|c: char| c.is_ascii_digit())
            .expect("a figure");
    let until = |c: char| !c.is_ascii_digit() && c != '.';
    let to = from + text[from..].find(until).expect("an end");
    let value: f64 = text[from..to].parse().expect("a number");
    format!("{}{}{}", &text[..from], 2.0 * value, &text[to..])
}

#[test]
fn a_figure_that_was_doubled_in_diskspds_results_is_found() {
    let xml = [
        "<TestTimeSeconds>",
        "<IOCount>",
        "<ReadCount>",
        "<BytesCount>",
        "<ReadBytes>",
    ];
    let plain = ["actual test time:", "avg.|", "total:"];
    let of = |name: &str, words: &[&str]| {
        let text = text(name);
        let clean = said(&text);
        for words in words.iter().filter(|w| text.contains(*w)) {
            let changed = said(&doubled(&text, words));
            assert!(
                changed.difference(&clean).next().is_some(),
                "{name}: {words}"
            );
        }
    };
    of("diskspd/clean.xml", &xml);
    of("diskspd/clean.txt", &plain);
}

#[test]
fn a_rate_that_was_doubled_in_a_row_of_vdbench_is_found() {
    let text = text("vdbench/curve-8k.txt");
    let clean = said(&text);
    let row = text
        .lines()
        .find(|l| l.contains(" avg_"))
        .expect("an average");
    let rate = row
        .split_whitespace()
        .skip_while(|w| !w.starts_with("avg_"))
        .nth(1)
        .expect("a rate");
    let double = format!("{:.1}", 2.0 * rate.parse::<f64>().expect("a number"));
    let changed = text.replacen(row, &row.replacen(rate, &double, 1), 1);
    assert!(said(&changed).difference(&clean).next().is_some(), "{row}");
}
