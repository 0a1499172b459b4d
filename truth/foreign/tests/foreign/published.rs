//! Figures that were published, and what is known of them.

use crate::corpus::{has, ids, judged, result, said, text};
use plimsoll_evidence::Severity;

#[test]
fn the_fall_from_105_000_to_31_000_is_a_collapse_and_its_repaired_run_is_clean() {
    let fallen = judged(&text("vdbench/collapse.txt"));
    assert_eq!(ids(&fallen, Severity::Suspect), ["collapse"]);
    let (sentence, lines) = said(&fallen, "collapse");
    assert!(
        sentence.contains("from 96,334/s to 31,825/s, by 67%"),
        "{sentence}"
    );
    assert!(
        sentence.contains("54,463/s was at no time the rate"),
        "{sentence}"
    );
    assert!(sentence.contains("In flight were 31.4"), "{sentence}");
    assert!(
        sentence.contains("CPUs were at most 19% busy"),
        "{sentence}"
    );
    assert_eq!(lines, [8], "where the rate was down");
    let repaired = judged(&text("vdbench/repaired.txt"));
    assert_eq!(ids(&repaired, Severity::Suspect), [""; 0]);
    assert!(has(&repaired.audit.clean, "collapse"));
}

#[test]
fn the_points_at_94_to_98_percent_of_the_8k_curve_lie_on_the_ceiling() {
    let curve = judged(&text("vdbench/curve-8k.txt"));
    let ceiling = |f: &&plimsoll_audit::Audited| {
        f.finding.rule == "PL102" && f.finding.severity == Severity::Suspect
    };
    let doubt = curve.audit.findings.iter().find(ceiling).expect("found");
    let runs: Vec<String> = doubt
        .finding
        .values
        .iter()
        .filter(|v| v.name == "run")
        .map(|v| format!("{:?}", v.quantity))
        .collect();
    assert_eq!(runs.len(), 3, "{runs:?}");
    for percent in ["94%", "96%", "98%"] {
        assert!(
            runs.iter().any(|r| r.contains(percent)),
            "{percent} of {runs:?}"
        );
    }
}

#[test]
fn the_98_percent_that_were_missed_by_half_a_percent_are_noted() {
    let curve = judged(&text("vdbench/curve-8k.txt"));
    let (sentence, lines) = said(&curve, "rate-missed");
    assert!(
        sentence.contains("128,300/s was asked for and 127,697/s came"),
        "{sentence}"
    );
    // All other points came as they were asked for.
    assert_eq!(lines, [20]);
}

#[test]
fn threads_256_beside_a_depth_of_511_is_called_out() {
    let curve = judged(&text("vdbench/curve-8k.txt"));
    let (sentence, lines) = said(&curve, "depth-above-threads");
    assert!(
        sentence.contains("`threads=256` was asked for, and 511 I/Os were in flight"),
        "{sentence}"
    );
    assert!(
        sentence.contains("2 targets, or as many hosts"),
        "{sentence}"
    );
    assert_eq!(lines[0], 2);
    // With the threads that were in flight, nothing is wrong.
    let right = text("vdbench/curve-8k.txt").replace("threads=256", "threads=512");
    assert!(!ids(&judged(&right), Severity::Note).contains(&"depth-above-threads"));
}

#[test]
fn a_mean_of_71_66_ms_at_87_694_and_depth_32_cannot_be() {
    let found = judged(&text("diskspd/impossible.txt"));
    let (sentence, _) = said(&found, "littles-law");
    assert!(
        sentence.contains("takes 6,284 I/Os in flight, and no more than 32"),
        "{sentence}"
    );
    assert!(sentence.contains("365us at most"), "{sentence}");
    assert_eq!(found.worst(), Some(Severity::Invalid));
    // The same mean is right where the depth is so large.
    let deep = text("diskspd/impossible.txt")
        .replace("-o32", "-o6300")
        .replace("per thread: 32", "per thread: 6300");
    assert!(!ids(&judged(&deep), Severity::Note).contains(&"littles-law"));
}

