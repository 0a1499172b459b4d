//! Results that were called invalid, or clean, and are not.

use crate::corpus::{has, ids, judged, result, said, text as corpus};
use plimsoll_evidence::Severity;
use plimsoll_foreign::model::Scope;
use std::path::Path;

pub fn case(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(name);
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn the_order_of_keys_does_not_matter() {
    let text = case("fio-clones-in-a-folder.json");
    // All objects turned round.
    fn turned(value: &serde_json::Value) -> String {
        use serde_json::Value::{Array, Object};
        match value {
            Object(fields) => {
                let mut all: Vec<String> = fields
                    .iter()
                    .map(|(k, v)| format!("{}: {}", serde_json::Value::from(k.as_str()), turned(v)))
                    .collect();
                all.reverse();
                format!("{{{}}}", all.join(", "))
            }
            Array(items) => {
                let all: Vec<String> = items.iter().map(turned).collect();
                format!("[{}]", all.join(", "))
            }
            other => other.to_string(),
        }
    }
    let value = serde_json::from_str(&text).expect("JSON");
    let found = ids(&judged(&turned(&value)), Severity::Note);
    assert_eq!(found, ids(&judged(&text), Severity::Note));
    assert_eq!(ids(&judged(&text), Severity::Invalid), [""; 0]);
}

#[test]
fn percentiles_of_several_targets_are_not_mixed() {
    let result = result(&case("diskspd-two-targets.txt"));
    let whole = result.runs[0].whole().expect("a total");
    assert_eq!(whole.all.latency.percentiles.len(), 7);
    let median = whole
        .all
        .latency
        .percentiles
        .iter()
        .find(|(q, _)| *q == 0.5);
    assert_eq!(median.map(|(_, t)| t.0), Some(1_161_000));
    let parts = result.runs[0]
        .rows
        .iter()
        .filter(|r| r.scope == Scope::Part);
    let labels: Vec<&str> = parts
        .filter(|r| !r.all.latency.percentiles.is_empty())
        .map(|r| r.label.as_str())
        .collect();
    assert_eq!(labels, [r"E:\a.dat", r"F:\b.dat"]);
    let found = judged(&case("diskspd-two-targets.txt"));
    assert_eq!(ids(&found, Severity::Invalid), [""; 0]);
    // A table of one target is judged as well.
    let bent = case("diskspd-two-targets.txt")
        .replace("     66.240 |     87.480", "     66.240 |      1.480");
    assert!(ids(&judged(&bent), Severity::Invalid).contains(&"percentiles-disordered"));
}

#[test]
fn a_second_result_without_its_heading_has_no_depth() {
    let text = case("diskspd-second-result.txt");
    let result = result(&text);
    let [first, second] = &result.runs[..] else {
        panic!("{} runs", result.runs.len())
    };
    assert_eq!(
        (first.asked.in_flight, second.asked.in_flight),
        (Some(16), None)
    );
    assert_eq!(second.whole().and_then(|w| w.iops()), Some(117.45));
    assert_eq!(ids(&judged(&text), Severity::Invalid), [""; 0]);
}

#[test]
fn targets_that_differ_are_no_neighbours() {
    let job = |name: &str, file: &str, depth: u32, rate: u32| {
        format!(
            r#"{{"jobname": "{name}", "error": 0, "job options": {{"filename": "{file}", "iodepth": "{depth}", "rw": "randread",
            "bs": "4k", "ioengine": "libaio", "direct": "1"}}, "read": {{"iops": {rate}.0, "total_ios": {}, "runtime": 60000}},
            "job_runtime": 60000}}"#,
            rate * 60
        )
    };
    let text = |other: &str| {
        format!(
            r#"{{"fio version": "fio-3.33", "jobs": [{}, {}]}}"#,
            job("nvme", "/dev/a", 8, 100_000),
            job("disk", other, 32, 400)
        )
    };
    let found = |other| ids(&judged(&text(other)), Severity::Suspect);
    assert!(!found("/dev/b").contains(&"less-with-more-depth"));
    assert!(found("/dev/a").contains(&"less-with-more-depth"));
}

