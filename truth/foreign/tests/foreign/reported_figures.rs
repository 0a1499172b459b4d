//! Figures of public reports that accused somebody falsely once, or were taken for sound.

use crate::cases::unseen;
use crate::corpus::{ids, judge, judged, path, result, said, text, try_bytes};
use plimsoll_evidence::Severity;

/// Output as Ansible, CI servers and container logs have it.
#[test]
fn output_in_the_strings_of_json_is_read() {
    let plain = text("fio/honest.json");
    let rate = |text: &str| result(text).runs[0].whole().and_then(|row| row.iops());
    let value = |text: &str| serde_json::Value::String(text.to_string());
    let answer = serde_json::json!({ "changed": true, "rc": 0, "stdout": value(&plain) });
    assert_eq!(rate(&answer.to_string()), rate(&plain));
    let printed = text("fio/text-3.33.txt");
    let answer = serde_json::json!({ "host": "a", "stdout": value(&printed) });
    let read = result(&answer.to_string());
    assert_eq!(read.runs.len(), result(&printed).runs.len());
    assert!(read.remarks[0].text.contains("`stdout`"));
    // An object a line, as containers are logged.
    let lines = printed.lines().map(|line| {
        let line = format!("{line}\n");
        serde_json::json!({ "log": line, "stream": "stdout", "time": "2026-01-01T00:00:00Z" })
    });
    let log: String = lines.map(|line| format!("{line}\n")).collect();
    assert_eq!(rate(&log), rate(&printed));
    // One document as it is, and another one as text.
    let other = text("fio/buffered.json");
    let both = format!("{{ \"first\": {plain}, \"second\": {} }}", value(&other));
    let names = |text: &str| -> Vec<String> {
        result(text)
            .runs
            .iter()
            .map(|run| run.name.clone())
            .collect()
    };
    assert_eq!(names(&both), [names(&plain), names(&other)].concat());
}

#[test]
fn a_sync_of_buffered_writes_in_microseconds_is_a_memory_s() {
    let real = std::fs::read_to_string(path("../cases/fio-fdatasync.json")).expect("a case");
    let mut document: serde_json::Value = serde_json::from_str(&real).expect("JSON");
    assert!(!ids(&judged(&real), Severity::Suspect).contains(&"faster-than-storage"));
    let lat = document["jobs"][0]["sync"]["lat_ns"]
        .as_object_mut()
        .expect("times of syncs");
    lat.values_mut().for_each(|value| scale(value, 0.001));
    let found = judged(&document.to_string());
    let (sentence, _) = said(&found, "faster-than-storage");
    assert!(sentence.starts_with("the syncs of `"), "{sentence}");
}

fn scale(value: &mut serde_json::Value, by: f64) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.values_mut().for_each(|field| scale(field, by));
        }
        number => {
            if let Some(n) = number.as_f64() {
                *number = serde_json::json!((n * by).round());
            }
        }
    }
}

/// fio counts I/Os of the smallest size against `rate_iops`, and shortens those of a range at the edges of its map.
#[test]
fn a_rate_of_ios_of_several_sizes_accuses_nobody() {
    let one = text("fio/missed.json");
    let spoke = |text: &str| ids(&judged(text), Severity::Suspect).contains(&"rate-missed");
    assert!(spoke(&one));
    assert!(!spoke(
        &one.replace("\"bs\" : \"4k\"", "\"bssplit\" : \"4k/50:64k/50\"")
    ));
}

/// A paste that ends within a figure, with or without an end of line.
#[test]
fn a_last_line_that_is_cut_within_a_figure_accuses_nobody() {
    let whole = text("fio/text-3.33.txt");
    let job = whole.find("(groupid=").expect("a job");
    for word in [
        "  slat (",
        "  clat (",
        "   lat (",
        "   bw (",
        "   iops",
        "issued rwts",
    ] {
        let at = job
            + whole[job..]
                .find(word)
                .unwrap_or_else(|| panic!("no {word}"));
        let line = whole[at..].lines().next().expect("a line");
        for cut in 1..line.len() {
            for end in ["", "\n"] {
                let cut = format!("{}{end}", &whole[..at + cut]);
                let found = try_bytes(cut.as_bytes()).map(|result| judge(&result));
                let rules = found.map_or(Vec::new(), |found| ids(&found, Severity::Invalid));
                assert_eq!(rules, [""; 0], "{}", &cut[at..]);
            }
        }
    }
}

