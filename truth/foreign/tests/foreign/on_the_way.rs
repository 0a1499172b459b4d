//! What became of results on their way through terminals, spreadsheets, scanners and quotations: lines broken or left out, numbers written
//! otherwise. The truth is what the tool had printed.

use crate::corpus::{ids, judged, result, text, try_bytes};
use plimsoll_evidence::Severity;
use plimsoll_foreign::model::{AskedSettings, InputPlace, Row};

/// Content of a text for each run, wherever its lines stand.
fn told(text: &str) -> Vec<(String, AskedSettings, Vec<Row>)> {
    let bare = |row: Row| Row {
        at: InputPlace::default(),
        ..row
    };
    let runs = result(text).runs.into_iter();
    let told = runs.map(|run| {
        (
            run.name,
            run.asked,
            run.rows.into_iter().map(bare).collect(),
        )
    });
    told.collect()
}

/// True where a remark has these words.
fn remarks(text: &str, words: &str) -> bool {
    let read = result(text);
    read.remarks.iter().any(|r| r.text.contains(words))
}

#[test]
fn a_log_of_vdbench_is_the_same_however_wide_the_terminal_was() {
    let whole = "\
16:46:14.003 Starting RD=rd1; I/O rate: 100; elapsed=5; For loops: None

Feb 18, 2019    interval        i/o   MB/sec   bytes   read     resp     read    write     read    write     resp  queue  cpu%  cpu%
                               rate  1024**2     i/o    pct     time     resp     resp      max      max   stddev  depth sys+u   sys
16:46:15.102           1       76.0     0.07    1024  52.63    0.011    0.008    0.014     0.02     0.04    0.006    0.0  23.4   5.6
16:46:16.021           2      109.0     0.11    1024  53.21    0.011    0.010    0.013     0.07     0.03    0.007    0.0  10.2   2.0
16:46:19.060     avg_2-5      113.0     0.11    1024  50.88    0.018    0.010    0.027     0.07     2.57    0.120    0.0   6.4   1.0
";
    let at_columns = |line: &str, width: usize| {
        let chars: Vec<char> = line.chars().collect();
        let parts = chars
            .chunks(width)
            .map(|part| part.iter().collect::<String>());
        parts.collect::<Vec<_>>().join("\n")
    };
    let at_blanks = |line: &str, width: usize| match line.len() > width {
        true => match line[..=width].rfind(' ') {
            Some(at) => format!("{}\n{}", line[..at].trim_end(), line[at..].trim_start()),
            None => line.to_string(),
        },
        false => line.to_string(),
    };
    for width in [64, 72, 76, 80, 90, 100, 110] {
        for broken in [at_columns, at_blanks as fn(&str, usize) -> String] {
            let lines = whole.lines().map(|line| broken(line, width) + "\n");
            assert_eq!(told(&lines.collect::<String>()), told(whole), "{width}");
        }
    }
}

/// fio 2.18 printed 125 MiB in 5.21 s, 23.99 MiB/s, as `23.2MiB/s`, and 2.19 printed 21.6 MiB as `21.1MiB`.
#[test]
fn decimals_of_fio_before_2_20_are_not_looked_at() {
    let text = "\
RUN_write: (g=0): rw=write, bs=1024KiB-1024KiB,1024KiB-1024KiB,1024KiB-1024KiB, ioengine=libaio, iodepth=1
fio-2.18
Starting 1 process
RUN_write: (groupid=0, jobs=1): err= 0: pid=297323: Thu Jun 17 12:14:55 2021
  write: IOPS=23, BW=23.2MiB/s (25.2MB/s)(125MiB/5210msec)
  cpu          : usr=0.10%, sys=0.46%, ctx=129, majf=0, minf=1
     issued rwt: total=0,125,0, short=0,0,0, dropped=0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=1
";
    let row = result(text).runs[0].whole().cloned().expect("a row");
    let bandwidth = row.bandwidth.map(|bytes| bytes.0);
    assert_eq!(
        (row.iops(), bandwidth),
        (Some(125.0 / 5.21), Some(25_157_773))
    );
    assert_eq!(ids(&judged(text), Severity::Invalid), [""; 0]);
    let found = judged(text).audit.findings;
    assert!(
        found
            .iter()
            .any(|f| f.finding.with_remedy().contains("9e55f2c7"))
    );
    let mended = text.replace("2.18", "2.20");
    assert_eq!(
        ids(&judged(&mended), Severity::Invalid),
        ["fields-disagree"]
    );
    // The text does not say whether anything was left out at the beginning.
    assert!(!ids(&judged(text), Severity::Note).contains(&"no-warm-up"));
}

