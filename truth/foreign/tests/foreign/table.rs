//! The table: cases and the rules that speak at them. A rule that never speaks, or speaks where nothing is wrong, is a bug.

use crate::corpus::{ids, judged, text};
use crate::reported_figures::{beside_each_other, maximum, with_one_interval_of};
use plimsoll_evidence::Severity;
use plimsoll_foreign::checks::CHECKS;
use std::collections::BTreeSet;

/// Samples, and what is at least suspect in each. Notes are not listed.
const SAMPLES: &[(&str, &[&str])] = &[
    // Undisturbed runs: of one job, of several, of several merged, of mixed traffic, at a rate, in all formats.
    ("fio/honest.json", &[]),
    ("fio/many.json", &[]),
    ("fio/merged.json", &[]),
    ("fio/plus.json", &[]),
    ("fio/poisson.json", &[]),
    ("fio/rated.json", &[]),
    ("fio/target.json", &[]),
    ("fio/two.json", &[]),
    ("diskspd/clean.txt", &[]),
    ("diskspd/clean.xml", &[]),
    ("elbencho/clean.csv", &[]),
    ("vdbench/repaired.txt", &[]),
    // Each with what was wrong with it.
    ("fio/buffered.json", &["buffered-io"]),
    ("fio/missed.json", &["rate-missed"]),
    ("fio/psync.json", &["depth-ignored"]),
    ("fio/saturated.json", &["never-steady"]),
    ("fio/seq.json", &["streams-start-together"]),
    ("fio/status.json", &["never-steady"]),
    ("fio/zero.json", &["zero-content"]),
    ("vdbench/collapse.txt", &["collapse"]),
    (
        "vdbench/curve-8k.txt",
        &["saturated-latency", "stall-hidden"],
    ),
    ("diskspd/cliff.xml", &["collapse", "zero-content"]),
    (
        "diskspd/impossible.txt",
        &["littles-law", "longer-than-run"],
    ),
    ("diskspd/throttled.txt", &["throttle-in-latency"]),
    (
        "diskspd/traps.txt",
        &[
            "buffered-io",
            "read-what-was-made",
            "repeating-content",
            "workers-busy",
        ],
    ),
    (
        "elbencho/limited.csv",
        &[
            "buffered-io",
            "faster-than-storage",
            "repeating-content",
            "square-wave-limit",
            "workers-busy",
        ],
    ),
];