#[test]
fn a_job_that_died_by_a_signal_has_no_result() {
    let died = "\
w: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.36
Starting 1 process
fio: pid=102122, got signal=6

w: (groupid=0, jobs=1): err= 0: pid=102122: Tue Feb 27 19:15:58 2024
  lat (usec)   : 250=71.97%, 500=20.70%
  IO depths    : 1=66.7%, 2=33.3%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     issued rwts: total=4,2,0,0 short=0,0,0,0 dropped=0,0,0,0
";
    let error = try_bytes(died.as_bytes()).expect_err("it died").to_string();
    assert!(error.contains("got signal=6"), "{error}");
    let beside = text("fio/text-3.33.txt") + died;
    let honest = ids(&judged(&text("fio/text-3.33.txt")), Severity::Invalid);
    assert_eq!(ids(&judged(&beside), Severity::Invalid), honest);
}

#[test]
fn verified_data_that_was_not_as_written_is_said_to_be_so() {
    let honest = text("fio/text-3.33.txt");
    let broken = honest.replacen(
        "err= 0",
        "err=84 (file:io_u.c:2249, func=io_u error, error=Invalid)",
        1,
    );
    let (sentence, _) = said(&judged(&broken), "ios-failed");
    assert!(
        sentence.contains("what was read is not what had been written"),
        "{sentence}"
    );
    let lines = "verify: bad magic header 0, wanted acca at file a offset 0, length 4096\n";
    let error = try_bytes(lines.as_bytes())
        .expect_err("no result")
        .to_string();
    assert!(error.contains("bad magic header"), "{error}");
}

/// fio prints whole rates without their decimals: 7 of 32 MiB are 224 to 256 MiB/s.
#[test]
fn a_small_whole_rate_may_have_lost_its_decimals() {
    let text = |bandwidth: &str| {
        format!(
            "a: (g=0): rw=randread, bs=(R) 32.0MiB-32.0MiB, (W) 32.0MiB-32.0MiB, (T) 32.0MiB-32.0MiB, ioengine=libaio, iodepth=1\n\
             fio-3.7\nStarting 1 process\na: (groupid=0, jobs=1): err= 0: pid=1: Tue Feb 27 19:15:58 2024\n\
             \x20  read: IOPS=7, BW={bandwidth}\n"
        )
    };
    let spoke = |bandwidth: &str| {
        ids(&judged(&text(bandwidth)), Severity::Suspect).contains(&"bandwidth-disagrees")
    };
    assert!(!spoke("242MiB/s (254MB/s)(5120MiB/21132msec)"));
    assert!(spoke("342MiB/s (359MB/s)(7234MiB/21132msec)"));
}

fn vdbench(rates: &[(u32, f64)], average: f64, last: u32) -> String {
    let row = |label: String, rate: f64, second: u32| {
        let mb = rate * 4096.0 / 1_048_576.0;
        let (minute, second) = (second / 60 % 60, second % 60);
        format!(
            "17:{minute:02}:{second:02}.050 {label:>9} {rate:>9.2} {mb:>8.2} 4096 100.00 0.382 0.382 0.000 8.300 0.191 0.4 24.0 20.4\n"
        )
    };
    let head = "17:00:00.002 Starting RD=run1; I/O rate: Uncontrolled MAX; elapsed=400; For loops: threads=32\n\n\
                interval        i/o   MB/sec   bytes   read     resp     read    write     resp     resp queue  cpu%  cpu%\n\
                \x20             rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth sys+u   sys\n";
    let rows = rates.iter().map(|(n, rate)| row(n.to_string(), *rate, *n));
    let rows: String = rows.collect();
    head.to_string() + &rows + &row(format!("avg_2-{last}"), average, last)
}