#[test]
fn a_rate_of_both_directions_is_not_held_against_the_bandwidth_of_one() {
    // Somebody's scanner read an l.
    let text = "\
mix: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=8
fio-3.33
mix: (groupid=0, jobs=1): err= 0: pid=11: Fri Nov 27 05:25:34 2026
  read: IOPS=7996, BW=3l.2MiB/s (32.8MB/s)(125MiB/4001msec)
  write: IOPS=7997, BW=31.2MiB/s (32.8MB/s)(125MiB/4001msec); 0 zone resets
     issued rwts: total=31992,31997,0,0 short=0,0,0,0 dropped=0,0,0,0
";
    assert_eq!(
        result(text).runs[0].whole().and_then(|row| row.bandwidth),
        None
    );
    assert!(!ids(&judged(text), Severity::Note).contains(&"bandwidth-disagrees"));
}

/// A text whose numbers were written anew, but for keys, sizes and counts of several in one word.
fn renumbered(text: &str, number: impl Fn(&str) -> String) -> String {
    let mut all = String::new();
    for line in text.lines() {
        let is_left = [
            "ioengine=",
            "pid=",
            "issued",
            "fio-",
            "bw (",
            "submit",
            "complete",
            "IO depths",
        ]
        .iter()
        .any(|word| line.contains(word));
        let is_figure = |c: char| c.is_ascii_digit() || c == '.';
        let mut rest = line;
        while let Some(at) = rest.find(is_figure).filter(|_| !is_left) {
            let (before, behind) = rest.split_at(at);
            let end = behind.find(|c: char| !is_figure(c)).unwrap_or(behind.len());
            all += before;
            all += &match behind.starts_with('.') || behind[end..].starts_with('=') {
                true => behind[..end].to_string(),
                false => number(&behind[..end]),
            };
            rest = &behind[end..];
        }
        all += rest;
        all.push('\n');
    }
    all
}

#[test]
fn numbers_of_fio_are_the_same_in_any_locale() {
    let whole = text("fio/text-3.33.txt");
    let thousands = |number: &str, mark: &str| {
        let (digits, decimals) = number.split_at(number.find('.').unwrap_or(number.len()));
        let parts: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .filter_map(|part| std::str::from_utf8(part).ok())
            .collect();
        parts.join(mark) + decimals
    };
    let decimal = renumbered(&whole, |number| number.replace('.', ","));
    assert!(decimal.contains("BW=86,8MiB/s (91,0MB/s)"), "{decimal}");
    assert_eq!(told(&decimal), told(&whole));
    for mark in [",", "\u{202f}", "\u{2009}"] {
        let parted = renumbered(&whole, |number| thousands(number, mark));
        assert!(parted.contains(&format!("avg=261{mark}579.09")), "{parted}");
        assert_eq!(told(&parted), told(&whole), "{mark}");
    }
    let broken: String = whole.lines().map(|line| format!("{line}\\\n")).collect();
    assert_eq!(told(&broken), told(&whole));
    assert_eq!(result(&broken).version, result(&whole).version);
    let blank = whole.replacen("max=24460k", "max=24460 k", 1);
    assert_eq!(told(&blank), told(&whole));
    let rows = told(&whole.replacen("BW=86.8MiB/s", "BW=86. 8MiB/s", 1));
    assert_eq!(rows[0].2[0].bandwidth, None);
}

