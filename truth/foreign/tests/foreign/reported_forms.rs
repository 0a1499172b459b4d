//! Forms of public reports that were refused once, or read as something else.

use crate::corpus::{ids, judge, judged, path, result, said, text, try_bytes};
use plimsoll_evidence::Severity;

#[test]
fn a_mix_of_sizes_in_a_flat_file_has_the_mean_of_its_ios() {
    let flat = |size: u32| {
        format!(
            "tod timestamp Run Interval reqrate rate MB/sec bytes/io read% resp xfersize threads rdpct\n\
             15:28:37 x a 1 9999988.0 26487.8 197.85 {size} 100 0.5 512 8 100\n\
             15:28:38 x a 2 9999988.0 26487.8 197.85 {size} 100 0.5 512 8 100\n\
             15:28:39 x a avg_2-2 9999988.0 26487.8 197.85 {size} 100 0.5 512 8 100\n"
        )
    };
    assert_eq!(result(&flat(7832)).runs[0].asked.block, None);
    assert!(!ids(&judged(&flat(7832)), Severity::Suspect).contains(&"bandwidth-disagrees"));
    assert!(ids(&judged(&flat(512)), Severity::Suspect).contains(&"bandwidth-disagrees"));
}

#[test]
fn the_run_that_makes_the_files_is_none_even_where_it_stands_alone() {
    let cut = "\
15:41:37.002 Starting RD=SD_format; I/O rate: Uncontrolled MAX; elapsed=(none); For loops: threads=2 iorate=max

Nov 08, 2025    interval        i/o   MB/sec   bytes   read     resp     read    write     read    write     resp  queue  cpu%  cpu%
                               rate  1024**2     i/o    pct     time     resp     resp      max      max   stddev  depth sys+u   sys
15:41:38.042     avg_2-1        0.0     0.00       0   0.00    0.000    0.000    0.000     0.00     0.00    0.000    0.0   NaN   NaN
";
    for text in [
        cut.to_string(),
        format!("{cut}\n15:41:39.002 Starting RD=rd1; I/O rate: 100; elapsed=5; For loops: None\n"),
    ] {
        let error = try_bytes(text.as_bytes()).expect_err("nothing was measured");
        assert!(error.to_string().contains("SD_format"), "{error}");
    }
}

const ALL_CLIENTS: &str = "\
All clients: (groupid=0, jobs=6): err= 0: pid=0: Tue Dec  3 05:33:42 2024
  read: IOPS=433k, BW=1692Mi (1774M)(198GiB/120095msec)
    clat (usec): min=199, max=308437, avg=7077.64, stdev=4297.93
     lat (usec): min=215, max=308443, avg=7086.62, stdev=4301.60
  cpu          : usr=4.58%, sys=11.67%, ctx=29724303, majf=0, minf=3334
     issued rwts: total=52005355,0,0,0 short=0,0,0,0 dropped=0,0,0,0
";

#[test]
fn the_sum_of_all_clients_is_a_result_where_it_stands_alone() {
    let names = |text: &str| -> Vec<String> {
        let read = result(text);
        read.runs.iter().map(|run| run.name.clone()).collect()
    };
    assert_eq!(names(ALL_CLIENTS), ["All clients"]);
    let in_flight = result(ALL_CLIENTS).runs[0]
        .whole()
        .and_then(|row| row.in_flight());
    assert!(
        (in_flight.expect("a mean time") - 3069.0).abs() < 2.0,
        "{in_flight:?}"
    );
    let one = ALL_CLIENTS
        .replace("All clients", "<node1> a")
        .replace("pid=0", "pid=71");
    let two = ALL_CLIENTS
        .replace("All clients", "<node2> a")
        .replace("pid=0", "pid=72");
    assert_eq!(names(&format!("{one}{two}{ALL_CLIENTS}")), ["a", "a"]);
    // Each server's ends with what fio prints behind all jobs.
    let end = "Run status group 0 (all jobs):\n";
    assert_eq!(
        names(&format!("{one}{end}{two}{end}{ALL_CLIENTS}")),
        ["a", "a"]
    );
    let later = ALL_CLIENTS.replace("120095msec", "120105msec");
    assert_eq!(names(&format!("{ALL_CLIENTS}{later}")), ["All clients"; 2]);
}