#[test]
fn what_is_left_of_a_shortened_log_is_not_its_course() {
    // A start, and the end of a run that went on at its level for long between them.
    let start = (1..=20).map(|n| (n, 4243.0));
    let rates: Vec<(u32, f64)> = start.chain((380..=400).map(|n| (n, 2811.0))).collect();
    let shortened = ids(&judged(&vdbench(&rates, 2892.0, 400)), Severity::Note);
    assert!(!shortened.contains(&"collapse") && !shortened.contains(&"never-steady"));
    let whole = (1..=20)
        .map(|n| (n, 4243.0))
        .chain((21..=41).map(|n| (n, 2811.0)));
    let whole = vdbench(&whole.collect::<Vec<_>>(), 3500.0, 41);
    assert!(ids(&judged(&whole), Severity::Suspect).contains(&"collapse"));
}

#[test]
fn a_low_rate_scatters_by_chance_and_a_high_one_does_not() {
    let counts = [
        22.0, 18.0, 21.0, 17.0, 23.0, 25.0, 20.0, 19.0, 26.0, 18.0, 24.0,
    ];
    let text = |by: f64| {
        let rates = counts.iter().zip(1..).map(|(n, at)| (at, n * by));
        vdbench(&rates.collect::<Vec<_>>(), 21.1 * by, 11)
    };
    let spoke = |by: f64| ids(&judged(&text(by)), Severity::Suspect).contains(&"never-steady");
    assert!(!spoke(1.0));
    assert!(spoke(1000.0));
}

#[test]
fn more_streams_in_order_are_another_load_than_more_depth() {
    let text = |jobs: [u32; 2], order: &str| {
        let one = |jobs: u32, rate: u32| {
            let bandwidth = rate / 16;
            let total = rate * 10;
            let io = total / 16;
            let clones = if jobs > 1 { "...\n" } else { "" };
            format!(
                "job: (g=0): rw={order}, bs=(R) 64.0KiB-64.0KiB, (W) 64.0KiB-64.0KiB, (T) 64.0KiB-64.0KiB, ioengine=psync, iodepth=1\n\
                 {clones}fio-3.7\nStarting {jobs} processes\njob: (groupid=0, jobs={jobs}): err= 0: pid=1: Tue Feb 27 19:15:58 2024\n\
                 \x20  read: IOPS={rate}, BW={bandwidth}MiB/s ({bandwidth}MB/s)({io}MiB/10000msec)\n\
                 \x20    issued rwts: total={total},0,0,0 short=0,0,0,0 dropped=0,0,0,0\n\n"
            )
        };
        one(jobs[0], 3280) + &one(jobs[1], 816)
    };
    let spoke =
        |text: &str| ids(&judged(text), Severity::Suspect).contains(&"less-with-more-depth");
    assert!(!spoke(&text([1, 16], "read")));
    assert!(spoke(&text([1, 16], "randread")));
}

/// A run has one average, and it comes when the run is over.
#[test]
fn an_average_whose_beginning_was_cut_out_is_no_other_run_s() {
    let curve = text("vdbench/curve-8k.txt");
    let lines: Vec<&str> = curve.lines().collect();
    let start = |percent: &str| {
        let at = lines
            .iter()
            .position(|l| l.contains("Starting RD=") && l.contains(percent));
        at.unwrap_or_else(|| panic!("no start of {percent}"))
    };
    let without = |out: &[usize]| -> String {
        let left = lines.iter().enumerate().filter(|(at, _)| !out.contains(at));
        left.map(|(_, line)| format!("{line}\n")).collect()
    };
    let (at_85, at_90) = (start("85%"), start("90%"));
    for cut in [without(&[at_90]), without(&[at_85 - 1, at_85])] {
        let found = ids(&judged(&cut), Severity::Note);
        assert!(!found.contains(&"rate-exceeded"), "{found:?}\n{cut}");
    }
}