#[test]
fn a_line_of_fio_that_was_left_out_accuses_nobody() {
    let whole = text("fio/text-3.33.txt");
    let lines: Vec<&str> = whole.lines().collect();
    let shares = |line: &str| line.contains("  lat (") && !line.contains("min=");
    let mut left_out = 0;
    for at in 0..lines.len() {
        if shares(lines[at]) || lines[at].contains("percentiles (") {
            let rest = [&lines[..at], &lines[at + 1..]].concat().join("\n") + "\n";
            assert_eq!(
                ids(&judged(&rest), Severity::Suspect),
                ids(&judged(&whole), Severity::Suspect),
                "{}",
                lines[at]
            );
            left_out += usize::from(remarks(&rest, "a line of the shares by time was left out"));
        }
    }
    assert!(left_out >= 3, "{left_out}");
    let disagree = whole.replacen("250=67.80%", "250=37.80%", 1);
    assert!(!ids(&judged(&disagree), Severity::Invalid).is_empty());
}

#[test]
fn a_job_of_fio_on_windows_begins_in_the_line_of_its_header() {
    let text = "\
read: (g=0): rw=read, bs=4K-4K/4K-4K/4K-4K, ioengine=windowsaio, iodepth=1
fio-2.6
Starting 1 thread

read: (groupid=0, jobs=1): err= 0: pid=2904: Wed Apr 27 12:26:18 2016  read : io=1421.6MB, bw=38887KB/s, iops=9721, runt= 37433msec
    slat (usec): min=20, max=28847, avg=36.33, stdev=128.54
    clat (usec): min=6, max=12848, avg=45.51, stdev=51.77
     lat (usec): min=30, max=28891, avg=81.84, stdev=138.92
";
    let row = result(text).runs[0].whole().cloned().expect("a row");
    assert_eq!((row.iops(), row.mean_ns()), (Some(9721.0), Some(81_840.0)));
    assert_eq!(ids(&judged(text), Severity::Suspect), [""; 0]);
}

#[test]
fn memory_on_the_bus_is_no_cache_that_answers() {
    let text = |disk: &str| {
        format!(
            "device: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1
fio-3.33
device: (groupid=0, jobs=1): err= 0: pid=325768: Sat Jan  4 23:06:42 2025
  read: IOPS=334k, BW=1304MiB/s (1367MB/s)(76.4GiB/60001msec)
     lat (nsec): min=2294, max=77305, avg=2757.62, stdev=301.33

Disk stats (read/write):
  {disk}: ios=20003327/0, merge=0/0, ticks=9103/0, in_queue=9103, util=99.84%
"
        )
    };
    assert_eq!(ids(&judged(&text("pmem0")), Severity::Suspect), [""; 0]);
    assert_eq!(
        ids(&judged(&text("nvme0n1")), Severity::Suspect),
        ["faster-than-storage"]
    );
}

#[test]
fn a_table_of_diskspd_without_its_title_is_left_out() {
    let text = "\
Total IO
thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |       496783360 |       121285 |       0.79 |     202.14 |  158.146 |   206.111 | C:\\testfile.foo (8192MB)
-----------------------------------------------------------------------------------------------------
total:         496783360 |       121,285 |       0.79 |     202.14 |  158.146 |   206.111

thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |       248958976 |        60781 |       0.40 |     101.30 |  128.614 |   204.159 | C:\\testfile.foo (8192MB)
-----------------------------------------------------------------------------------------------------
total:         248958976 |        60781 |       0.40 |     101.30 |  128.614 |   204.159

  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    min |      0.047 |      4.120 |      0.047
   9Sth |    416.042 |    416.042 |    416.042
";
    let row = result(text).runs[0].whole().cloned().expect("a row");
    assert_eq!((row.iops(), row.all.ios), (Some(202.14), Some(121_285)));
    assert_eq!(row.all.latency.percentiles, []);
    assert!(remarks(text, "a table without its title"));
}