#[test]
fn what_stands_before_each_line_is_taken_off_for_every_tool() {
    let runs = |text: &str| {
        let read = try_bytes(text.as_bytes()).unwrap_or_else(|e| panic!("{e}: {text}"));
        let rows = read.runs.into_iter().map(|run| {
            let asked = run.asked.in_flight;
            (run.name, asked, run.rows)
        });
        rows.collect::<Vec<_>>()
    };
    for name in [
        "fio/honest.json",
        "vdbench/collapse.txt",
        "../cases/elbencho-table.txt",
    ] {
        let bare = text(name);
        let with = |before: &dyn Fn(usize) -> String, behind: &str| -> String {
            let lines = bare.lines().enumerate();
            lines
                .map(|(n, line)| format!("{}{line}{behind}\n", before(n)))
                .collect()
        };
        for text in [
            with(&|n| format!("{:>6}\t", n + 1), ""),
            with(&|n| format!("{}:", n + 1), ""),
            with(&|_| "+".into(), ""),
            with(&|_| "2024-05-02T10:11:12.345Z ".into(), ""),
            with(&|_| "[pod/load-abc/load] ".into(), ""),
            with(&|_| "load-0 | ".into(), ""),
            with(&|_| "\u{1b}[32m".into(), "\u{1b}[0m"),
        ] {
            assert_eq!(runs(&text), runs(&bare), "{name}: {}", &text[..40]);
        }
    }
}

#[test]
fn a_steady_state_that_was_not_attained_is_said() {
    let text = |attained: &str| {
        format!(
            "{ALL_CLIENTS}  steadystate  : attained={attained}, bw=92.1MiB/s (94.3MB/s), iops=23.6k, iops mean dev=11.253%\n"
        )
    };
    let (sentence, _) = said(&judged(&text("no")), "never-steady");
    assert!(sentence.contains("iops mean dev=11.253%"), "{sentence}");
    assert!(!ids(&judged(&text("yes")), Severity::Note).contains(&"never-steady"));
    let json = crate::corpus::text("fio/honest.json");
    let with = |attained: u8| {
        let of = format!(
            "\"steadystate\" : {{ \"ss\" : \"iops:0.01%\", \"attained\" : {attained}, \"criterion\" : \"11.25%\", \"data\" : {{ \"iops\" : [1, 2] }} }}, \"job_runtime\""
        );
        json.replacen("\"job_runtime\"", &of, 1)
    };
    let unattained = |attained| {
        let judgement = judged(&with(attained));
        assert!(
            judgement
                .remarks
                .iter()
                .all(|r| !r.text.contains("steadystate"))
        );
        ids(&judgement, Severity::Suspect).contains(&"never-steady")
    };
    assert_eq!((unattained(0), unattained(1)), (true, false));
}

#[test]
fn the_live_statistics_of_elbencho_are_held_against_their_command() {
    let text = |us: u32| {
        let lines: String = (1..=6)
            .map(|n| {
                format!("2025-12-17T11:58:0{n}.821-0600,,READ,{n}001,Total,,35,49416241152,47127,94254,0,0,0,{us},128,5,,\n")
            })
            .collect();
        format!(
            "$ elbencho /mnt/a --livecsv stdout --lat --cpu --read --direct --block 512k --size 1g --threads 128 --iodepth 8 --timelimit 60\n\
             ISO Date,Label,Phase,RuntimeMS,Rank,MixType,Done%,DoneBytes,MiB/s,IOPS,Entries,Entries/s,Lat Ent us,Lat IO us,Active,CPU,Service,\n{lines}"
        )
    };
    let right = result(&text(10_549));
    assert_eq!(right.runs[0].asked.in_flight, Some(1024));
    let in_flight = right.runs[0].whole().and_then(|row| row.in_flight());
    assert!(
        (in_flight.expect("a mean time") - 994.3).abs() < 0.1,
        "{in_flight:?}"
    );
    assert_eq!(ids(&judged(&text(10_549)), Severity::Suspect), [""; 0]);
    assert!(ids(&judged(&text(105_490)), Severity::Suspect).contains(&"littles-law"));
}

#[test]
fn a_run_of_diskspd_that_was_broken_off_is_said() {
    let said = |text: &str| {
        let read = result(text);
        read.remarks.iter().any(|r| r.text.contains("it ran for"))
    };
    let whole = text("diskspd/clean.txt");
    assert!(!said(&whole));
    let asked = whole.lines().find(|l| l.trim().starts_with("duration:"));
    let broken = whole.replace(asked.expect("a duration"), "\tduration: 3000s");
    assert!(said(&broken), "{broken}");
}