/// A clean sample with one thing changed, and the one rule more that speaks then.
const CHANGED: &[(&str, &str, &str, &str)] = &[
    (
        "vdbench/repaired.txt",
        "  0.292    0.292",
        "  0.592    0.592",
        "average-disagrees",
    ),
    (
        "diskspd/clean.txt",
        "per thread: 8",
        "per thread: 80",
        "depth-not-reached",
    ),
    (
        "diskspd/clean.txt",
        "  99th |      1.900 |      1.900 |      1.900",
        "  99th |      0.900 |      0.900 |      0.900",
        "percentiles-disordered",
    ),
    (
        "diskspd/clean.txt",
        "    max |      9.100 |      9.100 |      9.100",
        "    max |      4.100 |      4.100 |      4.100",
        "percentile-above-max",
    ),
    (
        "diskspd/clean.txt",
        "    min |      0.210 |      0.210 |      0.210",
        "    min |      0.990 |      0.990 |      0.990",
        "mean-outside",
    ),
    (
        "vdbench/repaired.txt",
        "   16.000    0.113",
        "   16.000    9.113",
        "spread-impossible",
    ),
    (
        "elbencho/clean.csv",
        ",90,312,5200,",
        ",0.2,312,5200,",
        "minimum-impossible",
    ),
    (
        "diskspd/clean.txt",
        "  320.31 |   41000.00 |",
        "  336.00 |   41000.00 |",
        "bandwidth-disagrees",
    ),
    (
        "vdbench/repaired.txt",
        "104968.00   410.03",
        "114968.00   449.09",
        "average-disagrees",
    ),
    (
        "vdbench/curve-8k.txt",
        "0.508    0.549    0.410",
        "2.508    2.549    2.410",
        "response-falls",
    ),
    (
        "vdbench/repaired.txt",
        "avg_2-5  104968.00",
        "avg_1-5   99153.80",
        "first-interval",
    ),
    (
        "fio/poisson.json",
        "\"rate_iops\" : \"1500\"",
        "\"rate_iops\" : \"1400\"",
        "rate-exceeded",
    ),
    (
        "fio/honest.json",
        "\"size\" : \"5g\"",
        "\"size\" : \"20t\"",
        "known-defect",
    ),
    (
        "fio/merged.json",
        "\"error\" : 0",
        "\"error\" : 5",
        "ios-failed",
    ),
    (
        "fio/honest.json",
        "\"ioengine\" : \"libaio\"",
        "\"ioengine\" : \"null\"",
        "null-engine",
    ),
    (
        "fio/honest.json",
        "\"total_ios\" : 924806,",
        "\"total_ios\" : 824806,",
        "counts-disagree",
    ),
    (
        "vdbench/collapse.txt",
        "avg_2-5   54462.75   212.75",
        "avg_4-5   31824.50   124.31",
        "fell-in-warm-up",
    ),
    (
        "fio/honest.json",
        "\"stddev\" : 895228.853178",
        "\"stddev\" : 0.000000",
        "spread-too-small",
    ),
    (
        "fio/honest.json",
        "\"mean\" : 254464.382292",
        "\"mean\" : 20000.000000",
        "percentiles-against-mean",
    ),
    (
        "fio/honest.json",
        "\"250\" : 52.053757,\n        \"500\" : 3.751676,\n        \"750\" : 0.473720",
        "\"250\" : 0.473720,\n        \"500\" : 3.751676,\n        \"750\" : 52.053757",
        "histogram-against-mean",
    ),
    (
        "fio/honest.json",
        "\"8\" : 100.000000,\n        \"16\"",
        "\"8\" : 50.000000,\n        \"16\"",
        "shares-of-nothing",
    ),
    (
        "fio/honest.json",
        "\"N\" : 924811\n",
        "\"N\" : 124811\n",
        "timed-against-counted",
    ),
    (
        "fio/poisson.json",
        "\"iops_max\" : 1666",
        "\"iops_max\" : 166",
        "samples-disordered",
    ),
    (
        "fio/honest.json",
        "\"bw\" : 119318,",
        "\"bw\" : 129318,",
        "fields-disagree",
    ),
    (
        "fio/honest.json",
        "\"iops_max\" : 44726,",
        "\"iops_max\" : 24726,",
        "fields-disagree",
    ),
    (
        "fio/poisson.json",
        "\"stddev\" : 2074851.956857",
        "\"stddev\" : 274851.956857",
        "spread-too-small",
    ),
    (
        "fio/honest.json",
        "\"1\" : 0.000000,\n        \"2\" : 0.000000,\n        \"4\" : 0.000000,\n        \"8\" : 100.000000,",
        "\"1\" : 100.000000,\n        \"2\" : 0.000000,\n        \"4\" : 0.000000,\n        \"8\" : 0.000000,",
        "littles-law",
    ),
    (
        "fio/poisson.json",
        "\"20\" : 0.049519,\n        \"50\" : 64.374140,",
        "\"20\" : 64.374140,\n        \"50\" : 0.049519,",
        "histogram-against-percentiles",
    ),
    (
        "fio/honest.json",
        "\"refill_buffers\" : \"1\"",
        "\"buffer_compress_percentage\" : \"50\"",
        "reducible-content",
    ),
    (
        "diskspd/clean.txt",
        "\tgenerating random data for each write IO",
        "\t\twrite buffer size: 10MiB",
        "repeating-content",
    ),
];

/// A job that ended before its first I/O did.
const NOTHING: &str = r#"{"fio version": "fio-3.33", "jobs": [{"jobname": "none", "error": 0,
"job options": {"rw": "randread", "iodepth": "8", "ioengine": "libaio", "direct": "1"},
"read": {"io_bytes": 0, "iops": 0.0, "runtime": 0, "total_ios": 0},
"write": {"io_bytes": 0, "iops": 0.0, "runtime": 0, "total_ios": 0}}]}"#;

#[test]
fn a_result_of_nothing_is_not_clean() {
    assert!(ids(&judged(NOTHING), Severity::Invalid).contains(&"nothing-completed"));
}