/// So many lines of a run of Vdbench, one a second, with an average.
fn vdbench(announced: &str, lines: u32, stalled: u32) -> String {
    let row = |label: &str, at: u32, rate: f64| {
        format!(
            "10:{:02}:{:02}.000 {label} {rate:.1} {:.2} 4096 100.00 0.800 0.800 0.000 5.50 0.00 0.400 8.0 20.0 10.0\n",
            at / 60,
            at % 60,
            rate / 256.0
        )
    };
    let rate = |n: u32| {
        if n >= lines - stalled {
            100.0
        } else {
            10_000.0
        }
    };
    let mut text = format!("10:00:00.000 Starting RD={announced}\n");
    (1..=lines).for_each(|n| text += &row(&n.to_string(), n, rate(n)));
    let mean = (2..=lines).map(rate).sum::<f64>() / f64::from(lines - 1);
    text + &row(&format!("avg_2-{lines}"), lines + 1, mean)
}

#[test]
fn an_interval_is_as_long_as_the_time_stamps_say() {
    let text = vdbench(
        "rd1; I/O rate: Uncontrolled MAX; elapsed=3600; For loops: threads=8",
        40,
        0,
    );
    let result = result(&text);
    let lengths: Vec<_> = result.runs[0]
        .intervals()
        .map(|(_, row)| row.seconds)
        .collect();
    assert!(lengths.iter().all(|s| *s == Some(1.0)), "{lengths:?}");
    assert_eq!(result.runs[0].counted_s(), Some(39.0));
    // Without some of its lines they are no longer.
    let thinned: String = text
        .lines()
        .filter(|l| !l.contains(" 7 ") && !l.contains(" 8 ") && !l.contains(" 12 "))
        .map(|l| format!("{l}\n"))
        .collect();
    let thinned = crate::corpus::result(&thinned);
    assert_eq!(
        thinned.runs[0]
            .intervals()
            .next()
            .and_then(|(_, r)| r.seconds),
        Some(1.0)
    );
}

#[test]
fn an_average_behind_a_gap_is_another_runs() {
    let curve = crate::corpus::text("vdbench/curve-8k.txt");
    let all: Vec<&str> = curve.lines().collect();
    // The announcement of the point at 1 %, and the average of the one at 70 %.
    let cut = [all[0], all[1], all[2], "[...trimmed...]", all[5]].join("\n") + "\n";
    let result = result(&cut);
    let asked = result.runs.last().expect("a run").asked.load;
    assert_eq!(asked, None, "what was asked of it is not here");
    let found = ids(&judged(&cut), Severity::Suspect);
    assert!(!found.contains(&"rate-exceeded"), "{found:?}");
    assert!(result.remarks.iter().any(|r| r.text.contains("long after")));
}

#[test]
fn a_parameter_file_is_read_as_vdbench_reads_it() {
    let summary = vdbench(
        "rd1; I/O rate: Uncontrolled MAX; elapsed=10; For loops: threads=8.0",
        9,
        0,
    ) + &vdbench(
        "rd1; I/O rate: Uncontrolled MAX; elapsed=10; For loops: threads=16.0",
        9,
        0,
    );
    let parameters = "<pre>\nsd=sd1,lun=/dev/x,size=64g,openflags=o_direct\nwd=wd1,sd=sd1,xfersize=(8k,50,64k,50),rdpct=100\n\
                      rd=rd1,wd=wd1,iorate=max,elapsed=10,interval=1,forthreads=(8,16)\n";
    let inputs = [
        ("summary.html", summary.as_str()),
        ("parmfile.html", parameters),
    ]
    .map(|(name, text)| plimsoll_foreign::Input {
        name: format!("out/{name}"),
        bytes: text.as_bytes().to_vec(),
    });
    let (results, errors) = plimsoll_foreign::read::read_folder(&inputs);
    assert!(errors.is_empty(), "{errors:?}");
    let asked: Vec<_> = results[0]
        .runs
        .iter()
        .map(|r| (r.asked.depth, r.asked.in_flight))
        .collect();
    assert_eq!(asked, [(Some(8), Some(8)), (Some(16), Some(16))]);
    let (least, most) = results[0].runs[0].asked.block.expect("told");
    assert_eq!((least.0, most.0), (8 << 10, 64 << 10));
    let found = crate::corpus::judge(&results[0]);
    let found = ids(&found, Severity::Suspect);
    assert!(!found.contains(&"bandwidth-disagrees"), "{found:?}");
}

