//! Results in which one figure was changed by hand. Whoever changes one has to change all that say the same.

use crate::corpus::{judge, text, try_bytes};
use plimsoll_evidence::Severity;
use std::collections::BTreeSet;

/// Words about a text: findings with their numbers, and remarks.
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

/// Figures that are not found where each is doubled: those that are at their places under no name of a list.
fn unfound(
    text: &str,
    figures: Vec<(String, std::ops::Range<usize>)>,
    listed: &[(&str, &[&str])],
) -> Vec<String> {
    let clean = said(text);
    let (mut found, mut missed) = (0, Vec::new());
    for (key, range) in figures {
        let Ok(value) = text[range.clone()].parse::<f64>() else {
            continue;
        };
        let is_of =
            |part: &&str| key.ends_with(*part) || part.ends_with('.') && key.starts_with(*part);
        if value == 0.0 || listed.iter().any(|(_, keys)| keys.iter().any(&is_of)) {
            continue;
        }
        let doubled = match value.fract() == 0.0 {
            true => format!("{}", 2.0 * value),
            false => format!("{:.2}", 2.0 * value),
        };
        let changed = format!("{}{doubled}{}", &text[..range.start], &text[range.end..]);
        match said(&changed).difference(&clean).next() {
            Some(_) => found += 1,
            None => missed.push(key),
        }
    }
    assert!(found >= 3, "{found}");
    missed
}

/// Figures of fio's text for people: the word that begins their line, and the key before `=`, or the bracket that they stand in.
fn text_figures(text: &str) -> Vec<(String, std::ops::Range<usize>)> {
    let (mut found, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let from = at;
        at += line.len();
        // What was typed, and how far it is.
        let heads = [
            "fio --",
            "Jobs:",
            "(g=",
            "(groupid=",
            "fio-",
            "Starting",
            "Laying",
            "Run status",
            "Disk stats",
        ];
        if heads.iter().any(|head| line.contains(head)) {
            continue;
        }
        let word = line
            .trim()
            .split([':', '(', '|'])
            .next()
            .unwrap_or_default()
            .trim();
        let is_in = |b: &u8| b.is_ascii_digit() || *b == b'.';
        let bytes = line.as_bytes();
        let mut n = 0;
        while n < bytes.len() {
            let starts = bytes[n].is_ascii_digit() && !bytes[n - 1].is_ascii_alphanumeric();
            let length = bytes[n..].iter().take_while(|b| is_in(b)).count();
            if starts {
                let before = line[..n].trim_end();
                let key = match before.chars().last() {
                    Some('=') => before
                        .trim_end_matches('=')
                        .rsplit([' ', ',', '(', ':'])
                        .next()
                        .unwrap_or_default(),
                    Some('[') => "percentile",
                    Some('(') => "brackets",
                    Some('/') => "over",
                    _ => "bare",
                };
                let end = n + line[n..n + length].trim_end_matches('.').len();
                found.push((format!("{word}.{key}"), from + n..from + end));
            }
            n += length.max(1);
        }
    }
    found
}