#[test]
fn the_throttle_of_15_975_ms_is_told_from_a_latency() {
    let found = judged(&text("diskspd/throttled.txt"));
    let (sentence, _) = said(&found, "throttle-in-latency");
    assert!(
        sentence.contains("2,000/s was kept, and yet all 32 slots"),
        "{sentence}"
    );
}

#[test]
fn all_rows_of_the_8k_curve_keep_littles_law() {
    let curve = result(&text("vdbench/curve-8k.txt"));
    for row in curve.runs.iter().flat_map(|r| &r.rows) {
        let (by_law, counted) = (
            row.in_flight().expect("rate, mean"),
            row.queue_depth.expect("depth"),
        );
        assert!(
            (by_law - counted).abs() <= 0.01 * counted + 0.05,
            "{by_law} {counted}"
        );
    }
    assert!(!ids(&judged(&text("vdbench/curve-8k.txt")), Severity::Note).contains(&"littles-law"));
}

#[test]
fn four_ios_in_9_ms_are_true_whatever_divides_their_spread() {
    // fio divides by one less than the number of times: times of 1.3 to 3.82 ms with a mean of 2.02 ms, four of them, have at most 1.32 ms.
    let text = "\
test_r_w: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1
fio-3.7
test_r_w: (groupid=0, jobs=1): err= 0: pid=2083: Sun Sep 26 03:18:06 2021
  write: IOPS=444, BW=1778KiB/s (1820kB/s)(16.0KiB/9msec)
    slat (usec): min=1294, max=3789, avg=2007.88, stdev=1191.07
    clat (nsec): min=2304, max=28645, avg=9918.75, stdev=12574.80
     lat (usec): min=1298, max=3824, avg=2020.36, stdev=1206.00
    clat percentiles (nsec):
     |  1.00th=[ 2320],  5.00th=[ 2320], 10.00th=[ 2320], 20.00th=[ 2320],
     | 99.99th=[28544]
     issued rwts: total=0,4,0,0 short=0,0,0,0 dropped=0,0,0,0
";
    let found = judged(text);
    assert_eq!(ids(&found, Severity::Invalid), [""; 0]);
    let (short, _) = crate::corpus::said(&found, "too-short");
    assert!(short.contains("only 9.00ms were counted"), "{short}");
    let (few, _) = crate::corpus::said(&found, "percentile-beyond-data");
    assert!(
        few.contains("percentiles of 4 I/Os say what happened to a few I/Os"),
        "{few}"
    );
    // No four times have this one.
    let more = text.replace("stdev=1206.00", "stdev=1506.00");
    assert_eq!(
        ids(&judged(&more), Severity::Invalid),
        ["spread-impossible"]
    );
}

#[test]
fn percentiles_at_the_last_bucket_say_no_more_than_that() {
    let text = "\
slow: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1
fio-3.7
slow: (groupid=0, jobs=1): err= 0: pid=2089: Sun Sep 26 03:18:37 2021
  write: IOPS=0, BW=204B/s (204B/s)(4096B/20033msec)
    slat (nsec): min=3358.7k, max=3358.7k, avg=3358748.00, stdev= 0.00
    clat (nsec): min=20027M, max=20027M, avg=20027265355.00, stdev= 0.00
     lat (nsec): min=20031M, max=20031M, avg=20030627283.00, stdev= 0.00
    clat percentiles (msec):
     |  1.00th=[17113],  5.00th=[17113], 10.00th=[17113], 20.00th=[17113],
     | 99.99th=[17113]
     issued rwts: total=0,1,0,0 short=0,0,0,0 dropped=0,0,0,0
";
    let found = judged(text);
    assert_eq!(ids(&found, Severity::Invalid), [""; 0]);
    assert!(ids(&found, Severity::Suspect).contains(&"known-defect"));
    // Below the last bucket they say what they say.
    let lower = text.replace("17113", "16978");
    assert_eq!(
        ids(&judged(&lower), Severity::Invalid),
        ["percentiles-against-mean"]
    );
}