/// A minute at 20,000/s in intervals of a second, of which one has another rate.
pub fn with_one_interval_of(rate: f64) -> String {
    let rates = (1..=60).map(|n| (n, if n == 30 { rate } else { 20_000.0 }));
    vdbench(
        &rates.collect::<Vec<_>>(),
        (58.0 * 20_000.0 + rate) / 59.0,
        60,
    )
}

/// The others' mean hides it, and a closed loop counts it hardly at all.
#[test]
fn an_interval_of_next_to_nothing_among_sound_ones_is_named() {
    let (sentence, lines) = said(&judged(&with_one_interval_of(20.0)), "target-stood-still");
    let expected = "1 interval of 1.00s had next to no I/Os (20.0/s in the worst), where the others have 20,000/s";
    assert!(sentence.contains(expected), "{sentence}");
    assert_eq!(lines, [34]);
    let slower = judged(&with_one_interval_of(12_000.0));
    assert!(!ids(&slower, Severity::Note).contains(&"target-stood-still"));
    // Of ten one may stand still, and the last may be cut off.
    let looked = |intervals: u32| {
        let rates: Vec<(u32, f64)> = (2..intervals + 2).map(|n| (n, 20_000.0)).collect();
        !unseen(
            &judged(&vdbench(&rates, 20_000.0, intervals + 1)),
            "target-stood-still",
        )
    };
    assert_eq!([looked(10), looked(11)], [false, true]);
}

/// A published run of 180 s: half of the I/Os took 3.9 ms, and one in a thousand 13.6 s, which are 21 % of the mean of 63.5 ms.
#[test]
fn times_of_seconds_that_make_the_mean_are_named() {
    let percentiles = |seconds: f64| {
        let long = seconds * 1e3;
        text("diskspd/clean.txt")
            .lines()
            .map(|line| match line.split('|').next().map(str::trim) {
                Some(
                    "3-nines" | "4-nines" | "5-nines" | "6-nines" | "7-nines" | "8-nines"
                    | "9-nines" | "max",
                ) => {
                    let name = line.split('|').next().unwrap_or_default();
                    format!("{name}| {long:10.3} |        N/A | {long:10.3}\n")
                }
                _ => format!("{line}\n"),
            })
            .collect::<String>()
    };
    let (sentence, _) = said(&judged(&percentiles(2.0)), "target-stood-still");
    assert!(sentence.contains("took 2.00s or longer"), "{sentence}");
    assert!(
        !ids(&judged(&text("diskspd/clean.txt")), Severity::Note).contains(&"target-stood-still")
    );
}

/// Two jobs on files of one folder, the second of another kind, in this group.
pub fn beside_each_other(group: u64) -> String {
    let read =
        |name: &str| -> serde_json::Value { serde_json::from_str(&text(name)).expect("JSON") };
    let (mut document, mut other) = (read("fio/honest.json"), read("fio/zero.json"));
    other["jobs"][0]["groupid"] = group.into();
    document["jobs"] = serde_json::json!([document["jobs"][0], other["jobs"][0]]);
    document.to_string()
}

#[test]
fn sections_that_ran_at_once_on_one_folder_are_named_and_a_mix_without_effect_too() {
    let named = |group| {
        ids(&judged(&beside_each_other(group)), Severity::Suspect).contains(&"workloads-at-once")
    };
    assert_eq!([named(0), named(1)], [true, false]);
    assert!(!unseen(
        &judged(&text("fio/honest.json")),
        "workloads-at-once"
    ));
    // DiskSPD does not tell what began together.
    assert!(unseen(
        &judged(&text("diskspd/clean.txt")),
        "workloads-at-once"
    ));
    let random = text("fio/honest.json").replace("\"randrw\"", "\"randread\"");
    let remarks = result(&random).remarks;
    let said = "`rwmixread=70` had no effect: rw=randread does one kind of I/O";
    assert!(remarks.iter().any(|r| r.text == said), "{remarks:?}");
    // fio 3.33 reads 70% as all.
    let mut document: serde_json::Value =
        serde_json::from_str(&text("fio/honest.json")).expect("JSON");
    let job = &mut document["jobs"][0];
    job["job options"]["rwmixread"] = "70%".into();
    let remarks = |document: &serde_json::Value| {
        let remarks = result(&document.to_string()).remarks.into_iter();
        remarks
            .filter(|r| r.text.contains("rwmixread=70% asks for reads and writes"))
            .count()
    };
    let mixed = remarks(&document);
    document["jobs"][0]["write"]["total_ios"] = 0.into();
    assert_eq!([mixed, remarks(&document)], [0, 1]);
}