/// Figures of a line of fio's terse output, version 3, by their names.
fn terse_figures(text: &str) -> Vec<(String, std::ops::Range<usize>)> {
    const TIMES: [&str; 4] = ["min", "max", "mean", "stddev"];
    let mut names: Vec<String> = ["terse", "version", "name", "group", "error"]
        .map(String::from)
        .into();
    for side in ["read", "write"] {
        let mut add = |name: &str| names.push(format!("{side}.{name}"));
        ["io_kbytes", "bw", "iops", "runtime"]
            .into_iter()
            .for_each(&mut add);
        for of in ["slat", "clat"] {
            TIMES.into_iter().for_each(|t| add(&format!("{of}.{t}")));
        }
        (0..20).for_each(|_| add("percentile"));
        TIMES.into_iter().for_each(|t| add(&format!("lat.{t}")));
        ["bw_min", "bw_max", "bw_agg", "bw_mean", "bw_dev"]
            .into_iter()
            .for_each(&mut add);
    }
    names.extend(["usr_cpu", "sys_cpu", "ctx", "majf", "minf"].map(String::from));
    names.extend((0..7).map(|_| "depths".to_string()));
    names.extend((0..22).map(|_| "latency_us".to_string()));
    let (mut found, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let mut from = at;
        at += line.len();
        for (n, field) in line.split(';').enumerate() {
            let begin = from;
            from += field.len() + 1;
            let value = field.split_once("%=").map_or(field, |(_, value)| value);
            let start = begin + field.len() - value.len();
            let length = value
                .bytes()
                .take_while(|b| b.is_ascii_digit() || *b == b'.')
                .count();
            let name = names.get(n).map_or("disk_util", String::as_str);
            if n >= 5 && length > 0 {
                found.push((name.to_string(), start..start + length));
            }
        }
    }
    found
}

/// Figures of fio's text and terse output that nothing else in a result goes by, or not closely enough, and what the reason is where it is
/// none of those of the JSON.
const CANNOT_IN_TEXT: &[(&str, &[&str])] = &[
    (
        "as in the JSON",
        &["ctx", "minf", "majf", "usr", "sys", "usr_cpu", "sys_cpu"],
    ),
    (
        "as in the JSON: iodepth_level",
        &["IO depths.", "submit.", "complete.", "depths"],
    ),
    (
        "as in the JSON: latency_us",
        &[
            "lat.2",
            "lat.4",
            "lat.10",
            "lat.20",
            "lat.50",
            "lat.100",
            "lat.250",
            "lat.500",
            "lat.750",
            "lat.1000",
            "lat.bare",
            "latency_us",
        ],
    ),
    (
        "as in the JSON: an option's",
        &["latency.depth", "latency.percentile"],
    ),
    (
        "as in the JSON: min, max, stddev",
        &[
            "lat.min",
            "lat.max",
            "lat.stdev",
            "lat.stddev",
            "sync.min",
            "sync.max",
            "sync.stdev",
        ],
    ),
    (
        "as in the JSON: percentile; beside it stands its name",
        &[".percentile", ".bare"],
    ),
    (
        "as in the JSON: samples",
        &[
            "bw.min",
            "bw.max",
            "bw.avg",
            "bw.stdev",
            "bw.samples",
            "bw_min",
            "bw_max",
            "bw_mean",
            "bw_dev",
            "iops.samples",
            "iops.stdev",
        ],
    ),
    ("as in the JSON: bw_agg", &["bw.per", "bw_agg"]),
    ("as in the JSON: disk_util", &["vda.", "xvdb.", "disk_util"]),
    (
        "where an engine has no slat, only the completion is beside all of an I/O's time",
        &["lat.avg"],
    ),
    (
        "a terse line has no count of I/Os and no size, and its times are whole microseconds",
        &["read.iops", "write.iops", "slat.mean", "lat.mean"],
    ),
    (
        "the same in decimal units, which nobody reads",
        &["read.brackets", "write.brackets"],
    ),
    (
        "any short I/O makes the result invalid as it is",
        &["issued rwts.short"],
    ),
    (
        "sums of a group, which nobody reads: its jobs say what they are of",
        &["READ.", "WRITE."],
    ),
];

