//! Posts of which a part was lost once, or told as something else: what is said of each now, and which rules doubt it.

use crate::corpus::{ids, judged, result, text, try_bytes};
use plimsoll_evidence::Severity;

/// A post, shortened to what matters; words that are said of it; the rules that doubt it.
type Post = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const POSTS: &[Post] = &[
    // Samples and Little's law tell a higher rate while all 16 jobs ran.
    (
        "\
n: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=8
...
fio-3.32
n: (groupid=0, jobs=16): err= 0: pid=18715: Wed May 17 15:43:54 2023
  write: IOPS=111k, BW=433MiB/s (454MB/s)(375GiB/887769msec); 0 zone resets
     lat (usec): min=20, max=18278, avg=996.45, stdev=896.16
   iops        : min=33226, max=502899, avg=132163.42, stdev=6490.34, samples=12253
",
        &["111,000 writes per second"],
        &["rate-over-the-longest"],
    ),
    // Jobs that ran at once are one run, of which one was left out.
    (
        "\
read: (g=0): rw=read, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=windowsaio, iodepth=1
fio-3.29
Starting 3 threads
read: (groupid=0, jobs=1): err= 0: pid=8364: Tue Apr 5 18:48:09 2022
  read: IOPS=1545, BW=12.1MiB/s (12.7MB/s)(1024MiB/84835msec)
read: (groupid=0, jobs=1): err= 0: pid=8228: Tue Apr 5 18:48:09 2022
  read: IOPS=1548, BW=12.1MiB/s (12.7MB/s)(1024MiB/84639msec)

Run status group 0 (all jobs):
   READ: bw=36.3MiB/s (38.1MB/s), 12.1MiB/s-12.1MiB/s (12.7MB/s-12.7MB/s), io=3072MiB (3221MB), run=84403-84835msec
",
        &[
            "3,094 reads per second of 8.00 KiB, for 84.8s, by 2 jobs at once (1,545 to 1,549 each)",
            "fio started 3 jobs, of which 2 have results here",
            "the jobs that are here have 67% of the bandwidth in this line",
        ],
        &[],
    ),
    (
        "\
a: (groupid=0, jobs=1): err= 0: pid=1: Tue Apr 5 18:48:09 2022
  read: IOPS=1000, BW=4000KiB/s (4096kB/s)(391MiB/100000msec)
a: (groupid=0, jobs=1): err= 0: pid=2: Tue Apr 5 18:48:09 2022
  read: IOPS=9000, BW=35.2MiB/s (36.9MB/s)(391MiB/11111msec)
",
        &["2 jobs, from 1,000 to 9,000 I/Os per second, which began together and ended at different times"],
        &["too-short"],
    ),
    // Cut decimals, beside a bandwidth.
    (
        "\
w: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=posixaio, iodepth=4
fio-3.41
w: (groupid=0, jobs=1): err= 0: pid=51776: Fri Dec 12 23:34:08 2025
  write: IOPS=1, BW=5771B/s (5771B/s)(696KiB/123484msec); 0 zone resets
     lat (msec): min=4, max=16886, avg=2838.67, stdev=5291.87
",
        &["1.41 writes per second of 4.00 KiB"],
        &[],
    ),
    // A run that was broken off.
    (
        "\
$ fio -direct=1 -filename=/dev/x -iodepth 16 -rw=randwrite -ioengine=libaio -runtime=300 -name=a -bs=4k -size=20g
a: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=16
fio-3.27
^Cbs: 1 (f=1): [w(1)][15.0%][w=24.3MiB/s][w=6230 IOPS][eta 04m:15s]]
fio: terminating on signal 2
a: (groupid=0, jobs=1): err= 0: pid=10354: Mon Sep 20 13:10:33 2021
  write: IOPS=6167, BW=24.1MiB/s (25.3MB/s)(1105MiB/45870msec); 0 zone resets
     lat (usec): min=805, max=8679, avg=2591.77, stdev=51.02
",
        &["broken off by signal 2", "`a` was to take 300s and took 45.9s"],
        &[],
    ),
    // Writes with trims behind them, each with its time.
    (
        "\
w: (g=0): rw=trimwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1
fio-3.36
w: (groupid=0, jobs=1): err= 0: pid=33: Fri Nov 11 11:26:03 2022
  write: IOPS=12.9k, BW=50.5MiB/s (52.0MB/s)(1516MiB/30001msec); 0 zone resets
     lat (usec): min=3, max=376, avg= 4.68, stdev= 1.02
  trim: IOPS=12.9k, BW=50.5MiB/s (52.0MB/s)(1516MiB/30001msec)
     lat (usec): min=66, max=377, avg=71.63, stdev= 4.41
",
        &["12,900 writes per second, at a mean of 4.68us, and 12,900 trims per second, at a mean of 71.6us"],
        &["faster-than-storage"],
    ),
    // One result below one header is of its size, whatever was left out between them; a mean with its decimals is whole.
    (
        "\
j: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, ioengine=libaio, iodepth=32
read: IOPS=792k, BW=7120MiB/s (7466MB/s)(100GiB/14382msec)
  clat (usec): min=28, max=320, avg=48.20, stdev=6.12
   lat (usec): min=30, max=324, avg=49.32
",
        &["792,000 reads per second of 4.00 KiB, at a mean of 49.3us"],
        &["bandwidth-disagrees"],
    ),
    (
        "\
j: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, ioengine=libaio, iodepth=32
read: IOPS=792k, BW=7120MiB/s (7466MB/s)(100GiB/14382msec)
",
        &["792,000 I/Os per second, for"],
        &[],
    ),
    // Times of a clock that was off are told as they stand.
    (
        "\
t: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=io_uring, iodepth=1
fio-3.20
t: (groupid=0, jobs=1): err= 0: pid=132792: Wed Feb 17 13:32:25 2021
  write: IOPS=58.1k, BW=227MiB/s (238MB/s)(13.3GiB/60001msec); 0 zone resets
     lat (msec): min=8647.6G, max=8647.8G, avg=8647619836547.01, stdev=261316.04
",
        &["at a mean of 8,647,619,837s"],
        &["littles-law", "longer-than-run"],
    ),
    // A sync behind each write is in the depths, and in some versions among what came short.
    (
        "\
m: (groupid=0, jobs=1): err= 0: pid=2589: Fri Sep  8 07:53:08 2023
  write: IOPS=58, BW=132KiB/s (135kB/s)(21.0MiB/170299msec); 0 zone resets
     lat (usec): min=2, max=167032, avg=53.64, stdev=1687.69
  fsync/fdatasync/sync_file_range:
    sync (usec): min=399, max=5729.7k, avg=16924.38, stdev=135471.87
  cpu          : usr=0.05%, sys=0.32%, ctx=24729, majf=0, minf=15
  IO depths    : 1=200.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     issued rwts: total=0,10029,0,0 short=10029,0,0,0 dropped=0,0,0,0
",
        &["16.9ms for each sync"],
        &[],
    ),
    // Decimals of 2.17 to 2.19 are wrong; a rate without any is not.
    (
        "\
fio-2.17
w: (groupid=0, jobs=1): err= 0: pid=25: Tue Mar 30 10:41:32 2020
  write: IOPS=1801, BW=7223KiB/s (7396kB/s)(107MiB/15106msec)
     lat (usec): min=300, max=9678, avg=550.77, stdev=51.02
",
        &["1,801 I/Os per second"],
        &[],
    ),
    // Half of a mix, cut off before its writes.
    (
        "\
m: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=256
fio-3.19
m: (groupid=0, jobs=1): err= 0: pid=25: Tue Mar 30 10:41:32 2020
  read: IOPS=32.7k, BW=128MiB/s (134MB/s)(24.9GiB/200004msec)
     lat (usec): min=90, max=91100, avg=3848.20, stdev=51.02
",
        &[
            "fio measured 32,700 reads per second of 4.00 KiB, at a mean of 3.85ms, for 200s",
            "its writes are not here: its figures are of its reads alone",
        ],
        &[],
    ),
    // Samples of writes whose first line was left out are not those of the reads.
    (
        "\
fio-3.33
m: (groupid=0, jobs=1): err= 0: pid=25: Tue Mar 30 10:41:32 2020
  read: IOPS=7327, BW=28.6MiB/s (30.0MB/s)(286MiB/10001msec)
   iops        : min= 7000, max= 7500, avg=7327.00, stdev=51.02, samples=19
   iops        : min= 3000, max= 3500, avg=3142.00, stdev=51.02, samples=19
  cpu          : usr=1.00%, sys=1.00%, ctx=1, majf=0, minf=9
     issued rwts: total=73277,31423,0,0 short=0,0,0,0 dropped=0,0,0,0
",
        &["fio measured 7,327 reads per second", "1 line within the result not of fio"],
        &[],
    ),
    // What a trimmed list of DiskSPD's parameters lacks, its command says; without one it is unknown.
    (
        "\
Command Line: D:\\Module 4 (Disk IO)\\diskspd.exe -b64K -d30 -o4 -t8 -h -r -w25 -Z1G E:\\a.dat
Input parameters:
    timespan:   1
    duration: 30s
    path: 'E:\\a.dat'
        block size: 65536
        number of outstanding I/O operations: 4
        threads per file: 8
Results for timespan 1:
actual test time: 30.00s
Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
total:      234422272 |   3577 |  7.45 |  119.23 |  268.00 |  10.1
",
        &["119 I/Os per second of 64.0 KiB"],
        &[],
    ),
    (
        "\
Input parameters:
    timespan:   1
    duration: 30s
    path: 'E:\\a.dat'
        software cache disabled
        block size: 65536
        number of outstanding I/O operations: 4
        threads per file: 8
Results for timespan 1:
actual test time: 30.00s
Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
total:      234422272 |   3577 |  7.45 |  119.23 |  268.00 |  10.1
",
        &["119 I/Os per second of 64.0 KiB"],
        &[],
    ),
    // Lines that `grep` found: one remark for all.
    (
        "\
a:  read : io=56320MB, bw=480576KB/s, iops=60071, runt=120006msec
b:  read : io=42372MB, bw=361571KB/s, iops=45196, runt=120001msec
c:  read : io=7322.1MB, bw=62489KB/s, iops=7811, runt=120001msec
",
        &["what was there is judged (and so in 2 more places)"],
        &[],
    ),
    // The one thread of DiskSPD, without a total.
    (
        "\
diskspd.exe -Sh -r -d90 -w62 -b16k -o4 -F1 -a3 -Z1M c:\\a.dat
Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
     0 |    175508717568 |   10712202 |    1859.76 |  119024.53 |    0.033 |    1155.77 |     0.016 | c:\\a.dat (50GiB)
",
        &["119,025 I/Os per second of 16.0 KiB", "the figures of the one thread are taken for all"],
        &[],
    ),
];