/// The published maximum, with so many in flight and their mean, ms.
pub fn maximum(threads: u32, in_flight: f64, resp: f64) -> String {
    format!(
        "22:10:00.001 Starting RD=run1; I/O rate: Uncontrolled MAX; elapsed=60 warmup=15; For loops: threads={threads}\n\n\
         Jul 10, 2012  interval        i/o   MB/sec   bytes   read     resp     read    write     resp     resp queue  cpu%  cpu%\n\
         \x20                            rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth sys+u   sys\n\
         22:11:15.001  avg_16-75 130848.33 1022.25 8192 70.02 {resp} {resp} {resp} 2903.5 37.5 {in_flight} 13.1 9.5\n"
    )
}

#[test]
fn a_deep_maximum_alone_says_what_it_cannot_tell() {
    let deep = judged(&maximum(512, 511.2, 3.913));
    let (sentence, _) = said(&deep, "deeper-than-needed");
    assert!(
        sentence.contains("cannot be told from a maximum alone"),
        "{sentence}"
    );
    let shallow = ids(&judged(&maximum(64, 64.0, 0.489)), Severity::Note);
    assert!(!shallow.contains(&"deeper-than-needed"));
    // 512 on two disks, and 8 on each of 64.
    let over = |disks: usize| {
        let disk = |n| format!("sd=sd{n},lun=/dev/mapper/m{n},threads={}\n", 512 / disks);
        let disks: String = (0..disks).map(disk).collect();
        let parameters = disks
            + "wd=wd1,sd=sd*,xfersize=8k,rdpct=70\nrd=run1,wd=wd1,iorate=max,elapsed=60,warmup=15,interval=1\n";
        let found = crate::reading::folder(&[
            ("summary.html", &maximum(512, 511.2, 3.913)),
            ("parmfile.html", &parameters),
        ]);
        ids(&found, Severity::Note).contains(&"deeper-than-needed")
    };
    assert_eq!([over(2), over(64)], [true, false]);
}

/// fio 3.33 with disable_lat=1, its own figures: the times of submission are those since the job began.
#[test]
fn times_of_submission_since_the_start_of_a_job_are_in_no_sum() {
    let text = "a: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=8\nfio-3.33\nStarting 1 process\n\n\
                a: (groupid=0, jobs=1): err= 0: pid=2498: Fri Nov 27 04:27:16 2026\n  read: IOPS=53.0k, BW=207MiB/s (217MB/s)(414MiB/2001msec)\n\
                \x20   slat (msec): min=106, max=2106, avg=1106.67, stdev=571.16\n    clat (usec): min=42, max=12704, avg=144.60, stdev=204.96\n\
                \x20 IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=100.0%, 16=0.0%, 32=0.0%, >=64=0.0%\n\
                \x20    issued rwts: total=106034,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n";
    assert_eq!(ids(&judged(text), Severity::Invalid), [""; 0]);
}

/// axboe/fio issue 1191.
#[test]
fn a_mean_of_centuries_is_not_passed_over() {
    let printed = |unit: char| {
        format!(
            "test: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=io_uring, iodepth=1\n\
             fio-3.20\nStarting 1 thread\n\n\
             test: (groupid=0, jobs=1): err= 0: pid=132792: Wed Feb 17 13:32:25 2021\n  \
             write: IOPS=58.1k, BW=227MiB/s (238MB/s)(13.3GiB/60001msec); 0 zone resets\n     \
             lat (msec): min=8647.6{unit}, max=8647.8{unit}, avg=8647619836547.01, stdev=261316.04\n"
        )
    };
    for unit in ['M', 'G'] {
        let invalid = ids(&judged(&printed(unit)), Severity::Invalid).len();
        assert!(invalid > 0, "{unit}");
    }
}