#[test]
fn a_depth_that_cannot_be_read_is_not_taken_for_one() {
    let honest = text("fio/honest.json");
    let deep = |depth: &str| judged(&honest.replace("\"iodepth\" : \"8\"", depth));
    assert!(ids(&deep("\"iodepth\" : \"1\""), Severity::Invalid).contains(&"littles-law"));
    for depth in ["\"99999999999999999999\"", "[8, 16]", "\"\"", "\"-3\""] {
        let found = ids(&deep(&format!("\"iodepth\" : {depth}")), Severity::Suspect);
        assert_eq!(found, [""; 0], "{depth}");
    }
}

/// Of 130,848/s with 511 in flight, 117,909/s came with 152 (rate times mean).
#[test]
fn a_published_maximum_has_more_in_flight_than_its_load_needs() {
    let found = judged(&text("vdbench/curve-8k.txt"));
    assert!(ids(&found, Severity::Note).contains(&"more-in-flight-than-needed"));
    let repaired = judged(&text("vdbench/repaired.txt"));
    assert!(!ids(&repaired, Severity::Note).contains(&"more-in-flight-than-needed"));
}

#[test]
fn each_sample_has_the_doubts_that_are_known_of_it_and_no_others() {
    for (name, expected) in SAMPLES {
        assert_eq!(
            ids(&judged(&text(name)), Severity::Suspect),
            *expected,
            "{name}"
        );
    }
}

#[test]
fn one_change_of_a_clean_sample_makes_the_rule_speak_that_is_for_it() {
    for (name, from, to, rule) in CHANGED {
        let clean = text(name);
        assert!(clean.contains(from), "{name} has no `{from}`");
        let before = ids(&judged(&clean), Severity::Note);
        assert!(!before.contains(rule), "{rule} speaks at the clean {name}");
        let after = ids(&judged(&clean.replace(from, to)), Severity::Note);
        assert!(
            after.contains(rule),
            "{rule} is silent at {name}: {after:?}"
        );
    }
}

#[test]
fn every_rule_speaks_at_some_case_and_its_finding_has_words() {
    let hit_area = "sd=sd1,lun=/dev/sdb,threads=32,hitarea=1m\nwd=wd1,sd=sd1,xfersize=4k,rhpct=75\nrd=run1,wd=wd1,iorate=max,elapsed=10,interval=2\n";
    let folder = crate::reading::folder(&[
        ("summary.html", &text("vdbench/repaired.txt")),
        ("parmfile.html", hit_area),
    ]);
    let more_depth = text("vdbench/repaired.txt")
        + &text("vdbench/collapse.txt")
            .replace("threads=32", "threads=64")
            .replace("run1", "run2");
    let changed = CHANGED
        .iter()
        .map(|(name, from, to, _)| judged(&text(name).replace(from, to)));
    let cases = crate::corpus::all()
        .into_iter()
        .map(|(_, text)| judged(&text))
        .chain(changed);
    let (mut fired, mut words) = (BTreeSet::new(), Vec::new());
    for judgement in cases.chain([
        folder,
        judged(NOTHING),
        judged(&with_one_interval_of(20.0)),
        judged(&beside_each_other(0)),
        judged(&maximum(512, 511.2, 3.913)),
        judged(crate::told::OF_A_LIMIT),
        judged(&crate::cases::case("fio-answered-by-a-cache.json")),
        judged(&crate::cases::case("fio-jobs-end-apart.json")),
        judged(&more_depth.replace("54462.75", "50462.75")),
    ]) {
        for found in judgement.audit.findings {
            fired.insert(found.rule.expect("known").number);
            // Without its sentence a finding's message is its name.
            assert!(!found.places.is_empty() && found.finding.message.contains(' '));
            words.push(found.finding.message);
        }
    }
    let all: BTreeSet<u16> = CHECKS
        .into_iter()
        .flatten()
        .flat_map(|c| c.rules)
        .copied()
        .collect();
    let silent: Vec<_> = all.difference(&fired).collect();
    assert!(silent.is_empty(), "never heard: {silent:?}");
    assert!(
        words
            .iter()
            .all(|w| w.ends_with('.') && !w.contains("NaN") && !w.contains("n/a")),
        "{words:#?}"
    );
}