#[test]
fn what_was_written_is_not_checked_where_nobody_says_it() {
    let text = crate::corpus::text("fio/merged.json");
    let written = crate::corpus::text("fio/zero.json")
        .replace("\"zero_buffers\" : \"1\"", "\"numjobs\" : \"1\"");
    assert!(
        has(&judged(&text).audit.clean, "zero-content"),
        "nothing was written"
    );
    let found = judged(&written);
    assert!(!has(&found.audit.clean, "zero-content"));
    assert!(unseen(&found, "zero-content"));
}

#[test]
fn clones_in_a_folder_have_a_file_each() {
    let found = judged(&case("fio-clones-in-a-folder.json"));
    // 4 times 1500 MiB are more than 4 GiB.
    assert!(!ids(&found, Severity::Note).contains(&"small-working-set"));
}

#[test]
fn a_sample_of_each_io_is_none_of_a_rate() {
    let found = judged(&case("fio-log-of-each-io.json"));
    assert!(unseen(&found, "never-steady"));
}

/// Samples with a mean of 15,330 I/Os per second.
#[test]
fn samples_that_swing_are_noted_and_no_more() {
    let text = corpus("fio/zero.json");
    let with = |sd: &str| judged(&text.replace("3062.705153", sd));
    let noted =
        |of: &plimsoll_foreign::Judgement| ids(of, Severity::Note).contains(&"never-steady");
    assert!(!noted(&with("3000.0")));
    let swings = with("3200.0");
    assert!(noted(&swings), "{:?}", swings.audit.findings);
    assert!(!ids(&swings, Severity::Suspect).contains(&"never-steady"));
    let (sentence, _) = said(&swings, "never-steady");
    assert!(
        sentence.contains("8,980/s") && sentence.contains("20,430/s"),
        "{sentence}"
    );
    // Twice the smallest is the least that swings.
    let narrow = text
        .replace("3062.705153", "3200.0")
        .replace(": 20430", ": 17900");
    assert!(!noted(&judged(&narrow)));
}

#[test]
fn jobs_that_end_at_different_times_have_a_rate_of_no_time() {
    let found = judged(&case("fio-jobs-end-apart.json"));
    let doubts = ids(&found, Severity::Suspect);
    assert!(doubts.contains(&"rate-over-the-longest"), "{doubts:?}");
    assert!(!doubts.contains(&"rate-exceeded"), "{doubts:?}");
    let (sentence, _) = crate::corpus::said(&found, "rate-over-the-longest");
    assert!(
        sentence.contains("79,300/s") && sentence.contains("9,000/s"),
        "{sentence}"
    );
}

#[test]
fn a_thread_of_elbencho_that_lags_leaves_a_rate_of_no_time() {
    let table = case("elbencho-table.txt");
    let spoke =
        |table: &str| ids(&judged(table), Severity::Suspect).contains(&"rate-over-the-longest");
    assert!(!spoke(&table));
    let (alike, first) = ("        291         291", "        791         291");
    assert!(table.contains(alike) && spoke(&table.replace(alike, first)));
}

#[test]
fn what_a_cache_answered_never_reached_the_disks() {
    let found = judged(&case("fio-answered-by-a-cache.json"));
    let (sentence, _) = crate::corpus::said(&found, "layers-answered");
    assert!(
        sentence.contains("383,313") && sentence.contains("117"),
        "{sentence}"
    );
    let reached =
        case("fio-answered-by-a-cache.json").replace("\"read_ios\": 117", "\"read_ios\": 383400");
    assert!(!ids(&judged(&reached), Severity::Note).contains(&"layers-answered"));
}

#[test]
fn durable_writes_are_not_said_to_reach_the_target_later() {
    let found = judged(&case("fio-fdatasync.json"));
    assert!(!ids(&found, Severity::Note).contains(&"buffered-io"));
    // Without its syncs it is said.
    let without =
        case("fio-fdatasync.json").replace("\"fdatasync\" : \"1\"", "\"fdatasync\" : \"0\"");
    assert!(ids(&judged(&without), Severity::Note).contains(&"buffered-io"));
}

#[test]
fn a_socket_has_no_page_cache() {
    let nbd = crate::corpus::text("fio/buffered.json");
    assert!(ids(&judged(&nbd), Severity::Suspect).contains(&"buffered-io"));
    let nbd = nbd.replace("\"bs\" : \"4k\"", "\"ioengine\" : \"nbd\"");
    assert!(nbd.contains("nbd"));
    assert!(!ids(&judged(&nbd), Severity::Suspect).contains(&"buffered-io"));
}