#[test]
fn a_log_of_vdbench_that_was_cut_off_is_no_short_run() {
    let log = "\
13:40:53.000 Starting RD=a; I/O rate: Uncontrolled MAX; elapsed=60; For loops: None

Apr 11, 2019    interval        i/o   MB/sec   bytes   read     resp     read    write     read    write     resp  queue  cpu%  cpu%
                               rate  1024**2     i/o    pct     time     resp     resp      max      max   stddev  depth sys+u   sys
13:40:54.005           1    12288.0    96.00    8192 100.00    0.445    0.445    0.000     1.56     0.00    0.056    5.5   0.9   0.2
13:40:55.004           2    18276.0   142.78    8192 100.00    0.437    0.437    0.000     1.54     0.00    0.062    8.0   0.5   0.4
";
    let is_short = |text: &str| ids(&judged(text), Severity::Note).contains(&"too-short");
    assert!(!is_short(log));
    assert!(is_short(&log.replace("elapsed=60", "elapsed=2")));
}

/// One thread, on the first of four CPUs.
#[test]
fn a_thread_of_diskspd_that_fills_its_cpu_is_the_limit_though_the_host_is_idle() {
    let with = |threads: u32| {
        format!(
            "\
Input parameters:
\ttimespan:   1
\tduration: 30s
\tpath: 'diskspd.dat'
\t\tblock size: 4096
\t\tnumber of outstanding I/O operations: 1
\t\tthreads per file: {threads}
Results for timespan 1:
actual test time:       30.01s
thread count:           {threads}
CPU |  Usage |  User  |  Kernel |  Idle
   0|  100.0%|  90.00%|   10.00%|   0.00%
   1|   0.05%|   0.05%|    0.00%|  99.95%
   2|   0.05%|   0.00%|    0.05%|  99.95%
   3|   0.16%|   0.00%|    0.16%|  99.84%
avg.|  25.07%|  22.51%|    2.55%|  74.93%
Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  |  file
total:         146169856 |        35686 |       4.64 |    1189.03 |    0.840
"
        )
    };
    let is_busy = |text: &str| ids(&judged(text), Severity::Suspect).contains(&"workers-busy");
    assert_eq!((is_busy(&with(1)), is_busy(&with(4))), (true, false));
}

#[test]
fn what_fio_leaves_beside_its_result_is_named() {
    let refused = |text: &str| {
        try_bytes(text.as_bytes())
            .expect_err("no result")
            .to_string()
    };
    let log = refused("1000, 751, 0, 4096, 0\n2000, 723, 0, 4096, 0\n3000, 948, 1, 4096, 0\n");
    assert!(log.contains("a log that fio wrote"), "{log}");
    let error = refused(
        "fio: pid=8281, err=84/file:io_u.c:2141, func=io_u_queued_complete, error=Invalid\n",
    );
    assert!(error.contains("the run of fio failed"), "{error}");
}

#[test]
fn reads_in_a_test_of_writes_alone_contradict_it() {
    let whole = text("diskspd/clean.txt");
    let disagrees = |text: &str| ids(&judged(text), Severity::Invalid).contains(&"fields-disagree");
    let mix = whole.lines().find(|l| l.contains("performing mix test"));
    let writes = whole.replace(mix.expect("a mix"), "\t\tperforming write test");
    assert_eq!((disagrees(&whole), disagrees(&writes)), (false, true));
}

/// As Ansible, CI servers and container logs have it.
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
    assert!(ids(&judged(&whole), Severity::Invalid).contains(&"collapse"));
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

#[test]
fn terse_lines_are_read_behind_what_a_collector_puts_before_them() {
    let line = text("fio/terse-v3.txt");
    let line = line.lines().find(|l| l.contains(";fio-")).expect("a line");
    let rate = |text: &str| result(text).runs[0].whole().and_then(|row| row.iops());
    for before in [
        "2024-05-01T10:00:00.123Z ",
        "fio-pod | ",
        "[2024-05-01] INFO ",
    ] {
        assert_eq!(rate(&format!("{before}{line}\n")), rate(line), "{before}");
    }
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