/// Objects of one block each: 11,986/s at 2.00 ms are 24.0 in flight, of three hosts with eight threads each.
#[test]
fn objects_of_one_block_are_ios_of_elbencho() {
    let text = |hosts: &str| {
        format!(
            "# elbencho --hosts {hosts} --s3endpoints $ebEndpoints --s3key /k -r -s 64k -t 8 -n 3 -N 99999999999 --lat 01test1
OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
READ        Elapsed time     :   2m18.066s   2m18.732s
            Objects/s        :       12024       11986
            Throughput MiB/s :         751         749
            Total MiB        :      103762      103929
            Objects total    :     1660199     1662879
            Objects latency  : [ min=1.50ms avg=2.00ms max=35.9ms ]
            IO latency       : [ min=1.49ms avg=2.00ms max=35.9ms ]
---
RMFILES     Elapsed ms       :      12997      13714
            Files/s          :      76175      76461
            Total files      :     990072    1048600
---
"
        )
    };
    for (hosts, threads) in [("a,b,c", None), ("a--numhosts 3", None)] {
        let text = text(hosts);
        let read = result(&text);
        assert_eq!(read.runs.len(), 1, "{hosts}");
        assert_eq!(read.runs[0].whole().and_then(Row::iops), Some(11_986.0));
        assert_eq!(read.runs[0].asked.threads, threads, "{hosts}");
        assert_eq!(ids(&judged(&text), Severity::Suspect), [""; 0], "{hosts}");
    }
    let both = text("a");
    let removed = &both[both.find("RMFILES").expect("a phase")..];
    let titles = "OPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n";
    let error = try_bytes(format!("{titles}{removed}").as_bytes()).expect_err("no I/O");
    assert!(
        error.to_string().contains("files with their bytes"),
        "{error}"
    );
    let told = text("a,b,c").replace("--s3endpoints $ebEndpoints", "--s3endpoints http://e");
    let asked = &result(&told).runs[0].asked;
    assert_eq!(
        (asked.threads, asked.block.map(|(b, _)| b.0)),
        (Some(24), Some(64 << 10))
    );
    assert_eq!(ids(&judged(&told), Severity::Suspect), [""; 0]);
    let slow = text("a").replace("--s3endpoints $ebEndpoints", "--s3endpoints http://e");
    assert_eq!(ids(&judged(&slow), Severity::Invalid), ["littles-law"]);
}

#[test]
fn zeros_that_were_left_out_of_fios_json_are_zeros() {
    // Three jobs at once; what writes the document anew may leave out zeros.
    let whole = text("fio/many.json");
    let lines = whole
        .lines()
        .filter(|line| !line.contains("\"groupid\" : 0"));
    let without = lines.collect::<Vec<_>>().join("\n");
    let began = |text: &str| {
        let runs = result(text).runs.into_iter();
        runs.map(|run| run.asked.began_with).collect::<Vec<_>>()
    };
    assert_eq!(began(&without), began(&whole));
}

#[test]
fn a_rate_of_one_digit_is_its_count_over_the_time() {
    // fio 3.33 with --significant_figures=1.
    let text = "\
h: (groupid=0, jobs=1): err= 0: pid=10361: Fri Nov 27 21:21:29 2026
  read: IOPS=0M, BW=0GiB/s (0GB/s)(0GiB/1001msec)
  write: IOPS=0M, BW=0GiB/s (0GB/s)(0GiB/1001msec); 0 zone resets
     issued rwts: total=17564,17564,0,0 short=0,0,0,0 dropped=0,0,0,0
";
    let rate = result(text).runs[0]
        .whole()
        .and_then(Row::iops)
        .expect("a rate");
    assert!((rate - (17_564.0 + 17_564.0) / 1.001).abs() < 0.1, "{rate}");
    assert_eq!(ids(&judged(text), Severity::Invalid), [""; 0]);
}