/// One I/O at a time, half of them from memory: their least time is no error of the clock.
#[test]
fn half_of_the_ios_from_memory_are_named_and_no_clock_is_accused_of_it() {
    let printed = |engine: &str, median_ns: u64| {
        format!(
            "j: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine={engine}, iodepth=1\n\
             fio-3.33\nStarting 1 process\n\n\
             j: (groupid=0, jobs=1): err= 0: pid=7: Fri Nov 27 17:00:00 2026\n  \
             read: IOPS=100k, BW=391MiB/s (410MB/s)(3906MiB/10000msec)\n    \
             clat (nsec): min=570, max=9900000, avg=9400.00, stdev=22000.00\n     \
             lat (nsec): min=610, max=9900100, avg=9500.00, stdev=22000.00\n    \
             clat percentiles (nsec):\n     |  1.00th=[  600], 50.00th=[ {median_ns}], 99.00th=[90624]\n"
        )
    };
    let rules = |engine: &str, median_ns: u64| {
        let found = judged(&printed(engine, median_ns));
        let has = |severity, rule: &str| ids(&found, severity).contains(&rule);
        (
            has(Severity::Suspect, "faster-than-storage"),
            has(Severity::Note, "minimum-impossible"),
        )
    };
    assert_eq!(rules("psync", 2_064), (true, false));
    assert_eq!(rules("psync", 9_064), (false, false));
    assert_eq!(rules("libaio", 9_064), (false, true));
}

/// Vdbench 5.04.03 said so of 28 s of a minute: what it had been sent for them it had not yet read.
#[test]
fn intervals_that_vdbench_did_not_report_are_not_cut_out() {
    let rate = |n: u32| if (20..24).contains(&n) { 0.0 } else { 20_000.0 };
    let there = (1..=60).filter(|n| !(22..38).contains(n));
    let rates: Vec<(u32, f64)> = there.map(|n| (n, rate(n))).collect();
    let sum: f64 = rates[1..].iter().map(|(_, rate)| rate).sum();
    let text = |average: f64, said: &str| {
        let text = vdbench(&rates, average, 60);
        let at = text.find("17:00:38").expect("the first line behind them");
        format!("{}{said}{}", &text[..at], &text[at..])
    };
    let said_so = "17:00:37.950 Detailed reporting is running behind; reporting of intervals 22-37 has been skipped.\n";
    let remark = |text: &str| result(text).remarks[0].text.clone();
    // Of 20 and 21 the lines say it; of the others the average, which has nothing of them.
    let behind = text(sum / 59.0, said_so);
    assert!(remark(&behind).starts_with("intervals 22 to 37 are not there: Vdbench's reporting"));
    let stood = |text: &str| said(&judged(text), "target-stood-still").0;
    assert!(
        stood(&behind).contains("18 intervals of 1.00s had next to no I/Os (0/s in the worst)"),
        "{}",
        stood(&behind)
    );
    let went_on = text((sum + 16.0 * 20_000.0) / 59.0, said_so);
    assert!(
        stood(&went_on).contains("2 intervals of 1.00s"),
        "{}",
        stood(&went_on)
    );
    let cut = text(sum / 59.0, "");
    assert!(remark(&cut).ends_with("cut out above this line"));
    assert!(unseen(&judged(&cut), "target-stood-still"));
}

/// Arrivals at random: of 1,500 I/Os 1,472 are what 500/s may bring in 3 s, and 1,200 are not.
#[test]
fn a_rate_that_came_had_no_limit_by_the_host() {
    let text = |rate: f64| {
        let rates: Vec<(u32, f64)> = (1..=4).map(|n| (n, rate)).collect();
        let text = vdbench(&rates, rate, 4).replace("Uncontrolled MAX", "500");
        text.replace("24.0 20.4", "100.0 20.4")
    };
    let busy = |rate: f64| ids(&judged(&text(rate)), Severity::Suspect).contains(&"workers-busy");
    assert_eq!([busy(490.67), busy(400.0)], [false, true]);
}
