//! Forms of public reports that were refused once, or read as something else.

use crate::corpus::{ids, judged, result, said, text, try_bytes};
use plimsoll_evidence::Severity;
use plimsoll_foreign::read::read_folder;
use plimsoll_foreign::{Input, ReadError};

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
    let job = refused("[global]\nioengine=libaio\nbs=4k\n[a]\nrw=randread\nfilename=/dev/sdx\n");
    assert!(job.contains("a job file of fio"), "{job}");
}

#[test]
fn reads_in_a_test_of_writes_alone_contradict_it() {
    let whole = text("diskspd/clean.txt");
    let disagrees = |text: &str| ids(&judged(text), Severity::Invalid).contains(&"fields-disagree");
    let mix = whole.lines().find(|l| l.contains("performing mix test"));
    let writes = whole.replace(mix.expect("a mix"), "\t\tperforming write test");
    assert_eq!((disagrees(&whole), disagrees(&writes)), (false, true));
}

/// A documentation shows a table of DiskSPD as one of its own: 3,929.18/s of 16.286 ms are 63.99 of 8 threads with 8 each.
#[test]
fn a_table_of_diskspd_in_markdown_is_one() {
    let text = "\
Find the total in the column **I/O per s**:

   Total IO
   | thread |  bytes      |  I/Os   |  MB/s  | I/O per s | AvgLat | LatStdDev |
   |--------|-------------|---------|--------|-----------|--------|-----------|
   |   1    |  9651814400 |  147275 |  30.68 |    490.92 | 16.294 | 10.210    |
   |   2    |  9676652544 |  147654 |  30.76 |    492.18 | 16.252 |  9.998    |
   | Total: | 77250887680 | 1178755 | 245.57 |   3929.18 | 16.286 | 10.176    |
";
    let bold = text.replace("77250887680", "**77250887680**");
    for text in [text, &bold.replace("Total:", "**Total:**")] {
        let read = result(text);
        let row = read.runs[0].whole().expect("a row");
        assert_eq!(row.all.ios, Some(1_178_755));
        assert_eq!(
            row.bandwidth.map(|b| b.0),
            Some((245.57 * 1_048_576.0) as u64)
        );
        let in_flight = row.in_flight().expect("a mean time");
        assert!((in_flight - 63.99).abs() < 0.01, "{in_flight}");
        assert_eq!(read.runs[0].rows.len(), 3);
    }
}

/// Output of two services of elbencho and their master, printed into one file: the second phase has the master's rate.
#[test]
fn figures_of_outputs_that_are_mixed_contradict_nothing() {
    let head = "\
OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
";
    let own = "\
WRITE     Elapsed ms       :      45262      45263
          IOPS             :      13623      13623
          Throughput MiB/s :         53        397
          Total MiB        :       4652       4652
---
";
    let other = "          Throughput MiB/s :        206        208\n---\n";
    let twice = own.replace(
        "          Total",
        "          Throughput MiB/s :  52  52\n          Total",
    );
    let invalid = |text: String| ids(&judged(&text), Severity::Suspect);
    assert_eq!(invalid(format!("{head}{own}")), ["fields-disagree"]);
    for mixed in [format!("{own}{other}"), format!("{other}{own}"), twice] {
        let text = format!("{head}{mixed}");
        let read = result(&text);
        assert_eq!(read.runs[0].whole().and_then(|r| r.iops()), Some(13_623.0));
        assert_eq!(read.remarks.len(), 1, "{:?}", read.remarks);
        assert_eq!(invalid(text), [""; 0]);
    }
    // Words of others behind a table are no figures of it.
    assert_eq!(
        invalid(format!("{head}{own}Note : 7\n")),
        ["fields-disagree"]
    );
}

#[test]
fn a_last_line_that_may_be_cut_within_its_number_contradicts_nothing() {
    let elbencho = "\
OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
WRITE     Elapsed ms       :      45247      45249
          IOPS             :      52278      52754
          Throughput MiB/s :        204        206
          Total MiB        :       9240       92
";
    let end = format!("{elbencho}---\n");
    assert_eq!(ids(&judged(elbencho), Severity::Suspect), [""; 0]);
    assert_eq!(ids(&judged(&end), Severity::Suspect), ["fields-disagree"]);
    let diskspd = text("diskspd/clean.txt");
    let at = diskspd.rfind('|').expect("a cell");
    for cut in [1, 3, 5, 7, 9] {
        let cut = format!("{}\n", diskspd[..at + cut].trim_end());
        assert_eq!(ids(&judged(&cut), Severity::Suspect), [""; 0], "{cut}");
    }
}