#[test]
fn what_was_lost_or_told_as_something_else_is_said() {
    let mut wrong = Vec::new();
    for (post, says, doubts) in POSTS {
        let judgement = judged(post);
        let remarks = judgement.remarks.iter().map(|remark| remark.text.clone());
        let all: Vec<String> = remarks.chain([judgement.measured.clone()]).collect();
        let all = all.join("\n");
        let missing = says.iter().filter(|words| !all.contains(**words));
        let missing: Vec<_> = missing.collect();
        let found = ids(&judgement, Severity::Suspect);
        if !missing.is_empty() || found != *doubts {
            wrong.push(format!(
                "{post}{found:?} instead of {doubts:?}, {missing:?} not in\n{all}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Times of a provider's limit.
pub const OF_A_LIMIT: &str = "\
r: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=128
r: (groupid=0, jobs=1): err= 0: pid=2197: Fri Apr  7 20:46:44 2017
  read : io=960520KB, bw=3999.2KB/s, iops=999, runt=240131msec
     lat (usec): min=815, max=252639, avg=127985.12, stdev=3490.32
    clat percentiles (msec):
     |  1.00th=[  128], 50.00th=[  128], 99.00th=[  131], 99.90th=[  137]
";

#[test]
fn a_limit_shows_in_times_without_a_width_and_in_rates_of_both_directions() {
    let times = OF_A_LIMIT;
    let rates = "\
a: (groupid=0, jobs=4): err= 0: pid=0: Wed Aug 12 15:40:00 2020
   read: IOPS=3025, BW=23.6Mi (24.8M)(2837MiB/120012msec)
a: (groupid=0, jobs=4): err= 0: pid=0: Wed Aug 12 15:42:05 2020
  write: IOPS=3025, BW=23.6Mi (24.8M)(2837MiB/120022msec)
";
    let is_flat = |text: &str| ids(&judged(text), Severity::Note).contains(&"flat-rate");
    assert!(is_flat(times) && is_flat(rates));
    assert!(!is_flat(
        &times.replace("99.00th=[  131]", "99.00th=[  136]")
    ));
    assert!(!is_flat(&times.replace("rw=randread", "rw=read")));
    assert!(!is_flat(&rates.replacen("=3025", "=3029", 1)));
}

#[test]
fn terse_lines_are_found_behind_progress_and_give_way_to_the_text_of_the_same_jobs() {
    let terse = text("fio/terse-v3.txt");
    let jobs = judged(&terse).runs;
    let behind = terse.replacen(
        "3;fio-",
        "Jobs: 1 (f=1): [R(1)][0.7%][r=85 IOPS][eta 07m:\r[eta 19883;fio-",
        1,
    );
    assert_eq!(judged(&behind).runs, jobs);
    let printed = text("fio/text-3.33.txt");
    let name = |text: &str, at| {
        text.split([';', ':'])
            .nth(at)
            .expect("a name")
            .trim()
            .to_string()
    };
    let terse = terse.lines().next().expect("a line").to_string();
    let header = printed
        .lines()
        .find(|line| line.contains("(groupid="))
        .expect("a header");
    let terse = terse.replace(&name(&terse, 2), &name(header, 0));
    let both = judged(&format!("{terse}\n{printed}"));
    assert_eq!(both.taken_for, "text of fio");
    assert!(
        both.remarks[0]
            .text
            .starts_with("the same jobs stand here as terse lines")
    );
    let other = judged(&format!(
        "{}\n{printed}",
        terse.replace(&name(header, 0), "another")
    ));
    assert_eq!(other.taken_for, "terse output of fio");
}

#[test]
fn backslashes_that_keep_marks_from_markdown_are_none_of_a_result() {
    let text = "\
j: (groupid=0, jobs=1): err= 0: pid=25: Tue Mar 30 10:41:32 2020
  read: IOPS=701, BW=2804KiB/s (2871kB/s)(164MiB/60001msec)
    clat percentiles (usec):
     \\| 1.00th=\\[ 494\\], 5.00th=\\[ 510\\], 50.00th=\\[ 930\\]
     issued rwts: total=42060,0,0,0 short=0,0,0,0 dropped=0,0,0,0
";
    assert_eq!(result(text).remarks, []);
}

/// A line of shares that was left out may have held any time.
#[test]
fn shares_that_lack_a_line_say_no_more_than_they_have() {
    let with = |shares: &str, mean: &str| {
        let text = format!(
            "\
r: (groupid=0, jobs=1): err= 0: pid=7: Thu Nov 26 08:09:18 2026
  read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(2344MiB/60001msec)
    clat (usec): min=25, max=9110, avg={mean}, stdev=51.02
  lat (usec)   : {shares}
  cpu          : usr=1.00%, sys=1.00%, ctx=1, majf=0, minf=9
     issued rwts: total=600010,0,0,0 short=0,0,0,0 dropped=0,0,0,0
"
        );
        ids(&judged(&text), Severity::Invalid)
    };
    assert_eq!(with("50=10.00%, 100=89.13%", "99.00"), [""; 0]);
    assert_eq!(
        with("50=10.00%, 100=89.98%, 250=0.01%", "119.00"),
        ["histogram-against-mean"]
    );
}

#[test]
fn a_part_without_a_rate_is_known_for_fio_s() {
    for part in [
        "fsync/fdatasync/sync_file_range:\n  sync (usec): min=534, max=15766, avg=1273.08, stdev=1084.70\n",
        "  clat percentiles (usec):\n     |  1.00th=[ 2311],  5.00th=[ 2343], 10.00th=[ 2343]\n",
    ] {
        let error = try_bytes(part.as_bytes()).expect_err("no rate").to_string();
        assert!(
            error.contains("looks like text of fio, but no line"),
            "{error}"
        );
    }
}