#[test]
fn threads_of_several_hosts_are_not_more_than_was_asked_for() {
    // 8 threads of each of two hosts on one target have 16 in flight.
    let summary = vdbench(
        "rd1; I/O rate: Uncontrolled MAX; elapsed=10; For loops: None",
        9,
        0,
    )
    .replace(" 8.0 20.0", " 16.0 20.0")
    .replace(" 0.800 0.800 ", " 1.600 1.600 ");
    let hosts = "hd=h1,system=10.0.0.1\nhd=h2,system=10.0.0.2\n";
    let rest = "sd=sd1,lun=/dev/x,threads=8,openflags=o_direct\nwd=wd1,sd=sd1,xfersize=4k,rdpct=100\nrd=rd1,wd=wd1,iorate=max,elapsed=10,interval=1\n";
    let found = |parameters: &str| {
        let folder = [
            ("summary.html", summary.as_str()),
            ("parmfile.html", parameters),
        ];
        ids(&crate::reading::folder(&folder), Severity::Suspect)
    };
    assert!(!found(&format!("{hosts}{rest}")).contains(&"depth-above-threads"));
    assert!(found(rest).contains(&"depth-above-threads"));
}

#[test]
fn no_file_that_a_parameter_file_names_is_read() {
    let place = tempfile::tempdir().expect("a folder");
    let other = place.path().join("other.parm");
    std::fs::write(&other, "sd=sd1,lun=/dev/x,threads=8\n").expect("written");
    let parameters = format!(
        "include={}\nwd=wd1,sd=sd1,xfersize=4k\nrd=rd1,wd=wd1,iorate=max,elapsed=9,interval=1\n",
        other.display()
    );
    assert!(plimsoll_dialects::vdbench::asked(&parameters).is_empty());
    let marked = format!("\u{feff}{parameters}");
    assert!(plimsoll_dialects::vdbench::asked(&marked).is_empty());
}

/// True where a rule could not look.
pub fn unseen(judgement: &plimsoll_foreign::Judgement, name: &str) -> bool {
    let mut rules = judgement.audit.not_observable.iter();
    rules.any(|(rule, _)| rule.name == name)
}

/// fio sums running times over clones, and its rates of two directions that ran at once add up.
#[test]
fn clones_of_a_mix_that_is_not_verified_keep_fios_rate() {
    for (clones, write_ms, sum_ms, rate) in [
        // At once: 2 clones of 1 s, and one.
        (2, 1000, 2000, Some(2000.0)),
        (1, 1000, 1000, Some(2000.0)),
        // Neither at once nor one after the other.
        (1, 500, 1250, None),
    ] {
        let side = |ms: u32| {
            let rate = 1e6 / f64::from(ms);
            format!(
                r#"{{"io_bytes": 4096000, "bw_bytes": {}, "iops": {rate}, "runtime": {ms}, "total_ios": 1000}}"#,
                rate * 4096.0
            )
        };
        let (read, write) = (side(1000), side(write_ms));
        let text = format!(
            r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "a", "error": 0,
            "job options": {{"rw": "randrw", "bs": "4k", "verify": "crc32c", "numjobs": "{clones}", "iodepth": "8"}},
            "read": {read}, "write": {write}, "job_runtime": {sum_ms}}}]}}"#
        );
        let reported = result(&text).runs[0].whole().and_then(|row| row.iops());
        assert_eq!(reported, rate, "{clones} clones: {read} {write} {sum_ms}");
    }
}

#[test]
fn what_was_out_when_a_ramp_ended_has_a_time_and_is_not_counted() {
    let invalid = |text: &str| ids(&judged(text), Severity::Invalid);
    for name in ["fio-ramp.txt", "fio-ramp.json"] {
        assert_eq!(invalid(&case(name)), [""; 0], "{name}");
    }
    // By the shares 78 % took no longer than 50 ms; and more I/Os than were out are too many.
    let moved = case("fio-ramp.txt").replace("90.00th=[   58]", "90.00th=[   48]");
    assert!(invalid(&moved).contains(&"histogram-against-percentiles"));
    let more = case("fio-ramp.txt").replace("100=22.63%", "100=52.63%");
    assert!(invalid(&more).contains(&"shares-of-nothing"));
    let more = case("fio-ramp.json").replace(": 83.903844", ": 98.903844");
    assert!(invalid(&more).contains(&"shares-of-nothing"));
}