#[test]
fn a_figure_that_was_doubled_in_fios_text_or_terse_output_is_found_but_for_those_that_nothing_goes_by()
 {
    let mut missed = BTreeSet::new();
    for name in ["fio/text-3.33.txt", "fio/text-2.2.10.txt"] {
        let text = text(name);
        let unfound = unfound(&text, text_figures(&text), CANNOT_IN_TEXT);
        missed.extend(unfound.into_iter().map(|key| format!("{name}: {key}")));
    }
    let text = text("fio/terse-v3.txt");
    missed.extend(unfound(&text, terse_figures(&text), CANNOT_IN_TEXT));
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_result_that_stands_there_twice_is_named() {
    let twice = |text: &str, again: &str| {
        let result = crate::corpus::result(&format!("{text}\n{again}"));
        let remarks = result.remarks.iter();
        remarks
            .filter(|r| r.text.contains("to the last digit"))
            .count()
    };
    for name in ["fio/text-3.33.txt", "diskspd/clean.txt"] {
        let text = text(name);
        assert!(twice(&text, "") == 0 && twice(&text, &text) > 0, "{name}");
    }
    // One job of a document, again under another name.
    let json = text("fio/honest.json");
    let json = &json[json.find('{').expect("JSON")..];
    let mut document: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let jobs = document["jobs"].as_array_mut().expect("jobs");
    let mut copy = jobs[0].clone();
    copy["jobname"] = "another".into();
    jobs.push(copy);
    assert_eq!(twice(json, ""), 0);
    assert_eq!(twice(&document.to_string(), ""), 1);
}

#[test]
fn samples_that_were_doubled_together_are_found() {
    for name in ["fio/honest.json", "fio/psync.json", "fio/buffered.json"] {
        let text = text(name);
        let mut document: serde_json::Value =
            serde_json::from_str(&text[text.find('{').expect("JSON")..]).expect("JSON");
        let clean = said(&document.to_string());
        let mut changed = false;
        for job in document["jobs"].as_array_mut().expect("jobs") {
            for side in ["read", "write"] {
                for key in ["iops_min", "iops_mean", "iops_max"] {
                    let figure = &mut job[side][key];
                    changed |= figure.as_f64().is_some_and(|n| n > 100.0);
                    *figure = (2.0 * figure.as_f64().unwrap_or(0.0)).into();
                }
            }
        }
        let now = said(&document.to_string());
        assert!(changed && now.difference(&clean).next().is_some(), "{name}");
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
        "<IopsStdDev>",
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

/// False figures are named, and no sound one beside them.
#[test]
fn what_rests_on_a_false_figure_is_not_doubted_for_it() {
    let found = |name: &str, from: &str, to: &str| {
        let sample = text(name);
        assert!(sample.contains(from), "{name} has no `{from}`");
        let judgement = crate::corpus::judged(&sample.replace(from, to));
        crate::corpus::ids(&judgement, Severity::Suspect)
    };
    let rate = ("\"iops\" : 29829.564881", "\"iops\" : 298295.64881");
    let doubts = found("fio/honest.json", rate.0, rate.1);
    assert_eq!(doubts, ["counts-disagree", "fields-disagree"]);
    let average = "104968.00   410.03    4096 100.00    0.292    0.292    0.000   16.000";
    for other in [
        "209936.00   820.06    4096 100.00    0.292    0.292    0.000   16.000",
        "104968.00   410.03    4096 100.00    0.029    0.029    0.000   16.000",
        "104968.00   410.03    4096  40.00    0.292    0.292    0.000   16.000",
        "104968.00   410.03    4096 100.00    0.292    0.292    0.000    9.000",
    ] {
        let doubts = found("vdbench/repaired.txt", average, other);
        assert_eq!(doubts, ["average-disagrees"], "{other}");
    }
}

#[test]
fn another_mix_than_was_asked_for_and_a_row_that_is_not_there_are_named() {
    let sample = text("diskspd/clean.txt");
    let writes = sample.replace("-w30", "-w70").replace("70/30", "30/70");
    assert!(said(&writes).contains("fields-disagree"));
    let rows = sample.lines().filter(|line| !line.starts_with("     3 | "));
    let cut: String = rows.map(|line| format!("{line}\n")).collect();
    let is_named = |text: &str| said(text).iter().any(|word| word.contains("have 75%"));
    assert!(is_named(&cut) && !is_named(&sample));
}