#[test]
fn what_a_shortened_head_of_diskspd_leaves_out_is_no_default() {
    let whole = text("diskspd/clean.txt");
    let bare: String = whole
        .lines()
        .filter(|l| !l.contains("Command Line:"))
        .map(|l| format!("{l}\n"))
        .collect();
    let all = result(&bare).runs[0].asked.clone();
    assert!(all.duration_s.is_some() && all.block.is_some());
    assert!(all.cache.is_some() && all.in_flight.is_some());
    for key in ["duration:", "block size:", "cache", "outstanding"] {
        let lines = bare.lines().filter(|l| !l.contains(key));
        let text: String = lines.map(|l| format!("{l}\n")).collect();
        assert_eq!(ids(&judged(&text), Severity::Suspect), [""; 0], "{key}");
        let asked = result(&text).runs[0].asked.clone();
        assert_ne!(asked, all, "{key}");
        // The command says it, too.
        let told = whole.lines().filter(|l| !l.contains(key));
        let told: String = told.map(|l| format!("{l}\n")).collect();
        assert_eq!(
            result(&told).runs[0].asked.in_flight,
            all.in_flight,
            "{key}"
        );
    }
}

#[test]
fn a_table_of_diskspd_that_a_page_made_headings_of_or_a_spreadsheet_parted_is_read() {
    let whole = text("diskspd/clean.txt");
    let rate = |text: &str| result(text).runs[0].whole().and_then(|row| row.iops());
    let heading = whole
        .replace("\nthread |", "\n## thread |")
        .replace("timespan:", "## timespan:");
    assert_eq!(rate(&heading), rate(&whole));
    let lines = whole
        .lines()
        .map(|l| l.split('|').map(str::trim).collect::<Vec<_>>().join("\t"));
    let tabs: String = lines.map(|l| format!("{l}\n")).collect();
    assert_eq!(rate(&tabs), rate(&whole));
}

#[test]
fn output_of_another_tool_in_a_text_is_said_not_to_be_judged() {
    let diskspd = text("diskspd/clean.txt");
    let both = format!("{ALL_CLIENTS}\n{diskspd}");
    let read = result(&both);
    let line = both
        .lines()
        .position(|l| l.starts_with("Results for timespan"));
    let said = read
        .remarks
        .iter()
        .find(|r| r.text.contains("output of DiskSPD"));
    let said = said.unwrap_or_else(|| panic!("{:?}", read.remarks));
    assert_eq!(Some(said.at.line as usize), line.map(|at| at + 1));
    for alone in [ALL_CLIENTS, &diskspd] {
        let remarks = result(alone).remarks;
        assert!(
            !remarks.iter().any(|r| r.text.contains("output of")),
            "{remarks:?}"
        );
    }
}

#[test]
fn one_terse_line_is_read_behind_whatever_stands_before_it() {
    let terse = text("fio/terse-v3.txt");
    let line = terse.lines().find(|l| l.contains(";fio-")).expect("a line");
    let rates = |text: &str| result(text).runs[0].whole().and_then(|row| row.iops());
    for before in [
        "2024-05-01T10:00:00.123Z ",
        "fio-pod | ",
        "[2024-05-01] INFO ",
        "a.txt:7:",
    ] {
        assert_eq!(
            rates(&format!("{before}{line}\n")),
            rates(&format!("{line}\n")),
            "{before}"
        );
    }
}

/// Output of Vdbench 5.04.07 where a parameter is none that it knows.
#[test]
fn a_run_of_vdbench_that_failed_is_named_with_its_words() {
    let console = "\
05:00:19.407 input argument scanned: '-fe.parm'
05:00:19.978 Unknown keyword: hitarea
05:00:19.978
java.lang.RuntimeException: Unknown keyword: hitarea
\tat Vdb.common.failure(common.java:350)
";
    let said = |error: ReadError| {
        let said = error.to_string();
        assert!(said.contains("the run of Vdbench failed"), "{said}");
        assert!(said.contains("`Unknown keyword: hitarea`"), "{said}");
    };
    said(try_bytes(console.as_bytes()).expect_err("no figures"));
    let page = |name: &str, text: &str| Input {
        name: format!("out/{name}"),
        bytes: text.as_bytes().to_vec(),
    };
    let pages = [
        page("summary.html", "<pre>\n"),
        page("logfile.html", console),
    ];
    let (results, errors) = read_folder(&pages);
    assert!(results.is_empty());
    said(errors.into_iter().next().expect("a reason"));
}