#[test]
fn clones_that_run_for_a_time_end_late_by_what_each_was_held_up() {
    let of = |all_ms: u64| {
        let text = format!(
            r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "a", "job options": {{"rw": "read", "bs": "4k", "numjobs": "4",
                "runtime": "1", "time_based": "1", "group_reporting": "1"}}, "read": {{"total_ios": 4000, "runtime": 1016, "iops": 3937.0,
                "io_bytes": 16384000, "bw_bytes": 16125984}}, "job_runtime": {all_ms}}}]}}"#
        );
        let read = result(&text);
        let several = read
            .remarks
            .iter()
            .any(|r| r.text.contains("several sections"));
        (read.runs[0].asked.threads, several)
    };
    // As fio 3.33 told it of four clones of a second each, on a busy host.
    assert_eq!(of(4039), (Some(4), false));
    // One of them was through before its time, or there were five.
    assert_eq!((of(3900), of(5050)), ((None, true), (None, true)));
}

#[test]
fn a_document_that_python_printed_is_read() {
    let whole = case("fio-ramp.json");
    let told = |text: &str| {
        let result = result(text);
        let all = &result.runs[0].whole().expect("a row").all;
        (all.ios, all.iops, all.latency.clone())
    };
    let one_line: String = whole.lines().map(str::trim).collect();
    let python = one_line.replace("\" : ", "': ").replace('"', "'");
    let log = format!("it's a log - {python}\nit isn't one any more\n");
    assert_eq!(told(&log), told(&whole));
    // Nobody knows what a job was asked that was cut out of its document.
    let value: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
    let job = &value["jobs"][0];
    for cut in [
        job.to_string(),
        format!("{:#}", serde_json::json!([job])),
        format!("{job}\n{job}\n"),
    ] {
        let read = result(&cut);
        assert_eq!(told(&cut), told(&whole), "{cut}");
        assert_eq!(read.runs.len(), cut.matches("\"jobname\"").count());
        assert_eq!(
            (read.runs[0].asked.depth, read.runs[0].asked.block),
            (None, None)
        );
    }
}

#[test]
fn libaio_waits_in_its_submission_for_what_goes_through_the_page_cache() {
    let whole = case("fio-libaio-buffered.txt");
    let (sentence, _) = said(&judged(&whole), "depth-ignored");
    assert!(
        sentence.contains("in the submission of an I/O for 96% of the time"),
        "{sentence}"
    );
    let spoke = |text: &str| ids(&judged(text), Severity::Suspect).contains(&"depth-ignored");
    // What is as busy may be at work for that long, and what is sent in a tenth of the time waits for nothing.
    assert!(!spoke(&whole.replace("sys=40.75%", "sys=94.75%")));
    assert!(!spoke(&whole.replace("avg=38251.82", "avg=3825.18")));
}

/// Text as people copy it: a table, and above it what they typed.
#[test]
fn a_command_above_a_table_of_diskspd_says_what_was_asked() {
    let whole = corpus("diskspd/traps.txt");
    let table =
        &whole[whole.find("Total IO").expect("a table")..whole.find("Read IO").expect("the next")];
    let command = whole
        .lines()
        .find_map(|l| l.strip_prefix("Command Line: "))
        .expect("a command");
    for prompt in [
        "Command Line: ",
        "",
        "PS C:\\> ",
        "PS C:\\t> .\\",
        "$ /opt/",
    ] {
        let copied = format!("{prompt}{command}\n\n{table}");
        let found = judged(&copied);
        // The table of writes is not there, and the command says that half are, of one pattern.
        assert!(
            ids(&found, Severity::Suspect).contains(&"repeating-content"),
            "{prompt}"
        );
        assert_eq!(result(&copied).runs[0].asked.in_flight, Some(4), "{prompt}");
    }
    let other = command.replace("-o2", "-o4");
    for unknown in [
        format!("We ran {command} twice."),
        format!("{command}\n{other}\n{other}"),
    ] {
        let copied = format!("{unknown}\n\n{table}");
        assert_eq!(result(&copied).runs[0].asked.in_flight, None, "{unknown}");
    }
}
